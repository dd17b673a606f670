"""Telbisz 2023, section 3.6, transition by transition: what is simplified where, and how refinement goes on from there.

Places are those of Figure 3.5: the first thread is at L0 to L3, the second one at L4 to L6. Main waits for both, so that none of
them is ever alone: alone, it would take several transitions at once. `y = x` is a turn of two statements here, over a temporary.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from drystone.base.deadline import Deadline
from drystone.engines.interleaving.data_flow import DataFlow, Simplified
from drystone.engines.interleaving.domains import Values
from drystone.engines.interleaving.engine import REDUCTIONS, Cegar, InterleavingOptions
from drystone.engines.interleaving.reachability import Abstract, Counted, Search
from drystone.engines.interleaving.refinement import Way, refine_values, refuted
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.operations import Assign
from drystone.passes.readings import settled
from drystone.pipeline import PreparedProgram
from drystone.threads.product import ENDED

HAVOC, NOP = Simplified.HAVOC, Simplified.NOP
FIRST, SECOND = 1, 2
PLACES = {FIRST: {0: 0, 1: 1, 2: 2, ENDED: 3}, SECOND: {0: 4, 4: 5, ENDED: 6}}  # by those of the automata

Changes = dict[str, Simplified]
"""By the variable that is assigned; what is not in there is evaluated as it is. Temporaries are left out."""


@lru_cache(maxsize=1)
def _loaded() -> PreparedProgram:
    file = Path(__file__).with_name("case_study.c")
    return PreparedProgram(settled(load([str(file)], FrontendOptions(data_model="LP64")).program))


def study(*tracked: str) -> tuple[Cegar, Values]:
    counters = {"queries": 0, "unrollings": 0, "replays": 0}
    cegar = Cegar(_loaded(), InterleavingOptions(reduction="coi"), 1, Deadline(), unobserved, counters)
    assert isinstance(cegar.domain, Values)
    cegar.domain.add(tracked)
    return cegar, cegar.domain


def states(cegar: Cegar) -> dict[tuple[int, int], int]:
    """The nodes of the search, by the places of both threads, while main waits."""
    found = {}
    waits = next(main for main, *others in map(cegar.turns.places, cegar.turns.choices) if others == [0, 0])
    for node in cegar.turns.choices:
        main, first, second = cegar.turns.places(node)
        if main == waits and first in PLACES[FIRST] and second in PLACES[SECOND]:
            found[PLACES[FIRST][first], PLACES[SECOND][second]] = node
    return found


def simplified(cegar: Cegar, *tracked: str) -> dict[tuple[int, int, int], Changes]:
    """By state and thread: what becomes of its transition."""
    flow = DataFlow(cegar.turns, cegar.ahead, cegar.within, frozenset(tracked))
    found = {}
    for (first, second), node in states(cegar).items():
        for turn in cegar.turns.at(node):
            if turn.thread in PLACES:
                changes = {_target(cegar, index): how for index, how in flow.simplification(turn)}
                found[first, second, turn.thread] = {name: how for name, how in changes.items() if name in ("x", "y")}
    return found


def _target(cegar: Cegar, index: int) -> str:
    operation = cegar.turns.procedure.edges[index].operation
    assert isinstance(operation, Assign)
    return operation.target.name


def search(cegar: Cegar) -> tuple[Search, list[Abstract]]:
    """All that is reached with the precision as it is, and all that is bad there."""
    made, found = cegar.search(REDUCTIONS["coi"], Counted()), []
    while (way := made.run(())) is not None:
        found.append(way)
        made.exclude(way)
    return made, found


def test_assignments_that_no_condition_of_the_interleaving_depends_on_are_replaced() -> None:
    cegar, _ = study("y")
    found = simplified(cegar, "y")
    assert len(found) == 17  # transitions between the twelve states, those into the error included
    for (first, second, thread), changes in found.items():
        match first, second, thread:
            case (0, _, 1) | (_, 5, 2):
                assert changes == {"x": NOP}  # x is not tracked
            case (3, 4, 2):
                assert changes == {"y": HAVOC}  # no condition can be reached any more
            case _:
                assert changes == {}


def test_with_both_variables_fewer_are() -> None:
    cegar, _ = study("x", "y")
    for (first, second, thread), changes in simplified(cegar, "x", "y").items():
        match first, second, thread:
            case (0, 4, 1):
                assert changes == {}  # `x = 1` is observed by `y = x` from the start
            case (0, _, 1) | (_, 5, 2):
                assert changes == {"x": HAVOC}
            case (3, 4, 2):
                assert changes == {"y": HAVOC}
            case _:
                assert changes == {}


def test_the_abstract_counterexample_is_refuted_by_its_original_statements() -> None:
    cegar, domain = study("y")
    made, found = search(cegar)
    place = {node: key for key, node in states(cegar).items()}
    assert {place.get(way.last[0]) for way in found} == {(2, 5), (2, 6), None}  # None: main has seen the end of the second thread
    known = {key: made.reached.states[node] for key, node in states(cegar).items() if key[0] == 2}
    assert [sorted(map(len, known[key])) for key in ((2, 4), (2, 5), (2, 6))] == [[1], [0, 1], [0, 1]]  # y is 1; or not known
    first = found[0]
    assert [place.get(node) for node in first.nodes] == [None, (0, 4), (1, 4), (2, 4), (2, 5)]
    assert [turn.thread for turn in first.turns][-4:] == [FIRST, FIRST, SECOND, FIRST]  # x = 1, y = 1, y = x, [y != 1]
    why = refuted(Way(cegar.transfer, first), "bitwuzla", 0, Deadline())
    assert why is not None and "x" in why.variables
    assert refine_values(domain, Way(cegar.transfer, first), why) and "x" in domain.tracked()


def test_both_variables_prove_it() -> None:
    cegar, _ = study("x", "y")
    assert not search(cegar)[1]
    assert study()[0].run().verdict.value == "TRUE"  # and refinement finds them by itself
