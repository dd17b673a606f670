"""A run of `tree` as a stream of bytes: who was told which states, what was answered, which counterexample was refined.

Frames stand in the order in which the master did what they say, so that a master that is told the answers in this order does
the same again (`repetition.py`). Times tell how long everything took, and what more workers would bring (`simulation.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import BinaryIO

import msgspec

from drystone.base.version import __version__
from drystone.engines.recordings import OF_TREES, Ended, NotARecording, RecordedProgram, chunk, first_line, frames
from drystone.engines.tree.events import PackedNodes, PackedReached
from drystone.engines.tree.hosted import Call, Reply
from drystone.engines.tree.log import Log, Search
from drystone.engines.tree.master import Concluded, Precision
from drystone.engines.tree.options import Options
from drystone.engines.tree.states import Clause

VERSION = 1
_FRAMES = 256  # in a chunk


class Header(msgspec.Struct, frozen=True, tag=0, array_like=True):
    drystone: str  # the version that made the recording
    program: RecordedProgram
    options: Options
    hosts: int
    is_here: bool  # the only worker is in the process of the master


class Predicates(msgspec.Struct, frozen=True, array_like=True):
    """`clauses`: by location, as `states.Order` has them, to be read without the program; each as bytes of its two numbers."""

    packed: bytes
    clauses: tuple[tuple[int, tuple[tuple[bytes, bytes], ...]], ...]


class Begun(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """A search with this bound on recursion."""

    time: float  # seconds since the first one began, as all times
    recursion: int
    predicates: Predicates
    transitions: tuple[tuple[int, int], ...]  # by number: from where to where
    places: tuple[tuple[int, str], ...]  # file and line of locations


class Joined(msgspec.Struct, frozen=True, tag=2, array_like=True):
    time: float
    worker: int


class Given(msgspec.Struct, frozen=True, tag=3, array_like=True):
    time: float
    number: int
    worker: int
    iteration: int
    nodes: PackedNodes


class Answered(msgspec.Struct, frozen=True, tag=5, array_like=True):
    """`began`: by the clock of the master, if the worker is on this machine."""

    time: float  # when the master heard
    number: int
    worker: int
    began: float
    seconds: float  # of processor time
    found: PackedReached | None


class Lost(msgspec.Struct, frozen=True, tag=6, array_like=True):
    time: float
    worker: int


class Selected(msgspec.Struct, frozen=True, tag=7, array_like=True):
    """An iteration is over: the transitions of the counterexample, if there was one. `master_s`: processor time so far of the
    process of the master, with that of refinements, and of a worker in the same process."""

    time: float
    transitions: tuple[int, ...] | None
    sizes: tuple[int, ...]
    targets: int
    waited: int
    master_s: float


class Refined(msgspec.Struct, frozen=True, tag=8, array_like=True):
    time: float
    seconds: float  # of processor time
    predicates: Predicates


Frame = Header | Begun | Joined | Given | Answered | Lost | Selected | Refined | Ended
_DECODER: msgspec.msgpack.Decoder[list[Frame]] = msgspec.msgpack.Decoder(list[Frame])


def told(precision: Precision) -> Predicates:
    clauses = [(location, tuple(map(_pair, found))) for location, found in sorted(precision.order.clauses.items()) if found]
    return Predicates(precision.packed, tuple(clauses))


def _pair(clause: Clause) -> tuple[bytes, bytes]:
    first, second = (each.to_bytes((each.bit_length() + 7) >> 3, "little") for each in clause)
    return first, second


class Recorder(Log):
    """Writes a run. What is written is always whole chunks, so that a run that is cut short can still get its last frame."""

    def __init__(self, program: RecordedProgram, write: Callable[[bytes], object]) -> None:
        self._program, self._write = program, write
        self._began, self._cpu = time.monotonic(), time.process_time()
        self._written = 0.0  # seconds that writing took
        self._frames: list[Frame] = []
        self.is_begun = False

    def begun(self, search: Search) -> None:
        if not self.is_begun:
            self.is_begun, self._began, self._cpu = True, time.monotonic(), time.process_time()
            self._write(first_line(OF_TREES, VERSION))
            self._add(Header(__version__, self._program, search.options, search.hosts, search.is_here))
        self._add(Begun(self._now(), search.recursion, told(search.precision), search.transitions, search.places))
        self.flush()

    def joined(self, worker: int) -> None:
        self._add(Joined(self._now(), worker))

    def submitted(self, call: Call) -> None:
        self._add(Given(self._now(), call.number, call.worker, call.iteration, call.nodes))

    def replied(self, reply: Reply) -> None:
        began = reply.began - self._began
        self._add(Answered(self._now(), reply.number, reply.worker, began, reply.seconds, reply.found))

    def lost(self, worker: int) -> None:
        self._add(Lost(self._now(), worker))

    def concluded(self, concluded: Concluded) -> None:
        transitions = concluded.way.transitions if concluded.way is not None else None
        seconds = time.process_time() - self._cpu - self._written
        figures = concluded.sizes, concluded.targets, concluded.waited
        self._add(Selected(self._now(), transitions, *figures, seconds))
        self.flush()

    def refined(self, precision: Precision, seconds: float) -> None:
        self._add(Refined(self._now(), seconds, told(precision)))

    def end(self, verdict: str, reason: str) -> None:
        if self.is_begun:
            self._add(Ended(verdict, reason))
            self.flush()

    def _now(self) -> float:
        return time.monotonic() - self._began

    def flush(self) -> None:
        if self._frames:
            before = time.process_time()
            self._write(chunk(self._frames))
            self._frames = []
            self._written += time.process_time() - before

    def _add(self, frame: Frame) -> None:
        self._frames.append(frame)
        if len(self._frames) >= _FRAMES:
            self.flush()


def read(stream: BinaryIO) -> Iterator[Frame]:
    """The frames, a `Header` and a `Begun` first, an `Ended` last; each `Answered` after what it answers to."""
    last: Frame | None = None
    at: dict[int, Given] = {}  # by worker
    workers: set[int] = set()
    for frame in frames(stream, OF_TREES, VERSION, _DECODER):
        is_first, is_second = last is None, isinstance(last, Header)
        is_in_order = isinstance(frame, Header) is is_first and not isinstance(last, Ended)
        is_in_order &= not is_second or isinstance(frame, Begun | Ended)
        match frame:
            case Begun():
                at, workers = {}, set()
            case Joined(_, worker):
                is_in_order &= worker == len(workers)
                workers.add(worker)
            case Lost(_, worker):
                is_in_order &= worker in workers
                at.pop(worker, None)
            case Given(_, _, worker):
                is_in_order &= worker in workers and worker not in at and bool(frame.nodes)
                at[worker] = frame
            case Answered(_, number, worker, found=found):
                given = at.pop(worker, None)
                is_in_order &= given is not None and given.number == number
                is_in_order &= given is not None and all(0 <= each[0] < len(given.nodes) for each in found or ())
        if not is_in_order:
            raise NotARecording("is damaged: its parts are out of order")
        yield frame
        last = frame
    if not isinstance(last, Ended):
        raise NotARecording("is cut short: it ends without a verdict")
