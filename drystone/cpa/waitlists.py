"""The order in which an analysis looks at states."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

State = TypeVar("State")


class Waitlist(Protocol[State]):
    def add(self, state: State) -> None: ...

    def pop(self) -> State: ...

    def __len__(self) -> int: ...


class Breadth(Generic[State]):
    def __init__(self) -> None:
        self._waiting: deque[State] = deque()
        self.add, self.pop = self._waiting.append, self._waiting.popleft

    def __len__(self) -> int:
        return len(self._waiting)


class Depth(Generic[State]):
    def __init__(self) -> None:
        self._waiting: list[State] = []
        self.add, self.pop = self._waiting.append, self._waiting.pop

    def __len__(self) -> int:
        return len(self._waiting)


class ReversePostorder(Generic[State]):
    """A state whose location comes first in the automaton is looked at first, so that states that meet later are merged before
    anybody goes on from there."""

    def __init__(self, location: Callable[[State], int], order: Mapping[int, int]) -> None:
        self._location, self._order = location, order
        self._waiting: list[tuple[int, int, State]] = []
        self._added = 0

    def add(self, state: State) -> None:
        self._added += 1
        heapq.heappush(self._waiting, (self._order[self._location(state)], self._added, state))

    def pop(self) -> State:
        return heapq.heappop(self._waiting)[2]

    def __len__(self) -> int:
        return len(self._waiting)
