"""Sizes and distances that a variable holds: constants where it has one value; copies do what they do in gcc's program."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.ir.operations import Call, Copy, Fill
from drystone.memory.pointsto import PointsTo
from drystone.pipeline import PreparedProgram
from tests.gcc.compiler import build, missing, run

HEAD = """
extern void reach_error(void); extern int unknown(void);
typedef __SIZE_TYPE__ size;
void *memcpy(void *, const void *, size); void *memset(void *, int, size); void *memmove(void *, const void *, size);
struct S { int a, b; int *p; } s, t; char text[16]; int x;
"""

# statements @ what holds afterwards @ is the size known?
PROGRAMS = [
    line.split(" @ ")
    for line in """
size n = sizeof s; s.a = 1; s.p = &x; memcpy(&t, &s, n); *t.p = 5; @ t.a == 1 && x == 5 @ yes
size n; n = sizeof s; s.b = 3; if (n > 63) memmove(&t, &s, n); else __builtin_memcpy(&t, &s, n); @ t.b == 3 @ yes
size n = 4; void *r = memset(text + 1, 'a', n); @ text[0] == 0 && text[4] == 'a' && text[5] == 0 && r == text + 1 @ yes
size n = 2, m = n * 2 + 1; memset(text, 'a', m); @ text[4] == 'a' && text[5] == 0 @ yes
size n = 0; void *r = memcpy(&t, &s, n); @ r == &t && t.a == 0 @ yes
size n = 3; n = unknown() * 0 + 2; memset(text, 'a', n); @ text[1] == 'a' && text[2] == 0 @ yes
unsigned k = 5; memset(text, 'a', k); @ text[4] == 'a' && text[5] == 0 @ yes
char *q = text; size n = 3; q = memmove(q + 1, "xyz", n); @ q == text + 1 && text[3] == 'z' && text[0] == 0 @ yes
char *q = text, **u = &q; size n = sizeof q; char *z = text + 3; char **r = memcpy(*&u, &z, n); @ r == &q && q == text + 3 @ no
size n = 3; for (int i = 0; i < 2; i++) { memset(text, 'a' + i, n); n++; } @ text[3] == 'b' && text[2] == 'b' && text[4] == 0 @ no
size n = 3; if (unknown() == 1) n = 4; memset(text, 'a', n); @ text[2] == 'a' && text[4] == 0 @ no
size n = 3, *p = &n; *p = 2; memset(text, 'a', n); @ text[1] == 'a' && text[2] == 0 @ no
size n = 3; again: memset(text, 'a', n); if (n < 5) { n += 2; goto again; } @ text[4] == 'a' && text[5] == 0 @ no
size n = unknown() & 0 ? 1 : 2; switch (n) case 2: n = 4; memset(text, 'a', n); @ text[3] == 'a' && text[4] == 0 @ no
struct H { char *to; } h = { text }; size n = sizeof h; struct H g = { 0 }; char *r = memcpy(&h, &g, n); @ r == (char *)&h && !h.to @ yes
""".strip().splitlines()
]


def source(statements: str, condition: str) -> str:
    return f"{HEAD}int test(void) {{\n  {statements}\n  return {condition}; }}\n"


def loaded(text: str, folder: Path, data_model: str = "LP64") -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load([str(path)], FrontendOptions(data_model=data_model)).program


@pytest.mark.parametrize(("statements", "condition", "is_known"), PROGRAMS)
@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
def test_as_gcc_does(statements: str, condition: str, is_known: str, data_model: str, tmp_path: Path) -> None:
    text = source(statements, condition)
    for error, expected in (("test()", Verdict.FALSE), ("!test()", Verdict.TRUE)):
        program = loaded(f"{text}int main(void) {{ if ({error}) reach_error(); return 0; }}\n", tmp_path, data_model)
        operations = [edge.operation for edge in program.procedures["test"].edges]
        calls = [each for each in operations if isinstance(each, Call) and "mem" in each.procedure]
        assert bool(calls) is (is_known == "no"), calls
        assert is_known == "no" or "n = 0" in statements or any(isinstance(each, (Copy, Fill)) for each in operations)
        assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(30), unobserved).verdict is expected
    if reason := missing(data_model):
        pytest.skip(reason)
    own = tmp_path / "main.c"
    own.write_text(f"{text}int unknown(void) {{ return 0; }}\nint main(void) {{ return !test(); }}\n")
    build([own], tmp_path / "main", data_model)
    assert run(tmp_path / "main").code == 0


def test_distances_that_a_variable_holds(tmp_path: Path) -> None:
    """As CIL writes elements and members: the sum of an address and a constant, not of an address and a number."""
    text = """struct S { int a; int *p; } s, t; char b[8]; extern void reach_error(void);
    int main(void) { unsigned long k, l, m; int **r;
      k = 0 * 1UL; l = (unsigned long)&s + 8; m = (unsigned long)b + k; *(char *)m = 1; r = (int **)l; *r = &t.a;
      if (b[0] != 1 || s.p != &t.a) reach_error(); return 0; }"""
    program = loaded(text, tmp_path)
    assert not PointsTo(program).exposed
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(30), unobserved).verdict is Verdict.TRUE


def test_questions_of_our_own_expose_nothing(tmp_path: Path) -> None:
    """Whether `p == q` is open because one is behind an array is not asked by the program."""
    text = """int a[4], b[4], c[2], *table[4]; int *p, *q; extern int unknown(void); extern void reach_error(void);
    int main(void) { p = unknown() ? a : b; q = unknown() ? table[unknown() & 3] : c; for (int i = 0; i < 2; i++) p++;
      if ((unsigned long)p == (unsigned long)q) *q = 1; table[1] = c + 1; if (a[0]) reach_error(); return *p; }"""
    pointers = PointsTo(loaded(text, tmp_path))
    assert not pointers.exposed
