"""What a recording of `tree` tells, depth by depth: who expanded what, the candidates, why they waited."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from drystone.engines.tree.events import unpack_nodes, unpack_reached
from drystone.engines.tree.post import ROOT
from drystone.engines.tree.reach import Added, Tree
from drystone.engines.tree.recording import Answered, Begun, Frame, Given, Joined, Lost, Predicates, Refined, Selected
from drystone.engines.tree.simulation import order_of
from drystone.engines.tree.states import is_target


class Depth(msgspec.Struct):
    states: int = 0  # that the tree has there in the end
    found: int = 0  # that were sent to the master
    covered: int = 0  # of these, as the tree had larger ones
    expanded: Counter[int] = msgspec.field(default_factory=Counter)  # by worker
    waited: int = 0  # expanded since there was a candidate


class Candidate(msgspec.Struct, frozen=True):
    """An error that was found, less deep than those before: nothing as deep is expanded from then on."""

    time: float
    worker: int
    depth: int
    transitions: tuple[int, ...]  # as it was found


class Iteration(msgspec.Struct):
    search: int
    number: int
    began: float
    depths: dict[int, Depth] = {}
    candidates: list[Candidate] = []
    joined: list[tuple[int, int]] = []  # workers, and how many states had been expanded
    lost: list[tuple[int, int]] = []
    ended: float = 0.0
    selected: Selected | None = None  # None: the recording ends before
    refining_s: float = 0.0
    late: int = 0  # answers that belong to a tree that is no more

    @property
    def expanded(self) -> int:
        return sum(depth.expanded.total() for depth in self.depths.values())


class _Growing:
    """An iteration as it goes on."""

    def __init__(self, iteration: Iteration, predicates: Predicates) -> None:
        self.told = iteration
        self.tree = Tree(order_of(predicates), ROOT)
        self.bound = math.inf

    def answered(self, given: Given, answered: Answered) -> None:
        told, work = self.told, unpack_nodes(given.iteration, given.nodes)
        for _, depth in work.nodes:
            here = self._at(depth)
            here.expanded[given.worker] += 1
            here.waited += bool(told.candidates)
        for each in unpack_reached(given.worker, given.iteration, answered.found or ()).found:
            parent, before = work.nodes[each.parent]
            depth = before + 1
            here = self._at(depth)
            here.found += 1
            added = self.tree.add(each.state, depth, (parent, each.transition))
            here.covered += added is Added.COVERED
            if added is Added.NEW and is_target(each.state) and depth < self.bound:
                self.bound = depth
                way = self.tree.first_counterexample(each.state).transitions
                told.candidates.append(Candidate(answered.time, given.worker, depth, way))

    def end(self, time: float) -> Iteration:
        self.told.ended = time
        for depth, states in enumerate(self.tree.sizes()):
            self._at(depth).states = states
        return self.told

    def _at(self, depth: int) -> Depth:
        return self.told.depths.setdefault(depth, Depth())


def retold(frames: Iterable[Frame]) -> Iterator[Iteration]:
    searches = number = 0
    growing: _Growing | None = None
    given: dict[int, Given] = {}
    for frame in frames:
        match frame:
            case Begun():
                if growing is not None and growing.told.selected is None:
                    yield growing.end(frame.time)
                searches, number = searches + 1, 1
                growing = _Growing(Iteration(searches, 1, frame.time), frame.predicates)
            case Refined() if growing is not None:
                growing.told.refining_s = frame.seconds
                yield growing.told
                number += 1
                growing = _Growing(Iteration(searches, number, frame.time), frame.predicates)
            case Given():
                given[frame.worker] = frame
            case Answered() if growing is not None:
                if given[frame.worker].iteration == number:
                    growing.answered(given[frame.worker], frame)
                else:
                    growing.told.late += 1
            case Joined() if growing is not None:
                growing.told.joined.append((frame.worker, growing.told.expanded))
            case Lost() if growing is not None:
                growing.told.lost.append((frame.worker, growing.told.expanded))
            case Selected() if growing is not None:
                growing.told.selected = frame
                growing.end(frame.time)
    if growing is not None:
        yield growing.told if growing.told.selected is not None else growing.end(growing.told.began)
