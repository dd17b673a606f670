"""Accesses outside of the object that the pointer was derived from (C11 6.5.6, paragraph 8), and indices beyond an array.

Where nothing lives, everything is outside.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Access, Fact, Subscript, Violation, width_of
from drystone.ir.expressions import FALSE, Expression, constant
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, (Access, Subscript)) and not fact.in_library:
        yield from overruns(fact)


def overruns(fact: Access | Subscript) -> Iterator[Violation]:
    if isinstance(fact, Access):
        yield Violation(_is_outside(fact), f"out-of-bounds {fact.how}")
    else:
        yield Violation(is_beyond(fact.index, fact.is_signed, fact.count), f"out-of-bounds {fact.how}", fact.detail)


def _is_outside(fact: Access) -> Expression:
    """The distance from the begin of the object, and the size of the access, against the entry: nothing wraps around."""
    sort = fact.entry.sort
    here = make("position", sort, fact.address)
    distance = make("bvsub", sort, here, fact.base)
    fits = make("bvult", BOOL, fact.size, fact.entry)
    is_inside = make("bvult", BOOL, distance, make("bvsub", sort, fact.entry, fact.size))
    return make("or", BOOL, fact.wraps, negate(make("and", BOOL, fits, is_inside)))


def is_beyond(index: Expression, is_signed: bool, count: int) -> Expression:
    """Is it none of the `count` first indices?"""
    width = width_of(index.sort)
    if is_signed:
        is_low = make("bvslt", BOOL, index, constant(width, 0))
        is_high = make("bvsle", BOOL, constant(width, count), index) if not count >> (width - 1) else FALSE
        return make("or", BOOL, is_low, is_high)
    return make("bvule", BOOL, constant(width, count), index) if not count >> width else FALSE
