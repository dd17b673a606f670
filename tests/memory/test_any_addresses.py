"""Where objects lie is for the implementation to say: no proof may rest on it, and no counterexample that nobody can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <alloca.h>
#include <sys/mman.h>
void reach_error(void);
int a[4], b[4]; char c, d; int nondet(void);
union Bits { int *p; uintptr_t n; unsigned char bytes[sizeof(int *)]; };
static uintptr_t here(void) { int x; return (uintptr_t)&x; }
static uintptr_t there(void) { int y; return (uintptr_t)&y; }
static char *get(int n) { return malloc(n); }
char *text = "abc"; int *pointer = b; uintptr_t number = (uintptr_t)a; void *keys[] = {&c, &d}; int (*function)(void) = nondet;
static uintptr_t deeper(void) { return here(); }
struct Kept { int k; uintptr_t n; };
static uintptr_t table[4];
static int put(int i, void *p) { table[i] = (uintptr_t)p; return p != 0; }
static char *made(void) { return malloc(8); }
static const char *word(void) { return "text"; }
static void keep(uintptr_t *u) { int x; *u = (uintptr_t)&x; }
static uintptr_t sum(const unsigned char *p) { uintptr_t s = 0; for (unsigned i = 0; i < sizeof(void *); i++) s += p[i]; return s; }
"""

OPEN = {  # true in some layout and false in another one
    "an alignment that C does not ask for": "(uintptr_t)&c % 64 == 0",
    "an odd address": "(uintptr_t)&c & 1",
    "a digit of an address": "((uintptr_t)&a[1] >> 12 & 15) == 3",
    "the order of numbers": "(uintptr_t)&a < (uintptr_t)&b",
    "the order of pointers": "&a[0] < &b[0]",
    "the order of bits in unions": "({ union Bits u = {a}, v = {b}; u.n < v.n; })",
    "the order of bytes": "({ int *p = a, *q = b; memcmp(&p, &q, sizeof p) < 0; })",
    "neighbours as bytes": "({ int *p = a + 4, *q = b; memcmp(&p, &q, sizeof p) == 0; })",
    "neighbours as numbers": "({ uintptr_t x = (uintptr_t)(a + 4), y = (uintptr_t)b; x == y; })",
    "neighbours by their distance": "({ uintptr_t x = (uintptr_t)(a + 4), y = (uintptr_t)b; x - y == 0; })",
    "neighbours in unions": "({ union Bits u = {a + 4}, v = {b}; u.n == v.n; })",
    "neighbours byte by byte": "({ union Bits u = {a + 4}, v = {b}; u.bytes[0] == v.bytes[0] && u.bytes[1] == v.bytes[1]; })",
    "a sum of bytes": "({ int *p = a; sum((unsigned char *)&p) % 8 == 0; })",
    "arrays of variable length side by side": "({ int n = 4; int v[n], w[n]; int *p = w; p += n; p == v; })",
    "arrays of variable length in order": "({ int n = 4; int v[n], w[n]; (uintptr_t)v < (uintptr_t)w; })",
    "the order of allocations": "({ char *p = malloc(8), *q = malloc(8); p && q && (uintptr_t)p < (uintptr_t)q; })",
    "the distance of allocations": "({ char *p = malloc(8), *q = malloc(8); p && q && (uintptr_t)q - (uintptr_t)p == 32; })",
    "an alignment of an allocation": "({ char *p = malloc(8); p && (uintptr_t)p % 64 == 16; })",
    "the order of locals": "({ int x, y; (uintptr_t)&x < (uintptr_t)&y; })",
    "locals of two calls": "({ uintptr_t x = here(), y = there(); x == y; })",
    "a block that was freed": "({ char *p = malloc(8); uintptr_t n = (uintptr_t)p; free(p); p = malloc(8); p && (uintptr_t)p == n; })",
    "locals at other depths": "here() == deeper()",
    "locals of blocks that are apart": "({ uintptr_t u, v; { int x[10]; u = (uintptr_t)x; } { int y[10]; v = (uintptr_t)y; } u == v; })",
    "arrays of variable length one after the other": "({ uintptr_t u = 0; int same = 1, n = 3;"
    " for (int i = 0; i < 3; i++) { int w[n]; if (i && u != (uintptr_t)w) same = 0; u = (uintptr_t)w; } same; })",
    "the half of memory that the heap is in": "({ char *p = malloc(4); p && (uintptr_t)p >> (sizeof p == 4 ? 31 : 46) == 0; })",
    "the sign of an allocation": "({ char *p = malloc(4); sizeof p == 4 ? p && (intptr_t)p < 0 : (uintptr_t)&c % 2; })",
    "a number in an initialiser": "(number >> 12 & 15) == 3",
    "a pointer in an initialiser": "((uintptr_t)pointer >> 12 & 15) == 3",
    "a literal in an initialiser": "((uintptr_t)text >> 12 & 15) == 3",
    "a function in an initialiser": "((uintptr_t)function >> 12 & 15) == 3",
    "a table in an initialiser": "((uintptr_t)keys[0] >> 4 & 15) == ((uintptr_t)keys[1] >> 4 & 15)",
    "a mask that is wider than the alignment": "({ static char x, y; uintptr_t e = (uintptr_t)&x * 3; x = 0; *(char *)((uintptr_t)&y & ~(uintptr_t)3) = 5; e && x == 5; })",
    "flags beyond the alignment": "({ static char x, y; uintptr_t e = (uintptr_t)&x * 3; x = 0; *(char *)((uintptr_t)&y | 1) = 5; e && x == 5; })",
    "an allocation in a call": "({ char *p = get(10); p && (uintptr_t)p % 32 == 0; })",
    "an allocation of the library": '({ char *p = strdup("abc"); p && (uintptr_t)p % 32 == 0; })',
    "a freed block of a call": "({ char *p = get(8); uintptr_t n = (uintptr_t)p; free(p); p = get(8); p && (uintptr_t)p == n; })",
    "a compound literal": "(uintptr_t)&(int){1} % 16 == 12",
    "literals side by side": "({ int *p = &(int){1}, *q = &(int){2}; (uintptr_t)p - (uintptr_t)q == 4; })",
    "literals of blocks that are apart": "({ uintptr_t u, v; { u = (uintptr_t)(int[9]){1}; } { v = (uintptr_t)(int[9]){1}; } u == v; })",
    "a label": "({ void *p = &&here; here: (uintptr_t)p % 2 == 0; })",
    "the distance of labels": "({ char *p = &&one, *q = &&two; one: nondet(); two: q - p == 1; })",
    "labels of one statement": "({ void *p = &&one, *q = &&two; one: two: p == q; })",
    "a sum beyond the end": "({ uintptr_t n = (uintptr_t)&a; n + (uintptr_t)(sizeof n == 8 ? 0xffffb00000000000u : 0x80000000u) < n; })",
    "a number that is not null": "({ uintptr_t n = (uintptr_t)&a - 0x8050000u; n == 0; })",
    "the code of a function": "*(unsigned char *)here % 2 == 0",
    "a hash": "((uintptr_t)&a * 2654435761u >> 7) % 5 == 2",
}

