"""Pointers that are computed and leave their object, and the place behind its end (C11 6.5.6, paragraph 8).

NULL leads to no object: it can only be moved by 0. Where no object lives, there is nothing to leave.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.bounds import is_beyond
from drystone.checks.facts import ElementAddress, Fact, Movement, Violation
from drystone.ir.expressions import Address, Constant, Expression
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Movement):
        if fact.pointer is not None and not isinstance(fact.pointer, Address):
            yield Violation(_is_from_null(fact.pointer, fact.address), "pointer arithmetic on NULL")
        yield Violation(_leaves(fact), "pointer arithmetic leaves the object", fact.detail)
    elif isinstance(fact, ElementAddress):
        condition = is_beyond(fact.index, fact.is_signed, fact.count + 1)
        yield Violation(condition, "pointer arithmetic leaves the array", fact.detail)


def _is_from_null(pointer: Expression, address: Expression) -> Expression:
    nothing = Constant(pointer.sort, 0)
    return make("and", BOOL, make("=", BOOL, pointer, nothing), negate(make("=", BOOL, address, nothing)))


def _leaves(fact: Movement) -> Expression:
    """The entry is one more than the size, so that the end is inside."""
    sort = fact.entry.sort
    here = make("position", sort, fact.address) if fact.pointer is not None else fact.address
    distance = make("bvsub", sort, here, fact.base)
    is_outside = make("or", BOOL, fact.wraps, make("bvule", BOOL, fact.entry, distance))
    return make("and", BOOL, negate(make("=", BOOL, fact.entry, Constant(sort, 0))), is_outside)
