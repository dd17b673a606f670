"""One element of an array stands for all: what is FALSE is never TRUE with it, and much is TRUE that needs all elements."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import EngineResult
from drystone.engines.portfolio import auto
from drystone.engines.question import Settings
from drystone.engines.registry import FORGETFUL
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.ir.operations import Assign, Store
from drystone.memory.regions import Regions
from drystone.passes.inline import inline
from drystone.passes.one_element import remember_elements
from drystone.passes.scalarise import scalarise
from drystone.pipeline import Abstraction, PreparedProgram
from tests.passes.array_programs import HEAD, array_program
from tests.structure import structural_faults

FULL = os.environ.get("DRYSTONE_FULL") == "1"


def program_of(folder: Path, text: str, data_model: str = "LP64") -> Program:
    file = folder / "program.c"
    file.write_text(text)
    return load([str(file)], FrontendOptions(data_model=data_model)).program


REACHED = {
    "elements that differ at the start": "int a[4] = {5, 6, 7, 8}; int main(void) { int i = nondet() & 3; if (a[i] != i) reach_error(); }",
    "arrays that differ at the start": "extern int a[4], b[4]; int main(void) { int i = nondet() & 3; if (a[i] != b[i]) reach_error(); }",
    "an index that is not the element": """int a[8] = {1};
int main(void) { int k = nondet(); for (int i = 0; i < 8; i++) if (i && a[i] == k) reach_error(); }""",
    "a product that wraps": """char a[16];
int main(void) { unsigned long i = (unsigned long)nondet() * 0x100000001ul + nondet(); if (i * 12 > 15) return 0;
  a[i * 12] = 1; if (a[4] == 1) reach_error(); }""",
    "more is filled than there are indices": """char a[512];
int main(void) { unsigned char i = nondet(); a[i] = 0; memset(a, 1, 256); if (a[i] == 1) reach_error(); }""",
    "negative indices are not filled": """char a[400];
int main(void) { signed char i = nondet(); memset(a, 1, 200); if (i < 0 && a[i] != 1) reach_error(); }""",
    "a product with a negative number": """char a[16] = {1};
