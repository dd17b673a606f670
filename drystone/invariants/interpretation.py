"""Abstract interpretation of the transformers by intervals (`cpa.domains.intervals`), and one step down from where it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drystone.base.deadline import Deadline
from drystone.cpa.algorithm import Counted, OutOfTime, explore
from drystone.cpa.domains.composite.analysis import Composite, State
from drystone.cpa.domains.intervals.abstract import Abstract
from drystone.cpa.domains.intervals.domain import Intervals
from drystone.cpa.domains.location.steps import Steps
from drystone.cpa.reached import Reached
from drystone.cpa.waitlists import ReversePostorder
from drystone.logic.terms import Term
from drystone.symbolic.transformers import ENTRY, TransitionSystem

MOST_WORK = 1_500_000
"""Abstractly evaluated terms."""


class Interpretation:
    """The least abstract states per cut point that the blocks preserve, widened; nothing where it takes too long."""

    def __init__(self, system: TransitionSystem, constants: Mapping[int, Sequence[int]], deadline: Deadline) -> None:
        self._domain = Intervals(system, MOST_WORK, deadline)
        self._analysis = Composite(Steps(system, to_bad=False), [self._domain])
        self._precision = [constants]
        self._states: dict[int, State] = {}
        self.complete = False
        try:
            self._states = self._widened(system, deadline)
            self.complete = True
            self._descend()
        except OutOfTime:
            pass  # the widened states are sound as they are

    def at(self, cut: int) -> dict[Term, Abstract]:
        state = self._states.get(cut)
        return self._domain.known(cut, state[1]) if state is not None else {}

    def _widened(self, system: TransitionSystem, deadline: Deadline) -> dict[int, State]:
        """One state for each cut point, since all that meet are merged."""
        reached: Reached[State] = Reached(self._analysis.location)
        order = {cut: cut for cut in (ENTRY, *system.cut_points)}
        waiting = ReversePostorder[State](self._analysis.location, order)
        start = self._analysis.initial()
        reached.add(start, None)
        waiting.add(start)
        explore(self._analysis, reached, waiting, self._precision, deadline, Counted())
        return {state[0]: state for state in reached}

    def _descend(self) -> None:
        """One step down from the widened states: each cut point's state again from all that leads to it."""
        fresh: dict[int, State] = {}
        for state in self._states.values():
            for after in self._analysis.transfer(state, self._precision):
                other = fresh.get(after[0])
                fresh[after[0]] = after if other is None else (after[0], self._domain.joined(after[1], other[1], after[0]))
        self._states = {**fresh}
