"""Reads what a run did when (`engines.dss.records.tracing`), and finds what more workers would bring.

The calls form a task graph: a call waits for the calls that led to its messages, for all up to its barrier, and for the call
of the same block before it. The work is the sum of their seconds, the span the longest chain: no number of workers is faster
than that. What so many workers attain is found by list scheduling: whoever is idle takes the first call, in the recorded
order, that has nothing to wait for.
"""

from __future__ import annotations

import math
import statistics
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import BinaryIO

import msgspec

from drystone.engines.dss.records.tracing import FORMAT, VERSION, Begun, Called, Ended, Record

WORKERS = (1, 2, 4, 8, 16, 32, 64)
_MOST_BYTES = 1 << 26  # of a record
_MOST_HOSTS = 1 << 16
_LATEST = 1e9  # seconds
_DECODER: msgspec.msgpack.Decoder[Record] = msgspec.msgpack.Decoder(Record)


class NotATrace(Exception):
    """What is wrong with the file, as the end of a sentence that begins with its name."""


class Cut(msgspec.Struct, frozen=True):
    """The file ends before the run does."""

    how: str


def read(stream: BinaryIO) -> Iterator[Record | Cut]:
    """The records; the last is an `Ended`, or a `Cut`."""
    first = f"{FORMAT} {VERSION}\n".encode()
    line = stream.readline(len(first) + 16)
    if not line.startswith(FORMAT.encode() + b" "):
        raise NotATrace("is not a trace of drystone")
    if line != first:
        version = line[len(FORMAT) :].decode(errors="replace").strip()
        raise NotATrace(f"is a trace of version {version}; this drystone reads version {VERSION}")
    is_over = False
    while prefix := stream.read(4):
        if is_over:
            raise NotATrace("is damaged: it goes on after its end")
        length = int.from_bytes(prefix, "big")
        if len(prefix) == 4 and length > _MOST_BYTES:
            raise NotATrace(f"is damaged: a record of {length} bytes")
        data = stream.read(length)
        if len(prefix) < 4 or len(data) < length:
            yield Cut("is cut short, in the middle of a record")
            return
        try:
            record = _DECODER.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise NotATrace(f"is damaged: {problem}") from None
        yield record
        is_over = isinstance(record, Ended)
    if not is_over:
        yield Cut("is cut short: the run did not end by itself")


def _is_time(seconds: float) -> bool:
    return abs(seconds) < _LATEST


