"""Value analysis: states are kept apart, and what is tracked of them grows by refinement."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

from drystone.base.state_steps import Function
from drystone.cpa.domains.values.code import Steps
from drystone.cpa.domains.values.paths import TakenEdge
from drystone.cpa.domains.values.states import State, Traced, Tried
from drystone.ir.automaton import Edge, MarkKind
from drystone.ir.expressions import Input
from drystone.logic.sorts import EXTENDED, Array
from drystone.symbolic.cells import cells_of
from drystone.symbolic.execution import SymbolicProgram

Tracked = frozenset[str]
"""The precision: variables, and regions of memory."""


class ValueAnalysis:
    merges = False

    def __init__(self, symbolic: SymbolicProgram, tried: Tried) -> None:
        self.symbolic, self.cells = symbolic, cells_of(symbolic)
        self.tried, self.has_split = tried, False
        self.targets = {
            location for location, mark in symbolic.procedure.marks.items() if mark.kind is not MarkKind.HALT
        }  # that a proof must exclude; who has seen enough of one takes it out
        self.precision: Tracked = frozenset()
        self.steps = self._steps()
        self._functions: dict[int, tuple[Function, frozenset[str]]] = {}  # and the names that they have to do with

    def all(self) -> Tracked:
        """What can be tracked: words, and regions of which all cells are known."""
        sorts = self.symbolic.sorts
        return frozenset(
            name for name, sort in sorts.items() if (self.cells.index.get(name) if isinstance(sort, Array) else sort != EXTENDED)
        )

    def _steps(self) -> Steps:
        return Steps(self.symbolic, self.cells, tracked=self.precision, tried=self.tried)

    def _take(self, precision: Tracked) -> None:
        """Functions that have nothing to do with what is tracked now and was not before are good for the new precision, too: less
        may be any value than they expect."""
        added = precision - self.precision
        if not precision >= self.precision:
            self._functions.clear()
        self.precision = precision
        self.steps = self._steps()
        self._functions = {at: known for at, known in self._functions.items() if known[1].isdisjoint(added)}

    def initial(self) -> State:
        entry = self.symbolic.procedure.entry
        return (entry, *(self.cells.initial[name] for name in self.symbolic.live(entry) or ()))

    def location(self, state: State) -> int:
        location = state[0]
        assert isinstance(location, int)
        return location

    def transfer(self, state: State, precision: Tracked) -> list[State]:
        if precision is not self.precision:
            self._take(precision)
        location = self.location(state)
        known = self._functions.get(location)
        if known is None:
            known = self._functions[location] = self.steps.function(location), frozenset(self.steps.met)
            self.has_split |= self.steps.has_split
        found: list[State] = []
        known[0](state, {}, found.append)
        return found

    def merge(self, state: State, reached: State, precision: Tracked) -> State:
        return reached

    def stop(self, state: State, reached: Collection[State], precision: Tracked) -> bool:
        return state in reached

    def adjust(self, state: State, precision: Tracked) -> State:
        """Nothing but the initial state has values of what is not tracked."""
        entry = self.symbolic.procedure.entry
        if state[0] != entry or len(state) == 1:
            return state
        if precision is not self.precision:
            self._take(precision)
        live = self.symbolic.live(entry) or []
        if len(state) != len(live) + 1 or len(self.steps.live(entry)) == len(live):
            return state
        told = dict(zip(live, state[1:], strict=True))
        return (entry, *(told[name] for name in self.steps.live(entry)))

    def is_target(self, state: State) -> bool:
        return state[0] in self.targets

    def edges_of(self, way: Sequence[State]) -> Iterator[TakenEdge]:
        """The edges between states that were reached one from the other, with the inputs that were tried."""
        steps = self.steps.traced()
        for here, there in itertools.pairwise(way):
            found: list[Traced] = []
            steps.function(self.location(here))(here, {}, found.append)  # type: ignore[arg-type]
            taken = Traced(*next(each for each in found if each[0] == there))
            chosen: dict[Edge, dict[Input | str, int]] = {}
            for choice, value in zip(taken.way.choices, taken.values, strict=True):
                chosen.setdefault(choice.edge, {})[choice.chosen] = choice.witnesses.get(value, value)
            for edge in taken.way.edges:
                yield TakenEdge(edge, chosen.get(edge, {}))
