"""What engines that search abstract states have in common: what they look at, ways to an error, what they do not know."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.bmc import BmcOptions
from drystone.engines.deepening import Outcome
from drystone.engines.guided import GuidedRun
from drystone.engines.obstacles import Met, Obstacle
from drystone.engines.outcome import Observer
from drystone.ir.automaton import Mark
from drystone.pipeline import Flat, PreparedProgram
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.region_memory import NoRoom

_SHARE = 1 / 4  # of the time that is left, for one way that the abstraction does not exclude


def symbolic(flat: Flat) -> SymbolicProgram:
    """Where the program computes with addresses, objects lie anywhere, as in the check of a proof; if that cannot be said, where
    drystone puts them: then the check refuses a proof that relies on it."""
    try:
        return flat.symbolic(inductive=True, anywhere=True)
    except NoRoom:
        return flat.symbolic(inductive=True)


def followed(
    prepared: PreparedProgram,
    flat: Flat,
    heads: Collection[int],
    passed: Iterable[int],
    options: BmcOptions,
    observer: Observer,
    counters: dict[str, int],
    bound: int,
    deadline: Deadline,
    share: float | None = None,
) -> Outcome | None:
    """An error of the program itself on a way that passes these locations of the flat program; None if none is found in a share
    of the time that is left. Of the locations, the loop heads matter."""
    original = flat.original or {}
    landmarks = frozenset(original.get(head, head) for head in heads)
    way = [original.get(place, place) for place in passed if place in heads]
    run = GuidedRun(prepared, options, observer, counters, bound, landmarks, way)
    outcome = run.run(deadline.within(deadline.remaining() * (share or _SHARE)))
    return outcome if outcome.verdict is Verdict.FALSE else None


def unknown(reason: str, met: Mark | None, unconfirmed: Mark | None) -> Outcome:
    """`met`: what is not modelled and may be reached. `unconfirmed`: an error of which no execution was found."""
    obstacle = Obstacle(met=Met(met) if met is not None else None, unconfirmed=unconfirmed)
    return Outcome(Verdict.UNKNOWN, reason, deeper=met is not None and met.is_bound, obstacle=obstacle)