class Section:
    """The calls of the same blocks: a column for each number, a row for each call. `close` brings them into their order."""

    def __init__(self, begun: Begun) -> None:
        if not 1 <= begun.hosts <= _MOST_HOSTS or not _is_time(begun.time):
            raise NotATrace(f"is damaged: blocks on {begun.hosts} hosts at {begun.time} s")
        self.begun = begun
        self.index = {id: number for number, (id, _, _) in enumerate(begun.blocks)}
        if len(self.index) < len(begun.blocks):
            raise NotATrace("is damaged: two blocks have the same name")
        if any(edges < 0 for _, _, edges in begun.blocks):
            raise NotATrace("is damaged: a block has less than no edges")
        self.numbers, self.blocks, self.hosts = array("q"), array("q"), array("q")
        self.began, self.seconds, self.latency = array("d"), array("d"), array("d")
        self.solving, self.packing = array("d"), array("d")
        self.barriers = array("q")  # so many calls, in the order of their numbers, come before
        self.causes, self.starts = array("q"), array("q", [0])  # those of call i: from starts[i] up to starts[i + 1]
        self.queries = [0] * len(begun.blocks)
        self._latest_queries = [0] * len(begun.blocks)
        self.until = begun.time

    def add(self, call: Called) -> None:
        self._check(call)
        block = self.index[call.block]
        self.numbers.append(call.number)
        self.blocks.append(block)
        self.hosts.append(call.host)
        self.began.append(call.began)
        self.seconds.append(call.ended - call.began)
        self.latency.append(max(0.0, call.heard - call.ended) + max(0.0, call.began - call.submitted))
        self.packing.append(min(call.packing, self.seconds[-1]))
        self.solving.append(min(call.solving, self.seconds[-1] - self.packing[-1]))
        self.barriers.append(call.barrier)
        self.causes.extend(call.causes)
        self.starts.append(len(self.causes))
        latest = self._latest_queries[block]  # a block that was lost with its host counts from the start
        self.queries[block] += call.queries - latest if call.queries >= latest else call.queries
        self._latest_queries[block] = call.queries
        self.until = max(self.until, call.heard)

    def _check(self, call: Called) -> None:
        times = (call.submitted, call.began, call.ended, call.heard, call.solving, call.packing)
        if call.block not in self.index or not 0 <= call.host < self.begun.hosts:
            raise NotATrace(f"is damaged: call {call.number} of block {call.block!r} on host {call.host}")
        if not all(map(_is_time, times)) or call.ended < call.began or min(call.solving, call.packing, call.queries) < 0:
            raise NotATrace(f"is damaged: call {call.number} from {call.began} s to {call.ended} s")
        if not 0 <= call.number < 1 << 62 or not all(0 <= each < call.number for each in (*call.causes, call.barrier)):
            raise NotATrace(f"is damaged: call {call.number} waits for later ones")

    def close(self) -> None:
        """Calls in the order of their numbers, causes and barriers by their place in it."""
        order = sorted(range(len(self.numbers)), key=self.numbers.__getitem__)
        numbers = array("q", (self.numbers[each] for each in order))
        if any(numbers[place] == numbers[place + 1] for place in range(len(numbers) - 1)):
            raise NotATrace("is damaged: two calls have the same number")
        causes, starts = array("q"), array("q", [0])
        for each in order:
            for number in self.causes[self.starts[each] : self.starts[each + 1]]:
                place = bisect_right(numbers, number) - 1
                if place < 0 or numbers[place] != number:
                    raise NotATrace(f"is damaged: call {self.numbers[each]} waits for call {number}, which is not there")
                causes.append(place)
            starts.append(len(causes))
        self.causes, self.starts = causes, starts
        self.barriers = array("q", (bisect_right(numbers, self.barriers[each]) for each in order))
        self.numbers = numbers
        for name in ("blocks", "hosts", "began", "seconds", "latency", "solving", "packing"):
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, (column[each] for each in order)))

    def __len__(self) -> int:
        return len(self.numbers)


class Trace(msgspec.Struct):
    sections: list[Section] = []
    ended: Ended | None = None
    cut: str = ""  # how the file ends early, as the end of a sentence that begins with its name

    @property
    def wall(self) -> float:
        """From the first blocks to the end."""
        if not self.sections:
            return 0.0
        until = max(section.until for section in self.sections)
        return max(until, self.ended.time if self.ended is not None else until) - self.sections[0].begun.time

    def latency(self) -> float:
        """The median time that messages of a call are on the way, to the block and back."""
        return statistics.median(each for section in self.sections for each in section.latency) if any(self.sections) else 0.0


def load(stream: BinaryIO) -> Trace:
    trace = Trace()
    for record in read(stream):
        if isinstance(record, Begun):
            trace.sections.append(Section(record))
        elif isinstance(record, Called):
            if not trace.sections:
                raise NotATrace("is damaged: a call before there are blocks")
            trace.sections[-1].add(record)
        elif isinstance(record, Ended):
            if not _is_time(record.time):
                raise NotATrace(f"is damaged: it ends at {record.time} s")
            trace.ended = record
        else:
            trace.cut = record.how
    for section in trace.sections:
        section.close()
    return trace


