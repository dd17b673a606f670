"""Sets of tuples: which values a few flags have together.

Of a variable that may have any value, only some constants are told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from drystone.logic import terms
from drystone.logic.sorts import BOOL, Bool
from drystone.logic.terms import Term, equal, make, negate

MOST_TUPLES = 400
MOST_VALUES = 40  # of a flag
OTHER = -1
"""Stands for all values that are not told apart."""


class Flag(msgspec.Struct, frozen=True):
    term: Term
    values: frozenset[int] | None  # None: all its values are told apart

    def of(self, value: int) -> int:
        return value if self.values is None or value in self.values else OTHER

    def has(self, value: int) -> Term:
        if type(self.term.sort) is Bool:
            return self.term if value else negate(self.term)
        if value == OTHER:
            return terms.conjunction([negate(self._equals(each)) for each in self.values or ()])
        return self._equals(value)

    def _equals(self, value: int) -> Term:
        return equal(self.term, terms.constant(self.term.sort, value))


class Valuations(msgspec.Struct, frozen=True, dict=True):
    """The flags have the values of one of the tuples; without any, nothing gets here."""

    flags: tuple[Flag, ...]
    tuples: frozenset[tuple[int, ...]]

    @cached_property
    def term(self) -> Term:
        """As a tree: the values of the first flag, and under each of them those of the others."""
        suffixes: dict[tuple[int, ...], Term] = dict.fromkeys(self.tuples, terms.TRUE)
        for flag in reversed(self.flags):
            grouped: dict[tuple[int, ...], list[Term]] = {}
            for values, rest in suffixes.items():
                grouped.setdefault(values[:-1], []).append(make("and", BOOL, flag.has(values[-1]), rest))
            suffixes = {values: terms.disjunction(ways) for values, ways in grouped.items()}
        return suffixes.get((), terms.FALSE)

    def only(self, state: Mapping[Term, int]) -> Valuations:
        """The set of the one tuple of this state."""
        return Valuations(self.flags, frozenset((tuple([flag.of(state[flag.term]) for flag in self.flags]),)))

    def union(self, other: Valuations) -> Valuations | None:
        """At least the tuples of both, which have the same flags; None if that says too little.

        Flags of too many values go; where there are too many tuples, the flag without which there are the fewest.
        """
        found = Valuations(self.flags, self.tuples | other.tuples)
        for position in range(len(self.flags) - 1, -1, -1):
            if len({values[position] for values in found.tuples}) > MOST_VALUES and len(found.flags) > 1:
                found = found._without(position)
        while len(found.tuples) > MOST_TUPLES:
            if len(found.flags) <= 2:
                return None
            found = min((found._without(i) for i in range(len(found.flags))), key=lambda each: len(each.tuples))
        return found

    def _without(self, position: int) -> Valuations:
        tuples = frozenset(values[:position] + values[position + 1 :] for values in self.tuples)
        return Valuations(self.flags[:position] + self.flags[position + 1 :], tuples)
