"""What another process has said last, in memory that both share: who says it wakes nobody, who wants to know looks."""

from __future__ import annotations

from mmap import mmap

_SIZE = 4096  # bytes
_WORD = 8  # of them


class Latest:
    """Made by the process that looks, before it forks the one that speaks.

    The first word counts, and is odd while something is being said, the second word is its length; each is written at once.
    """

    def __init__(self) -> None:
        self._shared = mmap(-1, _SIZE)
        self._words = memoryview(self._shared)[: 2 * _WORD].cast("Q")
        self._taken = 0

    def put(self, data: bytes) -> None:
        """In the place of what was said before. Something that is too long is not said."""
        if len(data) > _SIZE - 2 * _WORD:
            return
        self._words[0] += 1
        self._words[1] = len(data)
        self._shared[2 * _WORD : 2 * _WORD + len(data)] = data
        self._words[0] += 1

    def take(self) -> bytes | None:
        """None if it is known, or is just being said."""
        number = self._words[0]
        if number == self._taken or number % 2:
            return None
        data = self._shared[2 * _WORD : 2 * _WORD + self._words[1]]
        if self._words[0] != number:
            return None  # it has changed meanwhile
        self._taken = number
        return data
