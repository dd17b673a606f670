"""Where block actors live. A host has some of the blocks; it is told messages for one of them and gives back what the block says.

The coordinator knows hosts only by this interface, and a block knows nothing of them. `Inline` is this process: deterministic,
one call after the other. Processes and machines are in `drystone.runtime`: they get blocks and messages as bytes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.dss.analysis import Actor
from drystone.engines.dss.messages import Kind, Message
from drystone.engines.dss.operators import OperatorCount
from drystone.engines.dss.preparation import ProgramBlock


class Status(msgspec.Struct, frozen=True, array_like=True):
    """What a block says about itself with every answer."""

    is_open: bool = False  # it waits for others, or cannot exclude an error
    epoch: int = 0
    counters: dict[str, int] = {}
    operators: dict[str, OperatorCount] = {}


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A block is told these messages, all at once."""

    number: int
    block: str
    messages: tuple[Message, ...]
    seconds: float  # that are left


class Reply(msgspec.Struct, frozen=True, array_like=True):
    number: int  # of the call
    block: str
    answers: tuple[Message, ...]
    status: Status
    began: float  # by the clock that all processes of a machine share
    seconds: float
    solving: float = 0.0  # of these, in a solver
    packing: float = 0.0  # packing and unpacking terms


class Lost(msgspec.Struct, frozen=True):
    """A host is no more, and with it what its blocks knew. Another one is in its place, with fresh blocks."""

    host: int
    how: str  # it ended
    call: Call | None  # that it was at


class Hosts(Protocol):
    """Hosts are numbered from 0; each does one call at a time, and not more than `at_once` do."""

    count: int
    at_once: int

    def load(self, specs: Mapping[str, Spec], placement: Mapping[str, int]) -> None:
        """New blocks, instead of those before: where each of them lives."""

    def submit(self, host: int, call: Call) -> None: ...

    def wait(self, seconds: float) -> list[Reply | Lost]:
        """What has come in, at least one thing unless so much time has passed."""

    def close(self) -> None: ...


class BlockOptions(msgspec.Struct, frozen=True):
    """How blocks of one domain work; they travel with the blocks."""

    def actor(self, spec: Spec) -> Actor:
        raise NotImplementedError


class Spec(msgspec.Struct, frozen=True):
    """All that a block's actor is made of."""

    block: ProgramBlock
    predecessors: tuple[str, ...]
    options: BlockOptions
    component: tuple[str, ...] = ()  # the blocks of its strongly connected component, none if it is on no cycle
    exits: tuple[int, ...] = ()  # where other blocks begin

    def actor(self) -> Actor:
        return self.options.actor(self)


def perform(actor: Actor, call: Call) -> Reply:
    """What a host does with a call."""
    began, cpu, operators = time.monotonic(), time.process_time(), actor.operators
    solving, packing = operators.solving, operators.packing()
    actor.give(Deadline.after(call.seconds))
    answers = actor.receive([message for message in call.messages if _concerns(message, actor)])
    status = Status(actor.is_open, actor.epoch, actor.figures(), operators.counts)
    seconds = time.process_time() - cpu  # whatever else the machine does
    return Reply(
        call.number,
        call.block,
        tuple(answers),
        status,
        began,
        seconds,
        operators.solving - solving,
        operators.packing() - packing,
    )


def _concerns(message: Message, actor: Actor) -> bool:
    """Is it for this block?

    With `--routing broadcast` all messages go to all blocks, as in Beyer, Kettl, Lemberger 2024; most are unpacked for nothing.
    """
    id, start, exits = actor.block.id, actor.block.start, actor.block.transformer.exits
    if message.receiver:
        concerned = message.receiver == id
    elif message.kind is Kind.ERRORCONDITION:
        concerned = message.location in exits
    else:
        concerned = message.location == start
    if not concerned:
        operators = actor.operators
        unpack = operators.unpack_vcond if message.kind is Kind.ERRORCONDITION else operators.unpack_post
        unpack(message)
    return concerned


class Inline:
    """One host, this process."""

    count = at_once = 1

    def __init__(self) -> None:
        self.actors: dict[str, Actor] = {}
        self._waiting: list[Call] = []

    def load(self, specs: Mapping[str, Spec], placement: Mapping[str, int]) -> None:
        self.actors = {id: spec.actor() for id, spec in specs.items()}
        self._waiting = []

    def submit(self, host: int, call: Call) -> None:
        self._waiting.append(call)

    def wait(self, seconds: float) -> list[Reply | Lost]:
        calls, self._waiting = self._waiting, []
        return [perform(self.actors[call.block], call) for call in calls]

    def close(self) -> None:
        self.actors = {}


def placed(specs: Mapping[str, Spec], hosts: int) -> dict[str, int]:
    """Where each block lives, by their edges."""
    return shared({id: float(1 + spec.block.edges) for id, spec in specs.items()}, hosts)


def shared(weights: Mapping[str, float], hosts: int) -> dict[str, int]:
    """In the order of the block graph, so that neighbours are together; each host gets its share."""
    total, done = sum(weights.values()) or 1.0, 0.0
    placement = {}
    for id, weight in weights.items():
        placement[id] = min(hosts - 1, int(hosts * (done + weight / 2) / total))
        done += weight
    return placement
