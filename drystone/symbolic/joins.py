"""Where ways join: values are merged by `ite` on the condition that tells the ways apart, not on whole guards.

A guard is a path of conditions, and the two sides of a diamond share all but one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array, Sort
from drystone.logic.terms import TRUE, Term, ite, make, negate, select, store
from drystone.symbolic.environment import Environment
from drystone.symbolic.states import Guard, State, common_depth, divergence

_MOST_STORES = 32


class Joins:
    """`guarded_stores`: how memory is merged; otherwise by `ite` on arrays (decision 008)."""

    def __init__(self, sorts: dict[str, Sort]) -> None:
        self.sorts = sorts
        self.guarded_stores = True
        self.ite_nodes = 0  # values merged

    def merge(self, states: list[State], live: list[str] | None) -> State:
        """One state for several exclusive ones; ways that parted last are merged first. `live`: what matters there; None: all."""
        states = list(states)
        shared = [common_depth(first.guard, second.guard) for first, second in pairwise(states)]
        while shared:
            best = shared.index(max(shared))
            merged = self._merge_two(states[best], states[best + 1], live)
            states[best : best + 2] = [merged]
            del shared[best]
            for left in (best - 1, best):
                if 0 <= left < len(shared):
                    shared[left] = common_depth(states[left].guard, states[left + 1].guard)
        return states[0]

    def _merge_two(self, first: State, second: State, live: list[str] | None) -> State:
        common, rest_a, rest_b = divergence(first.guard, second.guard)
        if not rest_a or not rest_b:  # one way includes the other: cannot happen for exclusive ways, keep it right anyway
            condition, guard = first.guard.term, Guard(None, make("or", BOOL, first.guard.term, second.guard.term))
        else:
            condition = rest_a[0] if rest_b[0] is negate(rest_a[0]) else terms.conjunction(rest_a)
            if len(rest_a) == 1 and len(rest_b) == 1 and rest_b[0] is negate(rest_a[0]):
                guard = common
            else:
                either = make("or", BOOL, terms.conjunction(rest_a), terms.conjunction(rest_b))
                guard = Guard(common, either) if either is not TRUE else common
        a, b = first.environment, second.environment
        names: Iterable[str] = live if live is not None else {**a, **b}
        merged = Environment(self.sorts)
        for name in names:
            x, y = a.get(name), b.get(name)
            if x is y:
                if x is not None:  # otherwise it stays what it was at the start
                    merged[name] = x
                continue
            x, y = x if x is not None else a[name], y if y is not None else b[name]
            if x is y:
                merged[name] = x
            elif self.guarded_stores and type(x.sort) is Array:
                merged[name] = self._merge_arrays(condition, x, y)
            else:
                merged[name] = ite(condition, x, y)
                self.ite_nodes += 1
        return State(guard, merged)

    def _merge_arrays(self, condition: Term, x: Term, y: Term) -> Term:
        """The stores of both sides on what they have in common, each under its condition (decision 008)."""
        above_x, above_y, base = _parted(x, y)
        if base is None:
            self.ite_nodes += 1
            return ite(condition, x, y)
        result = base
        for is_first, stores in ((True, above_x), (False, above_y)):
            for place, value in stores:
                old = select(result, place)
                self.ite_nodes += 1
                result = store(result, place, ite(condition, value, old) if is_first else ite(condition, old, value))
        return result


def _parted(x: Term, y: Term) -> tuple[list[tuple[Term, Term]], list[tuple[Term, Term]], Term | None]:
    """The stores, oldest first, by which two arrays differ from the same one; None if there is none within reach."""
    stores_x: list[tuple[Term, Term]] = []
    below_x = {x: 0}
    while x.operator == "store" and len(stores_x) < _MOST_STORES:
        x, place, value = x.arguments
        stores_x.append((place, value))
        below_x[x] = len(stores_x)
    stores_y: list[tuple[Term, Term]] = []
    while y not in below_x:
        if y.operator != "store" or len(stores_y) >= _MOST_STORES:
            return [], [], None
        y, place, value = y.arguments
        stores_y.append((place, value))
    return stores_x[: below_x[y]][::-1], stores_y[::-1], y
