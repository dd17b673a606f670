"""Breadth first through all states of a program, in every order in which its threads may go on."""

from __future__ import annotations

import itertools
import resource
from collections.abc import Iterator

import msgspec

from drystone.base.deadline import Deadline
from drystone.cpa.domains.values.any_value import NotRepresented
from drystone.cpa.domains.values.code import Steps, is_schedule
from drystone.cpa.domains.values.states import Function, State, Traced
from drystone.engines.outcome import Observer, Progress
from drystone.ir.automaton import Edge, Mark
from drystone.ir.expressions import Apply, Constant, Input, Variable
from drystone.ir.operations import Assign, Assume

_BETWEEN_LOOKS = 2_000  # states between two looks at the clock
_SHARE_OF_MEMORY = 0.5  # the check of a proof needs some, too


class TakenInput(msgspec.Struct, frozen=True):
    """What an execution chooses on an edge."""

    edge: Edge
    input: Input
    value: int


class Search:
    """One search, which can be asked what it has seen while it goes on."""

    def __init__(self, steps: Steps, deadline: Deadline, observer: Observer, memory: float) -> None:
        """`memory`: bytes that this process and its relatives may have."""
        self.steps, self.deadline, self.observer = steps, deadline, observer
        self.most_memory = memory * _SHARE_OF_MEMORY
        self.before: dict[State, State | None] = {}  # the states that were found, and which one came before each

    def marked(self) -> Iterator[tuple[State, Mark]]:
        """Error locations and unknown locations as they are found. When this ends, all states have been looked at.

        Raises `NotRepresented`, also where there is no more time.
        """
        functions: dict[object, Function] = {}
        marks, steps, before = self.steps.procedure.marks, self.steps, self.before
        start = steps.initial()
        before[start] = None
        waiting = [start]
        push = waiting.append
        looked = 0
        for state in waiting:  # grows
            location = state[0]
            function = functions.get(location)
            if function is None:
                assert isinstance(location, int)
                mark = marks.get(location)
                if mark is not None:
                    yield state, mark
                    continue
                function = functions[location] = steps.function(location)
            try:
                function(state, before, push)
            except KeyError:
                raise NotRepresented("an access to memory outside of all objects") from None
            looked += 1
            if looked % _BETWEEN_LOOKS == 0:
                self._look()

    def _look(self) -> None:
        self.observer(Progress("states", {"states": len(self.before)}))
        if self.deadline.expired():
            raise NotRepresented("out of time")
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > self.most_memory:
            raise NotRepresented("out of memory")


def inputs_to(search: Search, state: State) -> Iterator[TakenInput]:
    """The inputs with which an execution gets to a state, as far as they are known, in their order."""
    path = [state]
    while (previous := search.before[path[-1]]) is not None:
        path.append(previous)
    path.reverse()
    steps = search.steps.traced()
    for here, there in itertools.pairwise(path):
        yield from _inputs_between(steps, here, there)


def _inputs_between(steps: Steps, here: State, there: State) -> Iterator[TakenInput]:
    location = here[0]
    assert isinstance(location, int)
    found: list[Traced] = []
    steps.function(location)(here, {}, found.append)  # type: ignore[arg-type]
    taken = Traced(*next(each for each in found if each[0] == there))
    values = {choice.edge: (choice, value) for choice, value in zip(taken.way.choices, taken.values, strict=True)}
    edges = taken.way.edges
    for position, edge in enumerate(edges):
        if edge in values:
            choice, value = values[edge]
            assert isinstance(choice.chosen, Input)
            yield TakenInput(edge, choice.chosen, choice.witnesses[value])
        elif is_schedule(edge.operation):
            assert isinstance(edge.operation, Assign) and isinstance(edge.operation.value, Input)
            yield TakenInput(edge, edge.operation.value, _scheduled(edges[position + 1 :]))


def _scheduled(following: tuple[Edge, ...]) -> int:
    """The number of the thread that was chosen: one edge says which, or those before it say which not."""
    others = set()
    for edge in following:
        match edge.operation:
            case Assume(Apply("=", _, (Variable(), Constant(_, number)))):
                return number
            case Assume(Apply("not", _, (Apply("=", _, (Variable(), Constant(_, number))),))):
                others.add(number)
            case _:
                break
    return next(number for number in range(len(others) + 1) if number not in others)
