"""Breadth first through all states of a program, in every order in which its threads may go on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import msgspec

from drystone.base.closure import Closure
from drystone.base.deadline import Deadline
from drystone.base.state_steps import Function, State, Table
from drystone.cpa.domains.values.any_value import NotRepresented
from drystone.cpa.domains.values.code import Steps, is_schedule
from drystone.cpa.domains.values.states import Traced
from drystone.engines.outcome import Observer, Progress
from drystone.ir.automaton import Edge, Mark
from drystone.ir.expressions import Apply, Constant, Input, Variable
from drystone.ir.operations import Assign, Assume

_SHARE_OF_MEMORY = 0.5  # the check of a proof needs some, too


class TakenInput(msgspec.Struct, frozen=True):
    """What an execution chooses on an edge."""

    edge: Edge
    input: Input
    value: int


class Search:
    """One search, which can be asked what it has seen while it goes on."""

    def __init__(self, steps: Steps, deadline: Deadline, observer: Observer, memory: float, workers: int = 1) -> None:
        """`memory`: bytes that this process and its relatives may have."""
        self.steps, self.deadline, self.observer = steps, deadline, observer
        self.most_memory = memory * _SHARE_OF_MEMORY
        self.closure = Closure(_Marked(steps), steps.initial(), self._look, workers)

    @property
    def states(self) -> int:
        return self.closure.states

    def marked(self) -> Iterator[tuple[State, Mark]]:
        """Error locations and unknown locations as they are found. When this ends, all states have been looked at.

        Raises `NotRepresented`, also where there is no more time.
        """
        try:
            for state in self.closure.notable():
                yield state, self.steps.procedure.marks[state[0]]  # type: ignore[index]
        except KeyError:
            raise NotRepresented("an access to memory outside of all objects") from None

    def _look(self, states: int, memory: int) -> None:
        self.observer(Progress("states", {"states": states}))
        if self.deadline.expired():
            raise NotRepresented("out of time")
        if memory > self.most_memory:
            raise NotRepresented("out of memory")


class _Marked:
    """Steps that end where there is a mark."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def function(self, location: object) -> Function:
        assert isinstance(location, int)
        return _end if location in self._steps.procedure.marks else self._steps.function(location)

    def names(self, location: object) -> Sequence[str]:
        assert isinstance(location, int)
        return self._steps.live(location)


def _end(state: State, table: Table, push: Callable[[State], None]) -> bool:
    return True


def inputs_to(search: Search, state: State) -> Iterator[TakenInput]:
    """The inputs with which an execution gets to a state that was just found, as far as they are known, in their order."""
    steps = search.steps.traced()
    for here, there in itertools.pairwise(search.closure.path(state)):
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
