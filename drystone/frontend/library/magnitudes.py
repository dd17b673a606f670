"""Results of which C promises the sign or the truth, and no more: `strcmp`, `isdigit` and their kin.

The models return -1, 0 or 1. That is exact where a program looks at the sign or the truth alone; elsewhere the number itself is
what the library happens to return, and so approximated. An execution that only asks for the sign or the truth of such a number
does not depend on it (`settled_by`, for `counterexamples/taint.py`), wherever it was kept in between.
"""

from __future__ import annotations

from enum import StrEnum

from drystone.frontend.lowering.builder import Builder
from drystone.ir.expressions import Apply, Constant, Determinant, Expression, InputKind, Variable, constant
from drystone.ir.nodes import subexpressions
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec

_CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split()
_TRUTHS = frozenset([f"{prefix}{name}" for prefix in ("is", "isw") for name in _CLASSES] + ["iswctype", "isascii"])
_TRUTHS |= {f"{prefix}signbit{suffix}" for prefix in ("__", "__builtin_") for suffix in ("", "f", "l")}
_SIGNS = frozenset(
    "memcmp bcmp strcmp strncmp strcasecmp strncasecmp strcoll wcscmp wcsncmp wcscasecmp wcsncasecmp wcscoll wmemcmp".split()
)


def has_open_magnitude(name: str) -> bool:
    return name in _SIGNS or name in _TRUTHS


def with_any_magnitude(builder: Builder, name: str, value: Expression) -> Expression:
    """Any number of the same sign, or of the same truth."""
    value = builder.keep(value)
    what = f"the number that {name} returns"
    any_number = builder.keep(builder.input(value.sort, InputKind.EXTERNAL, what, Determinant.IMPLEMENTATION))
    return builder.keep(_same_truth(value, any_number) if name in _TRUTHS else _same_sign(value, any_number))


def _same_truth(value: Expression, any_number: Expression) -> Expression:
    sort = value.sort
    zero, one = Constant(sort, 0), Constant(sort, 1)
    nonzero = make("ite", sort, make("=", BOOL, any_number, zero), one, any_number)
    return make("ite", sort, make("=", BOOL, value, zero), zero, nonzero)


def _same_sign(value: Expression, any_number: Expression) -> Expression:
    sort = value.sort
    assert isinstance(sort, BitVec)
    zero, one, sign = Constant(sort, 0), Constant(sort, 1), constant(sort.width, 1 << (sort.width - 1))
    positive = make("bvand", sort, any_number, make("bvnot", sort, sign))
    positive = make("ite", sort, make("=", BOOL, positive, zero), one, positive)
    negative = make("bvor", sort, any_number, sign)
    nonzero = make("ite", sort, make("bvslt", BOOL, value, zero), negative, positive)
    return make("ite", sort, make("=", BOOL, value, zero), zero, nonzero)


class Settled(StrEnum):
    """What does not depend on the number that was chosen."""

    SIGN = "sign"
    TRUTH = "truth"


def settled_by(expression: Expression) -> tuple[Variable, Settled] | None:
    """The variable that gives a number its sign or its truth, where all else of the number is any."""
    match expression:
        case Apply("ite", _, (Apply("=", _, (Variable() as value, Constant())), Constant(), nonzero)):
            others = {part for part in subexpressions(nonzero) if isinstance(part, Variable) and part != value}
            if len(others) == 1:
                any_number = others.pop()
                if expression == _same_sign(value, any_number):
                    return value, Settled.SIGN
                if expression == _same_truth(value, any_number):
                    return value, Settled.TRUTH
    return None
