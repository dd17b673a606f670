"""Repeats a recorded run: fresh blocks are told what was recorded, in that order, and must answer as recorded.

There is no search and no queue: what is delivered next is in the recording. Only time can make a difference that is none: a
block that gave up since its solver did not answer in time is not told anything more.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.engines.dss.analysis import Actor
from drystone.engines.dss.engine import specs_of
from drystone.engines.dss.messages import COORDINATOR, Kind, Message
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import Blocks, prepare_blocks
from drystone.engines.dss.readable import Readable
from drystone.engines.dss.records import recording
from drystone.engines.dss.records.recording import Frame
from drystone.engines.dss.registry import SUMMARIES, domain_of
from drystone.engines.recordings import NotARecording
from drystone.ir.automaton import Program
from drystone.logic.packing import unpack
from drystone.logic.terms import Term
from drystone.pipeline import PreparedProgram


class Difference(msgspec.Struct, frozen=True):
    """The first answer that is not as recorded, in lines for people."""

    number: int  # of the message that was answered, as `--show` counts them
    block: str
    where: str
    received: list[str]
    expected: str
    got: str
    fields: tuple[str, ...] = ()  # of the message, which differ


class Repetition:
    def __init__(self, program: Program, options: DssOptions, show: Callable[[str], None] | None = None) -> None:
        """`show` gets a line for each message that is delivered."""
        self.program, self.options, self.show = program, options, show
        self.messages: list[Message] = []
        self.count = 0  # delivered, to the coordinator as well
        self.repeated = self.left_out = 0  # delivered to blocks
        self.told: set[str] = set()  # blocks
        self._is_read: set[int] = set()
        self._blocks: Blocks | None = None
        self._actors: dict[str, Actor] = {}
        self._readable: Readable | None = None
        self._gave_up: set[str] = set()

    def take(self, frame: Frame) -> Difference | None:
        match frame:
            case recording.Begun(recursion, is_eager):
                self._begin(recursion, msgspec.structs.replace(self.options, is_eager=is_eager))
            case recording.Sent(message):
                self.messages.append(message)
            case recording.Delivered():
                return self._deliver(frame)
        return None

    def _begin(self, recursion: int, options: DssOptions) -> None:
        if options.summaries not in SUMMARIES:  # recordings come from anywhere: nothing is loaded because they say so
            raise NotARecording(f"has summaries {options.summaries!r}, which are not drystone's own")
        blocks = prepare_blocks(
            PreparedProgram(self.program),
            recursion_bound=recursion,
            max_edges=options.max_edges,
            sliced=options.slicing,
            kind=options.decomposition,
        )
        self._blocks, self._readable = blocks, Readable(self.program, blocks, domain_of(options.summaries))
        self._actors = {id: spec.actor() for id, spec in specs_of(blocks, options).items()}
        self._gave_up = set()

    def _prepared(self) -> Blocks:
        if self._blocks is None:
            raise NotARecording("is damaged: its parts are out of order")
        return self._blocks

    def _deliver(self, frame: recording.Delivered) -> Difference | None:
        self._prepared()
        first = self.count + 1
        received = [self._read(number) for number in frame.messages]
        for message in received:
            self.count += 1
            if self.show is not None:
                self.show(self._line(self.count, message, frame.receiver))
        if frame.receiver == COORDINATOR:
            return None
        expected = [self.messages[number] for number in frame.answers]
        from_others = sum(not message.is_reminder for message in received)
        if frame.receiver in self._gave_up or any(answer.kind is Kind.ERROR for answer in expected):
            self._gave_up.add(frame.receiver)
            self.left_out += from_others
            return None
        lines = [self._line(first + offset, message, frame.receiver) for offset, message in enumerate(received)]
        actor = self._actors.get(frame.receiver)
        if actor is None:
            return Difference(first, frame.receiver, "", lines, "an answer", "there is no such block in this program")
        try:
            got = actor.receive(received)
        except Exception as problem:  # a message that this block cannot be told: of another program, or damaged
            what = f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}"
            return self._difference(first, actor, lines, expected, what)
        self.repeated += from_others
        self.told.add(frame.receiver)
        return None if got == expected else self._difference(first, actor, lines, expected, got)

    def _read(self, number: int) -> Message:
        """A message whose terms are terms: recordings come from anywhere. Not sooner than its sender has made them."""
        message = self.messages[number]
        if number not in self._is_read:
            self._is_read.add(number)
            _unpacked(message.terms, f"message {number}")
        return message

    def _difference(
        self, number: int, actor: Actor, lines: list[str], expected: list[Message], got: list[Message] | str
    ) -> Difference:
        assert self._readable is not None
        where = self._readable.where(actor.block.start)
        if isinstance(got, str):
            return Difference(number, actor.block.id, where, lines, self._answer(expected, 0), got)
        pairs = zip(expected, got, strict=False)
        place = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(got)))
        fields: tuple[str, ...] = ()
        if place < len(expected) and place < len(got):
            a, b = expected[place], got[place]
            fields = tuple(name for name in Message.__struct_fields__ if getattr(a, name) != getattr(b, name))
        return Difference(number, actor.block.id, where, lines, self._answer(expected, place), self._answer(got, place), fields)

    def _answer(self, answers: list[Message], place: int) -> str:
        assert self._readable is not None
        if place >= len(answers):
            return "nothing more" if answers else "nothing"
        try:
            return self._readable.line(answers[place])
        except ValueError as problem:
            raise NotARecording(f"is damaged: {problem}") from None

    def _line(self, number: int, message: Message, receiver: str) -> str:
        assert self._readable is not None
        return f"{number:>6}  {self._readable.line(message, receiver)}"


def _unpacked(data: bytes, what: str) -> list[Term]:
    try:
        return unpack(data, untrusted=True) if data else []
    except ValueError as problem:
        raise NotARecording(f"is damaged: {what}: {problem}") from None
