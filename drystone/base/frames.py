"""Messages as frames on a stream of bytes: length, checksum, content. What does not arrive as it was sent is refused."""

from __future__ import annotations

import socket
import struct
import zlib
from collections.abc import Callable

from drystone.base.digests import blake2b

_HEADER = struct.Struct("<IB8sI")  # length, whether it is compressed, checksum of the content; checksum of these
_PART = _HEADER.size - 4
_COMPRESS_FROM = 256  # bytes

Disturbance = Callable[[bytes], bytes]
"""What happens to a frame on the way; for tests and measurements."""


class Damaged(Exception):
    """A frame is not as it was sent."""


def frame(data: bytes, compress: bool = False) -> bytes:
    is_compressed = compress and len(data) >= _COMPRESS_FROM
    body = zlib.compress(data, 1) if is_compressed else data
    header = _HEADER.pack(len(body), is_compressed, _checksum(body), 0)[:_PART]
    return header + zlib.crc32(header).to_bytes(4, "little") + body


class Frames:
    """Cuts a stream into what was sent."""

    def __init__(self) -> None:
        self._unread = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        self._unread += data
        found = []
        while len(self._unread) >= _HEADER.size:
            length, is_compressed, checksum, own = _HEADER.unpack_from(self._unread)
            if zlib.crc32(self._unread[:_PART]) != own:  # else a wrong length would be waited for
                raise Damaged("a message is damaged")
            end = _HEADER.size + length
            if len(self._unread) < end:
                break
            body = bytes(self._unread[_HEADER.size : end])
            del self._unread[:end]
            if _checksum(body) != checksum:
                raise Damaged("a message is damaged")
            found.append(zlib.decompress(body) if is_compressed else body)
        return found


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()


class Channel:
    """One end of a stream, for whoever waits until something comes."""

    def __init__(self, stream: socket.socket, compress: bool = False) -> None:
        self.stream, self.compress = stream, compress
        self._frames = Frames()
        self._received: list[bytes] = []

    def send(self, data: bytes) -> None:
        self.stream.sendall(frame(data, self.compress))

    def receive(self) -> bytes | None:
        """The next message; None at the end."""
        while not self._received:
            data = self.stream.recv(1 << 18)
            if not data:
                return None
            self._received = self._frames.feed(data)
        return self._received.pop(0)