class TaskGraph:
    """What each call waits for, and who waits for it; calls are numbered from 0, in an order that respects this."""

    def __init__(self, section: Section) -> None:
        self.section = section
        self.waits_for: list[tuple[int, ...]] = []
        self.waiting: list[list[int]] = [[] for _ in range(len(section))]
        last: dict[int, int] = {}
        for call, block in enumerate(section.blocks):
            causes = set(section.causes[section.starts[call] : section.starts[call + 1]])
            if block in last:
                causes.add(last[block])
            last[block] = call
            needed = tuple(sorted(cause for cause in causes if cause >= section.barriers[call]))  # the others are done by then
            self.waits_for.append(needed)
            for cause in needed:
                self.waiting[cause].append(call)

    def span(self, latency: float = 0.0) -> tuple[float, list[int]]:
        """The seconds of the longest chain of calls that wait for each other, and its calls."""
        ends: list[float] = []
        before: list[int] = []
        latest: list[int] = []  # of the calls so far, the one that ends last
        for call, seconds in enumerate(self.section.seconds):
            barrier = self.section.barriers[call]
            candidates = [*self.waits_for[call], *([latest[barrier - 1]] if barrier else [])]
            cause = max(candidates, key=ends.__getitem__, default=-1)
            before.append(cause)
            ends.append((ends[cause] if cause >= 0 else 0.0) + seconds + latency)
            latest.append(call if not latest or ends[call] > ends[latest[-1]] else latest[-1])
        chain = latest[-1:]
        while chain and before[chain[-1]] >= 0:
            chain.append(before[chain[-1]])
        return (ends[chain[0]] if chain else 0.0), chain[::-1]

    def makespan(self, workers: int, latency: float = 0.0, placement: Sequence[int] | None = None) -> float:
        """Seconds that so many workers need; each is occupied by a call for the latency as well. `placement`: the worker of each
        block, if no other may do its calls."""
        section = self.section
        left = [len(needed) + (barrier > 0) for needed, barrier in zip(self.waits_for, section.barriers, strict=True)]
        ready: list[list[int]] = [[] for _ in range(workers if placement is not None else 1)]
        idle = [1] * workers if placement is not None else [workers]
        running: list[tuple[float, int]] = []
        behind = sorted((barrier, call) for call, barrier in enumerate(section.barriers) if barrier)[::-1]
        is_done = bytearray(len(section))
        first = 0  # call that is not done
        now = 0.0

        def queue_of(call: int) -> int:
            return placement[section.blocks[call]] if placement is not None else 0

        def release(call: int) -> None:
            left[call] -= 1
            if left[call] == 0:
                heappush(ready[queue_of(call)], call)

        for call, count in enumerate(left):
            if count == 0:
                heappush(ready[queue_of(call)], call)
        touched = set(range(len(ready)))
        while True:
            for queue in touched:
                while idle[queue] and ready[queue]:
                    call = heappop(ready[queue])
                    idle[queue] -= 1
                    heappush(running, (now + section.seconds[call] + latency, call))
            if not running:
                assert first == len(section), "a call waits for itself"
                return now
            now, call = heappop(running)
            touched = {queue_of(call)}
            idle[queue_of(call)] += 1
            is_done[call] = 1
            for other in self.waiting[call]:
                release(other)
                touched.add(queue_of(other))
            while first < len(section) and is_done[first]:
                first += 1
            while behind and behind[-1][0] <= first:
                _, other = behind.pop()
                release(other)
                touched.add(queue_of(other))


# figures


class Speedup(msgspec.Struct, frozen=True):
    workers: int
    seconds: float
    speedup: float  # work / seconds
    pinned_seconds: float  # with every block on one host
    pinned_speedup: float


class BlockFigures(msgspec.Struct, frozen=True):
    block: str
    line: int
    edges: int
    calls: int
    seconds: float
    solving_s: float
    packing_s: float
    span_s: float  # in the longest chain
    queries: int


class Figures(msgspec.Struct, frozen=True):
    """Of one section, or of all together."""

    hosts: int
    blocks: int
    calls: int
    wall_s: float
    work_s: float
    span_s: float
    span_calls: int
    solving_s: float
    packing_s: float
    python_s: float  # the rest of the calls
    coordinator_s: float  # between submitted and began, ended and heard
    waiting_s: float  # hosts without a call
    latency_s: float  # the median of a call's time on the way
    speedups: list[Speedup]
    by_block: list[BlockFigures] = []  # the slowest first


