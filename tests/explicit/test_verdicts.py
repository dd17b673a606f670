"""No engine contradicts the enumeration; what it finds replays, what it proves has a certificate that is accepted.

`DRYSTONE_FULL=1` takes many more programs.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from drystone.engines.outcome import EngineResult, Verdict
from drystone.evidence import certificate
from drystone.evidence.counterexample import replay
from drystone.frontend.load import FrontendOptions, load
from drystone.program.automaton import Program
from drystone.solvers.deadline import Deadline
from tests.verify.running import report

from .engines import CONFIGURATIONS, SECONDS, Configuration
from .generator import Decided, decided_program

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 500
BATCH = 30


BATCHES = [
    pytest.param(configuration, range(first, min(first + BATCH, programs)), id=f"{configuration.name}-{first}")
    for configuration in CONFIGURATIONS
    for programs in [PROGRAMS if FULL else configuration.sample]
    for first in range(0, programs, BATCH)
]


@pytest.mark.parametrize(("configuration", "seeds"), BATCHES)
def test_engines(tmp_path: Path, configuration: Configuration, seeds: range) -> None:
    total, decided = Counter[str](), Counter[str]()
    for seed in seeds:
        truth = decided_program(seed)
        path = tmp_path / f"{seed}.c"
        path.write_text(truth.text)
        program = load([str(path)], FrontendOptions()).program
        result = configuration.check(program)
        compare(truth, program, path, result)
        total[kind(truth)] += 1
        decided[kind(truth)] += result.verdict is not Verdict.UNKNOWN
    floors = {"unsafe": configuration.finds, "safe": configuration.proves, "safe endless": configuration.proves_endless}
    for what, floor in floors.items():
        assert decided[what] >= floor * total[what] - 1, f"{what}: {decided[what]} of {total[what]} decided"


def kind(truth: Decided) -> str:
    if not truth.enumeration.is_safe:
        return "unsafe"
    return "safe" if truth.enumeration.terminates else "safe endless"


def compare(truth: Decided, program: Program, path: Path, result: EngineResult) -> None:
    """The verdict, the verdict about each error, and the evidence."""
    where = f"seed {truth.seed}: {result.verdict} {result.reason}\n{truth.text}"
    assert result.verdict is Verdict.UNKNOWN or (result.verdict is Verdict.TRUE) == truth.enumeration.is_safe, where
    for each in result.errors:
        if each.verdict is not Verdict.UNKNOWN:
            assert (each.verdict is Verdict.FALSE) == (each.error.origin.line in truth.reachable_lines), where
        if each.verdict is Verdict.FALSE:
            replay(program, each.error, each.inputs)
    if result.verdict is Verdict.FALSE:
        assert result.error is not None and result.error.origin.line in truth.reachable_lines, where
        replay(program, result.error, result.inputs)
    if result.verdict is Verdict.TRUE:
        checked = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(SECONDS))
        assert checked.valid, f"{checked.reason}\n{where}"


@pytest.mark.parametrize("seed", range(0, PROGRAMS if FULL else 60, 5 if FULL else 10))
def test_the_command(tmp_path: Path, seed: int) -> None:
    truth = decided_program(seed)
    path = tmp_path / "program.c"
    path.write_text(truth.text)
    found = report(path, "--timeout", "5s")
    assert found["verdict"] in ("UNKNOWN", "TRUE" if truth.enumeration.is_safe else "FALSE"), truth.text
    if found["verdict"] == "FALSE":
        assert found["evidence"]["counterexample"]["line"] in truth.reachable_lines
    if found["verdict"] == "TRUE":
        assert found["evidence"]["certificate"]["checked"]


def test_programs_are_of_all_kinds() -> None:
    kinds = Counter(kind(decided_program(seed)) for seed in range(60))
    assert kinds["unsafe"] >= 15 and kinds["safe"] >= 8 and kinds["safe endless"] >= 8, kinds
    assert sum(len(decided_program(seed).lines) > 1 for seed in range(60)) > 30


def test_the_same_seed_makes_the_same_program() -> None:
    assert decided_program.__wrapped__(7).text == decided_program.__wrapped__(7).text
