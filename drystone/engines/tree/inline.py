"""Master and one worker in one process."""

from __future__ import annotations

from collections import deque

from drystone.base.deadline import Deadline
from drystone.engines.tree.events import AskForNode, DoNode, Event, Join, Preds
from drystone.engines.tree.master import Master
from drystone.engines.tree.states import State
from drystone.engines.tree.worker import Post, Worker


class Inline:
    def __init__(self, root: State, post: Post, deadline: Deadline) -> None:
        self.worker, self.deadline = Worker(0, root, post), deadline
        self._sent: deque[Event] = deque()

    def send(self, worker: int, event: Event) -> None:
        self._sent.append(event)

    def run(self, master: Master) -> bool:
        """To the end of the search; no, if there was no time for that."""
        master.handle(Join(0))
        master.handle(AskForNode(0))
        while not master.is_over:
            if self.deadline.expired():
                return False
            event = self._sent.popleft()
            if isinstance(event, Preds):
                self.worker.begin(event)
            elif isinstance(event, DoNode):
                master.handle(self.worker.expand(event))
                master.handle(AskForNode(0))
        return True
