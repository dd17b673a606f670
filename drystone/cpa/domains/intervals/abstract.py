"""Abstract values of terms: small sets of values, else ranges in the unsigned and the signed view.

On small sets every operator is applied to all combinations, so there is no rule per operator; ranges know the
operators that programs count and index with. What is not known is None: any value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from drystone.logic.semantics import function, signed
from drystone.logic.sorts import Array, BitVec, Sort
from drystone.logic.terms import Term, width

LARGEST_SET = 32
_MOST_COMBINATIONS = 64


class Range(NamedTuple):
    """Both views hold: `low <= x <= high` unsigned and `least <= x <= most` signed."""

    low: int
    high: int
    least: int
    most: int


Abstract = frozenset[int] | Range | None
"""None: any value of the sort. The empty set: there is none."""

NOTHING: frozenset[int] = frozenset()
_TRUE, _FALSE = frozenset((1,)), frozenset((0,))


def full(bits: int) -> Range:
    return Range(0, (1 << bits) - 1, -(1 << bits - 1), (1 << bits - 1) - 1)


def ranged(value: Abstract, bits: int) -> Range:
    """The smallest range; the set is not empty."""
    if value is None:
        return full(bits)
    if isinstance(value, Range):
        return value
    views = [each - (1 << bits) if each >> (bits - 1) else each for each in value]
    return Range(min(value), max(value), min(views), max(views))


def normal(value: Range, bits: int) -> Abstract:
    """Each view narrowed by the other; few values become a set."""
    low, high, least, most = value
    half = 1 << bits - 1
    low, high = max(low, 0), min(high, 2 * half - 1)
    least, most = max(least, -half), min(most, half - 1)
    for _ in range(2):
        if least >= 0:
            low, high = max(low, least), min(high, most)
        elif most < 0:
            low, high = max(low, least + 2 * half), min(high, most + 2 * half)
        if high < half:
            least, most = max(least, low), min(most, high)
        elif low >= half:
            least, most = max(least, low - 2 * half), min(most, high - 2 * half)
    if low > high or least > most:
        return NOTHING
    if high - low < LARGEST_SET:
        views = range(low, high + 1)
        return frozenset(x for x in views if least <= (x - 2 * half if x >= half else x) <= most)
    if most - least < LARGEST_SET:
        return frozenset(x & 2 * half - 1 for x in range(least, most + 1) if low <= x & 2 * half - 1 <= high)
    if (low, high, least, most) == (0, 2 * half - 1, -half, half - 1):
        return None
    return Range(low, high, least, most)


def join(a: Abstract, b: Abstract, sort: Sort) -> Abstract:
    if a is None or b is None:
        return None
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        both = a | b
        if len(both) <= LARGEST_SET:
            return both
    if not isinstance(sort, BitVec):
        return None
    if not a or not b:
        return a or b
    x, y = ranged(a, sort.width), ranged(b, sort.width)
    joined = Range(min(x.low, y.low), max(x.high, y.high), min(x.least, y.least), max(x.most, y.most))
    return normal(joined, sort.width)


def meet(a: Abstract, b: Abstract, sort: Sort) -> Abstract:
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a & b
    assert isinstance(sort, BitVec)
    if isinstance(b, frozenset):
        a, b = b, a
    assert isinstance(b, Range)
    bits = sort.width
    if isinstance(a, frozenset):
        return frozenset(
            x for x in a if b.low <= x <= b.high and b.least <= (x - (1 << bits) if x >> (bits - 1) else x) <= b.most
        )
    return normal(Range(max(a.low, b.low), min(a.high, b.high), max(a.least, b.least), min(a.most, b.most)), bits)


def apply(term: Term, values: Sequence[Abstract]) -> Abstract:
    """The value of a term that is no leaf, from those of its arguments."""
    operator, sort = term.operator, term.sort
    if isinstance(sort, Array):
        return None
    if operator == "ite":
        return _choice(values, sort)
    if operator == "and" or operator == "or":
        return _connective(operator, values)
    if operator == "select" or operator == "store":
        return None
    if any(value is not None and not value for value in values):
        return NOTHING
    combinations = 1
    for value in values:
        combinations *= len(value) if isinstance(value, frozenset) else _MOST_COMBINATIONS + 1
    if combinations <= _MOST_COMBINATIONS:
        sets: list[frozenset[int]] = [value for value in values if isinstance(value, frozenset)]
        concrete = _concrete(term)
        found = frozenset(concrete(*each) for each in product(*sets))
        if len(found) <= LARGEST_SET:
            return found
        return normal(ranged(found, width(term)), width(term)) if isinstance(sort, BitVec) else None
    first = term.arguments[0].sort
    rule = _RULES.get(operator)
    if rule is None or not isinstance(first, BitVec):
        return None
    ranges = [ranged(value, width(argument)) for value, argument in zip(values, term.arguments, strict=True)]
    result = rule(ranges, width(term) if isinstance(sort, BitVec) else 1, first.width)
    return normal(result, width(term)) if isinstance(result, Range) else result


def _concrete(term: Term) -> Callable[..., int]:
    if term.operator == "concat":
        shift = width(term.arguments[1])
        return lambda a, b: a << shift | b
    if term.operator == "extract":
        high, low = term.payload
        return lambda a: a >> low & (1 << high - low + 1) - 1
    return function(term.operator, term.sort, tuple([argument.sort for argument in term.arguments]))


def _choice(values: Sequence[Abstract], sort: Sort) -> Abstract:
    condition, yes, no = values
    if condition == _TRUE:
        return yes
    if condition == _FALSE:
        return no
    if condition is not None and not condition:
        return NOTHING
    return join(yes, no, sort)


def _connective(operator: str, values: Sequence[Abstract]) -> Abstract:
    absorbing = _FALSE if operator == "and" else _TRUE
    if absorbing in values:
        return absorbing
    neutral = _TRUE if operator == "and" else _FALSE
    return neutral if all(value == neutral for value in values) else None


def evaluate(order: Sequence[Term], state: Mapping[Term, Abstract], refined: Mapping[Term, Abstract]) -> dict[Term, Abstract]:
    """Abstract values of terms, arguments first in `order`. `refined`: what else is known of some of them."""
    values: dict[Term, Abstract] = {}
    for term in order:
        operator = term.operator
        if operator == "const":
            value: Abstract = None if type(term.sort) is Array else frozenset((term.payload,))
        elif operator == "state":
            value = state.get(term)
        elif operator == "input":
            value = None
        else:
            value = apply(term, [values[argument] for argument in term.arguments])
        if term in refined:
            value = meet(value, refined[term], term.sort)
        values[term] = value
    return values


# Ranges, per operator: of the arguments, the width of the result, the width of the first argument


def _add(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    return _sums(a.low + b.low, a.high + b.high, a.least + b.least, a.most + b.most, bits)


def _subtract(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    return _sums(a.low - b.high, a.high - b.low, a.least - b.most, a.most - b.least, bits)


def _negate(x: Sequence[Range], bits: int, _: int) -> Abstract:
    (a,) = x
    return _sums(-a.high, -a.low, -a.most, -a.least, bits)


def _multiply(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    corners = [p * q for p in (a.least, a.most) for q in (b.least, b.most)]
    return _sums(a.low * b.low, a.high * b.high, min(corners), max(corners), bits)


def _sums(low: int, high: int, least: int, most: int, bits: int) -> Abstract:
    """Exact bounds of the mathematical result in each view, as far as it does not wrap around there."""
    size = 1 << bits
    anything = full(bits)
    if low // size != high // size:
        low, high = 0, size - 1
    else:
        low, high = low % size, high % size
    if least < anything.least or most > anything.most:
        least, most = anything.least, anything.most
    return Range(low, high, least, most)


def _bits_and(x: Sequence[Range], bits: int, _: int) -> Abstract:
    anything = full(bits)
    return Range(0, min(x[0].high, x[1].high), anything.least, anything.most)


def _bits_or(x: Sequence[Range], bits: int, _: int) -> Abstract:
    top = (1 << max(x[0].high.bit_length(), x[1].high.bit_length())) - 1
    return Range(max(x[0].low, x[1].low), top, full(bits).least, full(bits).most)


def _remainder(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    return full(bits)._replace(high=a.high if b.low == 0 else min(a.high, b.high - 1))  # x % 0 is x


def _signed_remainder(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    if b.least <= 0 <= b.most:
        return None
    top = max(abs(b.least), abs(b.most)) - 1
    return full(bits)._replace(least=0 if a.least >= 0 else -top, most=0 if a.most <= 0 else top)


def _quotient(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    if b.low == 0:
        return None
    return full(bits)._replace(low=a.low // b.high, high=a.high // b.low)


def _shift_right(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, b = x
    return full(bits)._replace(low=a.low >> min(b.high, bits), high=a.high >> min(b.low, bits))


def _zero_extend(x: Sequence[Range], bits: int, _: int) -> Abstract:
    return full(bits)._replace(low=x[0].low, high=x[0].high)


def _sign_extend(x: Sequence[Range], bits: int, _: int) -> Abstract:
    return full(bits)._replace(least=x[0].least, most=x[0].most)


def _truncate(x: Sequence[Range], bits: int, _: int) -> Abstract:
    a, anything = x[0], full(bits)
    if a.high < 1 << bits:
        return anything._replace(low=a.low, high=a.high)
    if anything.least <= a.least and a.most <= anything.most:
        return anything._replace(least=a.least, most=a.most)
    return None


def _truth(certain: bool, impossible: bool) -> Abstract:
    return _TRUE if certain else _FALSE if impossible else None


_RULES: dict[str, Callable[[Sequence[Range], int, int], Abstract]] = {
    "bvadd": _add,
    "bvsub": _subtract,
    "bvneg": _negate,
    "bvmul": _multiply,
    "scale": _multiply,
    "bvand": _bits_and,
    "bvor": _bits_or,
    "bvurem": _remainder,
    "bvsrem": _signed_remainder,
    "bvudiv": _quotient,
    "bvlshr": _shift_right,
    "zero_extend": _zero_extend,
    "sign_extend": _sign_extend,
    "truncate": _truncate,
    "bvult": lambda x, _, __: _truth(x[0].high < x[1].low, x[0].low >= x[1].high),
    "bvule": lambda x, _, __: _truth(x[0].high <= x[1].low, x[0].low > x[1].high),
    "bvslt": lambda x, _, __: _truth(x[0].most < x[1].least, x[0].least >= x[1].most),
    "bvsle": lambda x, _, __: _truth(x[0].most <= x[1].least, x[0].least > x[1].most),
    "=": lambda x, _, __: _truth(
        False, x[0].high < x[1].low or x[1].high < x[0].low or x[0].most < x[1].least or x[1].most < x[0].least
    ),
}


# What a condition says of the terms in it


def refine(conditions: Sequence[Term], values: Mapping[Term, Abstract]) -> dict[Term, Abstract]:
    """What is known of terms where all these conditions hold, given what they evaluate to without them."""
    found: dict[Term, Abstract] = {}

    def learn(term: Term, value: Abstract) -> None:
        while True:
            if term.operator == "const":
                return
            old = found.get(term, values.get(term))
            new = meet(old, value, term.sort)
            if new == old:
                return
            found[term] = new
            step = _backwards(term, new)
            if step is None:
                return
            term, value = step

    for condition in conditions:
        holds = True
        if condition.operator == "not":
            condition, holds = condition.arguments[0], False
        learn(condition, _TRUE if holds else _FALSE)
        if len(condition.arguments) != 2 or not isinstance(condition.arguments[0].sort, BitVec):
            continue
        bits = condition.arguments[0].sort.width
        a, b = condition.arguments
        now = [found.get(each, values.get(each)) for each in (a, b)]
        if any(value is not None and not value for value in now):
            continue
        for term, value in zip((a, b), _implied(condition.operator, holds, now, bits), strict=True):
            learn(term, value)
    return found


def _implied(operator: str, holds: bool, values: Sequence[Abstract], bits: int) -> tuple[Abstract, Abstract]:
    """What a comparison says of its sides."""
    x, y = values
    if operator == "=":
        if holds:
            return y, x
        return _without(x, y, bits), _without(y, x, bits)
    if operator not in ("bvult", "bvule", "bvslt", "bvsle"):
        return None, None
    a, b = ranged(x, bits), ranged(y, bits)
    strict = (operator in ("bvult", "bvslt")) == holds  # not (a < b) is b <= a
    by = 1 if strict else 0
    anything = full(bits)
    if operator.startswith("bvu"):
        if holds:
            return anything._replace(high=b.high - by), anything._replace(low=a.low + by)
        return anything._replace(low=b.low + by), anything._replace(high=a.high - by)
    if holds:
        return anything._replace(most=b.most - by), anything._replace(least=a.least + by)
    return anything._replace(least=b.least + by), anything._replace(most=a.most - by)


def _without(value: Abstract, other: Abstract, bits: int) -> Abstract:
    if not isinstance(other, frozenset) or len(other) != 1:
        return None
    (excluded,) = other
    if isinstance(value, frozenset):
        return value - other
    a = ranged(value, bits)
    view = signed(excluded, bits)
    return Range(
        a.low + (a.low == excluded), a.high - (a.high == excluded), a.least + (a.least == view), a.most - (a.most == view)
    )


def _backwards(term: Term, value: Abstract) -> tuple[Term, Abstract] | None:
    """What the value of `x + c` or of an extended x says of x."""
    if value is None or not value:
        return None
    arguments = term.arguments
    if term.operator == "bvadd" and (arguments[0].operator == "const") != (arguments[1].operator == "const"):
        constant, other = arguments if arguments[0].operator == "const" else arguments[::-1]
        bits = width(term)
        if isinstance(value, frozenset):
            return other, frozenset((each - constant.payload) & (1 << bits) - 1 for each in value)
        by = ranged(frozenset((constant.payload,)), bits)
        result = _subtract((value, by), bits, bits)
        return (other, normal(result, bits)) if isinstance(result, Range) else None
    if term.operator in ("zero_extend", "sign_extend"):
        inner = arguments[0]
        bits = width(inner)
        if isinstance(value, frozenset):
            mask = (1 << bits) - 1
            return inner, frozenset(each & mask for each in value)
        anything = full(bits)
        if term.operator == "zero_extend":
            return inner, normal(anything._replace(low=value.low, high=value.high), bits)
        return inner, normal(anything._replace(least=value.least, most=value.most), bits)
    return None
