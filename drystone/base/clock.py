"""The time that limits count.

It is that of the machine, but a process that is paused by another one, so that they take turns, does not lose the time. Or it is
counted: then it goes on only by what this process does, so that a run is the same each time, on any machine. Everything that
decides by time asks `now`, or has a solver count for it (`effort`).
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from mmap import mmap

_SECONDS = struct.Struct("d")

# What counts, in seconds that are about those of the machine: the limits of the engines are made for these.
_LOOK = 0.000_5  # each look at the clock by an engine, mostly before a query
_POLL = 0.000_05  # each time that bitwuzla asks during a query whether it should stop
_TERM = 0.000_01  # each term that is made
_EFFORT = 1_000_000  # z3's own units of work in a second
_LONG = 4_000.0  # seconds: z3 has 32 bits for its units


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


class _Counted:
    """The time of a process whose work is counted."""

    def __init__(self) -> None:
        self.is_on = False
        self.seconds = 0.0
        self.terms: Callable[[], int] = lambda: 0


_counted = _Counted()


def count_work(terms: Callable[[], int]) -> None:
    """From now on, time in this process is work. `terms`: how many were made."""
    _counted.is_on, _counted.terms = True, terms


def effort(limit_seconds: float | None) -> int | None:
    """Where work is counted, what z3 may do in this time, 0 for no limit; else None: z3 has to look at the clock itself."""
    if not _counted.is_on:
        return None
    return max(1, int(min(limit_seconds, _LONG) * _EFFORT)) if limit_seconds is not None else 0


def spent(effort: int) -> None:
    """What z3 has done."""
    _counted.seconds += effort / _EFFORT


def now(is_poll: bool = False) -> float:
    """Seconds since some point in time, without those for which this process was paused. `is_poll`: a solver at work asks."""
    if _counted.is_on:
        _counted.seconds += _POLL if is_poll else _LOOK
        return _counted.seconds + _TERM * _counted.terms()
    seconds = time.monotonic()
    for pauses in _own:
        seconds -= pauses.seconds
    return seconds
