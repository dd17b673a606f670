"""Messages through a pipe from a copy of this process, each with its length before it. Nothing disturbs them: no checksums."""

from __future__ import annotations

import os
import struct

_LENGTH = struct.Struct("<I")


def framed(data: bytes) -> bytes:
    return _LENGTH.pack(len(data)) + data


def send(pipe: int, data: bytes) -> None:
    rest = memoryview(framed(data))
    while rest:
        rest = rest[os.write(pipe, rest) :]


class Receiver:
    """The reading end."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        self.has_ended = False
        self._unread = bytearray()

    def receive(self) -> list[bytes]:
        """What has been sent since; waits until there is something, or the other end is closed."""
        data = os.read(self.pipe, 1 << 16)
        self.has_ended = not data
        self._unread += data
        found = []
        while len(self._unread) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._unread)
            if len(self._unread) < _LENGTH.size + length:
                break
            found.append(bytes(self._unread[_LENGTH.size : _LENGTH.size + length]))
            del self._unread[: _LENGTH.size + length]
        return found

    def is_amid_a_message(self) -> bool:
        """Has only a part of it been read?"""
        return bool(self._unread)
