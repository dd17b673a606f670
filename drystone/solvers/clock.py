"""The time that limits count: a process that is paused by another one, so that they take turns, does not lose the time."""

from __future__ import annotations

import struct
import time
from mmap import mmap

_SECONDS = struct.Struct("d")


class Pauses:
    """How long a process has been paused, in memory that it shares with the one which paused it."""

    def __init__(self) -> None:
        self._shared = mmap(-1, _SECONDS.size)

    @property
    def seconds(self) -> float:
        (seconds,) = _SECONDS.unpack_from(self._shared)
        return float(seconds)

    def add(self, seconds: float) -> None:
        _SECONDS.pack_into(self._shared, 0, self.seconds + seconds)


_own: list[Pauses] = []


def count(pauses: Pauses) -> None:
    """From now on, this process has these pauses, besides those of the process that it is a copy of."""
    _own.append(pauses)


def now() -> float:
    """Seconds since some point in time, without those for which this process was paused."""
    return time.monotonic() - sum(pauses.seconds for pauses in _own)
