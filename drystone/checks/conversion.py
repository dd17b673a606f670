"""Conversions to an integer type that cannot represent the value.

Of integers, only those that the program does not write as a cast; of floating-point numbers all: there, C leaves the result
undefined (C11 6.3.1.4).
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Conversion, Fact, Violation, width_of
from drystone.ir.expressions import FALSE, Constant, Expression, constant
from drystone.ir.simplify import make, negate
from drystone.logic.floats import arithmetic
from drystone.logic.sorts import BOOL, Float, bitvec


def violations(fact: Fact) -> Iterator[Violation]:
    if not isinstance(fact, Conversion):
        return
    if isinstance(fact.value.sort, Float):
        yield Violation(_truncates_beyond(fact, fact.value.sort), f"conversion to {fact.type}, which cannot hold the number")
    elif not fact.is_written:
        yield Violation(_changes(fact), f"conversion to {fact.type} that changes the value")


def _changes(fact: Conversion) -> Expression:
    """Is the mathematical value another one after the conversion of an integer?"""
    width = width_of(fact.value.sort)
    zero = constant(width, 0)
    if fact.width < width:
        narrow = make("truncate", bitvec(fact.width), fact.value)
        back = make("sign_extend" if fact.is_signed else "zero_extend", bitvec(width), narrow)
        differs = negate(make("=", BOOL, back, fact.value))
        if fact.is_signed and not fact.is_source_signed:  # a large number must not come back as a negative one
            return make("or", BOOL, differs, make("bvslt", BOOL, fact.value, zero))
        return differs
    is_sign_read_otherwise = fact.is_source_signed != fact.is_signed and (fact.is_source_signed or fact.width == width)
    return make("bvslt", BOOL, fact.value, zero) if is_sign_read_otherwise else FALSE


def _truncates_beyond(fact: Conversion, sort: Float) -> Expression:
    low = -(1 << (fact.width - 1)) if fact.is_signed else 0
    high = 1 << (fact.width - 1) if fact.is_signed else 1 << fact.width
    truncated = make("fp.trunc", sort, fact.value)
    fits = make(
        "and", BOOL, make("fp.leq", BOOL, _float(sort, low), truncated), make("fp.lt", BOOL, truncated, _float(sort, high))
    )
    return negate(fits)


def _float(sort: Float, number: int) -> Constant:
    return Constant(sort, arithmetic(sort).from_integer(number))
