"""Recursion is unrolled to a growing bound: an engine searches with one bound after the other, until more cannot tell more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.claims.certificates import Certificate
from drystone.claims.property import error_marks
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import Consumed
from drystone.engines.obstacles import Obstacle
from drystone.engines.outcome import EngineResult, ErrorVerdict, Observer, Progress
from drystone.ir.automaton import Mark, Program
from drystone.passes.inline import TooLarge

RECURSION_BOUNDS = (1, 2, 5, 12, 30, 80)


class Outcome(msgspec.Struct, frozen=True):
    """Of a search with one bound on recursion."""

    verdict: Verdict
    reason: str
    mark: Mark | None = None
    inputs: tuple[Consumed, ...] = ()
    certificate: Certificate | None = None
    deeper: bool = False  # more recursion may tell
    unconfirmed: bool = False  # a counterexample was found, but not replayed
    obstacle: Obstacle = Obstacle()  # for UNKNOWN


def deepen(search: Callable[[int], Outcome], deadline: Deadline, observer: Observer) -> Outcome:
    """The outcome with the first bound that tells, or with the last one that there is room and time for.

    `search` gets the bound; it may raise `TooLarge`.
    """
    outcome = Outcome(Verdict.UNKNOWN, "nothing was tried")
    for bound in RECURSION_BOUNDS:
        observer(Progress("preparing", {"recursion": bound}))
        try:
            outcome = search(bound)
        except TooLarge as problem:
            too_large = Outcome(Verdict.UNKNOWN, str(problem), obstacle=Obstacle(too_large=problem.function))
            return outcome if outcome.deeper else too_large
        except Refusal:
            if outcome.deeper:  # blocks from a file are those of one bound
                return outcome
            raise
        if outcome.verdict is not Verdict.UNKNOWN or not outcome.deeper or deadline.expired():
            break
    return outcome


def engine_result(program: Program, outcome: Outcome, counters: Mapping[str, int]) -> EngineResult:
    """The outcome as the engine's, with a verdict for each error location."""
    errors = []
    for mark in error_marks(program):
        if outcome.verdict is Verdict.FALSE and mark == outcome.mark:
            errors.append(ErrorVerdict(mark, Verdict.FALSE, outcome.inputs))
        else:
            errors.append(ErrorVerdict(mark, Verdict.TRUE if outcome.verdict is Verdict.TRUE else Verdict.UNKNOWN))
    return EngineResult(
        outcome.verdict,
        outcome.reason,
        outcome.mark,
        outcome.inputs,
        outcome.certificate,
        counters,
        tuple(errors),
        obstacle=outcome.obstacle,
    )
