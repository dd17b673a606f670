"""What the environment had put into the memory that it gave, as far as the run has looked at it before writing there."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator

from drystone.concrete.machine import Machine
from drystone.counterexamples.known_objects import GIVEN
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Determinant


class GivenMemory:
    """Of one run. Reads are listened to from the first such memory on."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._bases: list[int] = []
        self._contents: dict[int, bytes] = {}  # at the start
        self._fresh: dict[int, bytearray] = {}  # 1: neither read nor written
        self._read: dict[int, set[int]] = {}  # offsets

    def begun(self, base: int, size: int, determinant: Determinant) -> None:
        """An object was allocated."""
        if determinant not in GIVEN or base == 0:
            return
        if not self._bases:
            self._listen()
        insort(self._bases, base)
        self._contents[base] = self.machine.memory.peek(base, size) or b""
        self._fresh[base] = bytearray(b"\1" * size)
        self._read[base] = set()

    def _listen(self) -> None:
        memory = self.machine.memory

        def load(address: int, size: int, edge: Edge) -> int:
            self.note(address, size, is_read=True)
            return memory.load(address, size, edge)

        self.machine.load = load

    def note(self, address: int, size: int, is_read: bool) -> None:
        """These bytes are read or written."""
        index = bisect_right(self._bases, address) - 1
        if index < 0:
            return
        base = self._bases[index]
        fresh, start = self._fresh[base], address - base
        if start >= len(fresh):
            return
        if is_read:
            self._read[base].update(at for at in range(start, min(start + size, len(fresh))) if fresh[at])
        fresh[start : start + size] = bytes(len(fresh[start : start + size]))

    def looked_at(self) -> Iterator[tuple[int, bytes]]:
        """Addresses and bytes, in the order of addresses."""
        for base in self._bases:
            start: int | None = None
            offsets = sorted(self._read[base])
            for position, offset in enumerate(offsets):
                start = offset if start is None else start
                if position + 1 == len(offsets) or offsets[position + 1] != offset + 1:
                    yield base + start, self._contents[base][start : offset + 1]
                    start = None
