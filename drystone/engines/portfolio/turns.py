"""Engines in turns, each in a process of its own: the first evidence wins, the others are stopped.

As many run at a time as there are workers. When its turn is over, an engine is paused, and goes on later where it was; so no
work is done twice, and whichever engine is right for a program has soon had the time that it needs. Turns become longer: an
engine runs as long again as it has run before. Some begin late, so that what others decide quickly does not wait for them.
Engines that are paused keep their memory; before it is used up, the largest of them is ended.

The processes are forks, so all that was prepared before is there for each of them. What they tell goes through pipes: progress
and violations as they come, at last the result. A process that dies leaves the question to the others.
"""

from __future__ import annotations

import math
import selectors
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.forks import Fork, Say, stop_all
from drystone.base.latest import Latest
from drystone.base.process_tree import descendants, proportional, resident
from drystone.base.refusal import Refusal
from drystone.claims.verdicts import Verdict
from drystone.engines.details import EngineTurn
from drystone.engines.obstacles import Obstacle, UndefinedSeen, merged
from drystone.engines.outcome import EngineResult, Happening, Observer, Progress, Violation

_LOOK = 0.2  # seconds between two looks at the memory
_ROOM = 0.7  # of the memory, for all of them
_GLANCE = 0.1  # seconds between two looks at what engines are at
_ALONE = 0.05  # seconds that whoever begins at once has before a worker that is idle takes one of the others


class Line(msgspec.Struct, frozen=True):
    """What one process does: `work` tells the observer how it goes, and gives a result."""

    name: str
    work: Callable[[Observer], EngineResult]
    first: float = 1.0  # seconds of its first turn
    weight: float = 1.0  # how much of the time it gets, compared with others
    late: float = 0.0  # it begins when the others have had so many seconds, or leave a worker idle


class _Found(msgspec.Struct, frozen=True, tag=True):
    violation: Violation


class _Seen(msgspec.Struct, frozen=True, tag=True):
    undefined: UndefinedSeen


class _Done(msgspec.Struct, frozen=True, tag=True):
    result: EngineResult


class _Refused(msgspec.Struct, frozen=True, tag=True):
    reason: str


@cache
def _decoder() -> msgspec.json.Decoder[_Found | _Seen | _Done | _Refused]:
    """Made when engines are at work already: it takes a while. JSON, because inputs may have more than 64 bits."""
    return msgspec.json.Decoder(_Found | _Seen | _Done | _Refused)


@cache
def _progress() -> msgspec.json.Decoder[Progress]:
    return msgspec.json.Decoder(Progress)


def in_turns(
    lines: Sequence[Line],
    workers: int,
    deadline: Deadline,
    observer: Observer,
    memory: float = math.inf,
    meanwhile: Callable[[], None] = lambda: None,
) -> EngineResult:
    """The first result that is a verdict, with the counters of all. It explains how long each engine ran. `memory`: bytes.
    `meanwhile`: what this process does while the first engine is at work; it should not take long."""
    members = [_Member(line) for line in lines]
    try:
        decided = _until_decided(members, workers, deadline, observer, memory * _ROOM, meanwhile)
    finally:
        _stop(members)
    result = decided.result if decided is not None else None
    if result is None:
        result = msgspec.structs.replace(_undecided(members), obstacle=merged(member.obstacle for member in members))
    counters = {name: count for member in members if member.result for name, count in member.result.counters.items()}
    told = [f"{member.line.name}: {member.used:.1f} s, {member.outcome()}" for member in members if member.fork is not None]
    turns = tuple(EngineTurn(member.line.name, *turn) for member in members for turn in member.turns)
    return msgspec.structs.replace(
        result, counters={**counters, **result.counters}, explanation=(*told, *result.explanation), turns=turns
    )


