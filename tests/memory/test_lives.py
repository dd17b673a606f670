"""Variables that begin again in loops, where memory is checked: each life is an object of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.ir.conventions import NONE
from drystone.ir.operations import Allocate
from tests.inside import decided

SUM = """#include <stdarg.h>
int sum(int n, ...) { va_list a; va_start(a, n); int s = 0; while (n--) s ^= va_arg(a, int); va_end(a); return s; }"""
ENDED = "FALSE: use of a variable that has ended: write of "

PROGRAMS = {
    "latest life": ("for (i = 0; i < n; i++) { int x = i; p = &x; *p = 1; }", "TRUE", ""),
    "earlier life": ("for (i = 0; i < n; i++) { int x = i; if (p) *p = 1; p = &x; }", ENDED + "*p", ""),
    "in a global": ("for (i = 0; i < n; i++) f();", "TRUE", "void f(void) { int x = 0; kept = &x; *kept = 1; }"),
    "left in a global": (
        "for (i = 0; i < n; i++) f();",
        ENDED + "*kept",
        "void f(void) { int x = 0; if (kept) *kept = 1; kept = &x; }",
    ),
    "in an array": ("int *q[3]; for (i = 0; i < 3; i++) { int x = i; q[i] = &x; *q[i] = 2; }", "TRUE", ""),
    "left in an array": (
        "int *q[3]; for (i = 0; i < 3; i++) { int x = i; q[i] = &x; if (i > 1 && n) *q[i - 1] = 2; }",
        ENDED + "*q[i - 1]",
        "",
    ),
    "list of arguments": ("for (i = 0; i < n; i++) sum(2, i, 3);", "TRUE", SUM),
    "backwards": ("again: { int x; p = &x; *p = 2; if (i++ < n) goto again; }", "TRUE", ""),
    "backwards, too late": ("again: { int x; if (p) *p = 1; p = &x; if (i++ < n) goto again; }", ENDED + "*p", ""),
    "contents": ("for (i = 0; i < 2; i++) { int x; if (i) x = 7; p = &x; if (i && *p != 7) *(int *)0 = 1; }", "TRUE", ""),
}


def written(folder: Path, body: str, before: str) -> Path:
    file = folder / "program.c"
    head = f"extern int nd(void);\nint *kept;\n{before}\nint main(void) {{ int *p = 0, i = 0, n = nd();\n"
    file.write_text(f"{head}{body}\nreturn 0; }}\n")
    return file


@pytest.mark.parametrize("name", PROGRAMS)
def test_lives(tmp_path: Path, name: str) -> None:
    body, expected, before = PROGRAMS[name]
    result = decided(written(tmp_path, body, before), engine="auto", timeout=30, check=("memory",))
    assert f"{result.verdict}: {result.reason}".startswith(expected), result.reason


def test_only_what_may_be_held_is_allocated(tmp_path: Path) -> None:
    for body, number in (("int x = i; p = &x; *p = n;", 0), ("int x = i; if (p) *p = n; p = &x;", 1)):
        file = written(tmp_path, f"for (i = 0; i < n; i++) {{ {body} }}", "")
        main = load([str(file)], FrontendOptions(errors=NONE, checks=("bounds",))).program.procedures["main"]
        assert sum(isinstance(edge.operation, Allocate) for edge in main.edges) == number
