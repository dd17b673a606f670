"""Rules for changes of width: `zero_extend`, `sign_extend`, `truncate`, `extract`, `concat`.

Normal form: low bits are `truncate`, other slices `extract`; zeros in front are `zero_extend`, not `concat`.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.logic.algebra import EXTENSIONS, LOW_BITS
from drystone.logic.sorts import Sort, bitvec
from drystone.logic.terms import RULES, Term, concat, constant, extract, intern, intern_extract, make, resize, width


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
    return a if a.sort == sort else _sliced(a, sort.width - 1, 0)  # type: ignore[union-attr]


def _extract(sort: Sort, a: Term, high: int, low: int) -> Term | None:
    return _sliced(a, high, low)


def _sliced(a: Term, high: int, low: int) -> Term:
    """Bits `high` to `low` of `a`: looks for the term that they really are bits of, by a loop."""
    while high - low + 1 < width(a):
        operator = a.operator
        part = a.arguments[0] if a.arguments else a
        if operator == "truncate":
            a = part
        elif operator == "extract":
            below = a.payload[1]
            a, high, low = part, high + below, low + below
        elif operator in EXTENSIONS and high < width(part):
            a = part
        elif operator == "concat" and low >= width(a.arguments[1]):
            split = width(a.arguments[1])
            a, high, low = part, high - split, low - split
        elif operator == "concat" and high < width(a.arguments[1]):
            a = a.arguments[1]
        elif operator in _SHIFTS and a.arguments[1].operator == "const":
            distance = a.arguments[1].payload
            if operator == "bvshl":
                if high < distance:
                    return constant(bitvec(high - low + 1), 0)
                if low < distance:
                    break
                distance = -distance
            elif high + distance >= width(a):
                break
            a, high, low = part, high + distance, low + distance
        else:
            break
    if high - low + 1 == width(a):
        return a
    simpler = _sliced_operation(a, high, low)
    if simpler is not None:
        return simpler
    sort = bitvec(high - low + 1)
    return intern("truncate", sort, (a,)) if low == 0 else intern_extract(sort, a, high, low)


_SHIFTS = frozenset(("bvshl", "bvlshr", "bvashr"))


def _sliced_operation(a: Term, high: int, low: int) -> Term | None:
    """Bits that are more than a slice of one argument."""
    operator = a.operator
    sort = bitvec(high - low + 1)
    if operator == "const":
        return constant(sort, a.payload >> low)
    if operator in EXTENSIONS:
        inner = a.arguments[0]
        given = width(inner)
        if low < given:
            return make(operator, sort, extract(inner, given - 1, low))
        if operator == "zero_extend":
            return constant(sort, 0)
        return resize(extract(inner, given - 1, given - 1), sort.width, signed=True)
    if operator == "concat":  # the bits lie in both parts, so this recursion is at most as deep as there are bits
        upper, lower = a.arguments
        split = width(lower)
        return concat(extract(upper, high - split, 0), extract(lower, split - 1, low))
    if operator == "ite":
        c, x, y = a.arguments
        if _shrinks(x, high + 1, low) and _shrinks(y, high + 1, low):
            return make("ite", sort, c, extract(x, high, low), extract(y, high, low))
    elif operator in LOW_BITS and low == 0:  # the low bits of the result depend on the low bits of the operands only
        if all(_shrinks(x, high + 1, 0) for x in a.arguments):
            return make(operator, sort, *[resize(x, high + 1) for x in a.arguments])
    return None


def _shrinks(a: Term, bits: int, low: int) -> bool:
    """Is `a` a constant or extended from at most `bits` bits, so that a slice of it is simpler?"""
    return a.operator == "const" or (low == 0 and a.operator in EXTENSIONS and width(a.arguments[0]) <= bits)


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