KEPT = {  # likewise: numbers that went through memory, and storage that may be shared
    "a freed block in an array": "({ uintptr_t u[2]; char *p = malloc(8); u[0] = (uintptr_t)p; free(p); p = malloc(8);"
    " u[1] = (uintptr_t)p; p && u[0] && u[0] == u[1]; })",
    "a freed block in a structure": "({ struct Kept s, t; void *p = malloc(8); s.n = (uintptr_t)p; free(p); p = malloc(8);"
    " t.n = (uintptr_t)p; p && s.n && s.n == t.n; })",
    "a freed block in a table": "({ void *p = malloc(8); int f = put(1, p); free(p); p = malloc(8); f && put(2, p) && table[1] == table[2]; })",
    "a freed block by its distance": "({ void *p = malloc(8); uintptr_t n = (uintptr_t)p; free(p); p = malloc(8); p && n && (uintptr_t)p - n == 0; })",
    "a freed block as a pointer again": "({ char *p = malloc(8); uintptr_t n = (uintptr_t)p; free(p); p = malloc(8); char *r = (char *)n; p && r == p; })",
    "a freed block of a function": "({ char *p = made(); uintptr_t n = (uintptr_t)p; free(p); p = made(); p && (uintptr_t)p == n; })",
    "freed blocks in a loop": "({ uintptr_t u[3]; int f = 1; for (int i = 0; i < 3; i++) { char *p = malloc(8); f = f && p; u[i] = (uintptr_t)p;"
    " free(p); } f && u[0] == u[2]; })",
    "a freed block and the next one": "({ char *p = malloc(8); free(p); char *q = malloc(8); p && q && p == q; })",
    "a freed block and a longer one": "({ char *p = malloc(8); free(p); char *q = malloc(4); q = realloc(q, 8); p && q && p == q; })",
    "a freed block that memory points to": "({ struct Kept *k = malloc(16), **t = malloc(8); *t = k; free(k); k = malloc(16); *t && *t == k; })",
    "inside of a freed block": "({ char *p = malloc(8); free(p); char *q = malloc(8), *r = p + 1; p && q && r == q + 1; })",
    "a block that was freed on one path": "({ char *p = malloc(8), *q; if (nondet()) { free(p); q = malloc(8); } else q = 0; p && q && p == q; })",
    "memory that was unmapped": "({ char *p = mmap(0, 4096, 3, 0x22, -1, 0); uintptr_t n = (uintptr_t)p; int f = munmap(p, 4096);"
    " p = mmap(0, 4096, 3, 0x22, -1, 0); !f && p != MAP_FAILED && n != (uintptr_t)-1 && n == (uintptr_t)p; })",
    "allocations of one place in order": "({ uintptr_t u[2]; for (int i = 0; i < 2; i++) u[i] = (uintptr_t)malloc(8); u[0] && u[1] && u[0] < u[1]; })",
    "the alignment of a function's allocation": "({ char *p = made(); p && (uintptr_t)p % 64 == 16; })",
    "the distance of one of two": "({ int *p = nondet() ? a : b, *q = p == a ? b : a; (uintptr_t)p - (uintptr_t)q == 64; })",
    "locals of two calls in memory": "({ uintptr_t u[2]; keep(&u[0]); keep(&u[1]); u[0] == u[1]; })",
    "allocations of no bytes": "({ char *p = alloca(0), *q = alloca(0); p == q; })",
    "the alignment of a compound literal": "(uintptr_t)(char[]){1} % 16 == 0",
    "the tail of a literal": '({ const char *p = "abc", *q = "bc"; p + 1 == q; })',
    "the tail of a literal of a function": '({ const char *p = word(), *q = "xt"; p + 2 == q; })',
    "the tail of a literal as a number": '({ uintptr_t u[2] = {(uintptr_t)("abc" + 1), (uintptr_t)"bc"}; u[0] == u[1]; })',
    "equal literals": '({ const char *p = word(), *q = "text"; p == q; })',
    "equal literals as numbers": '({ uintptr_t u[2] = {(uintptr_t)"abc", (uintptr_t)"abc"}; u[0] == u[1]; })',
    "equal literals by their distance": '({ const char *p = "abc", *q = "abc"; p - q == 0; })',
    "equal literals as structures": '({ struct T { char c; } *p = (void *)"abc", *q = (void *)"abc"; p == q; })',
    "the end of a literal": '({ const char *p = "abc", *q = ""; p + 3 == q; })',
    "the start of a literal": '({ const char *p = "abc", *q = "abc\\0"; p == q; })',
    "the tail of a wide literal": '({ const wchar_t *p = L"abc", *q = L"bc"; p + 1 == q; })',
    "the tail of a function's name": '({ const char *p = __func__ + 1, *q = "ain"; p == q; })',
    "constant compound literals": "({ const int *p = (const int[]){1, 2}, *q = (const int[]){1, 2}; p == q; })",
    "a constant compound literal and a string": '({ const char *p = (const char[]){"abc"}, *q = "abc"; p == q; })',
}

