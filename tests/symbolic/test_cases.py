"""Small programs for the corners of symbolic execution: lifetimes, null pointers, allocations, layouts, joins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.symbolic.check import Report, check_run, check_steps, loaded, prepared
from tests.symbolic.comparison import Subject
from tests.symbolic.concrete import OutsideAssumptions
from tests.symbolic.inputs import PlacedInputs
from tests.symbolic.states import reached_states

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
    "bit_fields": r"""
struct B { unsigned a : 3; int b : 5; _Bool c : 1; long long d : 40; } b[2];
int main(void) { int i = __VERIFIER_nondet_int(); b[(unsigned)i % 2u].b = i; b[0].d = i; b[1].c = i; if (b[1].b == -3) reach_error(); if (b[0].d < -5 && b[1].c) reach_error(); return 0; }
""",
    "calloc_of_any_size": r"""
int main(void) { unsigned n = (unsigned)__VERIFIER_nondet_int() % 9u, i = (unsigned)__VERIFIER_nondet_int() % 9u; long *p = calloc(n, sizeof *p); if (!p || i >= n) return 0; if (p[i]) reach_error(); p[i] = n; char *q = calloc(i + 1, 1); if (!q) return 0; q[i] += 1; if (q[i / 2] && i > 1) reach_error(); return 0; }
""",
    "realloc_grows": r"""
int main(void) { int *p = 0, n = 0; for (int k = 0; k < 4; k++) { if (k == n) { n = n ? 2 * n : 1; int *q = realloc(p, n * sizeof *q); if (!q) return 1; p = q; } p[k] = k + __VERIFIER_nondet_int(); if (p[0] == 7 && k == 3) reach_error(); } return p[3]; }
""",
    "realloc_of_any_size": r"""
int main(void) { unsigned n = (unsigned)__VERIFIER_nondet_int() % 5u; short *p = malloc(2 * (n + 1)); if (!p) return 1; p[n] = 5; short *q = realloc(p, 2 * ((unsigned)__VERIFIER_nondet_int() % 5u + 1)); if (!q) { if (p[n] != 5) reach_error(); return 2; } q[0] += 1; if (q[0] == 6) reach_error(); return 0; }
""",
    "realloc_of_bytes": r"""
int main(void) { char *p = malloc(6); int i = __VERIFIER_nondet_int(); if (!p) return 1; for (int k = 0; k < 6; k++) p[k] = k + i; p = realloc(p, (i & 1) ? 9 : 5); if (!p) return 1; if (*(short *)(p + 1) == 0x0605) reach_error(); return 0; }
""",
    "realloc_of_structs": r"""
struct S { char c; long v; struct S *next; };
int main(void) { struct S *p = calloc(2, sizeof *p); if (!p) return 1; static struct S z; p[1].next = &z; p[0].v = __VERIFIER_nondet_int(); struct S *q = realloc(p, 3 * sizeof *q); if (!q) return 1; q[1].next->v = 4; if (q[0].v != 4 && q[1].c) reach_error(); q[2] = q[0]; return q[2].v == 3; }
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
    "copied_local_struct": r"""
struct Q { char c; int v[3]; short h; };
struct Q make(int n) { struct Q q; q.c = n; q.v[1] = n + 1; q.h = 2; return q; }
int main(void) { struct Q a[2]; int i = __VERIFIER_nondet_int(); for (int k = 0; k < 2; k++) { struct Q q = make(k + i); a[(unsigned)(k + i) % 2u] = q; if (a[0].v[1] == 7 && a[(unsigned)i % 2u].h != 2) reach_error(); } if (a[0].c == a[1].c) reach_error(); return 0; }
""",
    "extern_memory": r"""
extern int e[4]; extern int f; int main(void) { int i = __VERIFIER_nondet_int(); if (e[(unsigned)i % 4u] == 3) reach_error(); e[1] = f; if (e[1] > f) reach_error(); return 0; }
""",
    "external_cells": r"""
extern struct E { int a; long c; void *p; } e;
int main(void) { for (int k = 0; k < 3; k++) { if (e.c == k) reach_error(); e.c += e.a; } return 0; }
""",
    "fill_with_input": r"""
short h[8]; int main(void) { int i = __VERIFIER_nondet_int(); memset(h + (unsigned)i % 4u, i, 8); if (h[3] == 0x0202) reach_error(); for (int k = 0; k < 2; k++) { char c[5]; memset(c, k + i, sizeof c); if (c[(unsigned)i % 5u] == 3) reach_error(); } return 0; }
""",
    "free_null_load": r"""
int main(void) { int **p = __VERIFIER_nondet_int() ? malloc(sizeof *p) : 0; free(*p); reach_error(); return 0; }
""",
    "global_pointer_table": r"""
int x = 3, y = 4; int *table[3] = {&x, &y, 0}; int main(void) { int i = __VERIFIER_nondet_int(); int *p = table[(unsigned)i % 3u]; if (*p == 4) reach_error(); *p = 9; if (x == 9) reach_error(); return 0; }
""",
    "heap_list": r"""
struct N { struct N *next; int v; };
int main(void) { struct N *head = 0; int n = (unsigned)__VERIFIER_nondet_int() % 4u; for (int k = 0; k < n; k++) { struct N *m = malloc(sizeof *m); if (!m) return 1; m->v = k; m->next = head; head = m; } int sum = 0; while (head) { struct N *m = head; sum += m->v; head = m->next; free(m); } if (sum == 3) reach_error(); return 0; }
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
    "many_joins": r"""
