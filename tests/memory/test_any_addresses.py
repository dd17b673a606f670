"""Where objects lie is for the implementation to say: no proof may rest on it, and no counterexample that nobody can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify.inside import decided

HEAD = """#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void reach_error(void);
int a[4], b[4]; char c, d; int nondet(void);
union Bits { int *p; uintptr_t n; unsigned char bytes[sizeof(int *)]; };
static uintptr_t here(void) { int x; return (uintptr_t)&x; }
static uintptr_t there(void) { int y; return (uintptr_t)&y; }
static char *get(int n) { return malloc(n); }
char *text = "abc"; int *pointer = b; uintptr_t number = (uintptr_t)a; void *keys[] = {&c, &d}; int (*function)(void) = nondet;
static uintptr_t deeper(void) { return here(); }
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
