"""Objects that may lie on the same bytes, although each of them has a name of its own.

C lets the implementation choose whether string literals, and compound literals of const-qualified type, share storage (C17 6.4.5,
6.5.2.5): `"abc" + 1` may be `"bc"`. And a local object may lie where another one lay before, if they are not there at the
same time.
"""

from __future__ import annotations

from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind

_LARGEST = 4096  # bytes of a literal that are looked at


def distances(first: MemoryObject, second: MemoryObject) -> list[int] | None:
    """From the start of the first to the start of the second where they may lie on the same bytes; None: any."""
    if first.kind is ObjectKind.LOCAL and second.kind is ObjectKind.LOCAL and first.may_follow(second):
        return None
    if not (is_mergeable(first) and is_mergeable(second)):
        return []
    if first.kind is not ObjectKind.LITERAL or second.kind is not ObjectKind.LITERAL:
        return None
    if max(first.size, second.size) > _LARGEST:
        return None
    return _agreeing(_bytes(first), _bytes(second))


def may_be_equal(first: MemoryObject, offset: int, second: MemoryObject, other_offset: int) -> bool:
    """May these places in different objects be the same one, since the objects lie on the same bytes?"""
    found = distances(first, second)
    return found is None or offset - other_offset in found


def is_mergeable(object_: MemoryObject) -> bool:
    if object_.kind is ObjectKind.LITERAL:
        return True
    return names.is_compound_literal(object_.name) and "const" in object_.ctype


def _bytes(literal: MemoryObject) -> bytes:
    return literal.content.ljust(literal.size, b"\0")


def _agreeing(first: bytes, second: bytes) -> list[int]:
    """The distances at which the bytes that both would have are the same ones."""
    found = []
    for distance in range(1 - len(second), len(first)):
        start, end = max(distance, 0), min(distance + len(second), len(first))
        if first[start:end] == second[start - distance : end - distance]:
            found.append(distance)
    return found
