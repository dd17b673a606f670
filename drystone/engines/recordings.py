"""What recordings of runs have in common, whether blocks or workers of a tree are recorded.

After a line with the format and its version come chunks, each with its length and a checksum: a list of frames, compressed.
The last frame is the verdict. Whatever else a stream contains, reading it ends in `NotARecording`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, TypeVar

import msgspec

OF_BLOCKS, OF_TREES = "drystone recording", "drystone tree recording"
"""Formats."""

_PREFIX = struct.Struct(">II")  # length and checksum of a chunk
_MOST_BYTES = 256 << 20  # of a chunk, unpacked
_LONGEST_LINE = 64
Frame = TypeVar("Frame")


class NotARecording(Exception):
    """The complete message for people, without the name of the file."""


class RecordedProgram(msgspec.Struct, frozen=True):
    """How to read the program again: files with the hashes of their texts, and the options of the front end."""

    files: list[tuple[str, str]]
    frontend: dict[str, object]


class Ended(msgspec.Struct, frozen=True, tag=4, array_like=True):
    """The last frame of any recording."""

    verdict: str
    reason: str


def first_line(format: str, version: int) -> bytes:
    return f"{format} {version}\n".encode()


def begins_with(stream: BinaryIO, format: str) -> bool:
    """Is this the format of what the stream has? It is at its beginning again."""
    found = stream.readline(_LONGEST_LINE).startswith(format.encode() + b" ")
    stream.seek(0)
    return found


def chunk(frames: Sequence[object]) -> bytes:
    data = zlib.compress(msgspec.msgpack.encode(frames))
    return _PREFIX.pack(len(data), zlib.crc32(data)) + data


def frames(stream: BinaryIO, format: str, version: int, decoder: msgspec.msgpack.Decoder[list[Frame]]) -> Iterator[Frame]:
    line = stream.readline(_LONGEST_LINE)
    if not line.startswith(format.encode() + b" "):
        raise NotARecording("is not a recording of drystone")
    if line != first_line(format, version):
        other = line[len(format) :].decode(errors="replace").strip()
        raise NotARecording(f"is a recording of version {other}; this drystone reads version {version}")
    while prefix := stream.read(_PREFIX.size):
        length, checksum = _PREFIX.unpack(prefix) if len(prefix) == _PREFIX.size else (-1, 0)
        data = stream.read(length) if length >= 0 else b""
        if len(data) != length:
            raise NotARecording("is cut short, in the middle of a message")
        if zlib.crc32(data) != checksum:
            raise NotARecording("is damaged: a checksum is wrong")
        try:
            unpacked = zlib.decompressobj().decompress(data, _MOST_BYTES)
            yield from decoder.decode(unpacked)
        except (zlib.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise NotARecording(f"is damaged: {problem}") from None
