"""Merging of blocks down to a given number.

Kettl 2022, Algorithm 3 (its line 15 slips: the merged block ends at the exit of the *successor*), repeated as its text
suggests, which makes it the alternation of horizontal and vertical merges of Beyer, Kettl, Lemberger 2024, section 3.

* Horizontal: two blocks with the same entry and the same exit become one.
* Vertical: a block and the one that begins where it ends become one, if no other block ends there and no other begins there.

Both compare all pairs of blocks after every merge; here a merge looks again only at the three locations it
touches. Two points where both are silent:

* All terminal exits count as the same one, the end: no block begins there. In the automata of the 2024 paper errors lead on to
  the end, which has the same effect; so the branch into the error and the one to the end merge, but an assertion in the middle
  of the program is two blocks.
* The program's entry is never merged away, although a loop may lead back to it: execution begins there, so a block must.

Of several possible merges the one with the fewest edges comes first, then the one furthest down in the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from drystone.blocks.flow import Flow
from drystone.blocks.graph import Part

_END = -1


class _Merged:
    """A block that grows. Its edges are the leaves below it: merging copies nothing."""

    __slots__ = ("entry", "exit", "terminal_exits", "size", "below")

    def __init__(self, entry: int, exit_: int, terminal_exits: set[int], size: int, below: tuple[_Merged | Part, ...]) -> None:
        self.entry = entry
        self.exit = exit_  # where its successors begin; or the end
        self.terminal_exits = terminal_exits
        self.size = size
        self.below = below

    def part(self) -> Part:
        edges: list[int] = []
        stack: list[_Merged | Part] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, Part):
                edges.extend(item.edges)
            else:
                stack.extend(reversed(item.below))
        exits = self.terminal_exits if self.exit == _END else {*self.terminal_exits, self.exit}
        return Part(self.entry, frozenset(exits), edges)


def merge_parts(flow: Flow, parts: Sequence[Part], target: int) -> list[Part]:
    """Requires linear parts. Ensures that `target` parts are left, or that no two can be merged."""
    return _Merging(flow, parts).run(target)


class _Merging:
    def __init__(self, flow: Flow, parts: Sequence[Part]) -> None:
        self.flow = flow
        self.count = len(parts)
        # By location; a block keeps its place in these sets until it is merged.
        self.beginning: dict[int, dict[_Merged, None]] = {}
        self.ending: dict[int, dict[_Merged, None]] = {}
        self.horizontal: list[tuple[int, int, int]] = []  # heaps of (edges, how far up, location)
        self.vertical: list[tuple[int, int, int]] = []
        for part in parts:
            (end,) = part.exits
            terminal = flow.is_terminal(end)
            self._add(_Merged(part.entry, _END if terminal else end, {end} if terminal else set(), len(part.edges), (part,)))
        for location in self.beginning:
            self._consider(location)

    def run(self, target: int) -> list[Part]:
        """Alternates: all horizontal merges that there are, then all vertical ones, and so on."""
        while self.count > target and (self.horizontal or self.vertical):
            while self.horizontal and self.count > target:
                pair = self._next(self.horizontal, self._side_by_side)
                if pair is not None:
                    self._replace(*pair, exit_=pair[0].exit)
            while self.vertical and self.count > target:
                pair = self._next(self.vertical, self._one_after_the_other)
                if pair is not None:
                    self._replace(*pair, exit_=pair[1].exit)
        position = self.flow.position
        blocks = [block for location in self.beginning.values() for block in location]
        blocks.sort(key=lambda block: position[block.entry])  # stable: blocks of one entry in the order of their edges
        return [block.part() for block in blocks]

    def _side_by_side(self, location: int) -> tuple[_Merged, _Merged] | None:
        """Two blocks that can be merged horizontally. (A location begins at most two, one per edge.)"""
        blocks = list(self.beginning.get(location, ()))
        for index, first in enumerate(blocks):
            for second in blocks[index + 1 :]:
                if first.exit == second.exit:
                    return first, second
        return None

    def _one_after_the_other(self, location: int) -> tuple[_Merged, _Merged] | None:
        """The two blocks that can be merged vertically at this location."""
        ending, beginning = self.ending.get(location, {}), self.beginning.get(location, {})
        if len(ending) != 1 or len(beginning) != 1 or location == self.flow.procedure.entry:
            return None
        (first,), (second,) = ending, beginning
        return (first, second) if first is not second else None  # a loop's iteration is not merged with itself

    def _next(
        self, heap: list[tuple[int, int, int]], possible: Callable[[int], tuple[_Merged, _Merged] | None]
    ) -> tuple[_Merged, _Merged] | None:
        """The best merge of this kind. None if the top of the heap is out of date; it is put right or dropped then."""
        size, place, location = heappop(heap)
        pair = possible(location)
        if pair is not None and pair[0].size + pair[1].size != size:
            heappush(heap, (pair[0].size + pair[1].size, place, location))
            return None
        return pair

    def _replace(self, first: _Merged, second: _Merged, exit_: int) -> None:
        for block in (first, second):
            del self.beginning[block.entry][block]
            if block.exit != _END:
                del self.ending[block.exit][block]
        # The smaller set goes into the larger one.
        larger, smaller = sorted((first.terminal_exits, second.terminal_exits), key=len, reverse=True)
        larger |= smaller
        merged = _Merged(first.entry, exit_, larger, first.size + second.size, (first, second))
        self._add(merged)
        self.count -= 1
        for location in {first.entry, second.entry, exit_} - {_END}:
            self._consider(location)

    def _add(self, block: _Merged) -> None:
        self.beginning.setdefault(block.entry, {})[block] = None
        if block.exit != _END:
            self.ending.setdefault(block.exit, {})[block] = None

    def _consider(self, location: int) -> None:
        place = -self.flow.position[location]
        for heap, possible in ((self.horizontal, self._side_by_side), (self.vertical, self._one_after_the_other)):
            pair = possible(location)
            if pair is not None:
                heappush(heap, (pair[0].size + pair[1].size, place, location))
