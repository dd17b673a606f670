"""Inputs that the interpreter and the symbolic side can both compute: a value is a hash of the place that asks for it."""

from __future__ import annotations

from zlib import crc32

from drystone.concrete.generated_text import START
from drystone.concrete.inputs import SeededInputs, bit_width
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Input, InputKind, byte_size
from drystone.ir.operations import Allocate, Reallocate
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, Sort


class PlacedInputs:
    """The value of an input depends on where it is read, on its index and name, and (`stamp`) on the step in which it is.

    The bytes of memory whose life begins are the same for all objects: `declared` for locals and externals, `fresh` for
    allocations. So an object need not have the same name on both sides.
    """

    def __init__(self, salt: int) -> None:
        self.salt = salt
        self.stamp = ""
        self.fresh_byte = 0 if salt % 2 else 0xA5

    def value(self, input: Input, edge: Edge) -> int:
        return self.value_at(input, edge, self.stamp if edge is not START else "")

    def value_at(self, input: Input, edge: Edge, stamp: str) -> int:
        width = bit_width(input.sort)
        offset = _cell_offset(input)
        if offset is not None:
            return pattern_at(self.declared(max(offset, 0) + byte_size(input.sort)), offset, input.sort)
        origin = edge.origin
        key = (origin.file, origin.line, origin.column, origin.end_line, origin.end_column, input.index, input.name, width)
        seed = crc32(f"{self.salt} {key} {stamp}".encode())
        return SeededInputs(seed).value(input, edge) & (1 << width) - 1

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        if isinstance(edge.operation, (Allocate, Reallocate)):
            return bytes([self.fresh_byte]) * size
        return self.declared(size)

    def declared(self, size: int) -> bytes:
        if self.salt % 3 == 0:
            return bytes(size)
        return bytes((self.salt * 29 + 37 * position + (position >> 3)) & 0xFF for position in range(size))


def _cell_offset(input: Input) -> int | None:
    """The offset in its object, for the inputs that `scalarise` makes of uninitialised and external memory."""
    if input.index != 1:
        return None
    if input.kind in (InputKind.UNINITIALISED, InputKind.EXTERNAL):
        _, plus, offset = input.name.rpartition("+")
        return int(offset) if plus and offset.lstrip("-").isdigit() else None
    return None


def pattern_at(content: bytes, offset: int, sort: Sort) -> int:
    """The value of this sort at an offset; 0 where there is no such byte."""
    size = byte_size(sort)
    if offset < 0 or offset + size > len(content):
        return 0
    value = int.from_bytes(content[offset : offset + size], "little")
    return extended_from_memory(value) if sort == EXTENDED else value & (1 << bit_width(sort)) - 1
