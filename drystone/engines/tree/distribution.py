"""Brings master and workers together: each worker lives on a host of its own, which may end at any time.

Workers join one after the other, when states wait and nobody is idle: most programs are small. A host that
dies is replaced, and its worker joins anew; the states that it was told go back to the queue, each on its own, so that a state
which is the end of several hosts is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.hosting import Hosts, Lost
from drystone.engines.outcome import Observer, Progress
from drystone.engines.tree.events import AskForNode, DoNode, Event, Join, Leave, Preds, pack_nodes, unpack_reached
from drystone.engines.tree.hosted import Call, Reply, Spec, name
from drystone.engines.tree.log import Log
from drystone.engines.tree.master import Master
from drystone.engines.tree.states import State
from drystone.solvers.queries import GaveUp

WorkerHosts = Hosts[Spec, Call, Reply]

_PATIENCE = 0.1  # seconds between two looks at the deadline
_MOST_DEATHS = 3  # of hosts at one state


class Counted(msgspec.Struct):
    messages: int = 0
    lost: int = 0


class Distribution:
    """Raises `GaveUp` as a worker does."""

    def __init__(self, hosts: WorkerHosts, spec: Callable[[int], Spec], deadline: Deadline, observer: Observer, log: Log) -> None:
        self.hosts, self.spec, self.deadline, self.observer, self.log = hosts, spec, deadline, observer, log
        self.counted = Counted()
        self.counters: dict[int, dict[str, int]] = {}  # what workers say of themselves
        self.workers = 0
        self._predicates: dict[int, Preds] = {}  # which a worker has not been told
        self._work: dict[int, DoNode] = {}
        self._recalled: list[int] = []  # workers whose work is not wanted any more, before they were told of it
        self._at: dict[int, DoNode] = {}
        self._deaths: Counter[State] = Counter()
        self._calls = 0

    def send(self, worker: int, event: Event) -> None:
        if isinstance(event, Preds):
            self._predicates[worker] = event
            if self._work.pop(worker, None) is not None:  # for a tree that is no more
                self._recalled.append(worker)
        elif isinstance(event, DoNode):
            self._work[worker] = event

    def run(self, master: Master) -> bool:
        """To the end of the search; no, if there was no time for that."""
        self.hosts.load({name(0): self.spec(0)}, {name(0): 0})
        self._joined(master)
        while not master.is_over:
            if self.deadline.expired():
                return False
            while self.workers < min(self.hosts.count, self.hosts.at_once) and master.is_short_of_workers:
                self.hosts.join(name(self.workers), self.spec(self.workers), self.workers)
                self._joined(master)
            for worker in [each for each in self._work if each not in self._at]:
                self._submit(worker)
            for event in self.hosts.wait(min(_PATIENCE, self.deadline.remaining())):
                if not master.is_over:
                    self._hear(master, event)
        return True

    def _joined(self, master: Master) -> None:
        self.log.joined(self.workers)
        master.handle(Join(self.workers))
        master.handle(AskForNode(self.workers))
        self.workers += 1

    def _submit(self, worker: int) -> None:
        self._calls += 1
        work = self._work.pop(worker)
        predicates, seconds = self._predicates.pop(worker, None), self.deadline.remaining()
        call = Call(self._calls, worker, predicates, work.iteration, pack_nodes(work), seconds)
        self._at[worker] = work
        self.counted.messages += 1
        self.log.submitted(call)
        self.hosts.submit(worker, call)

    def _hear(self, master: Master, event: Reply | Lost) -> None:
        if isinstance(event, Lost):
            self._replaced(master, event)
            return
        self.counted.messages += 1
        self.log.replied(event)
        del self._at[event.worker]
        self.counters[event.worker] = event.counters
        if event.found is None:
            raise GaveUp(event.problem)
        master.handle(unpack_reached(event.worker, event.iteration, event.found))
        self._ask(master, event.worker)
        if self._calls % 64 == 0:
            figures = {"states": master.counted.expanded, "iterations": master.iteration, "workers": self.workers}
            self.observer(Progress("growing", figures))

    def _ask(self, master: Master, worker: int) -> None:
        """And for those whose work was recalled."""
        master.handle(AskForNode(worker))
        while self._recalled and not master.is_over:
            master.handle(AskForNode(self._recalled.pop()))

    def _replaced(self, master: Master, lost: Lost) -> None:
        self.counted.lost += 1
        if lost.host >= self.workers:  # it has not joined
            return
        self.log.lost(lost.host)
        self._predicates.pop(lost.host, None)
        self._work.pop(lost.host, None)
        work = self._at.pop(lost.host, None)
        if work is not None:
            for state, _ in work.nodes:
                self._deaths[state] += 1
                if self._deaths[state] >= _MOST_DEATHS:
                    raise GaveUp(f"a process ended {_MOST_DEATHS} times at one state: {lost.how}")
        master.handle(Leave(lost.host))
        master.handle(Join(lost.host))
        self._ask(master, lost.host)
