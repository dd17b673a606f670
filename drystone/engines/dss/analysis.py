"""How a block takes part in distributed analysis: one protocol, and one algorithm that every domain runs under.

A domain says how its abstract states travel (`deserialise`; packing is that of `operators`), what the states of several
blocks are together (`combine`), whether that is news (`proceed`), what leaves the block (`analyse`), and from where the block
gets to an error (`look_for_violations`). These are the operators of Kettl 2022, section 4, and of Beyer, Kettl, Lemberger 2024,
section 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from drystone.base.deadline import Deadline
from drystone.engines.dss.messages import COORDINATOR, Failure, Kind, Message
from drystone.engines.dss.operators import Operators
from drystone.engines.dss.preparation import ProgramBlock
from drystone.solvers.queries import GaveUp


class Actor(ABC):
    """A block with a solver of its own, from messages to messages: all that a host knows. It knows no other block and no host.

    What it has to say, it puts into `outbox`.
    """

    def __init__(self, block: ProgramBlock, operators: Operators) -> None:
        self.block, self.transformer, self.start = block, block.transformer, block.start
        self.operators = operators
        self.counters: dict[str, int] = {}
        self.outbox: list[Message] = []

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Does it wait for others, or not exclude an error?"""

    @property
    @abstractmethod
    def epoch(self) -> int:
        """What is said in one is not heard in the next."""

    @abstractmethod
    def give(self, deadline: Deadline) -> None:
        """How long it may take from now on."""

    @abstractmethod
    def receive(self, messages: Sequence[Message]) -> list[Message]:
        """What it answers to messages that have arrived together."""

    def figures(self) -> dict[str, int]:
        """For people: what it has done."""
        return self.counters

    def say(self, kind: Kind, **fields: object) -> None:
        self.outbox.append(self.message(kind, **fields))

    def message(self, kind: Kind, **fields: object) -> Message:
        return Message(kind=kind, sender=self.block.id, epoch=self.epoch, **fields)  # type: ignore[arg-type]

    def failure(self, problem: GaveUp) -> Message:
        return self.message(Kind.ERROR, receiver=COORDINATOR, content=Failure(str(problem)))


class BlockAnalysis(Actor):
    """A block that synthesises summaries."""

    at_once = True
    """Does it look at all messages that have arrived together, or at one after the other?"""

    @property
    def is_stale(self) -> bool:
        """Has something changed since it looked for violations?"""
        return False

    @abstractmethod
    def deserialise(self, message: Message) -> None:
        """What a message says, as this domain understands it: a postcondition, a violation condition, what holds anyway."""

    @abstractmethod
    def combine(self) -> None:
        """What blocks before say of the states at the start, together: the precondition."""

    @abstractmethod
    def proceed(self) -> bool:
        """Is there something to do? Not if nothing has changed since the last time."""

    @abstractmethod
    def analyse(self) -> None:
        """Forwards: what holds where the block is left, for those that begin there."""

    @abstractmethod
    def look_for_violations(self) -> None:
        """Backwards: from which states at the start an error is reached, in this block or behind it, for those that end there."""

    def receive(self, messages: Sequence[Message]) -> list[Message]:
        if self.at_once:
            return synthesise(self, messages)
        return [answer for message in messages for answer in synthesise(self, [message])]


def synthesise(analysis: BlockAnalysis, messages: Sequence[Message]) -> list[Message]:
    """One turn of the loop of distributed summary synthesis (Beyer, Kettl, Lemberger 2024, Algorithm 3).

    There, violation conditions are sent instead of postconditions, and whenever there are any. Here, postconditions are
    always sent, and violations are looked for when nothing else is left to do: START is delivered last, and only then are
    postconditions settled. The newest message of a block takes the place of those before in `deserialise`.
    """
    analysis.outbox = []
    try:
        for message in messages:  # lines 5 to 9
            analysis.deserialise(message)
        analysis.combine()  # lines 10 and 11
        if analysis.proceed():
            analysis.analyse()  # lines 12, 13 and 18
        if any(message.kind is Kind.START for message in messages):
            analysis.look_for_violations()  # lines 14 to 16
        elif analysis.is_stale:
            analysis.say(Kind.START, receiver=analysis.block.id)
    except GaveUp as problem:
        analysis.outbox.append(analysis.failure(problem))
    return analysis.outbox
