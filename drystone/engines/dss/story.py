"""What the blocks of a run told each other, for people: made of its recording when the run is over."""

from __future__ import annotations

import io
import time
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain

from drystone.engines.details import Story, ToldBlock, ToldCall, ToldEdge, ToldMessage
from drystone.engines.dss.domain import Worded
from drystone.engines.dss.messages import COORDINATOR, Message
from drystone.engines.dss.preparation import Blocks
from drystone.engines.dss.readable import Readable
from drystone.engines.dss.records.recording import Begun, Delivered, Frame, Recorder, Sent, read
from drystone.engines.dss.records.tracing import WritingTracer
from drystone.engines.recordings import RecordedProgram
from drystone.ir.automaton import Program
from drystone.ir.text import operation_text

_MOST_DELIVERIES = 20_000  # half of them from the beginning of a long run, half from its end
_MOST_EDGES = 20_000  # of all blocks together, each of which has its share, but at least a few
_MOST_OPERATIONS = 1_000_000  # characters
_FEW = (40, 4_000)  # edges, characters
_MOST_TRACE = 4 << 20  # bytes, compressed
_LONGEST = 1_000  # characters of a message or an operation
_WORDING = (0.05, 0.2)  # of the time of the run, and seconds: for putting messages into words
_NO_TIME = "(there was no time to put this into words)"


class Kept:
    """A recording and a trace in memory, while a run goes on."""

    def __init__(self) -> None:
        self._recorded, self._traced = io.BytesIO(), io.BytesIO()
        self.recorder = Recorder(RecordedProgram([], {}), self._recorded.write)
        self.tracer = WritingTracer(self._traced.write, time.monotonic)
        self._began = time.monotonic()

    def story(self, engine: str, program: Program, blocks: Blocks, domain: Worded) -> Story | None:
        """None if no block was made. The tracer has been told that the run is over."""
        if not self.recorder.is_begun:
            return None
        self.recorder.end("", "")
        self._recorded.seek(0)
        part, least = _WORDING
        limit = time.monotonic() + least + part * (time.monotonic() - self._began)
        trace = zlib.compress(self._traced.getvalue())
        return told(engine, read(self._recorded), program, blocks, domain, limit, trace if len(trace) <= _MOST_TRACE else b"")


def told(
    engine: str, frames: Iterable[Frame], program: Program, blocks: Blocks, domain: Worded, limit: float, trace: bytes = b""
) -> Story:
    """`blocks`: the last ones that were made. `limit`: by the clock, until when messages are put into words."""
    return _Telling(program, blocks, domain, limit).told(engine, frames, domain.posts, trace)


class _Telling:
    def __init__(self, program: Program, blocks: Blocks, domain: Worded, limit: float) -> None:
        self.program, self.blocks, self.limit = program, blocks, limit
        self.readable = Readable(program, blocks, domain)
        self.numbers = {id: number for number, id in enumerate(blocks.blocks)} | {COORDINATOR: -1}
        self.texts: dict[str, int] = {}
        self.unworded = 0

    def told(self, engine: str, frames: Iterable[Frame], posts: str, trace: bytes) -> Story:
        messages: list[Message] = []
        deliveries: list[Delivered] = []
        begun = 0
        for frame in frames:
            match frame:
                case Begun():
                    begun += 1
                    deliveries.clear()
                case Sent(message):
                    messages.append(message)
                case Delivered():
                    deliveries.append(frame)
        shown = deliveries
        if len(deliveries) > _MOST_DELIVERIES:
            shown = [*deliveries[: _MOST_DELIVERIES // 2], *deliveries[-_MOST_DELIVERIES // 2 :]]
        said, places = self._messages(messages, shown)
        left_out = {number for each in deliveries for number in (*each.messages, *each.answers)} - places.keys()
        calls = [self._call(each, places) for each in shown if each.work is not None]
        count = max(len(self.blocks.blocks), 1)
        share = max(_MOST_EDGES // count, _FEW[0]), max(_MOST_OPERATIONS // count, _FEW[1])
        blocks = [self._block(id, *share) for id in self.blocks.blocks]
        return Story(engine, posts, blocks, said, calls, list(self.texts), len(left_out), self.unworded, max(begun - 1, 0), trace)

    def _messages(self, messages: Sequence[Message], deliveries: Sequence[Delivered]) -> tuple[list[ToldMessage], dict[int, int]]:
        """In the order in which they were sent, and their places by their numbers."""
        times: dict[int, float] = {}
        receivers: dict[int, list[int]] = {}
        for each in deliveries:
            for number in each.answers:
                times.setdefault(number, each.work.ended if each.work is not None else each.time)
            for number in each.messages:
                times.setdefault(number, each.work.submitted if each.work is not None else each.time)
                receivers.setdefault(number, []).append(self.numbers.get(each.receiver, -1))
        order = sorted(times, key=lambda number: (times[number], number))
        kinds: dict[tuple[int, bytes, str], int] = {}  # equal texts are made once
        said = []
        for number in order:
            message = messages[number]
            key = (message.location, message.terms, f"{message.kind} {message.content} {message.trace}")
            if key not in kinds:
                kinds[key] = self._number(self._text(message))
            said.append(
                ToldMessage(
                    message.kind.name,
                    self.numbers.get(message.sender, -1),
                    list(dict.fromkeys(receivers.get(number, []))),
                    round(times[number], 6),
                    message.location,
                    message.level,
                    kinds[key],
                )
            )
        return said, {number: place for place, number in enumerate(order)}

    def _text(self, message: Message) -> str:
        if time.monotonic() > self.limit:
            self.unworded += 1
            return _NO_TIME
        return self.readable.text(message)

    def _call(self, delivered: Delivered, places: dict[int, int]) -> ToldCall:
        work = delivered.work
        assert work is not None
        return ToldCall(
            self.numbers.get(delivered.receiver, -1),
            work.host,
            round(work.submitted, 6),
            round(work.began, 6),
            round(work.ended, 6),
            round(delivered.time, 6),
            round(work.solving, 6),
            round(work.packing, 6),
            work.queries,
            [places[number] for number in delivered.messages],
            [places[number] for number in delivered.answers],
        )

    def _block(self, id: str, most: int, characters: int) -> ToldBlock:
        block, procedure = self.blocks.blocks[id], self.blocks.system.symbolic.procedure
        edges = [procedure.edges[index] for index in self.blocks.edges_of(id)]
        location = procedure.entry if block.start not in range(procedure.locations) else block.start
        file, line = self.program.place(self.blocks.system.origin(location))
        places = (self.program.place(edge.origin) for edge in edges)
        lines = [number for name, number in places if name == file and number is not None]
        targets = block.transformer.exits
        followers = chain.from_iterable(self.blocks.starting.get(target, ()) for target in targets)
        shown = []
        for edge in edges[:most]:
            text = operation_text(edge.operation)
            shown.append(ToldEdge(edge.source, edge.target, self._number(text), edge.origin.line))
            characters -= min(len(text), _LONGEST)
            if characters < 0:
                break
        return ToldBlock(
            id,
            file,
            line,
            max(lines, default=line),
            location,
            list(targets),
            bool(block.transformer.bad),
            shown,
            [self.numbers[each] for each in dict.fromkeys(followers)],
        )

    def _number(self, text: str) -> int:
        """Of a text, the same for equal ones."""
        return self.texts.setdefault(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…", len(self.texts))
