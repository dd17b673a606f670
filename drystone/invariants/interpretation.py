"""Abstract interpretation of the transformers with the small sets and ranges of `invariants.abstract`, widened to constants."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from drystone.base.deadline import Deadline
from drystone.invariants.abstract import Abstract, Range, evaluate, full, join, normal, ranged, refine
from drystone.logic import terms
from drystone.logic.sorts import Array, BitVec, Sort
from drystone.logic.terms import Term, conjuncts
from drystone.logic.walks import reachable
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

MOST_WORK = 1_500_000
"""Abstractly evaluated terms."""
_PATIENCE = 3  # visits of a cut point before widening

AbstractState = dict[Term, Abstract]


class Interpretation:
    """The least abstract states per cut point that the blocks preserve, widened; nothing where it takes too long."""

    def __init__(self, system: TransitionSystem, constants: Mapping[int, list[int]], deadline: Deadline) -> None:
        self.system, self.constants, self.deadline = system, constants, deadline
        self.work = 0
        self._known: dict[int, frozenset[int]] = {}
        self._states: dict[int, AbstractState] = {}
        self._exits: dict[int, list[tuple[int, AbstractState]]] = {}
        self._prepared: dict[tuple[int, int], _Exit] = {}
        self.complete = self._iterate() and self._descend()

    def at(self, cut: int) -> AbstractState:
        return self._states.get(cut, {}) if self.complete else {}

    def _iterate(self) -> bool:
        visits: dict[int, int] = {}
        waiting = [ENTRY]
        queued = {ENTRY}
        while waiting:
            start = heapq.heappop(waiting)
            queued.discard(start)
            if not self._execute(start):
                return False
            for target, after in self._exits[start]:
                visits[target] = visits.get(target, 0) + 1
                if self._weaken(target, after, visits[target] > _PATIENCE) and target not in queued:
                    queued.add(target)
                    heapq.heappush(waiting, target)
        return True

    def _execute(self, start: int) -> bool:
        block: Transformer = self.system.initial if start == ENTRY else self.system.blocks[start]
        before = self._states.get(start, {})
        found: list[tuple[int, AbstractState]] = []
        for target, exit in block.exits.items():
            prepared = self._prepared.get((start, target))
            if prepared is None:
                prepared = self._prepared[start, target] = _Exit(self.system, target, exit.guard, exit.values)
            self.work += 2 * len(prepared.order)
            if self.work > MOST_WORK or self.deadline.expired():
                return False
            after = prepared.execute(before)
            if after is not None:
                found.append((target, after))
        self._exits[start] = found
        return True

    def _weaken(self, target: int, after: AbstractState, widen: bool) -> bool:
        """Joins a state into the one at the target; did it change?"""
        old = self._states.get(target)
        if old is None:
            self._states[target] = after
            return True
        changed = False
        for variable in list(old):
            value = old[variable]
            joined = join(value, after.get(variable), variable.sort)
            if joined != value:
                if widen:
                    joined = self._widened(value, joined, variable.sort)
                changed = True
                if joined is None:
                    del old[variable]
                else:
                    old[variable] = joined
        return changed

    def _widened(self, old: Abstract, new: Abstract, sort: Sort) -> Abstract:
        """Bounds that moved go on to the next constant of the program. A set that has grown by such constants stays a set: it
        can grow only so often."""
        if new is None or not isinstance(sort, BitVec) or not new:
            return new
        if isinstance(new, frozenset):
            known = self._unsigned(sort.width)
            if not isinstance(old, frozenset) or known.issuperset(new - old):
                return new
            new = ranged(new, sort.width)
        constants = self.constants.get(sort.width, [])
        a, b, anything = ranged(old, sort.width), new, full(sort.width)
        least = b.least if b.least == a.least else next((c for c in reversed(constants) if c <= b.least), anything.least)
        most = b.most if b.most == a.most else next((c for c in constants if c >= b.most), anything.most)
        low = b.low if b.low == a.low else max(0, least) if least >= 0 else 0
        high = b.high
        if b.high != a.high:
            high = next((c for c in constants if c >= b.high), anything.high)
        return normal(Range(low, high, least, most), sort.width)

    def _unsigned(self, width: int) -> frozenset[int]:
        found = self._known.get(width)
        if found is None:
            found = self._known[width] = frozenset(each & (1 << width) - 1 for each in self.constants.get(width, ()))
        return found

    def _descend(self) -> bool:
        """One step down from the widened states: each cut point's state again from all that leads to it."""
        for start in list(self._exits):
            if not self._execute(start):
                return True  # the states are sound as they are
        fresh: dict[int, AbstractState] = {}
        for exits in self._exits.values():
            for target, after in exits:
                old = fresh.get(target)
                if old is None:
                    fresh[target] = dict(after)
                    continue
                for variable in list(old):
                    joined = join(old[variable], after.get(variable), variable.sort)
                    if joined is None:
                        del old[variable]
                    else:
                        old[variable] = joined
        self._states = fresh
        return True


class _Exit:
    """An exit, ready to be executed abstractly."""

    def __init__(self, system: TransitionSystem, target: int, guard: Term, values: Mapping[str, Term]) -> None:
        sorts = system.symbolic.sorts
        self.values: list[tuple[Term, Term]] = []  # variable at the target, its value
        for name in system.live(target):
            if not isinstance(sorts[name], Array):
                variable = terms.state(name, sorts[name])
                self.values.append((variable, values.get(name, variable)))
        self.conditions = conjuncts(guard)
        self.order = reachable([guard, *(value for _, value in self.values)])

    def execute(self, before: AbstractState) -> AbstractState | None:
        """The state at the target; None where control cannot get there."""
        values = evaluate(self.order, before, {})
        for _ in range(2 if len(self.order) < 2_000 else 1):
            refined = refine(self.conditions, values)
            if any(value is not None and not value for value in refined.values()):
                return None
            if refined:
                values = evaluate(self.order, before, refined)
        after: AbstractState = {}
        for variable, value in self.values:
            found = values[value]
            if found is not None:
                if not found:
                    return None
                after[variable] = found
        return after
