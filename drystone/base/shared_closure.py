"""The rest of a search by several processes, each of which keeps the states that it owns (Stern, Dill 1997).

The processes are copies of the one that has begun the search, and have its table. Each looks at its own states; successors that
others own are sent to these in batches, through sockets between every two processes. A table has the states that were sent,
too: none is sent twice, and from the state before each, the way to a state is put together, part by part.

It is over when all are idle and nothing is on its way: each says, when it runs out of states, how many messages it has sent to
and received from each other one. Where these numbers agree for every two of them, the moments at which they were said are a
consistent cut without messages, however long ago they were.
"""

from __future__ import annotations

import gc
import marshal
import os
import pickle
import select
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import combinations, islice
from typing import Any, NamedTuple

import msgspec

from drystone.base.forks import Fork, Say
from drystone.base.pipes import Receiver, framed, send
from drystone.base.process_tree import proportional
from drystone.base.state_owners import Owners
from drystone.base.state_steps import Function, State, Steps, Table

_AT_A_TIME = 20_000  # states, between two looks at what others have sent: in smaller parts, caches serve them worse
_BETWEEN_REPORTS = 0.1  # seconds
_MOST_TOLD = 20  # notable states at one location, by one process: nobody looks at more
_LOOK = 0.2  # seconds
_BUFFER = 1 << 20


class Lost(Exception):
    """A process has ended before it was told to."""


class Begun(NamedTuple):
    """What there is when the processes begin."""

    steps: Steps
    functions: dict[object, Function]
    table: Table
    waiting: list[State]


