"""Slots: where memory is checked, each object lies in a range of addresses of its own.

All slots have the same size, a power of two, so that an address tells the slot of the object that it was derived from as long as
it stays in the slot, also before or far behind the object; slot 0 is the one of NULL. A table that the program carries along says
how large the object in each slot is (docs/decisions/047-memory-checks.md).
"""

from __future__ import annotations

import msgspec


class Slots(msgspec.Struct, frozen=True):
    """`bits` of an address tell the place in a slot, the ones above which slot it is. First come static objects, then the `heap`,
    `external` memory that the environment gives, the `stack`, and what is allocated in its `frames`."""

    bits: int
    count: int
    heap: int
    external: int
    stack: int
    frames: int

    @property
    def begin(self) -> int:
        """Where an object begins in its slot."""
        return 1 << (self.bits - 3)

    @property
    def room(self) -> int:
        """The largest object that pointers may lead into; around it there is room for pointers that leave it."""
        return 3 << (self.bits - 2)

    def base(self, slot: int) -> int:
        """Of the object in a slot."""
        return (slot << self.bits) + self.begin

    def following(self, base: int, size: int) -> int:
        """Where an object may begin after one of `size` bytes at `base`."""
        return base + (1 + size // (self.room + 1) << self.bits)


_WIDE = Slots(46, 1 << 18, 2 << 15, 4 << 15, 5 << 15, 7 << 15)
_NARROW = Slots(19, 1 << 13, 1 << 10, 5 << 10, 6 << 10, 7 << 10)


def slots(pointer_width: int) -> Slots:
    return _WIDE if pointer_width > 32 else _NARROW
