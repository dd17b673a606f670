"""What calloc and realloc leave in memory: what gcc's programs show holds, its opposite is refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gcc.compiler import build, missing, run
from tests.inside import decided

HEAD = """#include <stdlib.h>
#include <string.h>
void reach_error(void);
extern unsigned nondet(void);
"""

PROGRAMS = {  # a function of n and m, both from 1 to 5; what holds then
    "a vector that grows": (
        "int *v = 0, room = 0, sum = 0; for (unsigned i = 0; i < n + m; i++) { if (i >= room) { room = room ? 2 * room : 1;"
        " v = realloc(v, room * sizeof *v); if (!v) return 1; } v[i] = 3 * i; } for (unsigned i = 0; i < n; i++) sum += v[i];",
        "sum == 3 * n * (n - 1) / 2",
    ),
    "an array of any size that shrinks": (
        "long *v = malloc(n * sizeof *v), *w; if (!v) return 1; for (unsigned i = 0; i < n; i++) v[i] = i + m;"
        " w = realloc(v, (n / 2 + 1) * sizeof *w); if (!w) return 1;",
        "w[0] == m && w[n / 2] == n / 2 + m",
    ),
    "zeros of any size": (
        "short *v = calloc(n, sizeof *v); if (!v) return 1; v[n / 2] += m;",
        "v[n - 1] == (n < 3 && n / 2 == n - 1 ? m : 0) && v[n / 2] == m",
    ),
    "zeros that move": (
        "int *v = calloc(n, sizeof *v); if (!v) return 1; v[0] = m; v = realloc(v, (n + m) * sizeof *v); if (!v) return 1;",
        "v[n - 1] == (n == 1 ? m : 0)",
    ),
    "a text that grows": (
        "char *s = calloc(1, 1); for (unsigned i = 0; i < m; i++) { size_t k = strlen(s); char *t = realloc(s, k + 2);"
        " if (!t) return 1; s = t; s[k] = 'a' + i; s[k + 1] = 0; }",
        "strlen(s) == m && s[m - 1] == 'a' + m - 1",
    ),
    "structures with pointers": (
        "struct S { char c; struct S *next; long v; } *p = malloc(2 * sizeof *p), last = {'l', 0, 7}; if (!p) return 1;"
        " p[1].next = &last; p[1].c = n; p = realloc(p, (2 + m) * sizeof *p); if (!p) return 1; p[1].next->v += m;",
        "last.v == 7 + m && p[1].c == n",
    ),
    "bytes of an int": (
        "unsigned char *b = malloc(4); if (!b) return 1; unsigned x = 0x04030201 * n; memcpy(b, &x, 4);"
        " b = realloc(b, 4 + m); if (!b) return 1;",
        "*(unsigned *)b == x && b[3] == 4 * n",
    ),
}


def _text(body: str, condition: str, head: str = "n = 1 + nondet() % 5, m = 1 + nondet() % 5") -> str:
    return f"{HEAD}int main(int argc, char **argv) {{ unsigned {head}; {body} if (!({condition})) reach_error(); return 0; }}\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_contents(name: str, tmp_path: Path) -> None:
    body, condition = PROGRAMS[name]
    file = tmp_path / "program.c"
    for expected, claim in (("TRUE", condition), ("FALSE", f"!({condition})")):
        file.write_text(_text(body, claim))
        assert decided(file, timeout=30).verdict == expected


def test_executions_of_gcc(tmp_path: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    for number, (body, condition) in enumerate(PROGRAMS.values()):
        file, binary = tmp_path / f"{number}.c", tmp_path / f"{number}"
        file.write_text(
            _text(body, condition, "n = atoi(argv[1]), m = atoi(argv[2])") + "void reach_error(void) { exit(9); }\n"
            "unsigned nondet(void) { return 0; }\n"
        )
        build([file], binary, "LP64")
        for n in range(1, 6):
            for m in range(1, 6):
                assert run(binary, [str(n), str(m)]).code == 0, (condition, n, m)


@pytest.mark.parametrize("size", [2, 8, 800])
@pytest.mark.parametrize("condition", ["q != p", "q == p"])
def test_a_pointer_that_moved_is_open(condition: str, size: int, tmp_path: Path) -> None:
    """Whether realloc moves an object is for the library to say."""
    file = tmp_path / "program.c"
    file.write_text(_text(f"char *p = malloc(8), *q = realloc(p, {size});", f"!p || !q || {condition}"))
    assert decided(file).verdict != "TRUE"


def test_what_is_behind_the_old_object_is_open(tmp_path: Path) -> None:
    """Also where an object lies there."""
    file = tmp_path / "program.c"
    for condition in ("q[1] == 5", "q[1] != 5", "q[1] == 0"):
        body = "int *p = malloc(4), *r = calloc(8, 4), *q; if (!p || !r) return 1; *p = 5, r[0] = 5; q = realloc(p, 8); if (!q) return 1;"
        file.write_text(_text(body, condition))
        assert decided(file).verdict != "TRUE"


def test_an_object_that_has_shrunk_keeps_nothing_behind_its_end(tmp_path: Path) -> None:
    body = "int *p = calloc(2, 4); if (!p) return 1; p = realloc(p, 4); if (!p) return 1; p = realloc(p, 8); if (!p) return 1;"
    file = tmp_path / "program.c"
    file.write_text(_text(body, "p[1] == 0"))
    assert decided(file).verdict != "TRUE"
