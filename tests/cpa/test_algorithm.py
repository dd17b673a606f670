"""Reachability and refinement on finite systems, against exhaustive search."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from drystone.base.deadline import Deadline
from drystone.cpa.algorithm import Counted, OutOfTime, explore
from drystone.cpa.cegar import Cegar
from drystone.cpa.reached import Reached
from drystone.cpa.waitlists import Breadth, Depth, ReversePostorder, Waitlist
from tests.cpa.systems import Refining, State, Tracked, Tracking, covers, random_system

WAITLISTS: dict[str, Callable[[], Waitlist[State]]] = {
    "breadth": Breadth,
    "depth": Depth,
    "postorder": lambda: ReversePostorder(lambda state: state[0], {each: each for each in range(10)}),
}
NOTHING: Tracked = frozenset()


@pytest.mark.parametrize("waitlist", WAITLISTS)
@pytest.mark.parametrize("merges", [False, True])
def test_all_that_is_reached_is_covered(waitlist: str, merges: bool) -> None:
    for seed in range(150):
        system = random_system(seed)
        precision = frozenset(range(system.variables)) - {seed % 3}
        analysis = Tracking(system, merges)
        reached: Reached[State] = Reached(analysis.location)
        waiting = WAITLISTS[waitlist]()
        start = analysis.adjust(analysis.initial(), precision)
        reached.add(start, None)
        waiting.add(start)
        target = explore(analysis, reached, waiting, precision, Deadline(), Counted())
        assert target is not None or system.is_safe()
        if target is None:
            assert all(any(covers(state, each) for state in reached.at(each[0])) for each in system.reached())
            assert not merges or all(len(reached.at(location)) <= 1 for location in range(8))
        else:
            way = reached.way_to(target)
            steps = {(step.source, step.target) for step in system.steps}
            assert covers(way[0], start) and steps.issuperset((a[0], b[0]) for a, b in itertools.pairwise(way))


@pytest.mark.parametrize("is_lazy", [False, True])
@pytest.mark.parametrize("waitlist", WAITLISTS)
def test_refinement_ends_with_the_truth(waitlist: str, is_lazy: bool) -> None:
    found = {"error": 0, "safe": 0}
    for seed in range(300):
        system = random_system(seed)
        cegar = Cegar(Tracking(system), Refining(system), WAITLISTS[waitlist], NOTHING, is_lazy=is_lazy)
        result = cegar.run(Deadline())
        assert (result is None) == system.is_safe(), seed
        if result is None:
            assert all(any(covers(state, each) for state in cegar.reached.at(each[0])) for each in system.reached())
        found["safe" if result is None else "error"] += 1
    assert min(found.values()) > 50


def test_a_search_goes_on_where_it_ran_out_of_time() -> None:
    ticks = itertools.count()
    system = next(each for each in map(random_system, itertools.count()) if len(each.reached()) > 20 and each.is_safe())
    analysis = Tracking(system)
    cegar = Cegar(analysis, Refining(system), Depth, frozenset(range(system.variables)), is_lazy=True)
    with pytest.raises(OutOfTime):
        cegar.run(Deadline.after(-1.0, lambda: float(next(ticks))))
    assert cegar.run(Deadline()) is None
    assert len(cegar.reached) == len(system.reached())
