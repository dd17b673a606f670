"""Without memory there are more executions, never fewer: a run of the program is one of the program that forgets."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import SeededInputs
from drystone.concrete.interpreter import interpret
from drystone.counterexamples.steps import Execution
from drystone.engines.portfolio import auto
from drystone.engines.question import Settings
from drystone.engines.registry import FORGETFUL
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Input, Load
from drystone.ir.operations import Assign
from drystone.passes.inline import inline
from drystone.passes.memory_havoc import WHAT, forget_memory
from drystone.pipeline import Abstraction, PreparedProgram
from tests.memory.pointer_programs import pointer_program
from tests.memory.three_address import three_address
from tests.places import PROGRAMS
from tests.structure import structural_faults

DECLARATIONS = "extern int nondet(void); extern void reach_error(void);\n"


def program_of(folder: Path, text: str) -> Program:
    file = folder / "program.c"
    file.write_text(text)
    return load([str(file)], FrontendOptions()).program


class Remembered:
    """The inputs of a run, and what its loads gave."""

    def __init__(self, seed: int, loaded: list[int]) -> None:
        self.others, self.loaded = SeededInputs(seed), loaded[::-1]

    def value(self, input: Input, edge: Edge) -> int:
        return self.loaded.pop() if input.name == WHAT else self.others.value(input, edge)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return bytes(size)


class Zeros(SeededInputs):
    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return bytes(size)


@pytest.mark.parametrize("seed", range(40))
def test_a_run_is_a_run_without_memory(tmp_path: Path, seed: int) -> None:
    program = three_address(inline(program_of(tmp_path, pointer_program(random.Random(seed)))))
    execution = Execution(program, Zeros(seed))
    loaded: list[int] = []
    for moment in execution.moments(20_000):
        match moment.edge.operation:
            case Assign(target, Load()):
                loaded.append(execution.value(target, execution.machine.code, execution.machine.locals))
    before = interpret(program, Zeros(seed), max_steps=20_000)
    forgetful = forget_memory(program)
    assert not structural_faults(forgetful.procedures[program.entry])
    after = interpret(forgetful, Remembered(seed, loaded), max_steps=20_000)
    assert loaded and before.kind == "returned"
    assert (before.kind, before.steps, before.locals) == (after.kind, after.steps, after.locals)


def test_both_sides_of_a_branch_see_the_same_value(tmp_path: Path) -> None:
    text = "int a[4]; int main(void) { int i = nondet() & 3; if (a[i] > a[3 - i] - a[i]) a[i] = 1; return 0; }"
    flat = inline(program_of(tmp_path, DECLARATIONS + text))
    procedure = flat.procedures[flat.entry]
    forgetful = forget_memory(flat).procedures[flat.entry]
    assert not structural_faults(forgetful)
    assert forgetful.locations > procedure.locations and len(forgetful.frame_of or ()) == forgetful.locations
    chosen = [
        edge for edge in forgetful.edges if isinstance(edge.operation, Assign) and "%forgotten" in edge.operation.target.name
    ]
    assert len(chosen) == 2 and all(edge.target >= procedure.locations for edge in chosen)


def expected(file: Path) -> str:
    return file.read_text().partition("expected: ")[2].split()[0]


@pytest.mark.parametrize("name", sorted(file.name for file in PROGRAMS.glob("*.c") if expected(file) == "FALSE"))
@pytest.mark.parametrize("engine", ["bmc", "dss"])
def test_what_is_false_is_not_true_without_memory(name: str, engine: str) -> None:
    program = load([str(PROGRAMS / name)], FrontendOptions()).program
    forgetful = PreparedProgram(program, Abstraction.WITHOUT_MEMORY)
    result = auto.check(engine, forgetful, Settings(), Deadline.after(10), lambda event: None)
    assert result.verdict is not Verdict.TRUE


LOCK = """
struct device { struct device *next; int users; } *first;
int lock;
int main(void) {
  while (nondet()) {
    lock = 1;
    for (struct device *at = first; at; at = at->next) at->users++;
    if (first && first->users > 3) { lock = 0; continue; }
    if (!lock) reach_error();
    lock = 0;
  }
  if (lock) reach_error();
}"""


def test_a_proof_without_memory_is_checked(tmp_path: Path) -> None:
    prepared = PreparedProgram(program_of(tmp_path, DECLARATIONS + LOCK))
    known = prepared.flat(recursion_bound=1, max_edges=10_000, sliced=True).program
    small = prepared.under(Abstraction.WITHOUT_MEMORY).flat(recursion_bound=1, max_edges=10_000, sliced=True).program
    assert len(small.procedures["main"].edges) < len(known.procedures["main"].edges)
    result = auto.check(FORGETFUL, prepared, Settings(), Deadline.after(60), lambda event: None)
    assert result.verdict is Verdict.TRUE and isinstance(result.certificate, InductiveCertificate)
    files = [str(tmp_path / "program.c")]
    checked = check(files, FrontendOptions(), result.certificate, Deadline.after(60))
    assert checked.valid
    wrong = program_of(tmp_path, DECLARATIONS + LOCK.replace("lock = 0; continue;", "continue;"))
    assert wrong.entry == "main"
    assert not check(files, FrontendOptions(), result.certificate, Deadline.after(60)).valid


def test_what_needs_memory_is_not_proved(tmp_path: Path) -> None:
    text = "int a[9]; int main(void) { int i = nondet() & 7, *at = a; at += i; *at = 1; if (a[i] != 1) reach_error(); return 0; }"
    program = program_of(tmp_path, DECLARATIONS + text)
    result = auto.check(FORGETFUL, PreparedProgram(program), Settings(), Deadline.after(30), lambda event: None)
    assert result.verdict is Verdict.UNKNOWN and "replay" in result.reason