CLOSED = {  # in every layout
    "there and back": "(int *)(uintptr_t)&a[1] == &a[1]",
    "the alignment of a type": "(uintptr_t)&a[1] % 4 == 0",
    "the alignment of an allocation": "({ char *p = malloc(8); !p || (uintptr_t)p % 16 == 0; })",
    "another object": "(uintptr_t)&a != (uintptr_t)&b",
    "the same object as bytes": "({ int *p = a, *q = a; memcmp(&p, &q, sizeof p) == 0; })",
    "inside of another object": "({ union Bits u = {a + 3}, v = {b}; u.n != v.n; })",
    "an order within": "(uintptr_t)&a[1] < (uintptr_t)&a[2]",
    "a distance within": "(uintptr_t)&a[3] - (uintptr_t)&a[1] == 8",
    "no null pointer": "(uintptr_t)&c > 100",
    "no error code": "(uintptr_t)&a < (uintptr_t)-4095",
    "a flag": "({ uintptr_t n = (uintptr_t)a | 1; *(int *)(n & ~(uintptr_t)1) = 7; a[0] == 7; })",
    "a place in a table": "({ int t[8] = {0}; t[((uintptr_t)&a >> 4) % 8] = 1; t[((uintptr_t)&a >> 4) % 8] == 1; })",
    "a store by a number": "({ uintptr_t n = (uintptr_t)&a; a[2] = 1; *(int *)(n + 8) = 5; a[2] == 5 && b[2] == 0; })",
    "all elements up to the end": "({ int s = 0; for (int *p = a; p < a + 4; p++) { *p = 1; s += *p; } s == 4; })",
    "a literal of a function": "word() == word()",
    "what equal literals are": '({ const char *p = word(), *q = "text"; strcmp(p, q) == 0 && p[1] == q[1]; })',
    "literals that differ": '({ const char *p = "abc", *q = "bd"; p + 1 != q; })',
    "literals that begin apart": '({ const char *p = "abc", *q = "bc"; p != q; })',
    "compound literals": "({ int *p = (int[]){1, 2}, *q = (int[]){1, 2}; p != q; })",
    "allocations in a table": "({ char *p = malloc(8), *q = malloc(8); !p || !q || p != q; })",
    "a block that lives and one in a freed place": "({ char *p = malloc(8), *q = malloc(8); free(q); char *r = malloc(8); !p || p != r; })",
    "blocks before any is freed": "({ char *p = malloc(8), *q = malloc(8); int f = p && p == q; free(p); p = malloc(8); !f; })",
    "allocations apart": "({ int *p = malloc(8), *q = malloc(8); !p || !q || (*p = 1, *q = 2, *p == 1 && (uintptr_t)p != (uintptr_t)q); })",
}


