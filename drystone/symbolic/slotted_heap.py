"""Allocations where memory is checked: each gets a slot of its own (`logic.slots`).

From any state it may be any slot: the program itself assumes that nothing lives there (`frontend.lowering.extents`). Executions
with more objects than there are slots are not modelled: from the entry, an allocation beyond them is refused; an inductive proof
mentions a few slots, and would be the same if there were more.
"""

from __future__ import annotations

from enum import StrEnum

from drystone.concrete.slotted_memory import SlottedSpace
from drystone.ir.expressions import Determinant
from drystone.ir.operations import Allocate, Lifetime
from drystone.logic import terms
from drystone.logic.slots import Slots, slots
from drystone.logic.sorts import BOOL
from drystone.logic.terms import TRUE, Term, ite, make
from drystone.symbolic.region_memory import ExecutedProgram, Memory


class SlotRange(StrEnum):
    """Which slots an allocation may get."""

    HEAP = "heap"
    OUTSIDE = "outside"
    FRAME = "frame"

    def of(self, known: Slots) -> tuple[int, int]:
        """The first one, and how many there are: a power of two."""
        match self:
            case SlotRange.HEAP:
                return known.heap, known.external - known.heap
            case SlotRange.OUTSIDE:
                return known.external, known.stack - known.external
            case SlotRange.FRAME:
                return known.frames, known.count - known.frames


def range_of(operation: Allocate) -> SlotRange:
    if operation.lifetime is Lifetime.FRAME:
        return SlotRange.FRAME
    return SlotRange.HEAP if operation.determinant is Determinant.NOTHING else SlotRange.OUTSIDE


def allocate(memory: Memory, program: ExecutedProgram, size: Term, range_: SlotRange) -> Term:
    """The base of a fresh object, or NULL where it would not even fit an empty heap."""
    space = SlottedSpace(memory.pointer.width)
    base = _any(memory, program, range_.of(space.slots)) if program.inductive else _own(memory, program, range_.of(space.slots))
    if base is None:
        program.refuse(TRUE, "an allocation when all slots are used up")
        return terms.constant(memory.pointer, 0)
    room, largest = (terms.constant(memory.pointer, size) for size in (space.slots.room, space.largest))
    fits = make("bvule", BOOL, size, largest)
    is_refused = make("and", BOOL, make("bvult", BOOL, room, size), fits)
    program.refuse(is_refused, f"allocation of more than {space.slots.room} bytes where memory is checked")
    return ite(fits, base, terms.constant(memory.pointer, 0))


def _any(memory: Memory, program: ExecutedProgram, range_: tuple[int, int]) -> Term:
    known, pointer = slots(memory.pointer.width), memory.pointer
    first, count = range_
    mask = terms.constant(pointer, (count - 1) << known.bits)
    chosen = make("bvand", pointer, program.fresh(None, "slot", pointer), mask)
    return make("bvadd", pointer, chosen, terms.constant(pointer, known.base(first)))


def _own(memory: Memory, program: ExecutedProgram, range_: tuple[int, int]) -> Term | None:
    known, key = slots(memory.pointer.width), program.place()
    if key not in memory.slots:
        first, count = range_
        taken = sum(first <= base >> known.bits < first + count for base in memory.slots.values())
        if taken == count:
            return None
        memory.slots[key] = known.base(first + taken)
    return terms.constant(memory.pointer, memory.slots[key])
