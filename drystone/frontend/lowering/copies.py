"""Copies of structures in a program with threads: member by member, in the order of their addresses.

Others may run between two members, so each is read and written by edges of its own. Bytes of padding are copied one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from drystone.frontend.declarations.types import Array, CType, Record, Scalar
from drystone.ir.expressions import byte_size
from drystone.logic.sorts import Sort, bitvec

_MOST_PIECES = 64


class Piece(NamedTuple):
    """What is copied at once: a value of this sort at a distance from the begin."""

    distance: int
    sort: Sort


def pieces(type_: CType) -> list[Piece] | None:
    """Of a structure or an array; None if it is too large, or has a union, of which it is not known what it holds."""
    found: list[Piece] = []
    end = 0
    for piece in _members(type_, 0):
        if piece is None or len(found) > _MOST_PIECES:
            return None
        if piece.distance < end:
            continue  # another bit-field of the same bytes
        found += [Piece(byte, bitvec(8)) for byte in range(end, piece.distance)]
        found.append(piece)
        end = piece.distance + byte_size(piece.sort)
    found += [Piece(byte, bitvec(8)) for byte in range(end, type_.size)]
    return found if len(found) <= _MOST_PIECES else None


def members(type_: CType) -> list[Piece] | None:
    """The same without padding."""
    found: list[Piece] = []
    for piece in _members(type_, 0):
        if piece is None or len(found) >= _MOST_PIECES:
            return None
        found.append(piece)
    return found


def _members(type_: CType, start: int) -> Iterator[Piece | None]:
    if isinstance(type_, Scalar):
        yield Piece(start, type_.sort)
    elif isinstance(type_, Record) and not type_.is_union:
        for field in type_.fields:
            if field.bits > 0:
                yield Piece(start + field.cell, bitvec(field.cell_size * 8))
            elif field.bits < 0:
                yield from _members(field.type, start + field.offset // 8)
    elif isinstance(type_, Array) and 0 <= type_.count <= _MOST_PIECES:
        for index in range(type_.count):
            yield from _members(type_.element, start + index * type_.element.size)
    else:
        yield None
