"""What equations between polynomials say about each other: literals that contradict each other by the laws of rings alone.

Each equation gives one of its unknowns, or its highest monomial, in terms of the others; what is left of a literal when all have
been used is its normal form. All steps are equivalences modulo 2^width, and each form knows because of which formulas it is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from drystone.logic import terms
from drystone.logic.algebra import EXTENSIONS
from drystone.logic.polynomials import Polynomial, Polynomials, TooLarge, polynomial, product, quotient, rank, ratio
from drystone.logic.sorts import BOOL, BitVec, bitvec
from drystone.logic.terms import Term, input_symbol, width
from drystone.logic.walks import reachable

Reasons = frozenset[Term]
"""Formulas."""

COMPARISONS = frozenset(("bvult", "bvule", "bvslt", "bvsle"))
_MOST_EQUATIONS = 60


class Form(msgspec.Struct, frozen=True):
    """A polynomial, and the literals because of which it is what it stands for."""

    polynomial: Polynomial
    because: Reasons = frozenset()


class Fact(msgspec.Struct, frozen=True):
    """A literal on forms: `left operator right`, or not. Equalities have everything on the left."""

    operator: str
    left: Form
    right: Form
    holds: bool

    def because(self) -> Reasons:
        return self.left.because | self.right.because


class Factors(msgspec.Struct, frozen=True):
    """What a symbol is the product of, because of some formulas."""

    one: Term
    another: Term
    because: Reasons


class Identities:
    """A conjunction of literals, each with the formulas because of which it holds.

    `factors_of`: of symbols that stand for products.
    """

    def __init__(self, literals: Mapping[Term, Reasons], factors_of: Mapping[Term, Factors]) -> None:
        self.facts: list[Fact] = []
        self.equations: list[Form] = []
        self._solved: list[tuple[Term, Form]] = []
        self._factors_of = factors_of
        self._forms = Polynomials({symbol: (each.one, each.another) for symbol, each in factors_of.items()})
        for literal, because in literals.items():
            self._take(literal, because)
        self._take_divisions()
        self._solve()

    def add(self, equation: Form) -> None:
        """Something that follows."""
        for unknown, form in self._solved:
            equation = _replaced(equation, unknown, form)
        self.equations.append(equation)
        self._solve()

    def contradiction(self) -> Reasons | None:
        """Formulas that cannot hold together."""
        found = [each.because for each in self.equations if each.polynomial.is_never_zero()]
        said: dict[tuple[object, ...], Fact] = {}
        for fact in self.facts:
            left, right = self._reduced(fact.left), self._reduced(fact.right)
            because = left.because | right.because
            if _always(fact.operator, left.polynomial, right.polynomial) == (not fact.holds):
                found.append(because)
            key = (fact.operator, _key(left.polynomial), _key(right.polynomial))
            other = said.setdefault(key, Fact(fact.operator, left, right, fact.holds))
            if other.holds != fact.holds:
                found.append(because | other.because())
        return min(found, key=lambda each: (len(each), sorted(formula.hash for formula in each)), default=None)

    def likely(self) -> Iterator[Polynomial]:
        """What may be -1, 0 or 1: remainders, an extended sum without its parts, one side of a comparison without the other."""
        for each in self._unknowns():
            if each.operator in _REMAINDERS:
                yield self._forms.of(each)
            if each.operator in EXTENSIONS:
                try:
                    yield self._forms.of(each).plus(self._forms.spread(each), -1)
                except TooLarge:
                    continue
        for fact in self.facts:
            if fact.operator in COMPARISONS:
                try:
                    yield fact.left.polynomial.plus(fact.right.polynomial, -1)
                except TooLarge:
                    continue

    def _unknowns(self) -> list[Term]:
        found = {each for form in self._all() for each in form.polynomial.unknowns()}
        return sorted(found, key=lambda term: (term.hash, term.id))

    def normal(self) -> list[tuple[Term, Reasons]]:
        """The literals in their normal forms: products of unknowns are unknowns of their own."""
        found = [(self.is_zero(each.polynomial), each.because) for each in self.equations]
        for fact in self.facts:
            atom = terms.make(fact.operator, BOOL, _term(fact.left.polynomial), _term(fact.right.polynomial))
            found.append((atom if fact.holds else terms.negate(atom), fact.because()))
        return found

    @staticmethod
    def is_zero(found: Polynomial) -> Term:
        return terms.equal(_term(found), terms.constant(bitvec(found.bits), 0))

    def _take(self, literal: Term, because: Reasons) -> None:
        holds = literal.operator != "not"
        atom = literal if holds else literal.arguments[0]
        if atom.operator not in COMPARISONS and not (atom.operator == "=" and type(atom.arguments[0].sort) is BitVec):
            return
        try:
            left, right = (self._form(each, because) for each in atom.arguments)
            if atom.operator == "=":
                both = left.because | right.because
                left = Form(left.polynomial.plus(right.polynomial, -1), both)
                right = Form(Polynomial(left.polynomial.bits, {}), both)
        except TooLarge:
            return
        if atom.operator == "=" and holds:
            self.equations.append(left)
        else:
            self.facts.append(Fact(atom.operator, left, right, holds))

    def _form(self, term: Term, because: Reasons) -> Form:
        waiting, seen = [term], set[Term]()
        while waiting:
            for each in reachable((waiting.pop(),)):
                if each in self._factors_of and each not in seen:
                    seen.add(each)
                    factors = self._factors_of[each]
                    because |= factors.because
                    waiting += [factors.one, factors.another]
        return Form(self._forms.of(term), because)

    def _take_divisions(self) -> None:
        """What is divided is the quotient times the divisor, and the remainder."""
        for each in self._unknowns():
            parts = _division(each)
            if parts is not None:
                try:
                    forms = [self._form(part, frozenset()) for part in parts]
                    whole, divisor, quotient_, rest = (form.polynomial for form in forms)
                    because = frozenset[Term]().union(*(form.because for form in forms))
                    self.equations.append(Form(whole.plus(divisor.times(quotient_), -1).plus(rest, -1), because))
                except TooLarge:
                    continue

    def _all(self) -> list[Form]:
        return [*self.equations, *(each.left for each in self.facts), *(each.right for each in self.facts)]

    def _solve(self) -> None:
        """Unknowns that an equation gives in terms of others are replaced everywhere."""
        for _ in range(_MOST_EQUATIONS):
            self.equations = [each for each in self.equations if not each.polynomial.is_zero()]
            best = min(
                ((_size(each.polynomial), position, unknown)
                 for position, each in enumerate(self.equations) if (unknown := _given(each.polynomial)) is not None),
                default=None, key=lambda each: each[:2],
            )  # fmt: skip
            if best is None:
                return
            _, position, unknown = best
            form = _solved(self.equations.pop(position), unknown)
            self._solved.append((unknown, form))
            self.equations = [_replaced(each, unknown, form) for each in self.equations]
            self.facts = [
                msgspec.structs.replace(
                    each, left=_replaced(each.left, unknown, form), right=_replaced(each.right, unknown, form)
                )
                for each in self.facts
            ]

    def _reduced(self, form: Form) -> Form:
        """Without multiples of what the equations that are left say to be zero."""
        found, because = form.polynomial, form.because
        rules = [(max(each.polynomial.factors, key=rank), each) for each in self.equations if each.polynomial.factors]
        for _ in range(_MOST_EQUATIONS):
            step = _step(found, rules)
            if step is None:
                break
            multiple, used = step
            try:
                found = found.plus(multiple, -1)
            except TooLarge:
                break
            because |= used
        return Form(found, because)


def _step(found: Polynomial, rules: Iterable[tuple[tuple[Term, ...], Form]]) -> tuple[Polynomial, Reasons] | None:
    """A multiple of an equation that takes the place of a monomial."""
    for highest, rule in rules:
        for monomial in sorted(found.factors, key=rank, reverse=True):
            rest = quotient(monomial, highest)
            times = ratio(found.factors[monomial], rule.polynomial.factors[highest], found.bits) if rest is not None else None
            if rest is not None and times and rule.polynomial.bits == found.bits:
                try:
                    shifted = {product(each, rest): factor * times for each, factor in rule.polynomial.factors.items()}
                    return polynomial(found.bits, shifted), rule.because
                except TooLarge:
                    continue
    return None


def _given(found: Polynomial) -> Term | None:
    """An unknown that this gives in terms of others: it occurs once, with an odd factor."""
    alone = [monomial[0] for monomial, factor in found.factors.items() if len(monomial) == 1 and factor & 1]
    once = [each for each in alone if sum(each in monomial for monomial in found.factors) == 1]
    return min(once, key=lambda each: (each.hash, each.id), default=None)


def _solved(equation: Form, unknown: Term) -> Form:
    found = equation.polynomial
    inverse = pow(found.factors[(unknown,)], -1, 1 << found.bits)
    rest = {monomial: -factor * inverse for monomial, factor in found.factors.items() if monomial != (unknown,)}
    return Form(polynomial(found.bits, rest), equation.because)


def _replaced(form: Form, unknown: Term, by: Form) -> Form:
    if not form.polynomial.mentions(unknown):
        return form
    try:
        return Form(form.polynomial.replaced(unknown, by.polynomial), form.because | by.because)
    except TooLarge:
        return form


def _always(operator: str, left: Polynomial, right: Polynomial) -> bool | None:
    """The value of a comparison, if it is the same for all values of the unknowns."""
    if operator == "=":
        return True if left.is_zero() else False if left.is_never_zero() else None
    if left.factors == right.factors:
        return operator in ("bvule", "bvsle")
    return None


def _size(found: Polynomial) -> tuple[int, int]:
    return max((len(monomial) for monomial in found.factors), default=0), len(found.factors)


def _key(found: Polynomial) -> tuple[int, frozenset[tuple[tuple[Term, ...], int]]]:
    return found.bits, frozenset(found.factors.items())


def _division(unknown: Term) -> tuple[Term, Term, Term, Term] | None:
    """What is divided, by what, the quotient and the remainder. Where the divisor is 0, the remainder is what is divided."""
    pair = next((each for each in _DIVISIONS if unknown.operator in each), None)
    if pair is not None:
        whole, divisor = unknown.arguments
        quotient_, rest = (terms.make(operator, unknown.sort, whole, divisor) for operator in pair)
        return whole, divisor, quotient_, rest
    if unknown.operator in _SHIFTED and unknown.arguments[1].operator == "const":
        whole, last = unknown.arguments
        divisor = 1 << last.payload if unknown.operator != "bvand" else last.payload + 1
        if divisor & divisor - 1 or divisor >> width(unknown):
            return None
        by = terms.constant(unknown.sort, divisor.bit_length() - 1)
        quotient_ = terms.make("bvlshr", unknown.sort, whole, by) if unknown.operator == "bvand" else unknown
        rest = terms.make("bvand", unknown.sort, whole, terms.constant(unknown.sort, divisor - 1))
        return whole, terms.constant(unknown.sort, divisor), quotient_, rest
    return None


_DIVISIONS = (("bvudiv", "bvurem"), ("bvsdiv", "bvsrem"))
_SHIFTED = frozenset(("bvlshr", "bvashr", "bvand"))
_REMAINDERS = frozenset(("bvurem", "bvsrem", "bvand"))


def _term(found: Polynomial) -> Term:
    sort = bitvec(found.bits)
    total = terms.constant(sort, 0)
    for monomial in sorted(found.factors, key=rank, reverse=True):
        part = terms.constant(sort, found.factors[monomial])
        if monomial:
            part = terms.make("bvmul", sort, _symbol(monomial, sort), part)
        total = terms.make("bvadd", sort, total, part)
    return total


def _symbol(monomial: tuple[Term, ...], sort: BitVec) -> Term:
    if len(monomial) == 1:
        return monomial[0]
    return input_symbol("product " + " ".join(str(each.id) for each in monomial), sort)