def _undecided(members: Sequence[_Member]) -> EngineResult:
    unfinished = [member for member in members if not member.has_ended]
    if unfinished:
        going = [f"{member.line.name} {member.outcome()}" for member in unfinished]
        ended = [f"{member.line.name}: {member.outcome()}" for member in members if member.has_ended]
        return EngineResult(Verdict.UNKNOWN, f"out of time: {'; '.join([*going, *ended])}")
    finished = [(member.used, member.result) for member in members if member.result is not None]
    if finished:
        return max(finished, key=lambda each: each[0])[1]
    return EngineResult(Verdict.UNKNOWN, "; ".join(dict.fromkeys(member.outcome() for member in members)))


def _until_decided(
    members: Sequence[_Member],
    workers: int,
    deadline: Deadline,
    observer: Observer,
    memory: float,
    meanwhile: Callable[[], None],
) -> _Member | None:
    """The one that knows; None if none does, or there is no more time."""
    looked, is_first = time.monotonic(), True
    while not deadline.expired():
        if math.isfinite(memory) and time.monotonic() > looked + _LOOK:
            looked = time.monotonic()
            _make_room(members, memory)
        left = [member for member in members if not member.has_ended]
        if not left:
            return None
        running = [member for member in left if member.is_running]
        passed = sum(member.used for member in members)
        waiting = sorted((member for member in left if not member.is_running), key=lambda member: member.place_in_line(passed))
        for member in waiting[: workers - len(running)]:
            if running and passed < _ALONE and member.is_late(passed):
                break
            member.go_on(min((each.share for each in left if each.fork is not None), default=0.0))
            running.append(member)
        if is_first:
            is_first = False
            meanwhile()
        over = min(member.turn_is_over_in() for member in running) if len(left) > len(running) else math.inf
        seconds = min(over, deadline.remaining(), _GLANCE if passed >= _ALONE else _ALONE)
        with selectors.DefaultSelector() as selector:
            for member in left:  # one that is paused may have said something before
                if member.fork is not None:
                    selector.register(member.fork.pipe, selectors.EVENT_READ, member)
            ready: list[_Member] = [key.data for key, _ in selector.select(max(0.0, seconds))]
        for member in left:
            member.glance(observer)
        for member in ready:
            member.read(observer)
            if member.knows:
                return member
        if len(left) > len(running):
            for member in running:
                if not member.has_ended and member.turn_is_over_in() <= 0 and not member.is_to_be_heard:
                    member.pause()
    for member in members:
        while not member.has_ended and member.fork is not None and member.fork.has_news():
            member.read(observer)
        if member.knows:
            return member
    return None


def _make_room(members: Sequence[_Member], memory: float) -> None:
    """Ends the largest, if they have more than that; not the last one."""
    unfinished = [member for member in members if not member.has_ended]
    forks = {member: [member.fork.process, *descendants(member.fork.process)] for member in unfinished if member.fork is not None}
    if len(unfinished) < 2 or resident([each for family in forks.values() for each in family]) <= memory:
        return
    sizes = {member: proportional(family) for member, family in forks.items()}
    if sum(sizes.values()) > memory:
        max(sizes, key=sizes.__getitem__).give_way()


def _stop(members: Iterable[_Member]) -> None:
    stop_all([fork for member in members if (fork := member.stopped()) is not None])


