"""States that wait to be expanded. Each waits rather for the worker that has expanded it before, in an earlier tree: it remembers
what follows, and another one would have to ask its solvers. Whoever has nothing else to do takes some of what waits for another
one, if that is much.

Which worker expands a state has no influence on the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from drystone.engines.tree.states import State

Entry = tuple[int, int, State]
"""How urgent, and when it has come: the least first."""
_ANYBODY = -1
_MUCH = 16  # states that another one expands while whoever does not know them expands one


class Waiting:
    def __init__(self, is_wanted: Callable[[State], bool]) -> None:
        """`is_wanted`: one that is not any more is dropped when its turn comes."""
        self._is_wanted = is_wanted
        self._arrived = 0
        self._for: dict[int, list[Entry]] = {_ANYBODY: []}

    def __len__(self) -> int:
        """Also those that are not wanted any more."""
        return sum(map(len, self._for.values()))

    def add(self, state: State, urgency: int, worker: int | None) -> None:
        self._arrived += 1
        heappush(self._for.setdefault(_ANYBODY if worker is None else worker, []), (urgency, self._arrived, state))

    def forget(self, worker: int) -> None:
        """It remembers nothing any more."""
        common = self._for[_ANYBODY]
        common += self._for.pop(worker, [])
        heapify(common)

    def is_empty(self) -> bool:
        """Is none left that is wanted?"""
        return not any(map(self._first, list(self._for)))

    def next_for(self, worker: int, may_steal: bool) -> State | None:
        """The one to be taken next, which stays; None if there is none, or only some that others will take."""
        own = [first for each in (worker, _ANYBODY) if (first := self._first(each)) is not None]
        if own:
            return min(own)[-1]
        if not may_steal:
            return None
        longest = max(self._for.values(), key=len)
        while len(longest) > _MUCH:
            if self._is_wanted(longest[0][-1]):
                return longest[0][-1]
            heappop(longest)
        return None

    def take(self, state: State) -> None:
        """What `next_for` has said."""
        for entries in self._for.values():
            if entries and entries[0][-1] == state:
                heappop(entries)
                return

    def _first(self, worker: int) -> Entry | None:
        entries = self._for.get(worker, [])
        while entries and not self._is_wanted(entries[0][-1]):
            heappop(entries)
        return entries[0] if entries else None
