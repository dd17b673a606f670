"""Small programs for the corners of symbolic execution: lifetimes, null pointers, allocations, layouts, joins."""

from __future__ import annotations

from pathlib import Path

import pytest

from .check import Report, check_run, check_steps, loaded, prepared

HEAD = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(__SIZE_TYPE__);
extern void *calloc(__SIZE_TYPE__,__SIZE_TYPE__);
extern void *realloc(void*,__SIZE_TYPE__);
extern void free(void*);
extern void *memset(void*,int,__SIZE_TYPE__);
extern void *memcpy(void*,const void*,__SIZE_TYPE__);
"""

CASES = {
    "alloca_loop": r"""
int main(void) { int n = __VERIFIER_nondet_int(); int *last = 0; for (int k = 0; k < 3; k++) { int *p = malloc(4 + (unsigned)n % 9u); if (!p) return 1; *p = k; if (last && *last == k) reach_error(); last = p; } return 0; }
""",
    "bool_memory": r"""
_Bool flags[4]; int main(void) { int i = __VERIFIER_nondet_int(); flags[(unsigned)i % 4u] = i; if (flags[(unsigned)(i+1) % 4u]) reach_error(); if (flags[(unsigned)i % 4u]) reach_error(); return 0; }
""",
    "calloc_array": r"""
struct S { int a, b; };
int main(void) { struct S *p = calloc(3, sizeof *p); int i = __VERIFIER_nondet_int(); if (!p) return 0; if (p[(unsigned)i % 3u].b) reach_error(); p[(unsigned)i % 3u].a = 1; return 0; }
""",
    "calloc_byte": r"""
int main(void) { char *p = calloc(8, 1); int i = __VERIFIER_nondet_int(); if (!p) return 0; if (*(int*)(p + (unsigned)i % 5u)) reach_error(); p[3] = 1; return 0; }
""",
    "calloc_inside_a_struct": r"""
struct S { int a, b, c, d; } s;
int main(void) { struct S *q = __VERIFIER_nondet_int() ? &s : 0; if (q) { q->a = 1; q->c = 2; q->d = 3; } int *p = &s.b; if (__VERIFIER_nondet_int()) { p = calloc(1, 4); if (!p) return 1; } if (*p != 0) reach_error(); *p = s.a; return 0; }
""",
    "calloc_shifted": r"""
struct S { int a, b; } s;
int main(void) { int *p = __VERIFIER_nondet_int() ? calloc(1, 4) : &s.b; if (p && *p != 0) reach_error(); s.a = 3; return 0; }
""",
    "extern_memory": r"""
extern int e[4]; extern int f; int main(void) { int i = __VERIFIER_nondet_int(); if (e[(unsigned)i % 4u] == 3) reach_error(); e[1] = f; if (e[1] > f) reach_error(); return 0; }
""",
    "free_null_load": r"""
int main(void) { int **p = __VERIFIER_nondet_int() ? malloc(sizeof *p) : 0; free(*p); reach_error(); return 0; }
""",
    "global_pointer_table": r"""
int x = 3, y = 4; int *table[3] = {&x, &y, 0}; int main(void) { int i = __VERIFIER_nondet_int(); int *p = table[(unsigned)i % 3u]; if (*p == 4) reach_error(); *p = 9; if (x == 9) reach_error(); return 0; }
""",
    "lazy_and": r"""
int main(void) { int x = 5; int *p = __VERIFIER_nondet_int() ? &x : 0; int y = p && *p == 5; if (!y) reach_error(); return 0; }
""",
    "lazy_and_branch": r"""
int g; int main(void) { int x = 5; int *p = __VERIFIER_nondet_int() ? &x : 0; if (p && *p == 5) g = 1; if (!g) reach_error(); return 0; }
""",
    "lazy_division": r"""
int main(void) { int x = __VERIFIER_nondet_int(); int *p = x ? &x : 0; int y = (p == 0) ? 7 : 10 / *p; if (y == 7) reach_error(); return 0; }
""",
    "lazy_ite": r"""
