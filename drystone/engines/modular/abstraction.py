"""The strongest claim that allows given states: a conjunction of simple relations between variables.

Relations are: a variable has one value, or lies between two constants of the program, or is not a constant; two variables are
equal, differ by a constant, are different or in an order, signed or not. Each also under the condition that a global variable of
few values (a lock, a flag) has one of them, and under two such conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from drystone.engines.modular.runs import Row, as_signed
from drystone.logic import terms
from drystone.logic.sorts import BOOL, BitVec, Bool
from drystone.logic.terms import FALSE, Term, make, negate
from drystone.modular.steps import Key

_MOST_VALUES = 3  # of a variable that conditions are made of
_MOST_CONDITIONS = 4  # variables
_MOST_CONSTANTS = 12


class Detail(msgspec.Struct, frozen=True):
    relates_threads: bool  # otherwise a claim about two threads only says whether they can be where they are
    has_two_conditions: bool  # otherwise one at most


class Abstraction:
    """`values`: of the global variables of few values."""

    def __init__(self, constants: Sequence[int], values: dict[Term, list[int]], detail: Detail) -> None:
        self.detail = detail
        self.constants = sorted({*constants, -1, 0, 1}, key=abs)[:_MOST_CONSTANTS]
        few = {symbol: found for symbol, found in values.items() if 1 < len(found) <= _MOST_VALUES}
        self.conditions = dict(sorted(few.items(), key=lambda item: len(item[1]))[:_MOST_CONDITIONS])

    def claim(self, key: Key, variables: Sequence[Term], rows: Sequence[Row]) -> list[Term]:
        """Formulas that hold in all rows; of no rows, FALSE."""
        if not rows:
            return [FALSE]
        if len(key) > 1 and not self.detail.relates_threads:
            return []
        found = dict.fromkeys(self._relations(variables, rows))
        places = {each: position for position, each in enumerate(variables)}
        known = [(each, values) for each, values in self.conditions.items() if each in places]
        under: list[tuple[tuple[Term, int], ...]] = [((each, value),) for each, values in known for value in values]
        for (one, ones), (other, others) in combinations(known if self.detail.has_two_conditions else (), 2):
            under += [((one, a), (other, b)) for a in ones for b in others]
        for condition in under:
            chosen = [row for row in rows if all(row[places[each]] == value for each, value in condition)]
            denied = terms.disjunction([negate(terms.equal(each, terms.constant(each.sort, value))) for each, value in condition])
            if not chosen:
                found[denied] = None
            elif len(chosen) < len(rows):
                for each in self._relations(variables, chosen):
                    if each not in found:
                        found[make("or", BOOL, denied, each)] = None
        return list(found)

    def _relations(self, variables: Sequence[Term], rows: Sequence[Row]) -> Iterator[Term]:
        columns = list(zip(*rows, strict=True))
        varying = []
        for symbol, column in zip(variables, columns, strict=True):
            if isinstance(symbol.sort, (Bool, BitVec)):
                if len(set(column)) == 1:
                    yield terms.equal(symbol, terms.constant(symbol.sort, column[0]))
                elif isinstance(symbol.sort, BitVec):
                    yield from self._bounds(symbol, column)
                    varying.append((symbol, column))
        for position, (symbol, column) in enumerate(varying):
            for other, beside in varying[position + 1 :]:
                if other.sort == symbol.sort:
                    yield from _order(symbol, column, other, beside)
            for other, beside in zip(variables, columns, strict=True):
                if other.sort == symbol.sort and len(set(beside)) == 1:
                    yield from _order(symbol, column, other, beside)

    def _bounds(self, symbol: Term, column: Sequence[int]) -> Iterator[Term]:
        numbers = [as_signed(value, symbol) for value in column]
        least, most = min(numbers), max(numbers)
        below = [each for each in self.constants if each <= least]
        above = [each for each in self.constants if each >= most]
        if below:
            yield make("bvsle", BOOL, _number(symbol, max(below)), symbol)
        if above:
            yield make("bvsle", BOOL, symbol, _number(symbol, min(above)))
        for each in self.constants:
            if (least < each < most and each not in numbers) or (each < least and not below) or (each > most and not above):
                yield negate(terms.equal(symbol, _number(symbol, each)))


def _number(symbol: Term, value: int) -> Term:
    return terms.constant(symbol.sort, value & (1 << terms.width(symbol)) - 1)


def _order(symbol: Term, column: Sequence[int], other: Term, beside: Sequence[int]) -> Iterator[Term]:
    mask = (1 << terms.width(symbol)) - 1
    pairs = set(zip(column, beside, strict=True))
    differences = {(a - b) & mask for a, b in pairs}
    if len(differences) == 1:
        difference = next(iter(differences))
        yield terms.equal(symbol, make("bvadd", symbol.sort, other, terms.constant(symbol.sort, difference)))
        if not difference:
            return
    is_strict = 0 not in differences
    if is_strict:
        yield negate(terms.equal(symbol, other))
    half = (mask >> 1) + 1
    for operator, moved in (("u", 0), ("s", half)):
        for one, two, is_less in ((symbol, other, True), (other, symbol, False)):
            if all((((a ^ moved) <= (b ^ moved)) if is_less else ((b ^ moved) <= (a ^ moved))) for a, b in pairs):
                yield make(f"bv{operator}{'lt' if is_strict else 'le'}", BOOL, one, two)