class _Member:
    """One process and what it has said."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.fork: Fork | None = None  # from its first turn on
        self.is_running = self.has_ended = self._is_stopped = self._has_found = False
        self.result: EngineResult | None = None
        self._gave_way = False
        self._share_before = 0.0
        self._before = 0.0  # seconds that it ran in other turns
        self._began = 0.0
        self.turns: list[tuple[float, float]] = []  # from when to when, by the clock
        self._said: Latest | None = None
        self._latest = Progress("the beginning")
        self._checked: int | None = None

    @property
    def used(self) -> float:
        """Seconds that it has run."""
        return self._before + (time.monotonic() - self._began if self.is_running else 0.0)

    @property
    def knows(self) -> bool:
        """Or knows that nobody can know."""
        return self.result is not None and (self.result.verdict is not Verdict.UNKNOWN or self.result.obstacle.is_final)

    @property
    def obstacle(self) -> Obstacle:
        """Why it has no verdict, as far as it has said."""
        if self.result is not None:
            return self.result.obstacle
        return Obstacle(checked=self._checked, is_out_of_memory=self._gave_way)

    @property
    def is_to_be_heard(self) -> bool:
        """It has found an error and will soon be done, or is in the middle of saying something."""
        return self._has_found or (self.fork is not None and self.fork.is_saying_something())

    @property
    def share(self) -> float:
        """How much it has had, compared with the others; who has begun late need not catch up with them."""
        return self._share_before + self.used / self.line.weight

    def is_late(self, passed: float) -> bool:
        """Has it not begun, and need not, when so many seconds have passed?"""
        return self.fork is None and passed < self.line.late

    def place_in_line(self, passed: float) -> tuple[int, float]:
        """Whoever has the least is the next, when so many seconds have passed: first who should have begun by now, then who has
        had the least, at last who begins late."""
        if self.fork is not None:
            return 1, self.share
        return (2 if self.is_late(passed) else 0), self.line.late

    def turn_is_over_in(self) -> float:
        return max(self.line.first, self._before) - (time.monotonic() - self._began)

    def go_on(self, least_share: float) -> None:
        """`least_share`: that one of those has who have begun."""
        self.is_running, self._began = True, time.monotonic()
        if self.fork is None:
            self._share_before = least_share
            latest = self._said = Latest()
            self.fork = Fork(lambda say: _follow(self.line, say, latest))
        else:
            self.fork.go_on()

    def pause(self) -> None:
        assert self.fork is not None
        self._count()
        self.fork.pause()

    def _count(self) -> None:
        if self.is_running:
            self.turns.append((self._began, time.monotonic()))
        self._before, self.is_running = self.used, False

    def glance(self, observer: Observer) -> None:
        """At what it is at."""
        data = self._said.take() if self._said is not None else None
        if data is not None:
            progress = self._latest = _progress().decode(data)
            self._checked = progress.checked if progress.checked is not None else self._checked
            observer(progress)

    def read(self, observer: Observer) -> None:
        assert self.fork is not None
        for data in self.fork.read():
            match _decoder().decode(data):
                case _Found(violation):
                    self._has_found = True
                    observer(violation)
                case _Seen(undefined):
                    observer(undefined)
                case _Done(result):
                    self.result = result
                case _Refused(reason):
                    raise Refusal(reason)
        if self.fork.has_ended or self.result is not None:
            self.has_ended = True
            self._count()

    def give_way(self) -> None:
        self._gave_way = self.has_ended = True
        _stop([self])

    def stopped(self) -> Fork | None:
        """Its process, which is to be stopped now, if that has not been done."""
        if self.is_running:
            self._count()
        if self.fork is None or self._is_stopped:
            return None
        self._is_stopped = True
        return self.fork

    def outcome(self) -> str:
        """For people."""
        if self.result is not None:
            error = "an error is reached" if self.result.verdict is Verdict.FALSE else ""
            return ", ".join(filter(None, (self.result.verdict.value, self.result.reason or error)))
        if self._gave_way:
            return "ended to leave memory for the others"
        if self.has_ended and self.fork is not None:
            return f"an engine's {self.fork.end}"
        figures = ", ".join(f"{name} {count:,}" for name, count in self._latest.counters.items())
        phase = self._latest.activity if self._latest.engine == self.line.name else self._latest.phase
        return f"was at {phase}" + (f" ({figures})" if figures else "")


def _follow(line: Line, say: Say, latest: Latest) -> None:
    """In the new process."""

    def observe(event: Happening) -> None:
        match event:
            case Progress():
                latest.put(msgspec.json.encode(event))
            case Violation():
                say(msgspec.json.encode(_Found(event)))
            case UndefinedSeen():
                say(msgspec.json.encode(_Seen(event)))

    try:
        result = line.work(observe)
    except (MemoryError, BrokenPipeError):
        raise
    except Refusal as problem:
        say(msgspec.json.encode(_Refused(str(problem))))
        return
    except Exception as bug:
        text = " ".join(str(bug).split())[:300]
        result = EngineResult(Verdict.UNKNOWN, f"internal error: {type(bug).__name__}: {text}")
    say(msgspec.json.encode(_Done(result)))
