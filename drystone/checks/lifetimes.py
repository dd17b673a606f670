"""What the slot of an address tells: which kind of object lies there, if one does."""

from __future__ import annotations

from drystone.checks.facts import Ending, Release, width_of
from drystone.ir.expressions import Constant, Expression, constant
from drystone.ir.simplify import make, negate
from drystone.logic.slots import Slots
from drystone.logic.sorts import BOOL


def is_nothing(entry: Expression) -> Expression:
    return make("=", BOOL, entry, Constant(entry.sort, 0))


def is_in_heap(slot: Expression, slots: Slots) -> Expression:
    return _is_between(slot, slots.heap, slots.external)


def is_in_frames(slot: Expression, slots: Slots) -> Expression:
    return _is_between(slot, slots.stack, slots.count)


def is_left(fact: Ending) -> Expression:
    """Are there blocks that were not given back?"""
    return negate(make("=", BOOL, fact.blocks, Constant(fact.blocks.sort, 0)))


def is_block(fact: Release) -> Expression:
    """Is it what an allocation of the program has returned?"""
    is_begin = make("=", BOOL, make("position", fact.base.sort, fact.pointer), fact.base)
    return make("and", BOOL, is_in_heap(fact.slot, fact.slots), is_begin)


def _is_between(slot: Expression, first: int, end: int) -> Expression:
    width = width_of(slot.sort)
    is_behind = make("bvule", BOOL, constant(width, first), slot)
    return make("and", BOOL, is_behind, make("bvult", BOOL, slot, constant(width, end)))
