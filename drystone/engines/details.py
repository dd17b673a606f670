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


class Details(msgspec.Struct, frozen=True):
    blocks: list[BlockDetails]
    messages: MessageDetails
    operators: dict[str, OperatorDetails]
