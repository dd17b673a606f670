"""A run of `dss` as a stream of bytes: every message, who got it in which order, and what each block answered.

After a line with the format and its version come chunks, each with its length and a checksum: a list of frames, compressed.
A message is written once, as a `Sent` frame; its number is how many were written before it. `Delivered` frames refer to
numbers. The last frame is the verdict. Whatever else a stream contains, reading it ends in `NotARecording`.

What a block does depends on nothing but what it is told, as long as its solver answers in time. So fresh blocks that are told the
same say the same: `engines.dss.records.repetition`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from drystone.base.plurals import counted
from drystone.base.version import __version__
from drystone.engines.dss.messages import Message
from drystone.engines.dss.options import DssOptions
from drystone.engines.recordings import OF_BLOCKS, Ended, NotARecording, RecordedProgram, chunk, first_line, frames

if TYPE_CHECKING:
    from drystone.engines.dss.hosts import Call, Reply

VERSION = 4
_FRAMES = 256  # in a chunk


class Header(msgspec.Struct, frozen=True, tag=0, array_like=True):
    drystone: str  # the version that made the recording
    program: RecordedProgram
    options: DssOptions


class Begun(msgspec.Struct, frozen=True, tag=1, array_like=True):
    """New blocks, with recursion unrolled so far."""

    recursion: int
    is_eager: bool = False  # as in `DssOptions`: those on several hosts are, those before them in this process were not


class Sent(msgspec.Struct, frozen=True, tag=2, array_like=True):
    message: Message


class Work(msgspec.Struct, frozen=True, array_like=True):
    """What a call took; times as in `Delivered`."""

    host: int
    submitted: float
    began: float
    ended: float
    solving: float  # seconds of these, as the next one
    packing: float
    queries: int  # of the block up to now


class Delivered(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """Numbers of messages that a block took at once, and of those it answered with."""

    receiver: str
    messages: list[int]
    answers: list[int]
    time: float = 0.0  # when the coordinator knew, in seconds since the first blocks were made
    work: Work | None = None  # of a block


Frame = Header | Begun | Sent | Delivered | Ended
_DECODER: msgspec.msgpack.Decoder[list[Frame]] = msgspec.msgpack.Decoder(list[Frame])


class Recorder:
    """Writes a run. What is written is always whole chunks, so that a run that is cut short can still get its last frame."""

    def __init__(self, program: RecordedProgram, write: Callable[[bytes], object]) -> None:
        self._program, self._write = program, write
        self._began = time.monotonic()
        self._submitted: dict[int, tuple[int, float]] = {}  # by the number of the call: the host, and when
        self._frames: list[Frame] = []
        self._numbers: dict[str, int] = {}  # by content: equal messages are one
        self.is_begun = False

    def begin(self, options: DssOptions, recursion: int) -> None:
        if not self.is_begun:
            self.is_begun, self._began = True, time.monotonic()
            self._write(first_line(OF_BLOCKS, VERSION))
            self._add(Header(__version__, self._program, options))
        self._submitted.clear()
        self._add(Begun(recursion, options.is_eager))
        self.flush()

    def submitted(self, call: Call, host: int) -> None:
        self._submitted[call.number] = host, self._now()

    def delivered(self, receiver: str, messages: Sequence[Message], answers: Sequence[Message], reply: Reply | None) -> None:
        taken, said = [self._number(each) for each in messages], [self._number(each) for each in answers]
        self._add(Delivered(receiver, taken, said, self._now(), self._work(reply) if reply is not None else None))

    def _work(self, reply: Reply) -> Work:
        """A clock of another machine says nothing here."""
        now = self._now()
        host, submitted = self._submitted.pop(reply.number, (0, now))
        began = max(submitted, min(reply.began - self._began, now - reply.seconds))
        queries = reply.status.counters.get("queries", 0)
        return Work(host, submitted, began, began + reply.seconds, reply.solving, reply.packing, queries)

    def _now(self) -> float:
        return time.monotonic() - self._began

    def end(self, verdict: str, reason: str) -> None:
        if self.is_begun:
            self._add(Ended(verdict, reason))
            self.flush()

    def flush(self) -> None:
        if self._frames:
            self._write(chunk(self._frames))
            self._frames = []

    def _number(self, message: Message) -> int:
        key = message.hash()
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._add(Sent(message))
        return number

    def _add(self, frame: Frame) -> None:
        self._frames.append(frame)
        if len(self._frames) >= _FRAMES:
            self.flush()


def read(stream: BinaryIO) -> Iterator[Frame]:
    """The frames, a `Header` first, an `Ended` last."""
    last: Frame | None = None
    messages = 0
    for frame in frames(stream, OF_BLOCKS, VERSION, _DECODER):
        if isinstance(frame, Header) is not (last is None) or isinstance(last, Ended):
            raise NotARecording("is damaged: its parts are out of order")
        if isinstance(frame, Sent):
            messages += 1
        elif isinstance(frame, Delivered) and not all(0 <= each < messages for each in (*frame.messages, *frame.answers)):
            raise NotARecording("is damaged: it delivers a message that was not sent")
        yield frame
        last = frame
    if not isinstance(last, Ended):
        raise NotARecording(f"is cut short: it ends without a verdict, after {counted(messages, 'messages')}")
