"""No verdict of either kind of summaries contradicts what is known, and every proof has a certificate that holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates import check as certificate
from drystone.claims.verdicts import Verdict
from drystone.engines.dss import engine
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.engines.dss.programs import CASES, PRELUDE, Case

SECONDS = 60.0
DECOMPOSITIONS = ("loops", "default", "function", "whole", "linear", "region", "edge", "merge:3")


def answer(path: Path, case: Case, **options: Any) -> EngineResult:
    path.write_text(PRELUDE + case.text)
    program = load([str(path)], FrontendOptions()).program
    return engine.check(PreparedProgram(program), DssOptions(candidates=(), **options), Deadline.after(SECONDS), unobserved)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("summaries", SUMMARIES)
def test_verdicts(case: Case, summaries: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    for decomposition in DECOMPOSITIONS:
        result = answer(path, case, summaries=summaries, decomposition=decomposition)
        assert result.verdict is case.verdict, (decomposition, result.reason)
        if result.verdict is Verdict.TRUE:
            checked = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(SECONDS))
            assert checked.valid, (decomposition, checked.reason)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdicts_of_eager_blocks(case: Case, tmp_path: Path) -> None:
    """Blocks that ask themselves at the same time as others, as they do where there are several hosts."""
    path = tmp_path / "program.c"
    for decomposition in ("loops", "default", "linear"):
        result = answer(path, case, is_eager=True, decomposition=decomposition)
        assert result.verdict is case.verdict, (decomposition, result.reason)
        if result.verdict is Verdict.TRUE:
            checked = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(SECONDS))
            assert checked.valid, (decomposition, checked.reason)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdicts_from_bottom_and_with_few_cubes(case: Case, tmp_path: Path) -> None:
    """A block that waits for its predecessors, and the Cartesian abstraction, find the same or nothing."""
    path = tmp_path / "program.c"
    for options in ({"start": "bottom"}, {"max_cubes": 1}, {"start": "bottom", "decomposition": "linear"}):
        result = answer(path, case, summaries="predicates", **options)
        assert result.verdict is case.verdict or (result.verdict is Verdict.UNKNOWN and "max_cubes" in options), (
            options,
            result.reason,
        )
        if result.verdict is Verdict.TRUE:
            checked = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(SECONDS))
            assert checked.valid, (options, checked.reason)
