"""Compares a result of an engine with the truth about a program."""

from __future__ import annotations

from pathlib import Path

from drystone.base.deadline import Deadline
from drystone.certificates import check as certificate
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import replay
from drystone.engines.outcome import EngineResult
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from tests.explicit.engines import SECONDS, Configuration
from tests.explicit.generator import Decided, decided_program


def kind(truth: Decided) -> str:
    if not truth.enumeration.is_safe:
        return "unsafe"
    return "safe" if truth.enumeration.terminates else "safe endless"


def compared(folder: Path, configuration: Configuration, seed: int) -> tuple[Decided, EngineResult]:
    """What the configuration says about the program of this seed, and the truth; raises an AssertionError if they differ."""
    truth = decided_program(seed)
    path = folder / f"{seed}.c"
    path.write_text(truth.text)
    program = load([str(path)], FrontendOptions()).program
    result = configuration.check(program)
    compare(truth, program, path, result)
    return truth, result


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
