"""Results of which C promises the sign or the truth, and no more: `strcmp`, `isdigit` and their kin.

The models return -1, 0 or 1. That is exact where a program looks at the sign or the truth alone; elsewhere the number itself is
what the library happens to return, and so approximated.
"""

from __future__ import annotations

from drystone.frontend.lowering import Lowering
from drystone.logic.sorts import BOOL, BitVec
from drystone.program.expressions import Constant, Expression, constant
from drystone.program.simplify import make

_CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split()
_TRUTHS = frozenset([f"{prefix}{name}" for prefix in ("is", "isw") for name in _CLASSES] + ["iswctype", "isascii"])
_SIGNS = frozenset(
    "memcmp bcmp strcmp strncmp strcasecmp strncasecmp strcoll wcscmp wcsncmp wcscasecmp wcsncasecmp wcscoll wmemcmp".split()
)


def has_open_magnitude(name: str) -> bool:
    return name in _SIGNS or name in _TRUTHS


def with_any_magnitude(lowering: Lowering, name: str, value: Expression) -> Expression:
    """Any number of the same sign, or of the same truth."""
    sort = value.sort
    assert isinstance(sort, BitVec)
    value = lowering.builder.keep(value)
    any_number = lowering.builder.keep(lowering.approximated(sort, f"the number that {name} returns"))
    zero, one, sign = Constant(sort, 0), Constant(sort, 1), constant(sort.width, 1 << (sort.width - 1))
    is_zero = make("=", BOOL, value, zero)
    if name in _TRUTHS:
        nonzero = make("ite", sort, make("=", BOOL, any_number, zero), one, any_number)
        return make("ite", sort, is_zero, zero, nonzero)
    positive = make("bvand", sort, any_number, make("bvnot", sort, sign))
    positive = make("ite", sort, make("=", BOOL, positive, zero), one, positive)
    negative = make("bvor", sort, any_number, sign)
    return make("ite", sort, is_zero, zero, make("ite", sort, make("bvslt", BOOL, value, zero), negative, positive))
