"""Padding: the bytes and bits of an object that an initialiser list leaves uninitialised."""

from __future__ import annotations

from drystone.frontend.declarations.initialisers import Slot, extent, members_of
from drystone.frontend.declarations.types import Array, CType, Field, Record


def padding(type_: CType, slots: list[Slot]) -> list[tuple[int, int, int]]:
    """What an initialiser list leaves uninitialised (C11 6.2.6.1): byte offset, size, mask of the bits that no member has.

    A member without an initialiser is initialised like a static object, its padding included (C11 6.7.9), but in a union only
    what the list initialises.
    """
    found: list[tuple[int, int, int]] = []
    extents = sorted((extent(slot) for slot in slots), key=lambda each: each[0])
    _padding(type_, 0, [each for each in extents if each[1] > each[0]], found)
    return found


def _padding(type_: CType, offset: int, slots: list[tuple[int, int]], found: list[tuple[int, int, int]]) -> None:
    if not isinstance(type_, (Array, Record)) or type_.size <= 0:
        return
    start, end = offset * 8, (offset + type_.size) * 8
    inside = [slot for slot in slots if start <= slot[0] and slot[1] <= end]
    if not inside or (start, end) in inside:
        return
    if isinstance(type_, Array):
        for index in range(type_.count if isinstance(type_.element, (Array, Record)) else 0):
            _padding(type_.element, offset + index * type_.element.size, inside, found)
        return
    extents = inside
    if not type_.is_union:
        extents = [(start + each.offset, start + each.offset + _bits(each)) for each in members_of(type_)]
        for each in members_of(type_):
            _padding(each.type, offset + each.offset // 8, inside, found)
    known = 0
    for first, last in extents:
        known |= ((1 << last - first) - 1) << first - start
    cells = {each.cell: each.cell_size for each in type_.fields if each.bits > 0}
    position = 0
    while position < type_.size:
        step, mask = _piece(known, position, type_.size, cells)
        if mask:
            found.append((offset + position, step, mask))
        position += step


def _bits(field: Field) -> int:
    return field.bits if field.bits >= 0 else max(field.type.size, 0) * 8


def _piece(known: int, position: int, size: int, cells: dict[int, int]) -> tuple[int, int]:
    """The bytes to look at next, and which of their bits are not known: bit-fields in the cells in which they are accessed."""
    if position in cells:
        return cells[position], ~(known >> position * 8) & ((1 << cells[position] * 8) - 1)
    for step in (8, 4, 2):
        is_free = known >> position * 8 & ((1 << step * 8) - 1) == 0 and not any(
            position < cell < position + step for cell in cells
        )
        if position % step == 0 and position + step <= size and is_free:
            return step, (1 << step * 8) - 1
    return 1, ~(known >> position * 8) & 255
