"""All messages pass the coordinator: a star. So it knows exactly what is on the way, and when all is quiet.

It gives each idle host the most urgent work for one of its blocks, and routes what comes back. In rounds, all blocks that
have messages are woken at the same logical time, with what the round before has sent: whatever the number of hosts, and however
long each of them takes, every block sees the same messages in the same order.

A host that dies is replaced. Its blocks are new, and are told again what they need to know; what was asked and concluded in
between is void, which is a new epoch. If a block is the end of several hosts, the search gives up at that block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.engines.dss.hosts import Call, Hosts, Inline, Lost, Reply, Spec, Status, placed
from drystone.engines.dss.messages import COORDINATOR, Kind, Message, Step, packed
from drystone.engines.dss.preparation import Blocks
from drystone.engines.dss.records.journal import Journal
from drystone.engines.dss.records.tracing import Tracer
from drystone.engines.outcome import Observer, Progress
from drystone.logic.terms import Term

_PATIENCE = 0.1  # seconds between two looks at the deadline
_MOST_DEATHS = 3  # of hosts at one block


class Ended(msgspec.Struct):
    """How the search ended: with invariants per cut point, a trace of blocks to the error, or neither, for a reason."""

    invariants: dict[int, list[Term]] | None = None
    trace: tuple[Step, ...] | None = None
    reason: str = ""
    is_paused: bool = False  # it has not: others are due, and then it goes on

    @property
    def is_open(self) -> bool:
        return self.invariants is None and self.trace is None


class Means(msgspec.Struct, frozen=True):
    """How the blocks of a run are brought together. None of this has an influence on what is true."""

    hosts: Hosts
    observer: Observer
    journal: Journal
    tracer: Tracer
    rounds: bool = False  # the same run for any number of hosts
    broadcast: bool = False  # every message goes to every block, as in Beyer, Kettl, Lemberger 2024; to measure what that costs
    precedence: str | None = None  # what blocks take first, ERRORS or POSTCONDITIONS; None: as the coordinator has it


class HostLost(Exception):
    """What was on the way is void."""


class Coordinator(ABC):
    """What the coordinators of all kinds of summaries have in common."""

    def __init__(self, blocks: Blocks, specs: Mapping[str, Spec], means: Means) -> None:
        self.blocks, self.specs, self.means = blocks, specs, means
        self.hosts, self.journal = means.hosts, means.journal
        self.deadline = Deadline()
        self.placement = placed(specs, self.hosts.count)
        self.status = {id: Status() for id in specs}
        self.most_calls: int | None = None  # then the search is interrupted, as at a deadline
        self.is_wanted: Callable[[], bool] = lambda: False  # elsewhere; then it is interrupted, too
        self.ended: Ended | None = None
        self.known: dict[int, list[Term]] = {}
        self.messages = self.bytes = self.lost = 0
        self._at: dict[int, Call] = {}  # hosts, and what they are busy with
        self._calls = 0
        self._deaths: Counter[str] = Counter()
        self._cause = 0  # the call whose answers are being routed; 0: none
        self.hosts.load(specs, self.placement)

    def know(self, invariants: dict[int, list[Term]]) -> None:
        """Invariants that were found before."""
        self.known = invariants
        for id in self.specs:
            self._tell_known(id)

    def _tell_known(self, id: str) -> None:
        formulas = self.known.get(self.specs[id].block.start)
        if formulas:
            self._send(Message(kind=Kind.INVARIANT, sender=COORDINATOR, receiver=id, terms=packed(formulas)))

    # what each kind of summaries does in its own way

    @abstractmethod
    def run(self, deadline: Deadline) -> Ended:
        """Until the end, or the deadline; after that, it can go on."""

    @abstractmethod
    def _put(self, message: Message, receiver: str) -> None:
        """The message waits for the block."""

    @abstractmethod
    def _next(self, host: int) -> tuple[str, Sequence[Message]] | None:
        """The most urgent work for a host."""

    @abstractmethod
    def _round(self) -> dict[str, Sequence[Message]]:
        """All that waits, by block."""

    @abstractmethod
    def _take(self, message: Message) -> None:
        """A message for the coordinator."""

    @abstractmethod
    def _feed(self, id: str) -> None:
        """A block has lost its memory: what it needs to know."""

    def _is_over(self) -> bool:
        """Is there a result?"""
        return self.ended is not None

    def _is_void(self, message: Message) -> bool:
        """Is it too late for this message?"""
        return False

    # deliveries

    def _deliver(self) -> None:
        """Until there is a result, or all is quiet."""
        while not self._is_over():
            if self.deadline.expired():
                self.ended = Ended(reason="out of time")
            elif self.most_calls is not None and self._calls >= self.most_calls:
                self.ended = Ended(reason=f"no result after {counted(self._calls, 'calls')}")
            elif self.is_wanted():
                self.ended = Ended(reason="interrupted")
            elif not (self._one_round() if self.means.rounds else self._one_step()):
                self._cause = 0
                return
        if self.ended is not None:
            self._cause = 0  # should it go on: after all of this

    def _one_step(self) -> bool:
        """Whoever is idle gets work, whoever is done is heard. False if there is nothing to do or to wait for."""
        count = self.hosts.count
        for host in ((self._calls + each) % count for each in range(count)):  # each is the first one now and then
            if len(self._at) >= self.hosts.at_once:
                break
            if host not in self._at and (work := self._next(host)) is not None:
                self._submit(host, *work)
        if not self._at:
            return False
        for event in self._wait():
            self._accept(event)
        return True

    def _one_round(self) -> bool:
        """All blocks that have messages take them; what they say is sent in the order of the blocks."""
        self.means.tracer.quiet()
        waiting: dict[int, deque[tuple[str, Sequence[Message]]]] = {host: deque() for host in range(self.hosts.count)}
        work = self._round()
        for id, messages in work.items():
            waiting[self.placement[id]].append((id, messages))
        numbers: set[int] = set()
        replies: dict[str, Reply] = {}
        try:
            while len(replies) < len(work) and not self.deadline.expired():
                for host, left in waiting.items():
                    if left and host not in self._at and len(self._at) < self.hosts.at_once:
                        numbers.add(self._submit(host, *left.popleft()))
                for reply in self._wait():
                    if reply.number in numbers:
                        replies[reply.block] = reply
                    else:
                        self._accept(reply)  # of a round that was interrupted
        finally:  # nothing is lost if it is interrupted here
            for id in work:
                if id in replies:
                    self._accept(replies[id])
            for left in waiting.values():
                for id, messages in left:
                    for message in messages:
                        self._put(message, id)
        return bool(work)

    def _submit(self, host: int, id: str, messages: Sequence[Message]) -> int:
        self._calls += 1
        call = Call(self._calls, id, tuple(messages), self.deadline.remaining())
        self._at[host] = call
        self.means.tracer.submitted(call, host)
        self.journal.submitted(call, host)
        self.hosts.submit(host, call)
        return call.number

    def _wait(self) -> list[Reply]:
        replies = []
        lost = []
        for event in self.hosts.wait(min(_PATIENCE, self.deadline.remaining())):
            if isinstance(event, Lost):
                lost.append(event)
                continue
            call = self._at.pop(self.placement[event.block])
            self.means.tracer.replied(event)
            self.status[event.block] = event.status
            self.journal.delivered(event.block, call.messages, event.answers, event)
            replies.append(event)
        if lost:
            for reply in replies:  # what the others have found out is not lost
                self._accept(reply)
            self._replace(lost)
        return replies

    def _accept(self, reply: Reply) -> None:
        decisive = self._cause if self._is_over() else reply.number
        self._cause = reply.number
        for message in reply.answers:
            self._send(message)
        self._cause = decisive
        if self._calls % 64 == 0:
            self.means.observer(Progress("summaries", self.counters()))

    def _replace(self, lost: Collection[Lost]) -> None:
        """The blocks of dead hosts begin anew."""
        for each in lost:
            self.lost += 1
            self._at.pop(each.host, None)
            if each.call is not None:
                self.means.tracer.lost(each.call.number)
                self._deaths[each.call.block] += 1
                if self._deaths[each.call.block] >= _MOST_DEATHS:
                    line = self.blocks.blocks[each.call.block].line
                    self.ended = Ended(reason=f"a process ended {_MOST_DEATHS} times at the block of line {line}: {each.how}")
            for id in self.specs:
                if self.placement[id] == each.host:
                    self.status[id] = Status()
                    self._tell_known(id)
                    self._feed(id)
        raise HostLost

    # routing

    def _send(self, message: Message) -> None:
        if self._is_void(message):
            return
        self._note(message)
        for receiver in self._receivers(message):
            if not message.is_reminder:
                self.messages += 1
                self.bytes += len(message.terms)
                self.journal.sent(message, receiver)
            self.means.tracer.sent(message, receiver, self._cause)
            if receiver == COORDINATOR:
                self.journal.delivered(receiver, [message], [])
                self._take(message)
            else:
                self._put(message, receiver)

    @abstractmethod
    def _note(self, message: Message) -> None:
        """What the coordinator itself wants to know of it."""

    def _receivers(self, message: Message) -> Collection[str]:
        """By location: violation conditions go against the flow of control, postconditions with it."""
        if message.receiver and (message.receiver == COORDINATOR or message.sender == COORDINATOR or message.is_reminder):
            return [message.receiver]
        if self.means.broadcast:
            return [id for id in self.specs if id != message.sender or self._hears_itself]
        if message.receiver:
            return [message.receiver]
        table = self.blocks.ending if message.kind is Kind.ERRORCONDITION else self.blocks.starting
        return [id for id in table.get(message.location, ()) if id != message.sender or self._hears_itself]

    _hears_itself = True
    """Does a block that leads back to its own start get what it says?"""

    def counters(self) -> dict[str, int]:
        total = {"messages": self.messages, "bytes": self.bytes, "calls": self._calls, "lost_hosts": self.lost}
        for status in self.status.values():
            for name, count in status.counters.items():
                total[name] = total.get(name, 0) + count
        return total


def inline(observer: Observer, journal: Journal | None = None, rounds: bool = False) -> Means:
    """Everything in this process."""
    return Means(Inline(), observer, journal or Journal(), Tracer(), rounds)
