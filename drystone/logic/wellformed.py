"""Are these nodes terms? For graphs that come from outside: solvers take sorts on trust.

A node is well-formed if its operator is known, takes arguments of these sorts and gives this sort. Widths have a limit, since a
single node can ask for more bits than there is memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drystone.logic.sorts import BOOL, EXTENDED, FLOAT32, FLOAT64, Array, BitVec, Float, Sort

WIDEST = 4096
"""Bits of a bit-vector. No value of C has so many."""

_FLOATS = frozenset((Float(5, 11), FLOAT32, FLOAT64, EXTENDED, Float(15, 113)))
Sorts = Sequence[Sort]


def is_sort(sort: Sort) -> bool:
    match sort:
        case BitVec(width):
            return 0 < width <= WIDEST
        case Float():
            return sort in _FLOATS
        case Array(index, element):
            return 0 < index.width <= 128 and 0 < element.width <= WIDEST
        case _:
            return True


def is_value(sort: Sort, value: int) -> bool:
    """Is this the value of a constant of the sort?"""
    width = sort.element.width if isinstance(sort, Array) else 1 if sort == BOOL else sort.width  # type: ignore[union-attr]
    return value >= 0 and value.bit_length() <= width


def is_application(operator: str, sort: Sort, arguments: Sorts, bits: tuple[int, int] | None = None) -> bool:
    """Does the operator on arguments of these sorts give this sort? `bits` are those of `extract`."""
    if operator == "extract":
        return bits is not None and len(arguments) == 1 and _is_extract(sort, arguments[0], *bits)
    rule = _RULES.get(operator)
    return bits is None and rule is not None and len(arguments) == rule[0] and rule[1](sort, arguments)


def _is_extract(sort: Sort, argument: Sort, high: int, low: int) -> bool:
    return isinstance(argument, BitVec) and 0 <= low <= high < argument.width and sort == BitVec(high - low + 1)


def _of(kind: type[BitVec] | type[Float]) -> Callable[[Sort, Sorts], bool]:
    """All arguments and the result have one sort of this kind."""
    return lambda sort, given: isinstance(sort, kind) and all(each == sort for each in given)


def _comparison(kind: type[BitVec] | type[Float]) -> Callable[[Sort, Sorts], bool]:
    return lambda sort, given: sort == BOOL and isinstance(given[0], kind) and all(each == given[0] for each in given)


def _conversion(
    source: type[BitVec] | type[Float], target: type[BitVec] | type[Float], fits: Callable[[int, int], bool] = lambda a, b: True
) -> Callable[[Sort, Sorts], bool]:
    def holds(sort: Sort, given: Sorts) -> bool:
        first = given[0]
        return isinstance(first, source) and isinstance(sort, target) and fits(first.width, sort.width)

    return holds


def _connective(sort: Sort, given: Sorts) -> bool:
    return sort == BOOL and all(each == BOOL for each in given)


def _is_select(sort: Sort, given: Sorts) -> bool:
    array = given[0]
    return isinstance(array, Array) and given[1] == array.index and sort == array.element


def _is_store(sort: Sort, given: Sorts) -> bool:
    return isinstance(sort, Array) and given[0] == sort and given[1] == sort.index and given[2] == sort.element


def _is_concat(sort: Sort, given: Sorts) -> bool:
    high, low = given
    return isinstance(high, BitVec) and isinstance(low, BitVec) and sort == BitVec(high.width + low.width)


_RULES: dict[str, tuple[int, Callable[[Sort, Sorts], bool]]] = {
    "not": (1, _connective),
    "and": (2, _connective),
    "or": (2, _connective),
    "=": (2, lambda sort, given: sort == BOOL and given[0] == given[1]),
    "ite": (3, lambda sort, given: given[0] == BOOL and given[1] == sort and given[2] == sort),
    "scale": (2, _of(BitVec)),
    "concat": (2, _is_concat),
    "select": (2, _is_select),
    "store": (3, _is_store),
    "zero_extend": (1, _conversion(BitVec, BitVec, lambda a, b: a < b)),
    "sign_extend": (1, _conversion(BitVec, BitVec, lambda a, b: a < b)),
    "truncate": (1, _conversion(BitVec, BitVec, lambda a, b: a > b)),
    "fp.to_fp": (1, _conversion(Float, Float)),
    "fp.from_sbv": (1, _conversion(BitVec, Float)),
    "fp.from_ubv": (1, _conversion(BitVec, Float)),
    "fp.to_sbv": (1, _conversion(Float, BitVec)),
    "fp.to_ubv": (1, _conversion(Float, BitVec)),
    "fp.from_bits": (1, _conversion(BitVec, Float, lambda a, b: a == b)),
    "fp.to_bits": (1, _conversion(Float, BitVec, lambda a, b: a == b)),
}
_RULES |= {f"bv{name}": (1, _of(BitVec)) for name in "neg not".split()}
_RULES |= {f"bv{name}": (2, _of(BitVec)) for name in "add sub mul udiv urem sdiv srem and or xor shl lshr ashr".split()}
_RULES |= {f"bv{name}": (2, _comparison(BitVec)) for name in "ult ule slt sle".split()}
_RULES |= {f"fp.{name}": (1, _of(Float)) for name in "sqrt neg abs floor ceil trunc round rint".split()}
_RULES |= {f"fp.{name}": (2, _of(Float)) for name in "add sub mul div fmod".split()}
_RULES |= {f"fp.{name}": (1, _comparison(Float)) for name in "isNaN isInfinite".split()}
_RULES |= {f"fp.{name}": (2, _comparison(Float)) for name in "eq lt leq".split()}