def figures(section: Section, latency: float = 0.0) -> Figures:
    """`latency`: of each call in the schedules of several workers."""
    graph = TaskGraph(section)
    work, wall, hosts = sum(section.seconds), section.until - section.begun.time, section.begun.hosts
    span, chain = graph.span()
    solving, packing, on_the_way = sum(section.solving), sum(section.packing), sum(section.latency)
    return Figures(
        hosts=hosts,
        blocks=len(section.begun.blocks),
        calls=len(section),
        wall_s=wall,
        work_s=work,
        span_s=span,
        span_calls=len(chain),
        solving_s=solving,
        packing_s=packing,
        python_s=max(0.0, work - solving - packing),
        coordinator_s=on_the_way,
        waiting_s=max(0.0, hosts * wall - work - on_the_way),
        latency_s=statistics.median(section.latency) if len(section) else 0.0,
        speedups=list(_speedups(graph, work, latency)),
        by_block=_by_block(section, chain),
    )


def _speedups(graph: TaskGraph, work: float, latency: float) -> Iterator[Speedup]:
    yield Speedup(1, work, _ratio(work, work), work, _ratio(work, work))  # in one process nothing is on the way
    span, _ = graph.span(latency)
    seconds = math.inf
    for workers in WORKERS[1:]:
        if seconds > span * (1 + 1e-9):  # else there is nothing to gain
            seconds = graph.makespan(workers, latency)
        pinned = graph.makespan(workers, latency, _placement(graph.section, workers))
        yield Speedup(workers, seconds, _ratio(work, seconds), pinned, _ratio(work, pinned))


def _ratio(work: float, seconds: float) -> float:
    return work / seconds if seconds > 0 else 1.0


def _placement(section: Section, workers: int) -> list[int]:
    """Where each block would live (as `hosts.placed` has it), or did."""
    total, done = sum(1 + edges for _, _, edges in section.begun.blocks), 0.0
    placement = []
    for _, _, edges in section.begun.blocks:
        placement.append(min(workers - 1, int(workers * (done + (1 + edges) / 2) / total)))
        done += 1 + edges
    if workers == section.begun.hosts:
        for block, host in zip(section.blocks, section.hosts, strict=True):
            placement[block] = host
    return placement


def _by_block(section: Section, chain: Sequence[int]) -> list[BlockFigures]:
    count = len(section.begun.blocks)
    calls = [0] * count
    seconds, solving, packing, in_chain = ([0.0] * count for _ in range(4))
    for call, block in enumerate(section.blocks):
        calls[block] += 1
        seconds[block] += section.seconds[call]
        solving[block] += section.solving[call]
        packing[block] += section.packing[call]
    for call in chain:
        in_chain[section.blocks[call]] += section.seconds[call]
    rows = [
        BlockFigures(id, line, edges, calls[n], seconds[n], solving[n], packing[n], in_chain[n], section.queries[n])
        for n, (id, line, edges) in enumerate(section.begun.blocks)
    ]
    return sorted(rows, key=lambda row: -row.seconds)


def total(trace: Trace, parts: Sequence[Figures]) -> Figures:
    """The sections one after the other."""
    hosts, wall = max((part.hosts for part in parts), default=0), trace.wall
    work, on_the_way = sum(part.work_s for part in parts), sum(part.coordinator_s for part in parts)
    return Figures(
        hosts=hosts,
        blocks=max((part.blocks for part in parts), default=0),
        calls=sum(part.calls for part in parts),
        wall_s=wall,
        work_s=work,
        span_s=sum(part.span_s for part in parts),
        span_calls=sum(part.span_calls for part in parts),
        solving_s=sum(part.solving_s for part in parts),
        packing_s=sum(part.packing_s for part in parts),
        python_s=sum(part.python_s for part in parts),
        coordinator_s=on_the_way,
        waiting_s=max(0.0, hosts * wall - work - on_the_way),
        latency_s=trace.latency(),
        speedups=[_together(work, each) for each in zip(*(part.speedups for part in parts), strict=True)],
    )


def _together(work: float, parts: Sequence[Speedup]) -> Speedup:
    seconds, pinned = sum(part.seconds for part in parts), sum(part.pinned_seconds for part in parts)
    return Speedup(parts[0].workers, seconds, _ratio(work, seconds), pinned, _ratio(work, pinned))
