"""Shifts by a negative amount, by as many bits as the value has or more, and to the left of a negative value (C11 6.5.7).

A value whose bits are shifted into the sign or beyond it is an overflow.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Arithmetic, Fact, Violation, width_of
from drystone.ir.expressions import Expression, constant
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if not isinstance(fact, Arithmetic) or fact.operator not in ("<<", ">>"):
        return
    if fact.is_amount_signed:
        yield Violation(_is_negative(fact.b), "shift by a negative amount")
    width = width_of(fact.b.sort)
    if fact.width < 1 << width:
        too_far = make("bvule", BOOL, constant(width, fact.width), fact.b)
        yield Violation(too_far, f"shift by {fact.width} bits or more, of a value that has {fact.width}")
    if fact.operator == "<<" and fact.is_signed:
        yield Violation(_is_negative(fact.a), "left shift of a negative value")


def _is_negative(value: Expression) -> Expression:
    return make("bvslt", BOOL, value, constant(width_of(value.sort), 0))
