"""Where values come from, and where the bytes in memory do: see `concrete.determinism`.

A byte is settled, chosen, or one of the bytes of an address, which are in their order.
"""

from __future__ import annotations

from bisect import bisect_right

from drystone.concrete.flat_memory import FlatMemory
from drystone.ir.automaton import Edge

SETTLED, CHOSEN = 0, -1
"""Where a value comes from; any other number is the first address of the object that it is an address in."""
LARGEST = 1 << 20
"""Bytes of an object that are followed one by one."""

Value = tuple[int, int]
"""What it is in this run, if it is not chosen, and where it comes from."""

_FIRST = 2
_CHOSEN_BYTE = b"\1"
"""Marks of bytes: 0 is settled, 1 chosen, those from `_FIRST` on the bytes of an address."""
_WITHOUT_PIECES = b"\0" + _CHOSEN_BYTE * 255


class NotSettled(Exception):
    """Something that was chosen decides what the program does: what that is, and where."""

    def __init__(self, what: str, edge: Edge | None = None) -> None:
        super().__init__(what)
        self.edge = edge


class MemoryOrigins:
    """Where the bytes in memory come from: `marks` by the first address of their object (one without has only settled bytes),
    and the origins of addresses by the place of their first byte (`words`)."""

    def __init__(self, memory: FlatMemory, word: int) -> None:
        self.memory = memory
        self.marks: dict[int, bytearray] = {}
        self.words: dict[int, int] = {}
        self.word, self.settled_word, self.address_word = word, bytes(word), bytes(range(_FIRST, _FIRST + word))

    def marked(self, place: int, size: int) -> bytes:
        """The marks of bytes of one object."""
        found = self.memory.object_at(place)
        marks = self.marks.get(found[0]) if found is not None else None
        if found is None or marks is None:
            return bytes(size)
        return bytes(marks[place - found[0] : place - found[0] + size])

    def addresses(self, place: int, size: int) -> dict[int, int]:
        """The origins of addresses among so many bytes, by their offset."""
        return {at: self.words[place + at] for at in self._whole_addresses(self.marked(place, size))}

    def _whole_addresses(self, marks: bytes) -> list[int]:
        found, at = [], marks.find(self.address_word)
        while at >= 0:
            found.append(at)
            at = marks.find(self.address_word, at + self.word)
        return found

    def mark(self, place: int, size: int, origin: int) -> None:
        """Bytes of one object are written with a value that comes from there."""
        found = self.memory.object_at(place)
        if found is None or size == 0:
            return
        base, end = found
        marks = self.marks.get(base)
        if marks is None:
            if origin == SETTLED:
                return
            marks = self.marks[base] = bytearray(end - base)
        offset = place - base
        if origin == SETTLED:
            marks[offset : offset + size] = bytes(size)
        elif origin != CHOSEN and size == self.word:
            marks[offset : offset + size] = self.address_word
            self.words[place] = origin
        else:
            marks[offset : offset + size] = _CHOSEN_BYTE * size

    def begin(self, place: int, size: int) -> None:
        """An object begins there that was not written yet."""
        self.marks[place] = bytearray(_CHOSEN_BYTE * size)

    def end(self, place: int) -> None:
        """The object that began there has gone, or has settled bytes only."""
        self.marks.pop(place, None)

    def move(self, to: int, marks: bytes, words: dict[int, int]) -> None:
        """Bytes with these marks, and addresses among them, arrive.

        Pieces of an address are chosen where they arrive: others may complete it there, and it would be another one.
        """
        if marks.count(0) != len(marks):
            self.mark(to, len(marks), CHOSEN)
            found = self.memory.object_at(to)
            assert found is not None
            arrived = bytearray(marks.translate(_WITHOUT_PIECES))
            for at, origin in words.items():
                arrived[at : at + self.word] = self.address_word
                self.words[to + at] = origin
            offset = to - found[0]
            self.marks[found[0]][offset : offset + len(marks)] = arrived
        else:
            self.mark(to, len(marks), SETTLED)

    # what generated code does with memory; None or False: the edge is to be taken by itself, and nothing was done

    def _block(self, address: int, origin: int, size: int) -> tuple[int, bytearray] | None:
        """First address and bytes of the living object that has all of these."""
        memory = self.memory
        if address >= memory.stack_start:
            index = bisect_right(memory.stack_bases, address) - 1
            base, block = memory.stack_bases[index], memory.stack_blocks[index]
        elif address >= memory.heap_start:
            index = bisect_right(memory.heap_bases, address) - 1
            base, block = memory.heap_bases[index], memory.heap_blocks[index]
        else:
            index = bisect_right(memory.static_bases, address) - 1
            base, block = memory.static_bases[index], memory.static_blocks[index]
        if address + size > base + len(block) or (origin and origin != base) or address == base + len(block):
            return None
        return base, block

    def load(self, address: int, origin: int, size: int) -> int | None:
        found = self._block(address, origin, size)
        if found is None:
            return None
        base, block = found
        offset = address - base
        marks = self.marks.get(base)
        if marks is not None and any(marks[offset : offset + size]):
            return None
        return int.from_bytes(block[offset : offset + size], "little")

    def load_address(self, address: int, origin: int) -> tuple[int, int] | None:
        size = self.word
        found = self._block(address, origin, size)
        if found is None:
            return None
        base, block = found
        offset = address - base
        marks, origin = self.marks.get(base), SETTLED
        if marks is not None:
            of_word = marks[offset : offset + size]
            if of_word == self.address_word:
                origin = self.words[address]
            elif of_word != self.settled_word:
                return None
        return int.from_bytes(block[offset : offset + size], "little"), origin

    def store(self, address: int, origin: int, value: int, size: int) -> bool:
        found = self._block(address, origin, size)
        if found is None:
            return False
        base, block = found
        offset = address - base
        block[offset : offset + size] = value.to_bytes(size, "little")
        marks = self.marks.get(base)
        if marks is not None:
            marks[offset : offset + size] = bytes(size)
        return True

    def store_address(self, address: int, origin: int, value: int, value_origin: int) -> bool:
        found = self._block(address, origin, self.word)
        if found is None:
            return False
        base, block = found
        block[address - base : address - base + self.word] = value.to_bytes(self.word, "little")
        self.mark(address, self.word, value_origin)
        return True

    def copy(self, to: int, to_origin: int, from_: int, from_origin: int, size: int) -> bool:
        target, source = self._block(to, to_origin, size), self._block(from_, from_origin, size)
        if target is None or source is None:
            return False
        marks, words = self.marked(from_, size), self.addresses(from_, size)
        target[1][to - target[0] : to - target[0] + size] = source[1][from_ - source[0] : from_ - source[0] + size]
        self.move(to, marks, words)
        return True

    def fill(self, to: int, origin: int, byte: int, size: int) -> bool:
        target = self._block(to, origin, size)
        if target is None:
            return False
        target[1][to - target[0] : to - target[0] + size] = bytes((byte,)) * size
        self.mark(to, size, SETTLED)
        return True
