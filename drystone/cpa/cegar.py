"""Counterexample-guided refinement of the precision (Beyer, Kettl, Lemberger 2024, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from drystone.base.deadline import Deadline
from drystone.cpa.algorithm import Counted, explore
from drystone.cpa.protocol import ConfigurableProgramAnalysis
from drystone.cpa.reached import Reached
from drystone.cpa.waitlists import Waitlist

State = TypeVar("State", bound=Hashable)
Precision = TypeVar("Precision")
Found = TypeVar("Found")
Given = TypeVar("Given", contravariant=True)
Gives = TypeVar("Gives", covariant=True)


class Refined(msgspec.Struct, Generic[Precision], frozen=True):
    """The way is none of the program's: with this precision it is not found again. From `since` on, its states are cut off, if
    the restart is lazy or the precision is still the same; those before stay."""

    precision: Precision
    since: int


class Refinement(Protocol[Given, Precision, Gives]):
    def __call__(self, way: Sequence[Given], precision: Precision) -> Refined[Precision] | Gives:
        """What becomes of a way to a target: a finer precision, or the end of the search with what was found."""


class Cegar(Generic[State, Precision, Found]):
    """One search. `reached` is a proof if `run` gives None."""

    def __init__(
        self,
        analysis: ConfigurableProgramAnalysis[State, Precision],
        refine: Refinement[State, Precision, Found],
        waitlist: Callable[[], Waitlist[State]],
        precision: Precision,
        *,
        is_lazy: bool,
        most_states: int | None = None,
    ) -> None:
        self.analysis, self.refine, self.waitlist = analysis, refine, waitlist
        self.precision, self.is_lazy, self.most_states = precision, is_lazy, most_states
        self.counted = Counted()
        self._begin()

    def _begin(self) -> None:
        self.reached: Reached[State] = Reached(self.analysis.location)
        self.waiting = self.waitlist()
        start = self.analysis.adjust(self.analysis.initial(), self.precision)
        self.reached.add(start, None)
        self.waiting.add(start)

    def run(self, deadline: Deadline) -> Found | None:
        """None: no target is reached. Raises `OutOfTime` and `TooManyStates`, and goes on if it is asked again."""
        while True:
            counted, most = self.counted, self.most_states
            target = explore(self.analysis, self.reached, self.waiting, self.precision, deadline, counted, most)
            if target is None:
                return None
            way = self.reached.way_to(target)
            result = self.refine(way, self.precision)
            if not isinstance(result, Refined):
                return result
            is_finer = result.precision is not self.precision
            self.counted.refinements += is_finer
            self.precision = result.precision
            if (is_finer and not self.is_lazy) or result.since == 0:
                self._begin()
                continue
            for state in self.reached.cut(way[result.since]):
                self.waiting.add(state)
