"""The engine `tree`, whatever its steps and abstractions are."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.certificates import check as certificate
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import replay
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.tree import engine
from drystone.engines.tree.master import NAIVE, PREDICTABLE
from drystone.engines.tree.options import Options as TreeOptions
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from drystone.verification.options import Options, reject_contradictions
from tests.engines.test_predicate import HEAD, PROGRAMS


def checked(folder: Path, text: str, options: TreeOptions) -> EngineResult:
    """With the evidence."""
    path = folder / "program.c"
    path.write_text(HEAD + text)
    program = load([str(path)], FrontendOptions()).program
    result = engine.check(PreparedProgram(program), options, Deadline.after(20), unobserved)
    if result.verdict is Verdict.TRUE:
        assert isinstance(result.certificate, InductiveCertificate)
        found = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(20))
        assert found.valid, found.reason
    if result.verdict is Verdict.FALSE:
        assert result.error is not None
        replay(program, result.error, result.inputs)
    return result


@pytest.mark.parametrize("encoding", [None, "single", "large", "large+"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_a_step_is(tmp_path: Path, name: str, encoding: str | None) -> None:
    text, verdict = PROGRAMS[name]
    result = checked(tmp_path, text, TreeOptions(encoding=encoding))
    assert result.verdict is verdict, result.reason


@pytest.mark.parametrize("selection", [PREDICTABLE, NAIVE])
@pytest.mark.parametrize("name", ["locks", "nested", "calls", "twice"])
def test_cartesian(tmp_path: Path, name: str, selection: str) -> None:
    text, verdict = PROGRAMS[name]
    assert checked(tmp_path, text, TreeOptions(selection, abstraction="cartesian")).verdict is verdict


def test_an_unknown_place_is_no_proof(tmp_path: Path) -> None:
    text = """int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) { asm volatile ("nop" : "=r"(x)); } return 0; }"""
    assert checked(tmp_path, text, TreeOptions()).verdict is not Verdict.FALSE


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(Refusal, match="--selection"):
        reject_contradictions(Options(engine="predicate", selection="naive"))
    reject_contradictions(Options(engine="tree", selection="naive", encoding="large", abstraction="cartesian"))
