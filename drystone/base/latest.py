"""What another process has said last, in memory that both share: who says it wakes nobody, who wants to know looks."""

from __future__ import annotations

import struct
from mmap import mmap

_SIZE = 4096  # bytes
_HEAD = struct.Struct("<QI")  # how often something was said, twice (odd: it is being said right now), and how long it is


class Latest:
    """Made by the process that looks, before it forks the one that speaks."""

    def __init__(self) -> None:
        self._shared = mmap(-1, _SIZE)
        self._taken = 0

    def put(self, data: bytes) -> None:
        """In the place of what was said before. Something that is too long is not said."""
        if len(data) > _SIZE - _HEAD.size:
            return
        number, length = _HEAD.unpack_from(self._shared)
        _HEAD.pack_into(self._shared, 0, number + 1, length)
        self._shared[_HEAD.size : _HEAD.size + len(data)] = data
        _HEAD.pack_into(self._shared, 0, number + 2, len(data))

    def take(self) -> bytes | None:
        """None if it is known, or is just being said."""
        number, length = _HEAD.unpack_from(self._shared)
        if number == self._taken or number % 2:
            return None
        data = self._shared[_HEAD.size : _HEAD.size + length]
        if _HEAD.unpack_from(self._shared) != (number, length):
            return None  # it has changed meanwhile
        self._taken = number
        return data
