"""Work in several processes, each a copy of this one: what they find comes back as bytes."""

from __future__ import annotations

import os
import select
import struct
from collections.abc import Callable, Iterator
from functools import partial

from drystone.base.forks import Fork, Say

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


def in_forks(number: int, work: Callable[[int], tuple[bool, bytes]]) -> list[bytes]:
    """What `work(0)`, ..., `work(number - 1)` give, each done by a process of its own, in the order in which they are done.

    As soon as one gives False with its answer, the others are ended. A process that crashes gives nothing. This process must
    have no other threads.
    """
    running: dict[int, Fork] = {}  # by the pipes through which they answer
    answers: list[bytes] = []
    try:
        for share in range(number):
            fork = Fork(partial(_do, share, work))
            running[fork.pipe] = fork
        while running:
            for pipe in select.select(list(running), [], [])[0]:
                said = running[pipe].read()
                if not said and not running[pipe].has_ended:
                    continue
                running.pop(pipe).stop()
                if said:
                    answers.append(said[0][1:])
                    if said[0][:1] == b"\0":
                        return answers
        return answers
    finally:
        for fork in running.values():
            fork.stop()


def _do(share: int, work: Callable[[int], tuple[bool, bytes]], say: Say) -> None:
    """In the copy."""
    go_on, answer = work(share)
    say((b"\1" if go_on else b"\0") + answer)
