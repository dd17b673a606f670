"""Whether an execution depends on what a model of a library function only may give."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.concrete.interpreter import Interpreter, RecordedInputs, ZeroInputs
from drystone.counterexamples.taint import depends_on
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.expressions import APPROXIMATED

ROUGH = "__VERIFIER_nondet_approximate_int"  # here, too
HEAD = """#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include <string.h>
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_approximate_int(void);
extern int outside(void);
#define ROUGH __VERIFIER_nondet_approximate_int()
struct s { char name[8]; int n; } s, t;
int g, a[4];
int rough(void) { return ROUGH; }
int same(int x) { return x; }
void put(int *p, int x) { *p = x; }
void set(int x) { g = x; }
int two(int x) { return 2; }
char text[] = "5";
void scan(void) { int x; sscanf(text, "%d", &x); if (x) { g = 1; a[0] = 1; } }
int (*table[2])(int) = {same, two};
int (*compare)(const char *, const char *) = strcmp;
"""
DEPENDS = {
    "a condition": "if (rough() == 0) reach_error();",
    "a condition on a copy": "int x = rough(), y = x + 1; if (y) reach_error();",
    "a condition on a result": "if (same(rough()) == 0) reach_error();",
    "memory": "put(&s.n, rough()); if (s.n == 0) reach_error();",
    "copied memory": "put(&s.n, rough()); t = s; if (t.n == 0) reach_error();",
    "moved memory": "put(&a[1], rough()); memmove(a, a + 1, 8); if (a[0] == 0) reach_error();",
    "a global variable": "set(rough()); if (g == 0) reach_error();",
    "an index": "a[rough()] = 1; reach_error();",
    "an index that is read": "g = a[rough()]; reach_error();",
    "the size of an allocation": "void *p = malloc(rough() + 1); reach_error();",
    "a function": "g = table[rough()](1); reach_error();",
    "a divisor": "g = 1 / rough(); reach_error();",
    "what is scanned": "int x; char s[] = \"5\"; sscanf(s, \"%d\", &x); if (x == 0) reach_error();",
    "what the program does with what is scanned": "scan(); if (g == 0) reach_error();",
    "what the program does elsewhere with what is scanned": "scan(); if (a[0] == 0) reach_error();",
    "what is printed": "char b[9]; sprintf(b, \"%d\", g); if (b[0] == 0) reach_error();",
    "what might be printed": "char b[9]; b[3] = 7; sprintf(b, \"%d\", g); if (b[3] == 7) reach_error();",
    "the length": "char b[9]; if (snprintf(b, 9, \"%d\", g) == 0) reach_error();",
    "a neighbour in the same object": "s.n = 1; snprintf(s.name, 8, \"%d\", g); if (s.n == 1) reach_error();",
    "errno": "errno = 0; close(3); if (errno == 0) reach_error();",
    "errno of arithmetic": "errno = 0; g = (int)sqrt(4.0); if (errno == 0) reach_error();",
    "the number that strcmp returns": "int c = strcmp(s.name, \"b\"); if (c != 5) reach_error();",
    "a number below the sign": "int c = strcmp(s.name, \"b\"); if (c < 5) reach_error();",
    "a sum with such a number": "int c = strcmp(s.name, \"b\") + 1; if (c <= 0) reach_error();",
    "a part of such a number": "char c = strcmp(s.name, \"b\"); if (c <= 0) reach_error();",
    "the sign of a truth": "int c = isdigit('1'); if (c > 0) reach_error();",
    "such a number through a pointer": "if (compare(s.name, \"b\") != 5) reach_error();",
    "the sign of a number that was made of such a one": "int c = strcmp(s.name, \"b\"); c = c * 2; if (c <= 0) reach_error();",
    "the sign of such a number in memory": "s.n = strcmp(s.name, \"b\"); if (s.n < 0) reach_error();",
}  # fmt: skip
DOES_NOT = {
    "the sign of what strcmp returns": "int c = strcmp(s.name, \"b\"); if (c < 0) reach_error();",
    "the sign, turned around": "int c = strcmp(\"b\", s.name); if (!(0 >= c)) reach_error();",
    "the sign, as another limit": "int c = strcmp(s.name, \"b\"); if (c <= -1 && c < 1) reach_error();",
    "the sign, wider": "long c = strcmp(s.name, \"b\"); if (c < 0) reach_error();",
    "the sign, passed on": "int c = same(strcmp(s.name, \"b\")); if (same(c) < 0) reach_error();",
    "the sign in a global variable": "set(memcmp(s.name, \"b\", 1)); if (g) reach_error();",
    "equality": "char b[8] = {0}; int c = strcmp(s.name, b); if (c == 0) reach_error();",
    "the sign through a pointer": "int c = compare(s.name, \"b\"); if (c < 0) reach_error();",
    "the truth of isdigit": "int c = isdigit('1'); if (c) reach_error();",
    "no such value": "if (g == 0) reach_error();",
    "errno that nobody asks for afterwards": "errno = 0; g = (int)sqrt(4.0); close(3); if (a[1] == 0) reach_error();",
    "a value that nobody reads": "int x = rough(); reach_error();",
    "a value that is written over": "set(rough()); set(1); if (g == 1) reach_error();",
    "memory that is written over": "put(a, rough()); a[0] = 1; if (a[0] == 1) reach_error();",
    "memory that is filled": "put(a, rough()); memset(a, 0, sizeof a); if (a[0] == 0) reach_error();",
    "another element": "put(&a[1], rough()); if (a[0] == 0) reach_error();",
    "another call": "int x = same(rough()), y = same(1); if (y == 1) reach_error();",
    "a parameter that does not matter": "if (two(rough()) == 2) reach_error();",
    "another buffer": "char b[9]; sprintf(b, \"%d\", g); if (a[0] == 0) reach_error();",
    "a buffer on the heap": "int *n = malloc(4); char *b = malloc(9); *n = 5; snprintf(b, 9, \"%d\", g); if (*n == 5) reach_error();",
    "another input": "int x = rough(); if (outside() == 0) reach_error();",
}  # fmt: skip


def depends(text: str, folder: Path, max_steps: int = 10_000) -> bool:
    path = folder / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {text} return 0; }}\n")
    program = load([str(path)], FrontendOptions()).program
    outcome = Interpreter(program).run(ZeroInputs())
    assert outcome.kind in ("error", "returned"), outcome.what
    inputs = RecordedInputs(outcome.inputs)
    return depends_on(program, inputs, lambda each: each.determinant in APPROXIMATED or each.name.startswith(ROUGH), max_steps)


@pytest.mark.parametrize("name", DEPENDS)
def test_it_depends(name: str, tmp_path: Path) -> None:
    assert depends(DEPENDS[name], tmp_path)


@pytest.mark.parametrize("name", DOES_NOT)
def test_it_does_not(name: str, tmp_path: Path) -> None:
    assert not depends(DOES_NOT[name], tmp_path)


def test_a_long_execution_may(tmp_path: Path) -> None:
    assert depends(DOES_NOT["no such value"], tmp_path, max_steps=2)
