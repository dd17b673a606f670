"""What the parts of an engine did: figures for `--json`, beside the counters of the whole. As in Kettl 2022, Table 17."""

from __future__ import annotations

import msgspec


class BlockDetails(msgspec.Struct, frozen=True):
    id: str
    where: str  # file:line
    edges: int
    predecessors: list[str]
    received: int  # messages
    sent: int
    counters: dict[str, int]  # queries, predicates, lemmas, …


class KindDetails(msgspec.Struct, frozen=True):
    count: int
    bytes: int  # of packed terms


class MessageDetails(msgspec.Struct, frozen=True):
    """A message to several blocks counts for each of them."""

    count: int
    bytes: int
    kinds: dict[str, KindDetails]


class OperatorDetails(msgspec.Struct, frozen=True):
    calls: int
    seconds: float
    bytes: int  # that it made or read


class ToldEdge(msgspec.Struct, frozen=True, array_like=True):
    """Of a block's automaton."""

    source: int
    target: int
    text: int  # these are numbers of `Story.texts`
    line: int


class ToldBlock(msgspec.Struct, frozen=True):
    id: str
    file: str | None  # where it starts
    line: int | None
    until: int | None  # the last line that it has in this file
    start: int  # location
    exits: list[int]
    leads_to_error: bool  # without another block
    edges: list[ToldEdge]
    followers: list[int]  # numbers of blocks


class ToldMessage(msgspec.Struct, frozen=True, array_like=True):
    """A block is its number, the coordinator -1."""

    kind: str
    sender: int
    receivers: list[int]
    time: float  # when it was sent, as far as is known
    location: int  # of the automaton, that it is about
    level: int
    text: int


class ToldCall(msgspec.Struct, frozen=True, array_like=True):
    """A block took messages and answered; they are numbers of `Story.messages`."""

    block: int
    host: int
    submitted: float
    began: float
    ended: float
    heard: float
    solving: float
    packing: float
    queries: int
    messages: list[int]
    answers: list[int]


class Story(msgspec.Struct, frozen=True):
    """What the blocks of a run told each other, and when, for people. Times are seconds since the first blocks were made."""

    engine: str
    posts: str  # what people call its postconditions
    blocks: list[ToldBlock]
    messages: list[ToldMessage]  # in the order in which they were sent
    calls: list[ToldCall]
    texts: list[str]
    omitted: int = 0  # messages, of the middle of a long run
    unworded: int = 0  # messages for which there was no time to put them into words
    earlier: int = 0  # times that blocks were made anew before
    trace: bytes = b""  # as `--trace` writes it; empty if it is long


class EngineTurn(msgspec.Struct, frozen=True):
    """An engine was at work."""

    engine: str
    began: float  # seconds
    ended: float


class Details(msgspec.Struct, frozen=True):
    blocks: list[BlockDetails]
    messages: MessageDetails
    operators: dict[str, OperatorDetails]
