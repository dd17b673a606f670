"""Context-aware and context-free instantiation (Beyer, Kettl, Lemberger 2024, section 3): with and without what other blocks say."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates import check as certificate
from drystone.claims.verdicts import Verdict
from drystone.engines.dss.coordinator import Ended, inline
from drystone.engines.dss.messages import Kind
from drystone.engines.dss.postconditions.options import CONTEXT_AWARE, CONTEXT_FREE
from drystone.engines.dss.predicates.analysis import PredicateOptions
from drystone.engines.dss.predicates.coordinator import PredicateCoordinator
from drystone.engines.dss.preparation import Blocks, prepare_blocks
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.pipeline import PreparedProgram
from drystone.solvers import Answer, make_solver
from tests.engines.dss.programs import CASES, PRELUDE, Case
from tests.engines.dss.test_programs import SECONDS, answer

KINDS = ("function", "whole", "loops", "linear")

ALONE = "int main() { int x = 0; while (any()) { x = 0; } if (x) reach_error(); f(any()); f(any()); }"
F = "void f(int a) { int y = 0; while (a > 0) { a--; y = y * a; } if (y) reach_error(); }"
NEEDS_CONTEXT = (
    "int g; void f(void) { if (g == 5) reach_error(); } int main() { g = any(); if (g > 1) g = 1; f(); while (any()) f(); }"
)


def blocks_from(path: Path, text: str, kind: str) -> Blocks:
    path.write_text(PRELUDE + text)
    program = load([str(path)], FrontendOptions()).program
    return prepare_blocks(PreparedProgram(program), recursion_bound=1, max_edges=10_000, sliced=False, kind=kind)


def run(blocks: Blocks, instantiation: str, start: str = "top") -> tuple[Ended, PredicateCoordinator]:
    seen = blocks.without_context() if instantiation == CONTEXT_FREE else blocks
    coordinator = PredicateCoordinator(seen, PredicateOptions(start=start, instantiation=instantiation), inline(unobserved))
    return coordinator.run(Deadline()), coordinator


@pytest.mark.parametrize("start", ("top", "bottom"))
def test_functions_that_are_safe_by_themselves(tmp_path: Path, start: str) -> None:
    """Parts of one block, here the loops of a function, know of each other all the same."""
    blocks = blocks_from(tmp_path / "program.c", F + ALONE, "function")
    ended, coordinator = run(blocks, CONTEXT_FREE, start)
    assert ended.invariants is not None, ended.reason
    assert coordinator.messages > 0 and set(coordinator.blocks.locations) == blocks.inside
    assert set(ended.invariants) == blocks.inside  # nothing is claimed, or known, of the places where blocks meet
    assert_inductive(blocks, ended)


def assert_inductive(blocks: Blocks, ended: Ended) -> None:
    assert ended.invariants is not None
    solver = make_solver("bitwuzla")
    for block in blocks.blocks.values():
        before = ended.invariants.get(block.start, [])
        for location, way in block.transformer.exits.items():
            after = terms.conjunction(ended.invariants.get(location, []))
            assert solver.check([*before, way.pre(terms.negate(after))]) is Answer.UNSAT
        assert solver.check([*before, block.transformer.violation]) is Answer.UNSAT


@pytest.mark.parametrize("kind", KINDS)
def test_what_other_blocks_know_is_needed(tmp_path: Path, kind: str) -> None:
    """A modular analysis raises a false alarm; here it is no verdict."""
    blocks = blocks_from(tmp_path / "program.c", NEEDS_CONTEXT, kind)
    aware, _ = run(blocks, CONTEXT_AWARE)
    assert aware.invariants is not None
    free, coordinator = run(blocks, CONTEXT_FREE)
    if kind == "whole":
        assert free.invariants is not None  # the only block is its own context
    else:
        assert free.is_open and free.reason.startswith("no progress")
        assert not any(status.is_open for id, status in coordinator.status.items() if id.startswith("entry"))


def test_no_message_passes_between_blocks(tmp_path: Path) -> None:
    for kind in ("loops", "linear", "default"):
        blocks = blocks_from(tmp_path / "program.c", F + ALONE, kind)
        assert not blocks.inside
        _, coordinator = run(blocks, CONTEXT_FREE)
        assert coordinator.messages == 0
    for kind in ("function", "whole"):
        blocks = blocks_from(tmp_path / "program.c", F + ALONE, kind)
        free = blocks.without_context()
        for kind_of_message, table in ((Kind.BLOCKPOSTCONDITION, free.starting), (Kind.ERRORCONDITION, free.ending)):
            assert set(table) <= blocks.inside, kind_of_message


def test_an_error_in_the_first_block_needs_no_context(tmp_path: Path) -> None:
    text = "int main() { int x = any(); while (any()) x++; if (x == 17) reach_error(); }"
    ended, _ = run(blocks_from(tmp_path / "program.c", text, "whole"), CONTEXT_FREE)
    assert ended.trace is not None
    ended, _ = run(blocks_from(tmp_path / "program.c", text, "loops"), CONTEXT_FREE)
    assert ended.is_open


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_verdict_is_wrong(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    for decomposition in KINDS:
        result = answer(path, case, summaries="predicates", decomposition=decomposition, instantiation=CONTEXT_FREE)
        assert result.verdict in (case.verdict, Verdict.UNKNOWN), (decomposition, result.reason)
        if result.verdict is Verdict.TRUE:
            checked = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(SECONDS))
            assert checked.valid, (decomposition, checked.reason)
