"""Programs with few states: all of them make an invariant, or one of them leads to an error (`invariants.exploration`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from drystone.base.deadline import Deadline
from drystone.invariants.closure import Closure
from drystone.invariants.exploration import Move, explore
from drystone.invariants.flags import Valuations
from drystone.invariants.houdini import QUERY_SECONDS
from drystone.invariants.query_limits import QueryLimits
from drystone.invariants.sampling import Constants
from drystone.logic.terms import Term
from drystone.symbolic.transformers import TransitionSystem

_FEW_QUERIES = 16  # about states that the exploration has not found: where more are missing, there may be any number


class FewStates(msgspec.Struct, frozen=True):
    """Invariants that say which states there are, or the way to an error; neither if there are too many states."""

    invariants: Mapping[int, list[Term]] = {}
    count: int = 0
    way: tuple[Move, ...] = ()


def look_for_few_states(
    system: TransitionSystem, solver: str, seed: int, deadline: Deadline, counters: dict[str, int]
) -> FewStates:
    explored = explore(system, Constants(system.all_terms()), seed, deadline)
    if explored.way or not explored.sets:
        return FewStates(way=explored.way)
    closure = Closure(
        system, explored.sets, {}, {}, QueryLimits(solver, seed, deadline, QUERY_SECONDS), len(system.cut_points) + _FEW_QUERIES
    )
    grown = closure.reach_fixed_point()
    counters["queries"] = counters.get("queries", 0) + closure.queries
    if grown is None:
        return FewStates()
    count = counters["states"] = sum(len(each.tuples) for each in closure.sets.values())
    return FewStates({cut: list(_conjuncts(each)) for cut, each in closure.sets.items()}, count)


def _conjuncts(states: Valuations) -> Iterator[Term]:
    """What never changes first, by itself: it is easier to read, and to reason with."""
    columns = list(zip(*states.tuples, strict=True))
    fixed = [number for number, column in enumerate(columns) if len(set(column)) == 1]
    for number in fixed:
        yield states.flags[number].has(columns[number][0])
    others = [number for number in range(len(states.flags)) if number not in fixed]
    if others or not states.tuples:
        tuples = frozenset(tuple([values[number] for number in others]) for values in states.tuples)
        yield Valuations(tuple([states.flags[number] for number in others]), tuples).term
