"""The procedure MainMaster (Lopes, Rybalchenko 2011, Figure 3): keeps the tree, gives its states to workers, refines.

Selection is *predictable*: once an error is in the tree, nothing below it is expanded, and as soon as all that is less deep
has been, the least of the shortest counterexamples is refined. Nobody waits for anything else: a worker that is still at deeper
states is left alone, and what it answers belongs to a tree that is no more. *Naive* selection takes the first counterexample
that comes.

Departures from the figures, which decision 037 explains: the depth bound stops expansion; what was dropped is not expanded and
bounds nothing; a worker leaves at any time, and its states go back to the queue.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import msgspec

from drystone.engines.tree.events import AskForNode, DoNode, Event, Join, Leave, Preds, ReachedNodes
from drystone.engines.tree.reach import Added, Tree, Way
from drystone.engines.tree.states import Order, State, is_target
from drystone.engines.tree.waiting import Waiting

PREDICTABLE, NAIVE = "predictable", "naive"


class Precision(msgspec.Struct, frozen=True):
    """`packed`: what workers make of it is their business. `order`: of states that are told by it."""

    packed: bytes
    order: Order


Refine = Callable[[Way], Precision | None]
"""None: the counterexample is none that predicates could exclude, and that is the end."""


class Concluded(msgspec.Struct, frozen=True):
    """An iteration: the counterexample that was refined, if there was one, and the tree down to its depth."""

    way: Way | None
    sizes: tuple[int, ...]
    targets: int  # errors of the same depth
    waited: int  # states that were expanded since the first counterexample of this depth was found


class Counted(msgspec.Struct):
    added: int = 0  # to the tree
    covered: int = 0  # by what was in the tree when they came
    expanded: int = 0
    late: int = 0  # states that were found for a tree that is no more
    returned: int = 0  # to the queue, as their worker was lost


class Master:
    """`send`: to a worker, in order."""

    def __init__(
        self,
        root: State,
        precision: Precision,
        refine: Refine,
        send: Callable[[int, Event], None],
        selection: str = PREDICTABLE,
        most: int = 1,
    ) -> None:
        """`most`: states that a worker is told at a time."""
        self.root, self.precision, self.refine, self.send = root, precision, refine, send
        self.is_naive, self.most = selection == NAIVE, most
        self.workers: set[int] = set()
        self.idle: deque[int] = deque()
        self.counted = Counted()
        self.concluded: list[Concluded] = []
        self.iteration = 0
        self.is_over = False
        self._suspects: set[State] = set()  # at which a worker was lost: each of them is told alone
        self._knows: dict[State, int] = {}  # who has expanded a state, in this tree or an earlier one
        self._begin()

    def _begin(self) -> None:
        self.iteration += 1
        self.tree = Tree(self.precision.order, self.root)
        self.bound = math.inf  # the depth of the candidates: errors that are in the tree
        self.targets: dict[State, None] = {}
        self._waited = 0
        self._waiting = Waiting(self._is_wanted)
        self._given: dict[int, DoNode] = {}
        self._enqueue(self.root, 0)

    def handle(self, event: Event) -> None:
        match event:
            case Join(worker):
                self.workers.add(worker)
                self.send(worker, Preds(self.iteration, self.precision.packed))
            case AskForNode(worker):
                self._given.pop(worker, None)
                if worker in self.workers and worker not in self.idle:
                    self.idle.append(worker)
            case ReachedNodes(worker, iteration, found):
                if iteration == self.iteration and worker in self._given:
                    self._reached(event)
                else:
                    self.counted.late += len(found)
                return  # it asks for more now
            case Leave(worker):
                self._leave(worker)
        self._go_on()

    def _reached(self, event: ReachedNodes) -> None:
        given = self._given.pop(event.worker)
        self.counted.expanded += len(given.nodes)
        if not math.isinf(self.bound):
            self._waited += len(given.nodes)
        for reached in event.found:
            parent, depth = given.nodes[reached.parent]
            self._add(reached.state, depth + 1, parent, reached.transition)

    def _add(self, state: State, depth: int, parent: State, transition: int) -> None:
        added = self.tree.add(state, depth, (parent, transition))
        if added is Added.COVERED:
            self.counted.covered += 1
        elif added is Added.NEW:
            self.counted.added += 1
            if not is_target(state):
                self._enqueue(state, depth)
            elif depth <= self.bound:
                if depth < self.bound:
                    self.bound, self._waited, self.targets = depth, 0, {}
                self.targets[state] = None

    def _leave(self, worker: int) -> None:
        self.workers.discard(worker)
        if worker in self.idle:
            self.idle.remove(worker)
        given = self._given.pop(worker, None)
        self._waiting.forget(worker)
        if given is not None:
            self.counted.returned += len(given.nodes)
            for state, depth in given.nodes:
                self._suspects.add(state)
                if self.tree.is_current(state, depth):
                    self.tree.nodes[state].is_given = False
                    self._enqueue(state, depth)

    # what to do next

    def _enqueue(self, state: State, depth: int) -> None:
        """Predictable selection takes the least deep first: they are waited for. (Any order gives the same counterexample.)"""
        knows = self._knows.get(state)
        self._waiting.add(state, 0 if self.is_naive else depth, knows if knows in self.workers else None)

    def _go_on(self) -> None:
        while not self.is_over and self._is_complete():
            self._conclude()
        for worker in list(self.idle) if not self.is_over else ():
            if not len(self._waiting):
                return
            if nodes := self._take(worker):
                self.idle.remove(worker)
                self._given[worker] = DoNode(self.iteration, nodes)
                self.send(worker, self._given[worker])

    def _take(self, worker: int) -> tuple[tuple[State, int], ...]:
        """Some states that wait, so that other workers find some, too."""
        fair = -(-len(self._waiting) // (2 * max(1, len(self.workers))))
        nodes: list[tuple[State, int]] = []
        while len(nodes) < min(self.most, fair):
            state = self._waiting.next_for(worker, may_steal=not nodes)
            is_suspect = state in self._suspects
            if state is None or (is_suspect and nodes):
                break
            self._waiting.take(state)
            node = self.tree.nodes[state]
            node.is_given = True
            self._knows[state] = worker
            nodes.append((state, node.depth))
            if is_suspect:
                break
        return tuple(nodes)

    @property
    def is_short_of_workers(self) -> bool:
        """Does a state wait for somebody?"""
        return not self.idle and len(self._waiting) > 0

    def _is_wanted(self, state: State) -> bool:
        """Is it still in the tree, to be expanded, and not below the candidates?"""
        node = self.tree.nodes.get(state)
        return node is not None and node.depth < self.bound and not node.is_given

    def _is_complete(self) -> bool:
        """Has all been expanded that is less deep than the candidates? All that there is, if there are none."""
        if self.is_naive and self.targets:
            return True
        if not self._waiting.is_empty():
            return False
        given = (each for work in self._given.values() for each in work.nodes)
        return not any(depth < self.bound and self.tree.is_current(state, depth) for state, depth in given)

    def _conclude(self) -> None:
        deepest = None if math.isinf(self.bound) else int(self.bound)
        way: Way | None = None
        if self.targets:
            first = next(iter(self.targets))
            way = self.tree.first_counterexample(first) if self.is_naive else self.tree.least_counterexample(self.targets)
        self.concluded.append(Concluded(way, tuple(self.tree.sizes(deepest)), len(self.targets), self._waited))
        finer = self.refine(way) if way is not None else None
        if finer is None:
            self.is_over = True
            return
        self.precision = finer
        self._begin()
        for worker in sorted(self.workers):
            self.send(worker, Preds(self.iteration, finer.packed))
