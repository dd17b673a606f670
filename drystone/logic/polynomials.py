"""Integer terms as polynomials modulo 2^width: one form for all terms that the laws of commutative rings make equal.

What is no sum, difference or product is an unknown of the polynomial, however it is made. Many unknowns of a high degree have no
small form: then there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from drystone.logic import semantics, terms
from drystone.logic.algebra import EXTENSIONS
from drystone.logic.sorts import bitvec
from drystone.logic.terms import Term, width

Monomial = tuple[Term, ...]
"""Factors, each as often as it occurs, in content order; none of them: the constant 1."""

_MOST_MONOMIALS = 300
_HIGHEST_DEGREE = 24


class TooLarge(Exception):
    """There is no small form."""


class Polynomial(msgspec.Struct, frozen=True):
    """Σ factor · monomial modulo 2^bits; factors are not zero."""

    bits: int
    factors: dict[Monomial, int]

    def plus(self, other: Polynomial, times: int = 1) -> Polynomial:
        """self + times · other."""
        found = dict(self.factors)
        for monomial, factor in other.factors.items():
            found[monomial] = found.get(monomial, 0) + times * factor
        return polynomial(self.bits, found)

    def times(self, other: Polynomial) -> Polynomial:
        found: dict[Monomial, int] = {}
        for one, factor in self.factors.items():
            for another, scale in other.factors.items():
                both = product(one, another)
                found[both] = found.get(both, 0) + factor * scale
            if len(found) > _MOST_MONOMIALS:
                raise TooLarge
        return polynomial(self.bits, found)

    def replaced(self, unknown: Term, by: Polynomial) -> Polynomial:
        """With a polynomial in the place of an unknown."""
        if not self.mentions(unknown):
            return self
        found = Polynomial(self.bits, {})
        for monomial, factor in self.factors.items():
            rest = tuple(each for each in monomial if each is not unknown)
            part = Polynomial(self.bits, {rest: factor})
            for _ in range(len(monomial) - len(rest)):
                part = part.times(by)
            found = found.plus(part)
        return found

    def mentions(self, unknown: Term) -> bool:
        return any(unknown in monomial for monomial in self.factors)

    def is_zero(self) -> bool:
        return not self.factors

    def is_never_zero(self) -> bool:
        """An odd constant and even multiples of all else, or a constant: whatever the unknowns are."""
        constant = self.factors.get((), 0)
        lowest = min((_twos(factor) for monomial, factor in self.factors.items() if monomial), default=self.bits)
        return constant != 0 and _twos(constant) < lowest

    def unknowns(self) -> set[Term]:
        return {each for monomial in self.factors for each in monomial}


def polynomial(bits: int, factors: Mapping[Monomial, int]) -> Polynomial:
    mask = (1 << bits) - 1
    found = {monomial: factor & mask for monomial, factor in factors.items() if factor & mask}
    if len(found) > _MOST_MONOMIALS:
        raise TooLarge
    return Polynomial(bits, found)


def is_product(node: Term) -> bool:
    """Of two terms neither of which is a constant."""
    return node.operator == "bvmul" and all(each.operator != "const" for each in node.arguments)


def product(one: Monomial, another: Monomial) -> Monomial:
    if len(one) + len(another) > _HIGHEST_DEGREE:
        raise TooLarge
    return tuple(sorted(one + another, key=_by_content)) if one and another else one or another


def rank(monomial: Monomial) -> tuple[int, list[tuple[int, int]]]:
    """An order that products keep: by degree, then by factors."""
    return len(monomial), [_by_content(each) for each in monomial]


def quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """Without the factors of the divisor; None if it has not all of them."""
    left = list(monomial)
    for each in divisor:
        if each not in left:
            return None
        left.remove(each)
    return tuple(left)


def ratio(factor: int, divisor: int, bits: int) -> int | None:
    """What the divisor has to be multiplied with, modulo 2^bits."""
    twos = _twos(divisor)
    if _twos(factor) < twos:
        return None
    return (factor >> twos) * pow(divisor >> twos, -1, 1 << bits) & (1 << bits) - 1


def _twos(number: int) -> int:
    return (number & -number).bit_length() - 1


def _by_content(term: Term) -> tuple[int, int]:
    return term.hash, term.id


class Polynomials:
    """The forms of terms; remembers them. `factors_of`: what a symbol that stands for a product is the product of."""

    def __init__(self, factors_of: Mapping[Term, tuple[Term, Term]]) -> None:
        self._factors_of = factors_of
        self._known: dict[Term, Polynomial] = {}

    def of(self, term: Term) -> Polynomial:
        known = self._known
        stack = [term]
        while stack:
            node = stack[-1]
            needed = [each for each in self._parts(node) if each not in known]
            if needed:
                stack += needed
                continue
            stack.pop()
            if node not in known:
                known[node] = self._form(node)
        return known[term]

    def _parts(self, node: Term) -> Iterable[Term]:
        if node in self._factors_of:
            return self._factors_of[node]
        if node.operator == "bvshl":
            return node.arguments[:1] if node.arguments[1].operator == "const" else ()
        return node.arguments if node.operator in _RING or node.operator in _RESIZING else ()

    def _form(self, node: Term) -> Polynomial:
        bits, known = width(node), self._known
        if node in self._factors_of:
            a, b = self._factors_of[node]
            return known[a].times(known[b])
        if node.operator == "const":
            return polynomial(bits, {(): node.payload})
        if node.operator == "truncate":
            return self._low_bits(known[node.arguments[0]], bits)
        if node.operator in EXTENSIONS:
            return self._extended(node, known[node.arguments[0]])
        if node.operator == "bvshl" and node.arguments[1].operator == "const":
            shifted = 1 << min(node.arguments[1].payload, bits)
            return known[node.arguments[0]].times(polynomial(bits, {(): shifted}))
        combine = _RING.get(node.operator)
        if combine is None:
            return _unknown(node)
        return combine(*[known[each] for each in node.arguments])

    def _low_bits(self, whole: Polynomial, bits: int) -> Polynomial:
        """Those of sums and products depend on those of their parts only."""
        found = Polynomial(bits, {})
        for monomial, factor in whole.factors.items():
            part = polynomial(bits, {(): factor})
            for each in monomial:
                low = terms.make("truncate", bitvec(bits), each)
                part = part.times(_unknown(low) if low.operator == "truncate" else self.of(low))
            found = found.plus(part)
        return found

    def _extended(self, node: Term, inner: Polynomial) -> Polynomial:
        """That of a sum is the sum of those of its parts, where it does not overflow whatever their values are."""
        return self._spread(node, inner) if _fits(inner, node.operator == "sign_extend") else _unknown(node)

    def spread(self, node: Term) -> Polynomial:
        """What an extension is where its operand, a sum of products, does not overflow."""
        return self._spread(node, self.of(node.arguments[0]))

    def _spread(self, node: Term, inner: Polynomial) -> Polynomial:
        found = Polynomial(width(node), {})
        for monomial, factor in inner.factors.items():
            part = polynomial(width(node), {(): semantics.signed(factor, inner.bits)})
            for each in monomial:
                extended = terms.make("zero_extend" if _range(each)[0] >= 0 else "sign_extend", node.sort, each)
                part = part.times(_unknown(extended))
            found = found.plus(part)
        return found


def _fits(found: Polynomial, is_signed: bool) -> bool:
    """Is the value, as a number, what it is without the modulus?"""
    lowest = highest = 0
    for monomial, factor in found.factors.items():
        least = most = semantics.signed(factor, found.bits)
        for each in monomial:
            ends = [end * limit for end in (least, most) for limit in _range(each)]
            least, most = min(ends), max(ends)
        lowest, highest = lowest + least, highest + most
    if is_signed:
        return -(1 << found.bits - 1) <= lowest and highest < 1 << found.bits - 1
    return lowest >= 0 and highest < 1 << found.bits


def _range(unknown: Term) -> tuple[int, int]:
    """Of its value: signed, unless it is known not to be negative."""
    bits = width(unknown)
    if unknown.operator == "zero_extend":
        return 0, (1 << width(unknown.arguments[0])) - 1
    if unknown.operator == "sign_extend":
        bits = width(unknown.arguments[0])
    return -(1 << bits - 1), (1 << bits - 1) - 1


def _unknown(term: Term) -> Polynomial:
    return Polynomial(width(term), {(term,): 1})


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    return a.times(b)


_RESIZING = EXTENSIONS | {"truncate"}

_RING: dict[str, Callable[..., Polynomial]] = {
    "bvadd": lambda a, b: a.plus(b),
    "bvsub": lambda a, b: a.plus(b, -1),
    "bvneg": lambda a: Polynomial(a.bits, {}).plus(a, -1),
    "bvnot": lambda a: polynomial(a.bits, {(): -1}).plus(a, -1),
    "bvmul": _times,
    "scale": _times,
}
