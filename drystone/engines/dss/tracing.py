"""What a run did when: each call of a block, what it took, what it had to wait for. `drystone trace` reads it (`runtime.trace`).

A call waits for the calls whose answers it was given, and for the call of the same block before it. Messages of the coordinator
that end a phase wait for all calls before them.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.engines.dss.hosts import Call, Reply
from drystone.engines.dss.messages import Message

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
    causes: list[int]  # calls that sent them
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

    def submitted(self, call: Call, host: int) -> None: ...

    def replied(self, reply: Reply) -> None: ...

    def ended(self, verdict: str, reason: str) -> None: ...


class WritingTracer(Tracer):
    """Writes records as they come."""

    def __init__(self, write: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        self._write, self._clock = write, clock
        self._origin = clock()
        self._encoder = msgspec.msgpack.Encoder()
        self._causes: dict[tuple[str, int], int] = {}
        self._calls: dict[int, tuple[Call, int, float]] = {}
        self._last = 0
        write(f"{FORMAT} {VERSION}\n".encode())

    def begun(self, blocks: list[tuple[str, int, int]], hosts: int) -> None:
        self._causes.clear()
        self._calls.clear()
        self._last = 0
        self._record(Begun(self._now(), hosts, blocks))

    def sent(self, message: Message, receiver: str, cause: int) -> None:
        self._causes[receiver, id(message)] = cause or -self._last

    def submitted(self, call: Call, host: int) -> None:
        self._last = call.number
        self._calls[call.number] = (call, host, self._now())

    def replied(self, reply: Reply) -> None:
        call, host, submitted = self._calls.pop(reply.number)
        causes = [self._causes.pop((call.block, id(message)), 0) for message in call.messages]
        began = reply.began - self._origin
        self._record(
            Called(
                call.number,
                host,
                call.block,
                [int(message.kind) for message in call.messages],
                sorted({cause for cause in causes if cause > 0}),
                -min(0, *causes, 0),
                submitted,
                began,
                began + reply.seconds,
                self._now(),
                reply.solving,
                reply.packing,
                reply.status.counters.get("queries", 0),
            )
        )

    def ended(self, verdict: str, reason: str) -> None:
        self._record(Ended(self._now(), verdict, reason))

    def _now(self) -> float:
        return self._clock() - self._origin

    def _record(self, record: Record) -> None:
        data = self._encoder.encode(record)
        self._write(len(data).to_bytes(4, "big") + data)