int main(void) { int r = 0; for (int k = 0; k < 2; k++) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x > 0) { if (y > 0) { r++; goto a; } r += 2; goto b; } else if (y == 2) { r += 4; goto a; } if (x == -1) goto c; r += 8; b: r *= 3; if (x == 5) goto c; a: r ^= y; c: if (r == 77) reach_error(); } if (r == 0) reach_error(); return r; }
""",
    "merge_regions": r"""
int a[4], b[4]; int main(void) { int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int(); int *p = i > j ? a : b; if (i == 3) p[(unsigned)i % 4u] = 1; else if (j == 3) p[(unsigned)j % 4u] = 2; else p = a + 1; if (*p == 2) reach_error(); if (a[1] + b[3] == 1) reach_error(); return 0; }
""",
    "negative_offset": r"""
struct L { struct L *next; }; struct Item { int v; struct L l; } items[2];
#define ITEM(p) ((struct Item *)((char *)(p) - __builtin_offsetof(struct Item, l)))
int main(void) { struct L *head = 0; for (int k = 0; k < 2; k++) { items[k].v = k + __VERIFIER_nondet_int(); items[k].l.next = head; head = &items[k].l; } for (struct L *p = head; p; p = p->next) if (ITEM(p)->v == 1) reach_error(); return 0; }
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
    "relocation_in_halves": r"""
int x; int *table[2] = {&x, 0};
int main(void) { int i = __VERIFIER_nondet_int(); if (((int *)table)[(unsigned)i % 4u] != 0) reach_error(); return 0; }
""",
    "relocation_in_static_halves": r"""
int x; int *table[2] = {&x, 0};
int main(void) { int low = ((int *)table)[0], high = ((int *)table)[1]; if (low == 0) reach_error(); if (high != 0) reach_error(); return 0; }
""",
    "relocation_in_static_shorts": r"""
int x; int *table[2] = {&x, 0};
int main(void) { short s = ((short *)table)[1]; if (s == 0) reach_error(); return 0; }
""",
    "relocation_pair": r"""
struct P { int a, b; } ; int x; struct { int *p; int q; } s = {&x, 1}, t;
int main(void) { int i = __VERIFIER_nondet_int(); t = s; if (i) { long *l = (long *)&t; if ((int)*l == 0) reach_error(); } if (((struct P *)&t)->a == 0) reach_error(); return 0; }
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
    "wide_store": r"""
union U { long long l; int i[2]; float f; double d; unsigned char c[8]; } u;
int main(void) { int i = __VERIFIER_nondet_int(); u.l = i; u.c[(unsigned)i % 8u] = 7; if (u.i[1] == 7) reach_error(); u.f = i; if (u.i[0] < 0) reach_error(); u.d = 1.5; if (u.c[7] != 0x3f) reach_error(); return 0; }
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


TWO_OBJECTS = """
char a[48], b[48];
int main(void) { char *l = a, *r = b; unsigned long i = 0, n = 40; while (i < n) { if (l[i] != r[i]) break; i++; } if (i < 9) reach_error(); return 0; }
"""


def test_an_access_must_not_go_where_only_another_one_of_its_edge_may(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + TWO_OBJECTS)
    concrete = Subject(prepared(loaded(str(path), "LP64"), sliced=False), inductive=True)
    inputs = PlacedInputs(0)
    head, state = reached_states(concrete.concrete, concrete.heads, inputs, 1)[0]
    (left,) = (name for name in state.variables if name.endswith("l"))
    (index,) = (name for name in state.variables if name.endswith("i"))
    state.variables[index] = 30
    assert next(iter(concrete.concrete.run(head, state, concrete.heads, inputs))).kind == "cut"
    state.variables[left] = concrete.concrete.addresses()["b"] - 30
    with pytest.raises(OutsideAssumptions, match="does not mean"):
        next(iter(concrete.concrete.run(head, state, concrete.heads, inputs)))
