"""Rules for changes of width: `zero_extend`, `sign_extend`, `truncate`, `extract`, `concat`.

Normal form: low bits are `truncate`, other slices `extract`; zeros in front are `zero_extend`, not `concat`.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.logic.sorts import Sort, bitvec
from drystone.logic.terms import RULES, Term, concat, constant, extract, make, resize, width

_EXTENSIONS = frozenset(("zero_extend", "sign_extend"))
_LOW_BITS = frozenset(("bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvneg", "bvnot"))


def _extension(operator: str) -> Callable[[Sort, Term], Term | None]:
    def rule(sort: Sort, a: Term) -> Term | None:
        if a.operator == operator or a.operator == "zero_extend":  # above a zero extension the sign bit is 0
            return make(a.operator, sort, a.arguments[0])
        if a.sort == sort:
            return a
        if a.operator == "ite" and a.arguments[1].operator == "const" == a.arguments[2].operator:
            c, x, y = a.arguments
            return make("ite", sort, c, make(operator, sort, x), make(operator, sort, y))
        return None

    return rule


def _truncate(sort: Sort, a: Term) -> Term | None:
    if a.sort == sort:
        return a
    operator = a.operator
    bits: int = sort.width  # type: ignore[union-attr]
    if operator == "truncate":
        return make("truncate", sort, a.arguments[0])
    if operator in _EXTENSIONS:
        return resize(a.arguments[0], bits, operator == "sign_extend")
    if operator == "extract":
        low = a.payload[1]
        return extract(a.arguments[0], low + bits - 1, low)
    if operator == "concat":
        high, low_part = a.arguments
        rest = bits - width(low_part)
        return resize(low_part, bits) if rest <= 0 else concat(resize(high, rest), low_part)
    if operator == "ite":
        c, x, y = a.arguments
        return make("ite", sort, c, resize(x, bits), resize(y, bits)) if _shrinks(x, bits) and _shrinks(y, bits) else None
    if operator == "bvlshr" or operator == "bvashr":
        x, k = a.arguments
        if k.operator == "const" and k.payload + bits <= width(x):
            return extract(x, k.payload + bits - 1, k.payload)
    elif operator in _LOW_BITS:  # the low bits of the result depend on the low bits of the operands only
        if all(_shrinks(x, bits) for x in a.arguments):
            return make(operator, sort, *[resize(x, bits) for x in a.arguments])
    return None


def _shrinks(a: Term, bits: int) -> bool:
    """Is `a` a constant or extended from at most `bits` bits, so that truncating it makes it simpler?"""
    return a.operator == "const" or (a.operator in _EXTENSIONS and width(a.arguments[0]) <= bits)


def _extract(sort: Sort, a: Term, high: int, low: int) -> Term | None:
    """low > 0 here."""
    operator = a.operator
    if operator == "extract":
        below = a.payload[1]
        return extract(a.arguments[0], high + below, low + below)
    if operator == "truncate":
        return extract(a.arguments[0], high, low)
    if operator in _EXTENSIONS:
        inner = a.arguments[0]
        given = width(inner)
        if high < given:
            return extract(inner, high, low)
        if low < given:
            return make(operator, sort, extract(inner, given - 1, low))
        if operator == "zero_extend":
            return constant(sort, 0)
        return make("sign_extend", sort, extract(inner, given - 1, given - 1))
    if operator == "concat":
        upper, lower = a.arguments
        split = width(lower)
        if low >= split:
            return extract(upper, high - split, low - split)
        if high < split:
            return extract(lower, high, low)
        return concat(extract(upper, high - split, 0), extract(lower, split - 1, low))
    if operator == "ite" and a.arguments[1].operator == "const" == a.arguments[2].operator:
        c, x, y = a.arguments
        return make("ite", sort, c, extract(x, high, low), extract(y, high, low))
    if operator == "bvlshr":
        x, k = a.arguments
        if k.operator == "const" and high + k.payload < width(x):
            return extract(x, high + k.payload, low + k.payload)
    elif operator == "bvshl":
        x, k = a.arguments
        if k.operator == "const":
            if high < k.payload:
                return constant(sort, 0)
            if low >= k.payload:
                return extract(x, high - k.payload, low - k.payload)
    return None


def _slice(a: Term) -> tuple[Term, int, int]:
    """The term that `a` is a slice of, and which."""
    if a.operator == "extract":
        return a.arguments[0], *a.payload
    if a.operator == "truncate":
        return a.arguments[0], width(a) - 1, 0
    return a, width(a) - 1, 0


def _adjacent(a: Term, b: Term) -> Term | None:
    """The one slice or constant that `a` followed by `b` is."""
    if a.operator == "const" == b.operator:
        return constant(bitvec(width(a) + width(b)), a.payload << width(b) | b.payload)
    whole_a, high, middle = _slice(a)
    whole_b, below, low = _slice(b)
    return extract(whole_a, high, low) if whole_a is whole_b and middle == below + 1 else None


def _concat(sort: Sort, a: Term, b: Term) -> Term | None:
    if a.operator == "const" and a.payload == 0:
        return make("zero_extend", sort, b)
    if a.operator == "zero_extend":
        return make("zero_extend", sort, concat(a.arguments[0], b))
    joined = _adjacent(a, b)
    if joined is not None:
        return joined
    if b.operator == "concat":
        x, y = b.arguments
        joined = _adjacent(a, x)
        if joined is not None:
            return concat(joined, y)
    if a.operator == "concat":
        x, y = a.arguments
        joined = _adjacent(y, b)
        if joined is not None:
            return concat(x, joined)
    return None


RULES["zero_extend"] = _extension("zero_extend")
RULES["sign_extend"] = _extension("sign_extend")
RULES["truncate"] = _truncate
RULES["extract"] = _extract
RULES["concat"] = _concat
