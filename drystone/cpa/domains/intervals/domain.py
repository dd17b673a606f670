"""Abstract values of the variables at a cut point. States that meet are joined, and widened to constants of the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from drystone.base.deadline import Deadline
from drystone.cpa.algorithm import OutOfTime
from drystone.cpa.domains.intervals.abstract import Abstract, Range, evaluate, full, join, normal, ranged, refine
from drystone.cpa.domains.location.steps import Step
from drystone.logic.sorts import BitVec, Sort
from drystone.logic.terms import Term, conjuncts
from drystone.logic.walks import reachable
from drystone.symbolic.transformers import ENTRY, TransitionSystem

_PATIENCE = 3  # states that meet at a cut point before they are widened
_REFINED_TWICE = 2_000  # terms of a step, at most

Values = tuple[Abstract, ...]
"""Of the variables that are live at the location, in the order of `variables`."""

Constants = Mapping[int, Sequence[int]]
"""The precision: by width, numbers that bounds are widened to, as signed ones, in order."""


class Intervals:
    """A `Domain`."""

    merges = True

    def __init__(self, system: TransitionSystem, most_work: int, deadline: Deadline) -> None:
        """`most_work`: terms that are evaluated; beyond that, it is as if there was no more time."""
        self.system, self.deadline = system, deadline
        self._work_left = most_work
        self._variables: dict[int, list[Term]] = {ENTRY: []}
        self._prepared: dict[tuple[int, int], _Prepared] = {}
        self._met: dict[int, int] = {}  # by location, how many states have met
        self._unsigned: dict[int, frozenset[int]] = {}

    def variables(self, location: int) -> list[Term]:
        known = self._variables.get(location)
        if known is None:
            known = self._variables[location] = self.system.live_variables(location)
        return known

    def known(self, location: int, values: Values) -> dict[Term, Abstract]:
        """What is not anything."""
        pairs = zip(self.variables(location), values, strict=True)
        return {variable: value for variable, value in pairs if value is not None}

    def initial(self) -> Values:
        return ()

    def after(self, part: Values, step: Step, precision: Constants) -> Iterator[Values]:
        prepared = self._prepared.get((step.source, step.target))
        if prepared is None:
            prepared = self._prepared[step.source, step.target] = _Prepared(step, self.variables(step.target))
        self._work_left -= 2 * len(prepared.order)
        if self._work_left < 0 or self.deadline.expired():
            raise OutOfTime
        after = prepared.execute(self.known(step.source, part))
        if after is not None:
            yield after

    def strengthen(self, part: Values, others: Sequence[object], step: Step) -> Values:
        return part

    def merge(self, part: Values, reached: Values, location: int, precision: Constants) -> Values:
        self._met[location] = self._met.get(location, 1) + 1
        variables = self.variables(location)
        joined = self.joined(part, reached, location)
        if joined == reached or self._met[location] <= _PATIENCE:
            return joined
        return tuple(
            old if old == new else self._widened(old, new, each.sort, precision)
            for old, new, each in zip(reached, joined, variables, strict=True)
        )

    def joined(self, part: Values, reached: Values, location: int) -> Values:
        triples = zip(reached, part, self.variables(location), strict=True)
        return tuple(join(old, new, variable.sort) for old, new, variable in triples)

    def covers(self, reached: Values, part: Values, location: int) -> bool:
        return self.joined(part, reached, location) == reached

    def _widened(self, old: Abstract, new: Abstract, sort: Sort, precision: Constants) -> Abstract:
        """Bounds that moved go on to the next constant of the program. A set that has grown by such constants stays a set: it
        can grow only so often."""
        if new is None or not isinstance(sort, BitVec) or not new:
            return new
        if isinstance(new, frozenset):
            if not isinstance(old, frozenset) or self._views(sort.width, precision).issuperset(new - old):
                return new
            new = ranged(new, sort.width)
        constants = precision.get(sort.width, ())
        a, b, anything = ranged(old, sort.width), new, full(sort.width)
        least = b.least if b.least == a.least else next((c for c in reversed(constants) if c <= b.least), anything.least)
        most = b.most if b.most == a.most else next((c for c in constants if c >= b.most), anything.most)
        low = b.low if b.low == a.low else max(0, least) if least >= 0 else 0
        high = b.high
        if b.high != a.high:
            high = next((c for c in constants if c >= b.high), anything.high)
        return normal(Range(low, high, least, most), sort.width)

    def _views(self, width: int, precision: Constants) -> frozenset[int]:
        found = self._unsigned.get(width)
        if found is None:
            found = self._unsigned[width] = frozenset(each & (1 << width) - 1 for each in precision.get(width, ()))
        return found


class _Prepared:
    """A step, ready to be executed abstractly."""

    def __init__(self, step: Step, variables: Sequence[Term]) -> None:
        self.values = [step.exit.values.get(variable.payload, variable) for variable in variables]
        self.conditions = conjuncts(step.exit.guard)
        self.order = reachable([step.exit.guard, *self.values])

    def execute(self, before: Mapping[Term, Abstract]) -> Values | None:
        """At the target; None where control cannot get there."""
        values = evaluate(self.order, before, {})
        for _ in range(2 if len(self.order) < _REFINED_TWICE else 1):
            refined = refine(self.conditions, values)
            if any(value is not None and not value for value in refined.values()):
                return None
            if refined:
                values = evaluate(self.order, before, refined)
        after = tuple(values[value] for value in self.values)
        return None if any(value is not None and not value for value in after) else after
