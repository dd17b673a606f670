"""What is sent and delivered during a run: counted, remembered as far as an explanation needs it, and recorded if asked for.

The coordinators tell the journal; nothing in it has an influence on the run.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from drystone.engines.details import KindDetails, MessageDetails
from drystone.engines.dss.messages import COORDINATOR, Kind, Message

if TYPE_CHECKING:
    from drystone.engines.dss.hosts import Call, Reply
    from drystone.engines.dss.options import DssOptions
    from drystone.engines.dss.records.recording import Recorder

_REMEMBERED = 3


class Remembered(msgspec.Struct):
    """The first and the last few of many messages."""

    first: list[Message] = []
    last: deque[Message] = msgspec.field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    count: int = 0

    def add(self, message: Message) -> None:
        self.count += 1
        if len(self.first) < _REMEMBERED:
            self.first.append(message)
        else:
            self.last.append(message)

    @property
    def left_out(self) -> int:
        return self.count - len(self.first) - len(self.last)


class BlockJournal(msgspec.Struct):
    """About one block."""

    received: Counter[Kind] = msgspec.field(default_factory=Counter)
    sent: dict[Kind, Remembered] = {}  # to other blocks; to several of them counts once
    messages_sent: int = 0  # and here for each of them


class Journal:
    def __init__(self, *recorders: Recorder) -> None:
        self.recorders = recorders
        self.blocks: dict[str, BlockJournal] = {}
        self.count: Counter[Kind] = Counter()
        self.bytes: Counter[Kind] = Counter()

    def begin(self, options: DssOptions, recursion: int) -> None:
        """New blocks, with recursion unrolled so far."""
        self.blocks.clear()
        self.count.clear()
        self.bytes.clear()
        for recorder in self.recorders:
            recorder.begin(options, recursion)

    def submitted(self, call: Call, host: int) -> None:
        for recorder in self.recorders:
            recorder.submitted(call, host)

    def sent(self, message: Message, receiver: str) -> None:
        if message.is_reminder:
            return
        self.count[message.kind] += 1
        self.bytes[message.kind] += len(message.terms)
        self._of(message.sender).messages_sent += 1

    def delivered(
        self, receiver: str, messages: Sequence[Message], answers: Sequence[Message], reply: Reply | None = None
    ) -> None:
        """The receiver took all of these at once, and said this; `reply`: of a block, what it took."""
        block = self._of(receiver)
        block.received.update(message.kind for message in messages if not message.is_reminder)
        for answer in answers:
            if answer.receiver != COORDINATOR and not answer.is_reminder:
                block.sent.setdefault(answer.kind, Remembered()).add(answer)
        for recorder in self.recorders:
            recorder.delivered(receiver, messages, answers, reply)

    def _of(self, block: str) -> BlockJournal:
        return self.blocks.setdefault(block, BlockJournal())

    def messages(self) -> MessageDetails:
        kinds = {kind.name: KindDetails(count, self.bytes[kind]) for kind, count in sorted(self.count.items())}
        return MessageDetails(self.count.total(), self.bytes.total(), kinds)
