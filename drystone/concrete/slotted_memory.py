"""The memory of a run of a program whose memory is checked: each object lies in a slot (`logic.slots`).

No slot is used again, so that a pointer to what has ended never leads to what came later. What has a value, where a program asks
for it, lies behind all addresses, at those of `shadow`: zeros, unless the program has written something.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence

from drystone.concrete.flat_memory import (
    GUARD,
    LARGEST_HEAP,
    LARGEST_OBJECT,
    LARGEST_OF_32_BITS,
    NULL_PAGE,
    UNBORN,
    AddressSpace,
    Ended,
    FlatMemory,
)
from drystone.concrete.inputs import Environment
from drystone.ir.automaton import Edge, MemoryObject, Program
from drystone.ir.expressions import Determinant
from drystone.logic.slots import slots

SHADOW = 1 << 64
"""Added to an address by `shadow` (logic/semantics.py)."""


class SlottedSpace(AddressSpace):
    """`tight` means the reverse order here."""

    def __init__(self, pointer_width: int, tight: bool = False) -> None:
        super().__init__(pointer_width, tight)
        self.slots = known = slots(pointer_width)
        self.functions = NULL_PAGE  # in the slot of NULL: nothing is accessed there
        self.static = known.base(1)
        self.heap, self.heap_end, self.stack, self.stack_end = (
            slot << known.bits for slot in (known.heap, known.external, known.stack, known.count)
        )
        self.first_on_heap, self.first_on_stack = known.base(known.heap), known.base(known.stack)
        self.largest = known.room << 1 if pointer_width > 32 else LARGEST_OF_32_BITS

    def place(self, objects: Collection[MemoryObject], base: int) -> tuple[dict[str, int], int]:
        addresses: dict[str, int] = {}
        for object_ in reversed(list(objects)) if self.tight else objects:
            addresses[object_.name] = base
            base = self.slots.following(base, object_.size)
        return dict(sorted(addresses.items(), key=lambda item: item[1])), base


def space_of(program: Program, tight: bool = False, merges: bool = True) -> AddressSpace:
    if program.has_slots:
        return SlottedSpace(program.pointer_width, tight)
    return AddressSpace(program.pointer_width, tight, merges)


class SlottedMemory(FlatMemory):
    def __init__(
        self, space: SlottedSpace, static_bases: list[int], static_blocks: list[bytearray], environment: Environment
    ) -> None:
        super().__init__(space, static_bases, static_blocks, environment)
        self.slots = space.slots
        self.stack_next = space.first_on_stack
        self.outside_next = self.slots.base(self.slots.external)
        self.reuses_stack, self.reusable = False, None
        self.shadows: dict[int, bytearray] = {}  # by slot, as far as something was written

    def allocate(
        self,
        size: int,
        zeroed: bool,
        what: str,
        edge: Edge,
        align: int = 16,
        determinant: Determinant = Determinant.NOTHING,
    ) -> int:
        """What the environment gives has slots of its own."""
        if size > self.space.largest:
            return 0
        is_own = determinant is Determinant.NOTHING
        base, end = (self.heap_next, self.slots.external) if is_own else (self.outside_next, self.slots.stack)
        if base >= end << self.slots.bits or size > self.slots.room:
            raise Ended("limit", "an allocation when all slots are used up", edge)
        if size > LARGEST_OBJECT or self.heap_size + size > LARGEST_HEAP:
            raise Ended("limit", f"an allocation of {size} bytes", edge)
        if is_own:
            self.heap_next = self.slots.following(base, size)
        else:
            self.outside_next = self.slots.following(base, size)
        index = bisect_right(self.heap_bases, base)
        self.heap_bases.insert(index, base)
        self.heap_blocks.insert(index, self._fresh(size, zeroed, what, edge, determinant))
        self.heap_size += size
        return base

    def allocate_in_frame(
        self,
        size: int,
        zeroed: bool,
        what: str,
        edge: Edge,
        align: int = 16,
        determinant: Determinant = Determinant.NOTHING,
    ) -> int:
        base = self.stack_next
        following = self.slots.following(base, size)
        if following > self.space.stack_end or size > min(self.slots.room, LARGEST_OBJECT):
            raise Ended("limit", f"an object of {size} bytes", edge)
        self._note_use((size,))
        self.stack_next = following
        self.stack_bases.append(base)
        self.stack_sizes.append(size)
        self.stack_blocks.append(self._fresh(size, zeroed, what, edge, determinant))
        return base

    def enter(self, offsets: Sequence[int], sizes: Sequence[int], frame_size: int) -> int:
        base = self.stack_next
        if base + frame_size > self.space.stack_end:
            raise Ended("limit", "the stack is exhausted")
        self._note_use(sizes)
        self.stack_next = base + frame_size
        self.stack_bases.extend([base + offset for offset in offsets])
        self.stack_sizes.extend(sizes)
        self.stack_blocks.extend([UNBORN] * len(sizes))
        return base

    def read(self, address: int, size: int, edge: Edge) -> bytes:
        if address < SHADOW:
            return super().read(address, size, edge)
        slot, start = self._shadow(address)
        return bytes(self.shadows.get(slot, b"")[start : start + size]).ljust(size, b"\0")

    def write(self, address: int, content: bytes, edge: Edge) -> None:
        if address < SHADOW:
            super().write(address, content, edge)
            return
        slot, start = self._shadow(address)
        if start > LARGEST_OBJECT:
            return  # no object is there, and nothing of what is read there
        shadow = self.shadows.setdefault(slot, bytearray())
        shadow.extend(bytes(max(start + len(content) - len(shadow), 0)))
        shadow[start : start + len(content)] = content

    def _shadow(self, address: int) -> tuple[int, int]:
        """The slot, and the distance from the begin of its object; far away what lies before that."""
        known = self.slots
        return address - SHADOW >> known.bits, address - known.begin & (1 << known.bits) - 1

    def leave(self, base: int, objects: int) -> None:
        for each in self.stack_bases[objects:]:
            self.shadows.pop(each >> self.slots.bits, None)
        super().leave(base, objects)

    def _note_use(self, sizes: Sequence[int]) -> None:
        """How far the stack would be in use if nothing lay in slots."""
        use = sum(self.stack_sizes) + sum(sizes) + GUARD * (len(self.stack_sizes) + len(sizes))
        self.deepest = max(self.deepest, self.stack_start + use)


def memory_of(
    space: AddressSpace, static_bases: list[int], static_blocks: list[bytearray], environment: Environment
) -> FlatMemory:
    """The memory of a run in this space."""
    if isinstance(space, SlottedSpace):
        return SlottedMemory(space, static_bases, static_blocks, environment)
    return FlatMemory(space, static_bases, static_blocks, environment)
