"""The workers without a block (Kettl 2022, section 4.1.6): they live at the coordinator, which hears everything.

Table 4 says what each reacts to, Table 5 what it may send. All of them, and the workers of blocks, end with RESULT and ERROR.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from drystone.base.deadline import Deadline
from drystone.engines.dss.messages import COORDINATOR, Failure, Kind, Message, Reached

ROOT, RESULT, TIMEOUT = "root", "result", "timeout"


class RootWorker:
    """Sees error conditions that have come to the entry of the program."""

    def __init__(self, is_possible: Callable[[Message], bool]) -> None:
        """`is_possible`: its proceed operator. An error condition of an exact domain is one that the worker of the entry has
        asked the solver about; for others it is a question about the whole trace, and the answer no is final."""
        self._is_possible = is_possible
        self.spurious = 0

    def react(self, message: Message) -> Message | None:
        if message.kind is not Kind.ERRORCONDITION:
            return None
        if self._is_possible(message):
            return Message(kind=Kind.RESULT, sender=ROOT, receiver=COORDINATOR, trace=message.trace, content=Reached(exact=True))
        self.spurious += 1
        kind = Kind.ERRORCONDITIONUNREACHABLE
        return Message(kind=kind, sender=ROOT, receiver=message.sender, location=message.location, parent=message.id)


class ResultWorker:
    """Counts who has not answered which error condition. When all have, the program is proved, says the paper.

    That is so if all workers have looked for errors, from states that include all that are reached; who asks has to know.
    """

    def __init__(self) -> None:
        self._missing: dict[str, set[str]] = {}  # by error condition
        self.open = 0
        self.conditions = 0
        self.has_balanced = False  # at some time, after the first error condition

    @property
    def is_balanced(self) -> bool:
        return self.open == 0

    def react(self, message: Message, receivers: Collection[str] = ()) -> None:
        """An error condition with those that have to answer it; an answer is a refutation or a stronger error condition."""
        if message.kind in (Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE):
            missing = self._missing.get(message.parent, set())
            if message.sender in missing:
                missing.remove(message.sender)
                self.open -= 1
        if message.kind is Kind.ERRORCONDITION:
            self.conditions += 1
            self._missing[message.id] = set(receivers)
            self.open += len(self._missing[message.id])
        elif message.kind is Kind.ERRORCONDITIONUNREACHABLE:
            self.has_balanced |= self.is_balanced


class TimeoutWorker:
    """Ignores everything, and ends the run when its time is over."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline

    def react(self, message: Message) -> None:
        return None

    def result(self) -> Message | None:
        if not self.deadline.expired():
            return None
        return Message(kind=Kind.RESULT, sender=TIMEOUT, receiver=COORDINATOR, content=Failure("out of time"))
