"""What calls of a procedure have in common, as far as recorded calls tell: candidates for its contract.

Of numbers when it is called: bounds by constants of the program, differences, affine relations. Of its results these, too, and
each under the procedure's own conditions on what it is given; and relations in which products of two parameters, their lowest
bits and what they are in the width of a result take part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

from drystone.invariants.compiled_terms import CompiledTerms
from drystone.invariants.sources.affine import relation_term, relations
from drystone.logic import terms
from drystone.logic.semantics import signed
from drystone.logic.sorts import BOOL, BitVec, bitvec
from drystone.logic.terms import Term, make, negate

FEWEST_CALLS = 2
_MOST_COLUMNS = 10  # in affine relations
_MOST_CONDITIONS = 3  # whose combinations are told apart
_NEAREST = 2  # constants on each side
_FARTHEST = 16  # a difference that is worth to be kept
_MOST_FACTORS = 3

Row = Sequence[int]


class Calls:
    """Values of symbols in recorded calls."""

    def __init__(self, symbols: Sequence[Term], rows: Sequence[Row], constants: Sequence[int]) -> None:
        self.symbols = [each for each in symbols if isinstance(each.sort, BitVec)]
        positions = [i for i, each in enumerate(symbols) if isinstance(each.sort, BitVec)]
        self.rows = list(dict.fromkeys(tuple([row[i] for i in positions]) for row in rows))
        self.constants = sorted({*constants, 0, 1})

    def where(self, condition: Term) -> Calls:
        """The calls in which this holds."""
        chosen = [row for row, (holds,) in zip(self.rows, self._values([condition]), strict=True) if holds]
        return Calls(self.symbols, chosen, self.constants)

    def _values(self, wanted: Sequence[Term]) -> list[Row]:
        """Of these terms, in each call."""
        compiled = CompiledTerms(wanted)
        return [compiled.values(dict(zip(self.symbols, row, strict=True))) for row in self.rows]

    def facts(self, about: Sequence[Term], features: Sequence[Term] = (), *, briefly: bool = False) -> list[Term]:
        """What holds of these symbols in all calls, possibly together with others. Briefly: where equations determine a symbol,
        only these."""
        if len(self.rows) < FEWEST_CALLS:
            return []
        equations = list(self._affine(set(about), features))
        known = {part for each in equations for part in _summands(each)} if briefly else set()
        wanted = [i for i, each in enumerate(self.symbols) if each in set(about) and each not in known]
        found = equations
        for i in wanted:
            found += self._bounds(i)
        for i in wanted:
            for j, other in enumerate(self.symbols):
                if other.sort == self.symbols[i].sort and i != j and not (j in wanted and j > i):
                    found += self._differences(i, j)
        return [each for each in dict.fromkeys(found) if each.operator != "const"]

    def _signed(self, i: int) -> list[int]:
        width = terms.width(self.symbols[i])
        return [signed(row[i], width) for row in self.rows]

    def _bounds(self, i: int) -> Iterator[Term]:
        symbol, values = self.symbols[i], self._signed(i)
        least, greatest = min(values), max(values)
        for constant in [each for each in self.constants if each <= least][-_NEAREST:]:
            yield make("bvsle", BOOL, terms.constant(symbol.sort, constant), symbol)
        for constant in [each for each in self.constants if each >= greatest][:_NEAREST]:
            yield make("bvsle", BOOL, symbol, terms.constant(symbol.sort, constant))

    def _differences(self, i: int, j: int) -> Iterator[Term]:
        symbol, other = self.symbols[i], self.symbols[j]
        differences = [a - b for a, b in zip(self._signed(i), self._signed(j), strict=True)]
        least, greatest = min(differences), max(differences)
        if abs(least) <= _FARTHEST:
            yield make("bvsle", BOOL, _plus(other, least), symbol)
        if abs(greatest) <= _FARTHEST:
            yield make("bvsle", BOOL, symbol, _plus(other, greatest))

    def _affine(self, about: set[Term], features: Sequence[Term]) -> Iterator[Term]:
        for width in sorted({terms.width(each) for each in about}):
            alike = [each for each in dict.fromkeys((*self.symbols, *features)) if terms.width(each) == width]
            wanted = [each for each in alike if each in about]
            others = [each for each in alike if each not in about]
            columns = [*others[: max(_MOST_COLUMNS - len(wanted), 0)], *wanted]
            for relation in relations(self._values(columns), width):
                if any(a and column in about for a, column in zip(relation[1:], columns, strict=True)):
                    yield relation_term(relation, columns, width)


def _plus(symbol: Term, number: int) -> Term:
    return make("bvadd", symbol.sort, symbol, terms.constant(symbol.sort, number)) if number else symbol


def _summands(equation: Term) -> Iterator[Term]:
    """What both sides are sums of."""
    stack = list(equation.arguments)
    while stack:
        term = stack.pop()
        yield term
        if term.operator == "bvadd":
            stack += term.arguments


def requirements(calls: Calls) -> list[Term]:
    """Candidates for what holds at calls; the symbols are what can be spoken of there."""
    return calls.facts(calls.symbols)


def guarantees(calls: Calls, before: Sequence[Term], conditions: Sequence[Term]) -> list[Term]:
    """Candidates for what holds at returns, `before` being the symbols for what was before."""
    given = [each for each in before if isinstance(each.sort, BitVec)]
    targets = [each for each in calls.symbols if each not in set(given)]
    features = list(_features(given, {terms.width(each) for each in targets}))
    found = calls.facts(targets, features)
    under: dict[tuple[Term, ...], set[Term]] = {(): set(found)}
    for guard in _guards(conditions):
        chosen = calls.where(terms.conjunction(guard))
        if len(chosen.rows) == len(calls.rows):
            continue
        under[guard] = set()
        for fact in chosen.facts(targets, features, briefly=True):
            under[guard].add(fact)
            if not any(fact in facts for some, facts in under.items() if some != guard and set(some) <= set(guard)):
                found.append(terms.make("or", BOOL, negate(terms.conjunction(guard)), fact))
    return list(dict.fromkeys(found))


def _features(given: Sequence[Term], widths: set[int]) -> Iterator[Term]:
    for each in given[:_MOST_FACTORS]:
        for width in sorted(widths - {terms.width(each)}):
            for operator in ("zero_extend", "sign_extend") if width > terms.width(each) else ("truncate",):
                yield make(operator, bitvec(width), each)
    for each in given[:_MOST_FACTORS]:
        yield make("bvand", each.sort, each, terms.constant(each.sort, 1))
    for a, b in combinations_with_replacement(given[:_MOST_FACTORS], 2):
        if a.sort == b.sort:
            yield make("bvmul", a.sort, a, b)


def _guards(conditions: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
    """Each condition, its negation, and what the first ones say together."""
    for condition in conditions:
        yield (condition,)
        yield (negate(condition),)
    several = min(len(conditions), _MOST_CONDITIONS)
    if several > 1:
        for signs in product((False, True), repeat=several):
            yield tuple(each if sign else negate(each) for each, sign in zip(conditions, signs, strict=False))
