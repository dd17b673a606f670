"""Functions without a body that are declared `const` or `pure`: no error needs two results that a real function cannot give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern int f(int) __attribute__((const)); extern int g(void) __attribute__((__pure__)); extern int plain(int);
extern int *where(int) __attribute__((const)); extern long two(int, char *) __attribute__((const)); int global;
[[gnu::const]] extern int k(int);
"""
PROGRAMS = {
    "the same twice": ("if (f(1) != f(1)) reach_error();", "TRUE"),
    "the same of a variable": ("int x = __VERIFIER_nondet_int(), a = f(x), b = f(x); if (a != b) reach_error();", "TRUE"),
    "the same in a loop": ("int a = f(3); for (int i = 0; i < 3; i++) if (f(3) != a) reach_error();", "TRUE"),
    "the same in another function": ("int a = f(3); if (call(3) != a) reach_error();", "TRUE"),
    "the same in the other syntax": ("if (k(1) != k(1)) reach_error();", "TRUE"),
    "the same of pointers": ("char a[2]; if (two(1, a) != two(1, a)) reach_error();", "TRUE"),
    "the same pointer": ("int *p = where(1), *q = where(1); if (p) { *p = 1; *q = 2; if (*p != 2) reach_error(); }", "TRUE"),
    "any value": ("if (f(1) == 7) reach_error();", "FALSE"),
    "any value, once in a loop": ("for (int i = 0; i < 3; i++) if (i == 2 && f(i) == 7) reach_error();", "FALSE"),
    "any value of a pure one": ("if (g() == 7) reach_error();", "FALSE"),
    "of a plain one, others": ("if (plain(1) != plain(1)) reach_error();", "FALSE"),
    "of another argument": ("if (f(1) != f(2)) reach_error();", "UNKNOWN"),
    "once more after another one": ("int a = f(1); f(2); if (f(1) != a) reach_error();", "UNKNOWN"),
    "a pure one twice": ("if (g() != g()) reach_error();", "UNKNOWN"),
    "a pure one after a change": ("int a = g(); global++; if (g() != a) reach_error();", "UNKNOWN"),
    "through a pointer": ("int (*p)(int) = f; if (p(1) != p(1)) reach_error();", "UNKNOWN"),
    "not a different one": ("if (f(1) == f(1)) reach_error();", "FALSE"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_const_and_pure(name: str, tmp_path: Path) -> None:
    text, expected = PROGRAMS[name]
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}static int call(int n) {{ return f(n); }} int main(void) {{ {text} return 0; }}\n")
    assert decided(file, "LP64").verdict == expected
