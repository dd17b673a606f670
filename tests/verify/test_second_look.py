"""What reviews with fresh eyes found: each was TRUE or FALSE against what gcc's program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.program.single_path import follow

from .inside import decided

FIELD = "struct S { unsigned long long d:35; } s;\n"
ARRAYS = "int a[4] = {1}, b[4] = {2};\n"
PROGRAMS = {  # the compiled program does not reach the error: FALSE is wrong
    "a bit-field through ?:": (FIELD, "s.d = 3; if ((s.d ?: s.d) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field through a statement expression": (FIELD, "s.d = 3; if (({ s.d; }) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field through __extension__": (FIELD, "s.d = 3; if ((__extension__ s.d) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field through a choice": (FIELD, "s.d = 3; if (__builtin_choose_expr(1, s.d, 0) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field on the right": (FIELD, "s.d = 3; int x = -1; x /= s.d; if (x == 0x55555555) reach_error();"),
    "a variable like a bit-field": (FIELD, "s.d = 3; __auto_type y = s.d + 1; y -= 100; if (y == 4ULL - 100) reach_error();"),
    "a switch on a bit-field": (FIELD, "s.d = 3; switch (s.d - 100) { case -97ULL: return 0; default: reach_error(); }"),
    "a typedef with a side effect": ("", "int n = 1; { typedef int T[n++]; } if (n == 1) reach_error();"),
}
OPEN = {  # C leaves it open: neither is certain, TRUE least of all
    "the end, cast": (ARRAYS, "int *p = a; p += 4; if ((void *)p == (void *)b) reach_error();"),
    "the end of the whole": (ARRAYS, "int *p = (int *)(&a + 1); if (p == b) reach_error();"),
    "the end of a member": (
        "struct T { int x; } a[4], b[4];\n",
        "struct T *p = a + 3; p++; if (&p->x == &b[0].x) reach_error();",
    ),
    "an end from the library": (
        ARRAYS + "void *mempcpy(void *, const void *, unsigned long); int c[4];\n",
        "int *p = mempcpy(a, c, 16); if (p == b) reach_error();",
    ),
}


def written(folder: Path, head: str, body: str) -> Path:
    file = folder / "program.c"
    file.write_text(f"extern void reach_error(void);\n{head}int main(void) {{ {body} return 0; }}\n")
    return file


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_not_reached(name: str, tmp_path: Path) -> None:
    assert decided(written(tmp_path, *PROGRAMS[name])).verdict != "FALSE"


@pytest.mark.parametrize("name", OPEN)
def test_is_open(name: str, tmp_path: Path) -> None:
    assert decided(written(tmp_path, *OPEN[name])).verdict != "TRUE"


def test_a_piece_of_an_address_is_chosen(tmp_path: Path) -> None:
    file = written(tmp_path, "int x;\n", "int *p = &x; if (*(unsigned char *)&p) reach_error();")
    assert follow(load([str(file)], FrontendOptions()).program, 1_000).problem


def test_the_builtin_form_of_the_error_function(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int main(void) { __builtin_abort(); }\n")
    program = load([str(file)], FrontendOptions(error_function="abort")).program
    assert [mark.what for mark in program.procedures["main"].marks.values()] == ["__builtin_abort()"]
