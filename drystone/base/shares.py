"""Work in several processes, each a copy of this one: what they find comes back as bytes."""

from __future__ import annotations

import os
import select
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress

_NUMBER = struct.Struct("<I")
_MOST_AT_ONCE = 1_000  # numbers that fit the smallest pipe


class Tickets:
    """The numbers below `count`, each for one of the processes that are made later: for whoever takes it first."""

    def __init__(self, count: int) -> None:
        self._count, self._step = count, max(1, min(count, _MOST_AT_ONCE))
        self._reading, writing = os.pipe()
        os.write(writing, b"".join(map(_NUMBER.pack, range(min(count, self._step)))))
        os.close(writing)

    def __iter__(self) -> Iterator[int]:
        while data := os.read(self._reading, _NUMBER.size):
            (first,) = _NUMBER.unpack(data)
            yield from range(first, self._count, self._step)

    def close(self) -> None:
        os.close(self._reading)


def in_shares(number: int, work: Callable[[int], tuple[bool, bytes]]) -> list[bytes]:
    """What `work(0)`, ..., `work(number - 1)` give, each done by a process of its own, in the order in which they are done.

    As soon as one gives False with its answer, the others are ended. A process that crashes gives nothing. This process must
    have no other threads.
    """
    running: dict[int, int] = {}  # reading ends of pipes, and the processes that write there
    answers: list[bytes] = []
    try:
        for share in range(number):
            reading, writing = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(reading)
                _do(share, work, writing)
            os.close(writing)
            running[reading] = process
        received = {reading: bytearray() for reading in running}
        while running:
            for reading in select.select(list(running), [], [])[0]:
                part = os.read(reading, 1 << 16)
                received[reading] += part
                if part:
                    continue
                _end(reading, running.pop(reading))
                answer = bytes(received[reading])
                if answer:
                    answers.append(answer[1:])
                if answer[:1] == b"\0":
                    return answers
        return answers
    finally:
        for reading, process in running.items():
            _end(reading, process)


def _do(share: int, work: Callable[[int], tuple[bool, bytes]], writing: int) -> None:
    """In the copy; does not return."""
    try:
        go_on, answer = work(share)
        rest = memoryview((b"\1" if go_on else b"\0") + answer)
        while rest:
            rest = rest[os.write(writing, rest) :]
    finally:
        os._exit(0)


def _end(reading: int, process: int) -> None:
    os.close(reading)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
