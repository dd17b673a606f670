"""Constants, small value sets and intervals of variables.

Three ways to find them. An abstract interpretation of the transformers, widened to constants of the program. The value sets
of variables that are only ever assigned constants, which it finds on the way. And bounds among the constants of the program that
lie next to the smallest and largest sampled value: whether a merged branch keeps a bound is for Houdini to say.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from drystone.cpa.domains.intervals.abstract import Abstract, Range, full, ranged
from drystone.invariants.context import Candidates, Context
from drystone.logic import terms
from drystone.logic.sorts import BOOL, BitVec, Bool
from drystone.logic.terms import Term, equal, make, negate
from drystone.symbolic.transformers import TransitionSystem

_MOST_VALUES = 10  # of a set that is proposed
_MOST_VARIABLES = 400


class Intervals:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        interpretation = context.interpretation
        found: Candidates = {}
        for cut in system.cut_points:
            proposed: list[Term] = []
            for variable, value in interpretation.at(cut).items():
                proposed += formulas(variable, value)
            proposed += self._from_samples(context, cut)
            found[cut] = context.consistent(cut, proposed)[: context.limit]
        return found

    def _from_samples(self, context: Context, cut: int) -> Iterator[Term]:
        observed = context.observables(cut, _MOST_VARIABLES)
        states = context.values(cut, observed)
        if len(states) < 2:
            return
        later: list[Term] = []
        for position, variable in enumerate(observed):
            values = frozenset(state[position] for state in states)
            if len(values) <= min(_MOST_VALUES, len(states) // 2):
                yield from formulas(variable, values)
            bits = terms.width(variable)
            if bits > 1:
                later += _bounds(variable, ranged(values, bits), context.all_constants.get(bits, []), bits)
        yield from later


def _bounds(variable: Term, seen: Range, constants: Sequence[int], bits: int) -> Iterator[Term]:
    """The nearest constants of the program, as signed numbers, that bound what was seen."""
    position = bisect_left(constants, seen.most)
    for bound in constants[position : position + 2]:
        yield make("bvsle", BOOL, variable, terms.constant(variable.sort, bound))
    position = bisect_right(constants, seen.least)
    for bound in constants[max(0, position - 2) : position]:
        yield make("bvsle", BOOL, terms.constant(variable.sort, bound), variable)
    if seen.most != seen.high:  # large unsigned numbers
        views = sorted(bound & (1 << bits) - 1 for bound in constants)
        position = bisect_left(views, seen.high)
        for bound in views[position : position + 1]:
            yield make("bvule", BOOL, variable, terms.constant(variable.sort, bound))


def formulas(variable: Term, value: Abstract) -> Iterator[Term]:
    """What an abstract value says, as formulas."""
    sort = variable.sort
    if value is None or not value:
        return
    if isinstance(value, frozenset):
        if isinstance(sort, Bool):
            if len(value) == 1:
                yield variable if 1 in value else negate(variable)
            return
        if len(value) <= _MOST_VALUES:
            yield terms.disjunction([equal(variable, terms.constant(sort, each)) for each in sorted(value)])
        if len(value) == 1 or not isinstance(sort, BitVec):
            return
    assert isinstance(sort, BitVec)
    bounds, anything = ranged(value, sort.width), full(sort.width)
    if bounds.least > anything.least:
        yield make("bvsle", BOOL, terms.constant(sort, bounds.least), variable)
    if bounds.most < anything.most:
        yield make("bvsle", BOOL, variable, terms.constant(sort, bounds.most))
    if bounds.low > max(0, bounds.least):
        yield make("bvule", BOOL, terms.constant(sort, bounds.low), variable)
    if bounds.high < anything.high and bounds.high != bounds.most:
        yield make("bvule", BOOL, variable, terms.constant(sort, bounds.high))