class _Report(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Of one process, up to now. `seconds`: of the processor."""

    states: int
    memory: int
    seconds: float
    sent: list[int]
    received: list[int]
    is_idle: bool


class _Notable(msgspec.Struct, frozen=True, array_like=True, tag=True):
    state: bytes


class _Part(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Of a way, backwards. `sender`: who has sent the last one of these, None at the beginning of the way."""

    states: bytes
    sender: int | None


class _Failed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    problem: bytes


_DECODER = msgspec.msgpack.Decoder(_Report | _Notable | _Part | _Failed)


class SharedClosure:
    """What the process does that has begun the search: it waits."""

    def __init__(self, begun: Begun, owners: Owners, look: Callable[[int, int], None]) -> None:
        """`look` is called now and then, with the number of all states, and the memory of all processes."""
        self.begun, self.owners, self.look = begun, owners, look
        self.reports: list[_Report | None] = [None] * owners.count
        self._found: deque[State] = deque()
        self._forks: list[Fork] = []
        self._orders: list[int] = []  # pipes to them
        sockets = _sockets(owners.count)
        try:
            for number in range(owners.count):
                reading, writing = os.pipe()
                others = [each for every in (*sockets[:number], *sockets[number + 1 :]) for each in every.values()]
                self._forks.append(Fork(partial(_work, number, begun, owners, sockets[number], others, reading)))
                os.close(reading)
                self._orders.append(writing)
        finally:
            for every in sockets:
                for each in every.values():
                    each.close()

    @property
    def states(self) -> int:
        """That the processes have found."""
        return sum(report.states for report in self.reports if report is not None)

    @property
    def processes(self) -> list[int]:
        return [fork.process for fork in self._forks]

    def notable(self) -> Iterator[State]:
        while not self._is_over():
            self._hear()
            while self._found:
                yield self._found.popleft()
            memory = sum(report.memory for report in self.reports if report is not None)
            self.look(len(self.begun.table) + self.states, memory)

    def _is_over(self) -> bool:
        reports = [report for report in self.reports if report is not None and report.is_idle]
        if len(reports) < self.owners.count:
            return False
        return all(
            one.sent[there] == other.received[here] for here, one in enumerate(reports) for there, other in enumerate(reports)
        )

    def _hear(self) -> list[_Part]:
        """What they have said, or nothing after some time."""
        parts = []
        ready, _, _ = select.select([fork.pipe for fork in self._forks], [], [], _LOOK)
        for number, fork in enumerate(self._forks):
            for data in fork.read() if fork.pipe in ready else ():
                match _DECODER.decode(data):
                    case _Report() as report:
                        self.reports[number] = report
                    case _Notable(state):
                        self._found.append(marshal.loads(state))
                    case _Part() as part:
                        parts.append(part)
                    case _Failed(problem):
                        raise pickle.loads(problem)
            if fork.has_ended:
                raise Lost
        return parts

    def path(self, state: State) -> list[State]:
        path, owner = [state], self.owners.owner(state)
        while True:
            with suppress(BrokenPipeError):  # that it is no more will be heard
                send(self._orders[owner], _packed(path.pop()))
            parts: list[_Part] = []
            while not parts:
                parts = self._hear()
            path += marshal.loads(parts[0].states)
            if parts[0].sender is None:
                return path[::-1]
            owner = parts[0].sender

    def close(self) -> None:
        for pipe in self._orders:
            os.close(pipe)
        for fork in self._forks:
            fork.stop()


def _sockets(count: int) -> list[dict[int, socket.socket]]:
    """For each process, to every other one."""
    found: list[dict[int, socket.socket]] = [{} for _ in range(count)]
    for one, other in combinations(range(count), 2):
        found[one][other], found[other][one] = socket.socketpair()
    return found


def _work(
    number: int,
    begun: Begun,
    owners: Owners,
    sockets: dict[int, socket.socket],
    others: list[socket.socket],
    orders: int,
    say: Say,
) -> None:
    """In the copy. It never ends by itself."""
    gc.disable()  # it would look at all states again and again, and there is nothing to be found
    for each in others:  # or one who waits for a process that has ended would not notice
        each.close()
    try:
        _Worker(number, begun, owners, {other: _Peer(each) for other, each in sockets.items()}, orders, say).work()
    except (MemoryError, BrokenPipeError):
        raise
    except Exception as problem:
        say(msgspec.msgpack.encode(_Failed(pickle.dumps(problem))))


class _Peer:
    """Another process, on a stream that never makes this one wait."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream, self.receiver = stream, Receiver(stream.fileno())
        self.sent = self.received = 0
        self._unsent = bytearray()
        stream.setblocking(False)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)

    def fileno(self) -> int:
        return self.stream.fileno()

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent)

    @property
    def has_ended(self) -> bool:
        return self.receiver.has_ended

    def send(self, states: list[State]) -> None:
        self._unsent += framed(_packed(states))
        self.sent += 1
        self.go_on()

    def go_on(self) -> None:
        """Who has begun the search notices if the other one is no more."""
        with suppress(BlockingIOError, ConnectionError):
            while self._unsent:
                del self._unsent[: self.stream.send(self._unsent)]

    def receive(self) -> list[list[State]]:
        try:
            batches = [marshal.loads(data) for data in self.receiver.receive()]
        except ConnectionError:
            return []
        self.received += len(batches)
        return batches


class _Worker:
    """What one of the processes does with its states."""

    def __init__(self, number: int, begun: Begun, owners: Owners, peers: dict[int, _Peer], orders: int, say: Say) -> None:
        self.number, self.owners, self.peers, self.say = number, owners, peers, say
        self.orders = Receiver(orders)
        self.steps, self.functions, self.table = begun.steps, begun.functions, begun.table
        self.boxes: list[list[State]] = [[] for _ in range(owners.count)]
        owners.deal(begun.waiting, self.boxes)
        self.waiting = self.boxes[number]
        self.boxes = [[] for _ in range(owners.count)]
        self.states = 0  # that are new since
        self._told: Counter[object] = Counter()
        self._reported, self._report = 0.0, _Report(0, 0, 0.0, [], [], False)

    def work(self) -> None:
        current: Iterator[State] = iter(())
        while not self.orders.has_ended:
            batch = list(islice(current, _AT_A_TIME))
            if not batch:
                current, self.waiting = iter(self.waiting), []
                batch = list(islice(current, _AT_A_TIME))
            self._distribute(self._successors(batch))
            is_idle = not batch and not self.waiting
            self._say_how_it_goes(is_idle)
            self._listen(None if is_idle else 0)

    def _successors(self, states: list[State]) -> list[State]:
        """That are new."""
        found: list[State] = []
        functions, table, push = self.functions, self.table, found.append
        for state in states:
            function = functions.get(state[0])
            if function is None:
                function = functions[state[0]] = self.steps.function(state[0])
            if function(state, table, push):
                self._told[state[0]] += 1
                if self._told[state[0]] <= _MOST_TOLD:
                    self.say(_encode(_Notable(_packed(state))))
        return found

    def _distribute(self, states: list[State]) -> None:
        self.owners.deal(states, self.boxes)
        for owner, box in enumerate(self.boxes):
            if owner == self.number:
                self._take(box)
            elif box:
                self.peers[owner].send(box)
            box.clear()

    def _take(self, states: list[State]) -> None:
        self.waiting += states
        self.states += len(states)

    def _say_how_it_goes(self, is_idle: bool) -> None:
        now = time.monotonic()
        if not is_idle and now < self._reported + _BETWEEN_REPORTS:
            return
        sent, received = [0] * self.owners.count, [0] * self.owners.count
        for other, peer in self.peers.items():
            sent[other], received[other] = peer.sent, peer.received
        before = self._report
        if is_idle and before.is_idle and (sent, received) == (before.sent, before.received):
            return
        self._reported = now
        self._report = _Report(self.states, proportional([os.getpid()]), time.process_time(), sent, received, is_idle)
        self.say(_encode(self._report))

    def _listen(self, seconds: float | None) -> None:
        """To the others, and to who gives orders; None: until there is something."""
        open_ = [peer for peer in self.peers.values() if not peer.has_ended]
        unsent = [peer for peer in open_ if peer.has_unsent]
        reading: list[Any] = [self.orders.pipe, *open_]
        ready, writable, _ = select.select(reading, unsent, [], seconds)
        for peer in writable:
            peer.go_on()
        for number, peer in self.peers.items():
            if peer in ready:
                self._receive(number, peer)
        if self.orders.pipe in ready:
            for order in self.orders.receive():
                self.say(_encode(self._part(marshal.loads(order))))

    def _receive(self, number: int, peer: _Peer) -> None:
        for batch in peer.receive():
            put = self.table.setdefault
            self._take([state for state in batch if put(state, number) is number])  # nobody sends a state twice

    def _part(self, state: State) -> _Part:
        found = [state]
        while isinstance(previous := self.table[found[-1]], tuple):
            found.append(previous)
        assert previous is None or isinstance(previous, int)
        return _Part(_packed(found), previous)


def _packed(states: State | list[State]) -> bytes:
    whatever: Any = states  # numbers, None, and tuples of these
    return marshal.dumps(whatever, 2)  # version 2 does not look for what is the same object


def _encode(said: _Report | _Notable | _Part | _Failed) -> bytes:
    return msgspec.msgpack.encode(said)
