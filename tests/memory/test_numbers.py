"""Addresses that go through numbers by chance: what a run does, the formulas do, and no slice is without it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import SeededInputs
from drystone.concrete.interpreter import interpret
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.memory.regions import Regions
from drystone.passes.inline import inline
from drystone.pipeline import Abstraction, PreparedProgram
from tests.memory.number_programs import number_program
from tests.memory.test_regions import watched_run
from tests.memory.three_address import three_address


def program_of(folder: Path, text: str, data_model: str) -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load([str(path)], FrontendOptions(data_model=data_model)).program


def verdict(program: Program, abstraction: Abstraction = Abstraction.EXACT) -> Verdict:
    return check("bmc", PreparedProgram(program, abstraction), Settings(), Deadline.after(30), unobserved).verdict


@pytest.mark.parametrize("seed", range(12))
def test_an_address_that_was_a_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int) -> None:
    text, data_model = number_program(random.Random(seed)), ("LP64", "ILP32")[seed % 2]
    program = program_of(tmp_path, f"{text}int main(void) {{ return test(); }}\n", data_model)
    outcome = interpret(program, SeededInputs(seed), max_steps=400_000)
    assert outcome.kind == "returned" and outcome.result is not None
    flat = three_address(inline(program))
    assert watched_run(monkeypatch, flat, Regions(flat), seed).accesses > 0
    other = {}
    for operator in ("==", "!="):
        error = f"if ((unsigned)test() {operator} {outcome.result % 2**32}u) reach_error();"
        whole = f"{text}extern void reach_error(void); int main(void) {{ {error} return 0; }}\n"
        other[operator] = program_of(tmp_path, whole, data_model)
    assert verdict(other["=="]) is Verdict.FALSE
    assert verdict(other["!="]) is not Verdict.FALSE
    assert verdict(other["=="], Abstraction.WITHOUT_MEMORY) is not Verdict.TRUE