def _program(folder: Path, condition: str) -> Path:
    file = folder / "program.c"
    file.write_text(HEAD + f"int main(void) {{ if ({condition}) reach_error(); return 0; }}\n")
    return file


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", OPEN)
def test_no_proof_rests_on_an_address(name: str, data_model: str, tmp_path: Path) -> None:
    for condition in (OPEN[name], f"!({OPEN[name]})"):
        found = decided(_program(tmp_path, condition), data_model)
        assert found.verdict != "TRUE", condition


@pytest.mark.parametrize("name", KEPT)
def test_no_proof_rests_on_a_number_that_was_kept(name: str, tmp_path: Path) -> None:
    found = [decided(_program(tmp_path, condition)).verdict for condition in (KEPT[name], f"!({KEPT[name]})")]
    assert "TRUE" not in found
    assert found != ["FALSE", "FALSE"] or "nondet" in KEPT[name]


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", CLOSED)
def test_what_holds_everywhere_is_decided(name: str, data_model: str, tmp_path: Path) -> None:
    assert decided(_program(tmp_path, f"!({CLOSED[name]})"), data_model).verdict == "TRUE"
    assert decided(_program(tmp_path, CLOSED[name]), data_model).verdict == "FALSE"


@pytest.mark.parametrize("step", ["q = realloc(p, 8)", "free(p), q = malloc(8)"])
def test_a_block_that_may_be_used_again(step: str, tmp_path: Path) -> None:
    """gcc's program gets the same one: that it differs is nothing that anybody can run."""
    condition = f"({{ char *p = malloc(8), *q; uintptr_t n = (uintptr_t)p; {step}; p && q && (uintptr_t)q != n; }})"
    assert decided(_program(tmp_path, condition)).verdict == "UNKNOWN"


@pytest.mark.parametrize("again", ["q = realloc(p, 8)", "q = realloc(p, 100)"])
def test_a_block_that_may_stay_where_it_is(again: str, tmp_path: Path) -> None:
    condition = f"({{ char *p = malloc(8), *q; uintptr_t u[1] = {{(uintptr_t)p}}; {again}; p && q && (uintptr_t)q != u[0]; }})"
    assert decided(_program(tmp_path, condition), engine="execute", timeout=3).verdict == "UNKNOWN"
