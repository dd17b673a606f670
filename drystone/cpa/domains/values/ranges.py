"""Which values conditions leave to a variable: a branch that leaves few asks for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from drystone.ir.expressions import Apply, Constant, Expression, Variable
from drystone.logic.sorts import BitVec

Ranges = tuple[tuple[int, int], ...]
"""Unsigned numbers from the first to the second one, disjoint and in order."""

_Comparison = Callable[[int, int], Ranges]  # of a number of so many bits with a constant: the numbers for which it holds


def count(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


def numbers(ranges: Ranges) -> Iterator[int]:
    for low, high in ranges:
        yield from range(low, high + 1)


def met(first: Ranges, second: Ranges) -> Ranges:
    """What is in both."""
    return _united((max(low, other), min(high, end)) for low, high in first for other, end in second)


def narrowed(known: Mapping[str, Ranges], condition: Expression, holds: bool) -> dict[str, Ranges]:
    """What is left of the variables that the condition bounds, if it holds or does not; `known` is what was known before."""
    left = allowed(condition, holds)
    return {name: met(known[name], ranges) if name in known else ranges for name, ranges in left.items()}


def allowed(condition: Expression, holds: bool) -> dict[str, Ranges]:
    """Values outside of these contradict the condition, or that it does not hold."""
    match condition:
        case Apply("not", _, (inner,)):
            return allowed(inner, not holds)
        case Apply("and" | "or" as operator, _, (left, right)):
            first, second = allowed(left, holds), allowed(right, holds)
            if holds == (operator == "and"):
                return {**first, **second, **{name: met(first[name], second[name]) for name in first.keys() & second.keys()}}
            return {name: _united((*first[name], *second[name])) for name in first.keys() & second.keys()}
        case Apply(operator, _, (tested, Constant(BitVec(width), number))) if operator in _COMPARISONS:
            return _of_tested(tested, width, _COMPARISONS[operator](number, width), holds)
        case Apply(operator, _, (Constant(BitVec(width), number), tested)) if operator in _TURNED:
            return _of_tested(tested, width, _TURNED[operator](number, width), holds)
        case _:
            return {}


def _of_tested(tested: Expression, width: int, ranges: Ranges, holds: bool) -> dict[str, Ranges]:
    """Of a variable, or one that was made wider."""
    if not holds:
        ranges = _others(ranges, width)
    match tested:
        case Variable(name):
            return {name: ranges}
        case Apply("zero_extend", _, (Variable(name, BitVec(narrow)),)):
            return {name: met(ranges, ((0, (1 << narrow) - 1),))}
        case Apply("sign_extend", _, (Variable(name, BitVec(narrow)),)):
            half, added = 1 << narrow - 1, (1 << width) - (1 << narrow)
            negative = met(ranges, ((added + half, (1 << width) - 1),))
            moved = ((low - added, high - added) for low, high in negative)
            return {name: _united((*met(ranges, ((0, half - 1),)), *moved))}
        case _:
            return {}


def _united(ranges: Iterator[tuple[int, int]] | Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    for low, high in sorted(each for each in ranges if each[0] <= each[1]):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return tuple(found)


def _others(ranges: Ranges, width: int) -> Ranges:
    starts = [0, *(high + 1 for _, high in ranges)]
    ends = [*(low - 1 for low, _ in ranges), (1 << width) - 1]
    return tuple((low, high) for low, high in zip(starts, ends, strict=True) if low <= high)


def _signed(ranges: Ranges, width: int) -> Ranges:
    """Of numbers with the sign bit turned, in which the signed order is the unsigned one, the numbers themselves."""
    half = 1 << width - 1
    lower = ((low + half, high + half) for low, high in met(ranges, ((0, half - 1),)))
    upper = ((low - half, high - half) for low, high in met(ranges, ((half, 2 * half - 1),)))
    return _united((*upper, *lower))


def _below(number: int, width: int) -> Ranges:
    return _united(((0, number - 1),))


def _up_to(number: int, width: int) -> Ranges:
    return ((0, number),)


def _as_signed(compare: _Comparison) -> _Comparison:
    return lambda number, width: _signed(compare(number ^ 1 << width - 1, width), width)


def _not(compare: _Comparison) -> _Comparison:
    return lambda number, width: _others(compare(number, width), width)


def _same(number: int, width: int) -> Ranges:
    return ((number, number),)


_COMPARISONS: dict[str, _Comparison] = {
    "=": _same,
    "bvult": _below,
    "bvule": _up_to,
    "bvslt": _as_signed(_below),
    "bvsle": _as_signed(_up_to),
}
_TURNED: dict[str, _Comparison] = {  # the constant stands to the left
    "=": _same,
    "bvult": _not(_up_to),
    "bvule": _not(_below),
    "bvslt": _not(_as_signed(_up_to)),
    "bvsle": _not(_as_signed(_below)),
}
