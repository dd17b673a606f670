"""Where block actors live (`engines.hosting`). A host has some of the blocks; it is told messages for one of them and gives back
what the block says. A block knows nothing of hosts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines import hosting
from drystone.engines.dss.analysis import Actor
from drystone.engines.dss.messages import Kind, Message
from drystone.engines.dss.operators import OperatorCount
from drystone.engines.dss.preparation import ProgramBlock
from drystone.engines.hosting import Lost as Lost


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


class Hosts(hosting.Hosts[Spec, Call, Reply], Protocol):
    """Of blocks."""


class Inline(hosting.Inline[Spec, Call, Reply]):
    """One host, this process."""

    def make(self, spec: Spec) -> Actor:
        return spec.actor()

    def perform(self, call: Call) -> Reply:
        return perform(self.actors[call.block], call)


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