int main(void) { long i = nondet(); a[i * -4L] = 2; if (a[0] == 2) reach_error(); }""",
}  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
def test_what_is_reached(name: str, data_model: str, tmp_path: Path) -> None:
    program = program_of(tmp_path, HEAD + REACHED[name], data_model)
    assert result_of("bmc", program).verdict is Verdict.FALSE
    for engine in ("bmc", "dss"):
        assert result_of(engine, program, abstraction=Abstraction.WITHOUT_MEMORY).verdict is not Verdict.TRUE


def result_of(engine: str, program: Program, seconds: float = 20.0, abstraction: Abstraction = Abstraction.EXACT) -> EngineResult:
    return auto.check(engine, PreparedProgram(program, abstraction), Settings(), Deadline.after(seconds), lambda event: None)


def remembered(folder: Path, text: str) -> set[str]:
    """The variables that stand for elements."""
    flat = inline(program_of(folder, HEAD + text))
    flat = scalarise(flat, Regions(flat))
    changed = remember_elements(flat)
    assert not structural_faults(changed.procedures[changed.entry])
    return set(changed.variables) - set(flat.variables)


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("seed", range(400 if FULL else 40))
def test_what_is_false_is_not_true(tmp_path: Path, seed: int, data_model: str) -> None:
    program = program_of(tmp_path, array_program(random.Random(seed)), data_model)
    truth = result_of("bmc", program)
    forgetful = result_of("bmc", program, abstraction=Abstraction.WITHOUT_MEMORY)
    assert not (truth.verdict is Verdict.FALSE and forgetful.verdict is Verdict.TRUE)


LOOPS = {
    "init": "int a[N]; int i; for (i = 0; i < N; i++) a[i] = 42; for (i = 0; i < N; i++) if (a[i] != 42) reach_error();",
    "copy": "int a[N], b[N]; int i; for (i = 0; i < N; i++) b[i] = a[i]; for (i = 0; i < N; i++) if (a[i] != b[i]) reach_error();",
    "least": "int a[N], m = 0; for (int i = 0; i < N; i++) if (a[i] < m) m = a[i]; for (int i = 0; i < N; i++) if (a[i] < m) reach_error();",
    "fill": "unsigned char a[N]; memset(a, 7, N); for (unsigned i = 0; i < N; i++) if (a[i] != 7) reach_error();",
    "zero": "static long a[N]; for (unsigned long i = 0; i < N; i++) if (a[i] != 0) reach_error();",
    "fields": "struct pair p[N]; for (int i = 0; i < N; i++) { p[i].f = 1; p[i].g = 2; } for (int i = 0; i < N; i++) if (p[i].g != 2) reach_error();",
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_all_elements(name: str, tmp_path: Path) -> None:
    text = f"{HEAD}#define N 100000\nint main(void) {{ {LOOPS[name]} return 0; }}\n"
    result = result_of(FORGETFUL, program_of(tmp_path, text), 100.0)
    assert result.verdict is Verdict.TRUE, result.reason
    files = [str(tmp_path / "program.c")]
    assert check(files, FrontendOptions(), result.certificate, Deadline.after(60)).valid
    wrong = {"zero": ("a[N]", "a[N] = {1}"), "fill": ("a, 7", "a, 8")}.get(name, ("i = 0", "i = 1"))
    program_of(tmp_path, text.replace(*wrong, 1))
    assert not check(files, FrontendOptions(), result.certificate, Deadline.after(60)).valid


def test_which_arrays(tmp_path: Path) -> None:
    head = "int main(void) { int i = nondet(); "
    assert {"a[%index]", "%index", "%counts"} == remembered(tmp_path, head + "int a[9]; a[i] = 1; return a[i]; }")
    assert "a[%index]" in remembered(tmp_path, "int a[9]; int g(int *q, int k) { return q[k]; } " + head + "return g(a, i); }")
    assert "a[%index]" in remembered(tmp_path, head + "int a[9]; int *q = a + i; *q = 1; return a[i]; }")
    assert "a[%index]" in remembered(tmp_path, head + "int a[9]; a[i] = nondet(); return a[i]; }")
    assert not remembered(tmp_path, head + "int a[9]; int *q = a + i; q = a + 1; *q = 1; return a[i]; }")
    assert not remembered(tmp_path, head + "int a[9]; int *q = a + i; a[i] = 1; return q == (int *)nondet(); }")
    assert not remembered(tmp_path, "int a[9]; int *q = &a[2]; " + head + "*q = 1; return a[i]; }")
    assert not remembered(tmp_path, head + "int a[9]; a[i] = 1; return ((char *)a)[i]; }")
    assert not remembered(tmp_path, head + "int a[9][9]; a[i][i + 1] = 1; return a[i][i]; }")
    assert not remembered(tmp_path, head + "int a[9]; a[i] = 1; return a == (int *)nondet(); }")


def test_an_address_that_is_saved_twice(tmp_path: Path) -> None:
    """`old` has what `now` had a turn before: it is no other name of it."""
    text = HEAD + (
        "int a[9];\n"
        "int main(void) { for (int i = 0; i < 9; i++) a[i] = 1; int *old = a + (nondet() & 7);\n"
        "  for (int i = 0; i < 8; i++) { int *now = &a[i]; if (i == 5) *old = 0; *now = a[i] + 1; old = now; }\n"
        "  if (a[4] == 0) reach_error(); return 0; }"
    )
    assert result_of(FORGETFUL, program_of(tmp_path, text)).verdict is not Verdict.TRUE


def test_an_address_in_the_index_of_another_array(tmp_path: Path) -> None:
    """Whatever the order of the edges is."""
    text = HEAD + (
        "char a[16], b[16]; int main(void) { int i = nondet() & 3; char *p = &a[i]; char *q = b + (long)p; *q = 1;\n"
        "  if (a[i]) reach_error(); return 0; }"
    )
    flat = inline(program_of(tmp_path, text))
    flat.procedures["main"].edges.reverse()
    remember_elements(flat)


def test_stores_become_assignments(tmp_path: Path) -> None:
    flat = inline(program_of(tmp_path, HEAD + "int a[9]; int main(void) { int i = nondet(); a[i] = i; return a[3]; }"))
    edges = remember_elements(flat).procedures["main"].edges
    assert not any(isinstance(edge.operation, Store) for edge in edges)
    assert any(isinstance(edge.operation, Assign) and edge.operation.target.name == "a[%index]" for edge in edges)


def test_outside_its_object_an_array_has_anything(tmp_path: Path) -> None:
    text = "int a[4]; int main(void) { int i = nondet(); if (a[i] != 0) reach_error(); return 0; }"
    program = program_of(tmp_path, HEAD + text)
    assert result_of("bmc", program).verdict is Verdict.FALSE
    assert result_of(FORGETFUL, program).verdict is not Verdict.TRUE
    program = program_of(tmp_path, HEAD + text.replace("nondet()", "nondet() & 3"))
    assert result_of(FORGETFUL, program).verdict is Verdict.TRUE
