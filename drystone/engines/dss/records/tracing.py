"""What a run did when: each call of a block, what it took, what it had to wait for. `drystone trace` reads it (`runtime.trace`).

A call waits for the calls whose answers it was given, and for the call of the same block before it. What the coordinator asks
when all is quiet waits for all calls before. So a call is recorded after everything that it waits for, and has a greater number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import msgspec

from drystone.engines.dss.hosts import Call, Reply
from drystone.engines.dss.messages import COORDINATOR, Kind, Message

FORMAT, VERSION = "drystone trace", 1


class Begun(msgspec.Struct, frozen=True, tag=0, array_like=True):
    """New blocks: their names, lines and edges. Calls are counted anew from 1."""

    time: float  # seconds, by the same clock as all others
    hosts: int
    blocks: list[tuple[str, int, int]]


class Called(msgspec.Struct, frozen=True, tag=1, array_like=True):
    number: int
    host: int
    block: str
    kinds: list[int]  # of the messages
    causes: list[int]  # calls without which these messages would not be
    barrier: int  # all calls up to this one came before
    submitted: float  # seconds, as all of the following
    began: float
    ended: float
    heard: float  # by the coordinator
    solving: float  # of the time between began and ended
    packing: float
    queries: int  # of the block up to now


class Ended(msgspec.Struct, frozen=True, tag=2, array_like=True):
    time: float
    verdict: str
    reason: str


Record = Begun | Called | Ended


class Tracer:
    """Does not trace."""

    def begun(self, blocks: list[tuple[str, int, int]], hosts: int) -> None: ...

    def sent(self, message: Message, receiver: str, cause: int) -> None: ...

    def quiet(self) -> None:
        """What is submitted from now on waits for all that was."""

    def submitted(self, call: Call, host: int) -> None: ...

    def replied(self, reply: Reply) -> None: ...

    def lost(self, number: int) -> None:
        """There will be no reply to this call."""

    def ended(self, verdict: str, reason: str) -> None: ...


class Tracers(Tracer):
    """Several, which hear the same."""

    def __init__(self, *tracers: Tracer) -> None:
        self._tracers = tracers

    def begun(self, blocks: list[tuple[str, int, int]], hosts: int) -> None:
        for each in self._tracers:
            each.begun(blocks, hosts)

    def sent(self, message: Message, receiver: str, cause: int) -> None:
        for each in self._tracers:
            each.sent(message, receiver, cause)

    def quiet(self) -> None:
        for each in self._tracers:
            each.quiet()

    def submitted(self, call: Call, host: int) -> None:
        for each in self._tracers:
            each.submitted(call, host)

    def replied(self, reply: Reply) -> None:
        for each in self._tracers:
            each.replied(reply)

    def lost(self, number: int) -> None:
        for each in self._tracers:
            each.lost(number)

    def ended(self, verdict: str, reason: str) -> None:
        for each in self._tracers:
            each.ended(verdict, reason)


class _Origin(msgspec.Struct, frozen=True):
    """Why there is a message."""

    kind: Kind
    sender: str
    causes: frozenset[int]
    barrier: int

    def is_of(self, message: Message) -> bool:
        return (self.kind, self.sender) == (message.kind, message.sender)


class _Submitted(msgspec.Struct, frozen=True):
    call: Call
    host: int
    time: float
    causes: list[int]
    barrier: int


class WritingTracer(Tracer):
    """Writes records as they come."""

    def __init__(self, write: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        self._write, self._clock = write, clock
        self._began = clock()
        self._encoder = msgspec.msgpack.Encoder()
        self._forget()
        write(f"{FORMAT} {VERSION}\n".encode())

    def _forget(self) -> None:
        self._origins: dict[tuple[str, int], _Origin] = {}  # by receiver; of dropped messages as well
        self._at: dict[int, _Submitted] = {}
        self._last = self._quiet = 0
        self._ahead: set[int] = set()  # calls that were done before an earlier one
        self._moments: list[int] = []  # when postconditions had settled: the last call before
        self._is_settled = False  # since the last of them
        self._starts: dict[int, int] = {}  # the first of them in each epoch
        self._answers: dict[int, tuple[int, set[int]]] = {}  # per location an epoch, and who told the coordinator

    def begun(self, blocks: list[tuple[str, int, int]], hosts: int) -> None:
        self._forget()
        self._record(Begun(self._now(), hosts, blocks))

    def sent(self, message: Message, receiver: str, cause: int) -> None:
        """`cause`: the call that is answered by it or has led to it; 0 if the coordinator sends it because all is quiet."""
        if receiver == COORDINATOR:
            if message.kind is Kind.ERRORCONDITIONUNREACHABLE:
                epoch, calls = self._answers.get(message.location, (0, set()))
                self._answers[message.location] = (message.epoch, {*(calls if epoch == message.epoch else ()), cause})
            return
        causes = {cause} if cause else self._ahead
        if cause and message.sender == COORDINATOR and message.kind is Kind.BLOCKPOSTCONDITION:
            epoch, calls = self._answers.get(message.location, (0, set()))
            causes = causes | calls if epoch == message.epoch else causes  # all blocks before the location had to agree
        barrier = 0 if cause else self._all_done()
        self._origins[receiver, id(message)] = _Origin(message.kind, message.sender, frozenset(causes), barrier)

    def quiet(self) -> None:
        self._quiet = self._all_done()

    def submitted(self, call: Call, host: int) -> None:
        causes: set[int] = set()
        barrier, unsent = self._quiet, []
        for message in call.messages:
            origin = self._origins.pop((call.block, id(message)), None)
            if origin is not None and origin.is_of(message):
                causes |= origin.causes
                barrier = max(barrier, origin.barrier)
            else:
                unsent.append(message)
        if any(message.kind is not Kind.START for message in unsent):  # a host was lost, and its blocks are told what they knew
            barrier, causes = self._all_done(), causes | self._ahead
        if all(message.kind is Kind.START for message in call.messages) and (unsent or call.messages[0].is_reminder):
            barrier = max(barrier, self._settled(unsent[0].epoch if unsent else None, max(causes, default=0)))
        else:
            self._is_settled = False
        self._last = call.number
        self._at[call.number] = _Submitted(call, host, self._now(), sorted(causes), barrier)

    def replied(self, reply: Reply) -> None:
        at, heard = self._at.pop(reply.number), self._now()
        self._over(reply.number)
        # a clock of another machine says nothing here
        began = max(at.time, min(reply.began - self._began, heard - reply.seconds))
        self._record(
            Called(
                at.call.number,
                at.host,
                at.call.block,
                [int(message.kind) for message in at.call.messages],
                at.causes,
                at.barrier,
                at.time,
                began,
                began + reply.seconds,
                heard,
                reply.solving,
                reply.packing,
                reply.status.counters.get("queries", 0),
            )
        )

    def lost(self, number: int) -> None:
        self._at.pop(number, None)
        self._over(number)
        self._ahead.discard(number)

    def _over(self, number: int) -> None:
        self._ahead.add(number)
        if number <= (done := self._all_done()):
            self._ahead = {each for each in self._ahead if each > done}

    def _settled(self, epoch: int | None, cause: int) -> int:
        """A block looks for violations when all postconditions have settled: the last call before they had for the first time, in
        the epoch or since the cause. With enough hosts the block would look then, whoever else does."""
        if not self._is_settled:
            self._is_settled = True
            self._moments.append(self._all_done())
        if epoch is not None:
            return self._starts.setdefault(epoch, self._moments[-1])
        return self._moments[min(bisect_left(self._moments, cause), len(self._moments) - 1)]

    def _all_done(self) -> int:
        """The last call up to which nobody is at any."""
        return next(iter(self._at), self._last + 1) - 1

    def ended(self, verdict: str, reason: str) -> None:
        self._record(Ended(self._now(), verdict, reason))

    def _now(self) -> float:
        return self._clock() - self._began

    def _record(self, record: Record) -> None:
        data = self._encoder.encode(record)
        self._write(len(data).to_bytes(4, "big") + data)
