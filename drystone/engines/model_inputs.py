"""The inputs of a solver's model, for a replay on the original program."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable

import msgspec

from drystone.concrete.interpreter import InputSource, Outcome, interpret
from drystone.ir import names
from drystone.ir.automaton import Edge, Origin
from drystone.ir.expressions import Input, InputKind
from drystone.ir.operations import Declare
from drystone.pipeline import PreparedProgram


class InitialMemory(msgspec.Struct, frozen=True):
    """Bytes by address, and the addresses in order."""

    known: dict[int, int]
    addresses: list[int]

    def content(self, base: int, size: int, filler: int) -> bytes:
        """What is known of some bytes, the rest filled."""
        content = bytearray([filler]) * size
        for index in range(bisect_left(self.addresses, base), len(self.addresses)):
            address = self.addresses[index]
            if address >= base + size:
                break
            content[address - base] = self.known[address]
        return bytes(content)


class ScheduledInputs:
    """The threads that go on, in this order; all other inputs from somewhere else."""

    def __init__(self, schedule: list[int], others: InputSource) -> None:
        self.schedule, self.others = deque(schedule), others

    def value(self, input: Input, edge: Edge) -> int:
        if input.kind is InputKind.SCHEDULE:
            return self.schedule.popleft() if self.schedule else 0
        return self.others.value(input, edge)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return self.others.block(size, what, edge)


def run_original(
    prepared: PreparedProgram, inputs: Callable[[], InputSource], *, recursion_bound: int, max_edges: int, max_steps: int
) -> Outcome:
    """Runs the program on inputs that were found for what was prepared of it. Where that is a product of threads, its
    execution first tells the schedule."""
    if not prepared.program.has_threads:
        return interpret(prepared.program, inputs(), max_steps=max_steps)
    from drystone.threads.schedules import schedule_of

    together = prepared.flat(recursion_bound=recursion_bound, max_edges=max_edges, sliced=False).program
    schedule = schedule_of(interpret(together, inputs(), max_steps=max_steps, record_path=True).path)
    return interpret(prepared.program, ScheduledInputs(schedule, inputs()), max_steps=max_steps)


class OriginInputs:
    """Inputs by the place in the source that asks for them, in the order of execution.

    What the model does not say is made of the byte `filler`: zero, or something that is no null pointer.

    Inlining and slicing keep the places, so what was found on a prepared program can be replayed on the original.
    """

    def __init__(self, memory: InitialMemory, filler: int) -> None:
        self.memory = memory
        self.filler = filler
        self.values: dict[tuple[Origin, int, str], deque[int]] = {}
        self.cells: dict[Origin, list[tuple[str, int]]] = {}  # cells of uninitialised objects that became variables
        self.blocks: dict[Origin, deque[tuple[int, int]]] = {}  # addresses and sizes of objects

    def add(self, origin: Origin, input: Input, value: int) -> None:
        key = (origin, input.index, input.name)
        if key not in self.values:
            self.values[key] = deque()
            self.cells.setdefault(origin, []).append((input.name, input.index))
        self.values[key].append(value)

    def add_block(self, origin: Origin, base: int, size: int) -> None:
        self.blocks.setdefault(origin, deque()).append((base, size))

    def value(self, input: Input, edge: Edge) -> int:
        waiting = self.values.get((edge.origin, input.index, input.name))
        if waiting:
            return waiting.popleft()
        if input.kind is InputKind.CHOICE:
            return self.filler & 1
        if input.kind is InputKind.SCHEDULE:
            return 0
        return 0 if input.kind is InputKind.NONDET else self.filler * 0x0101010101010101

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        """What the model says of the object's memory, and the cells of it that are variables in the prepared program."""
        wild = names.address_of_wild(what)
        if wild is not None:
            return self.memory.content(wild, size, self.filler)
        waiting = self.blocks.get(edge.origin)
        content = bytearray([self.filler]) * size
        if waiting:
            content[:] = self.memory.content(waiting.popleft()[0], size, self.filler)
        object_ = edge.operation.target if isinstance(edge.operation, Declare) else what
        for name, index in self.cells.get(edge.origin, ()):
            cell, values = names.cell_of(name), self.values[edge.origin, index, name]
            if cell is not None and values and names.local(cell[0]) == object_:
                value, start = values.popleft(), cell[1]
                length = max(1, (value.bit_length() + 7) // 8)
                if start + length <= size:
                    content[start : start + length] = value.to_bytes(length, "little")
        return bytes(content)
