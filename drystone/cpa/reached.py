"""The states that an analysis has reached, by location, and how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


class Reached(Generic[State]):
    """A graph: every state but the first has one that it was reached from."""

    def __init__(self, location: Callable[[State], int]) -> None:
        self._location = location
        self._at: dict[int, dict[State, None]] = {}
        self.before: dict[State, State | None] = {}
        self._after: dict[State, list[State]] = {}
        self._covered: dict[int, dict[State, None]] = {}  # by location, the states of which a successor there was covered

    def __contains__(self, state: State) -> bool:
        return state in self.before

    def __len__(self) -> int:
        return len(self.before)

    def __iter__(self) -> Iterator[State]:
        return iter(self.before)

    def at(self, location: int) -> Collection[State]:
        return self._at.get(location, {})

    def add(self, state: State, before: State | None) -> None:
        self._at.setdefault(self._location(state), {})[state] = None
        self.before[state] = before
        if before is not None:
            self._after.setdefault(before, []).append(state)

    def replace(self, state: State, by: State) -> None:
        """A merged state takes the place of one of its parts. What was reached from that is reached from the new one, too."""
        before = self.before[state]
        following = self._after.pop(state, [])
        self._forget(state)
        if by not in self:
            self.add(by, before)
        for each in following:
            if each in self and self.before[each] == state:
                self.before[each] = by
                self._after.setdefault(by, []).append(each)

    def cover(self, state: State, location: int) -> None:
        """A successor of the state was covered by what had been reached there."""
        self._covered.setdefault(location, {})[state] = None

    def way_to(self, state: State) -> list[State]:
        way = [state]
        while (before := self.before[way[-1]]) is not None:
            way.append(before)
        way.reverse()
        return way

    def cut(self, state: State) -> list[State]:
        """Forgets a state and all that was reached from it; gives the states that are to be looked at again, since what follows
        them may be missing now."""
        gone: dict[State, None] = {}
        waiting = [state]
        while waiting:
            each = waiting.pop()
            if each in self and each not in gone:
                gone[each] = None
                waiting += self._after.get(each, ())
        again: dict[State, None] = {}
        before = self.before[state]
        if before is not None:
            again[before] = None
        for each in gone:
            again.update(self._covered.pop(self._location(each), {}))
        for each in gone:
            self._forget(each)
            self._after.pop(each, None)
        return [each for each in again if each in self]

    def _forget(self, state: State) -> None:
        del self.before[state]
        del self._at[self._location(state)][state]