int main(void) { int x = 5; int *p = __VERIFIER_nondet_int() ? &x : 0; int y = p ? *p : 7; if (y == 7) reach_error(); return 0; }
""",
    "long_double_memory": r"""
long double d[3] = {1.5L, 0, -2}; int main(void) { int i = __VERIFIER_nondet_int(); d[(unsigned)i % 3u] += i; if (d[(unsigned)(i+1) % 3u] > 1) reach_error(); memset(&d[(unsigned)i % 3u], 0, sizeof d[0]); if (d[(unsigned)i % 3u] != 0) reach_error(); return 0; }
""",
    "merge_regions": r"""
int a[4], b[4]; int main(void) { int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int(); int *p = i > j ? a : b; if (i == 3) p[(unsigned)i % 4u] = 1; else if (j == 3) p[(unsigned)j % 4u] = 2; else p = a + 1; if (*p == 2) reach_error(); if (a[1] + b[3] == 1) reach_error(); return 0; }
""",
    "null_branch": r"""
int x; int main(void) { int *p = __VERIFIER_nondet_int() ? &x : 0; if (*p) reach_error(); else if (!p) reach_error(); return 0; }
""",
    "null_offset": r"""
struct S { int a[100]; int b; }; struct S s; int main(void) { struct S *p = __VERIFIER_nondet_int() ? &s : 0; p->b = 1; if (s.b) reach_error(); return 0; }
""",
    "overlap_copy": r"""
struct T { int v[6]; } t; int main(void) { int i = __VERIFIER_nondet_int(); t.v[(unsigned)i % 6u] = i; for (int k = 0; k < 2; k++) memcpy(&t.v[1], &t.v[0], 12); if (t.v[3] == i && i) reach_error(); memset(&t, i, sizeof t); if (t.v[(unsigned)i%6u] == 0x01010101) reach_error(); return 0; }
""",
    "same_condition": r"""
int main(void) { int x = __VERIFIER_nondet_int(), r = 0; if (x > 3) r = 1; if (x > 3) r += 2; else r += 4; if (!(x > 3)) r += 8; switch (x) { case 1: r++; case 2: r += 16; break; case 7: r = 0; goto out; default: r ^= 32; } if (r == 0) reach_error(); out: if (r == 48) reach_error(); return r; }
""",
    "static_after_slicing": r"""
int a[2] = {1, 2}; int unused;
int main(void) { int i = __VERIFIER_nondet_int(); unused = a[(unsigned)i % 2u]; if (a[0] != 1) reach_error(); return 0; }
""",
    "static_declare_after_slicing": r"""
int unused;
int main(void) { int first = 1; for (int k = 0; k < 3; k++) { int a[2]; unused = a[(unsigned)k % 2u]; if (!first && a[0] != 7) reach_error(); a[0] = 7; first = 0; } return 0; }
""",
    "two_declarations": r"""
int main(void) { int n = 0, i = __VERIFIER_nondet_int();
again: ;
 { int a[2]; inside: if (n > 0 && a[(unsigned)i % 2u] != 5) reach_error(); a[0] = a[1] = 5; }
 n++; if (n == 1) goto inside; if (n == 2) goto again; return 0; }
""",
    "vla": r"""
int main(void) { for (int k = 1; k < 4; k++) { int a[k]; for (int j = 0; j < k; j++) a[j] = j; if (a[k-1] != k - 1) reach_error(); } return 0; }
""",
    "zero_copy": r"""
int main(void) { char *p = 0; char q[4]; memcpy(p, q, 0); memset(p, 0, 0); reach_error(); return 0; }
""",
}


@pytest.mark.parametrize("sliced", [False, True], ids=["plain", "sliced"])
@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("case", CASES)
def test_steps_and_runs(tmp_path: Path, case: str, data_model: str, sliced: bool) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + CASES[case])
    program = loaded(str(path), data_model)
    ready = prepared(program, sliced=sliced)
    report = Report()
    for seed in range(4):
        check_steps(ready, seed, report)
    check_run(ready, program, 0, report, sliced=sliced, steps=12, runs=12)
    assert not report.differences, "\n".join(report.differences)
    assert report.counts["runs"] > 0
