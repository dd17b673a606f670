"""Lopes, Rybalchenko 2011, Figure 2: the abstract post over lower bounds of x and y, and REFINE as the table of the text."""

from __future__ import annotations

import random
from collections.abc import Iterator

from drystone.engines.tree.events import AskForNode, DoNode, Event, Join, Leave, Preds
from drystone.engines.tree.master import Master, Precision
from drystone.engines.tree.reach import Way
from drystone.engines.tree.states import ERROR, Order, State
from drystone.engines.tree.worker import Worker

INITIAL = -1
PI_1, PI_2, PI_3 = (1, 4, 8), (2, 5, 8), (3, 6, 7, 8)
EDGES = {1: (INITIAL, 1), 2: (INITIAL, 2), 3: (INITIAL, 3), 4: (1, 5), 5: (2, 5), 6: (3, 4), 7: (4, 5), 8: (5, ERROR)}
TABLE = {PI_1: "x1 y1", PI_2: "y2", PI_3: "y1 y2"}
Bounds = tuple[int | None, int | None]
"""The lowest values that x and y may have, if any are known."""


def after(transition: int, bounds: Bounds) -> Bounds | None:
    x, y = bounds
    match transition:
        case 1:
            return 1, y
        case 2:
            return x, 2
        case 3:
            return x, 1
        case 4:
            return x, x
        case 5 | 7:
            return 0, y
        case 6:
            return x, None if y is None else y + 1
    return bounds if y is None or y < 1 else None


class LowerBounds:
    """A state is Cartesian, over predicates `x >= c` and `y >= c`: which of them are known to hold."""

    def begin(self, precision: bytes) -> Order:
        self.predicates = precision.decode().split()
        return Order()

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        bounds = self._bound("x", state.bits[0]), self._bound("y", state.bits[0])
        for transition, (source, target) in EDGES.items():
            found = after(transition, bounds) if source == state.location else None
            if found is not None:
                lowest = dict(zip(("x", "y"), found, strict=True))
                holds = 0
                for number, predicate in enumerate(self.predicates):
                    low = lowest[predicate[0]]
                    holds |= (low is not None and low >= int(predicate[1])) << number
                yield transition, State(target, (holds if target != ERROR else 0, 0, 0), True)

    def _bound(self, variable: str, holds: int) -> int | None:
        known = [int(each[1]) for number, each in enumerate(self.predicates) if each[0] == variable and holds >> number & 1]
        return max(known, default=None)


class Cluster:
    """Workers whose messages take as long as chance has it; each channel keeps its order."""

    def __init__(self, seed: int, workers: int, selection: str, most: int = 1) -> None:
        self.chance = random.Random(seed)
        self.known: list[str] = []
        self.ways: list[tuple[int, ...]] = []
        self.channels: dict[int, list[Event]] = {}
        self.answers: dict[int, list[Event]] = {}
        self.workers: dict[int, Worker] = {}
        self.root = State(INITIAL, (0, 0, 0), True)
        self.master = Master(self.root, Precision(b"", Order()), self.refine, self.send, selection, most)
        for _ in range(workers):
            self.join()

    def join(self) -> None:
        number = len(self.workers)
        self.workers[number] = Worker(number, self.root, LowerBounds())
        self.channels[number], self.answers[number] = [], [Join(number), AskForNode(number)]

    def kill(self, number: int) -> None:
        """What it was told and what it has said but nobody has heard is lost."""
        self.channels[number] = []
        self.answers[number] = [Leave(number)]

    def send(self, worker: int, event: Event) -> None:
        self.channels[worker].append(event)

    def refine(self, way: Way) -> Precision | None:
        self.ways.append(way.transitions)
        self.known += [each for each in TABLE[way.transitions].split() if each not in self.known]
        return Precision(" ".join(self.known).encode(), Order())

    def step(self) -> None:
        """A message arrives."""
        waiting = [(queues, number) for queues in (self.channels, self.answers) for number in queues if queues[number]]
        queues, number = self.chance.choice(waiting)
        event = queues[number].pop(0)
        if queues is self.answers:
            self.master.handle(event)
            return
        worker = self.workers[number]
        if isinstance(event, Preds):
            worker.begin(event)
        elif isinstance(event, DoNode):
            if event.iteration == worker.iteration:
                self.answers[number].append(worker.expand(event))
            self.answers[number].append(AskForNode(number))

    def run(self) -> list[tuple[int, ...]]:
        while not self.master.is_over:
            self.step()
        return self.ways
