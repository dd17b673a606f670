"""Actors on hosts. A host has some actors; it is given calls for them, one after the other, and gives back what they answer.

What an actor is, hosts do not know: a *kind* of actors says how one is made from a specification, how that travels, and what
calls and replies are. Blocks are one kind (`engines.dss`), workers of a reachability tree another (`engines.tree`). Whoever gives
out the calls knows hosts only by the protocol `Hosts`. `Inline` is this process: deterministic, one call after the other.
Processes and machines are in `drystone.runtime`: they get specifications and calls as bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from drystone.base.registry import Entry


class TimedReply(Protocol):
    """`began`: by the clock that all processes of a machine share."""

    @property
    def number(self) -> int:
        """Of the call."""

    @property
    def began(self) -> float: ...

    @property
    def seconds(self) -> float: ...


SpecT = TypeVar("SpecT")
CallT = TypeVar("CallT")
ReplyT = TypeVar("ReplyT", bound=TimedReply)
Given = TypeVar("Given", contravariant=True)
Asked = TypeVar("Asked", contravariant=True)


class ActorKind(msgspec.Struct, Generic[SpecT, CallT, ReplyT], frozen=True):
    name: str  # in `KINDS`
    pack: Callable[[SpecT], bytes]
    unpack: Callable[[bytes], SpecT]
    actor: Callable[[SpecT], Any]
    perform: Callable[[Any, CallT], ReplyT]  # what a host does with a call for an actor
    receiver: Callable[[CallT], str]  # the actor that a call is for
    calls: type[CallT]
    replies: type[ReplyT]


KINDS: dict[str, Entry[ActorKind[Any, Any, Any]]] = {
    "blocks": Entry("blocks of a program", "drystone.engines.dss.packed_specs:BLOCKS"),
    "tree": Entry("workers of a reachability tree", "drystone.engines.tree.hosted:WORKERS"),
}
"""Hosts look up here what they have been given."""


class Lost(msgspec.Struct, frozen=True):
    """A host is no more, and with it what its actors knew. Another one is in its place, with fresh actors."""

    host: int
    how: str  # it ended
    call: Any  # that it was at; None: none


class Hosts(Protocol[Given, Asked, ReplyT]):
    """Hosts are numbered from 0; each does one call at a time, and not more than `at_once` do."""

    count: int
    at_once: int
    bytes: int  # that have passed between processes

    def load(self, specs: Mapping[str, Given], placement: Mapping[str, int]) -> None:
        """New actors, instead of those before: where each of them lives."""

    def join(self, id: str, spec: Given, host: int) -> None:
        """One more actor, on a host that has none, while others are at work."""

    def submit(self, host: int, call: Asked) -> None: ...

    def wait(self, seconds: float) -> list[ReplyT | Lost]:
        """What has come in, at least one thing unless so much time has passed."""

    def close(self) -> None: ...


class Inline(ABC, Generic[SpecT, CallT, ReplyT]):
    """One host, this process."""

    count = at_once = 1
    bytes = 0

    def __init__(self) -> None:
        self.actors: dict[str, Any] = {}
        self._waiting: list[CallT] = []

    @abstractmethod
    def make(self, spec: SpecT) -> Any:
        """An actor."""

    @abstractmethod
    def perform(self, call: CallT) -> ReplyT:
        """By one of the actors."""

    def load(self, specs: Mapping[str, SpecT], placement: Mapping[str, int]) -> None:
        self.actors = {id: self.make(spec) for id, spec in specs.items()}
        self._waiting = []

    def join(self, id: str, spec: SpecT, host: int) -> None:
        self.actors[id] = self.make(spec)

    def submit(self, host: int, call: CallT) -> None:
        self._waiting.append(call)

    def wait(self, seconds: float) -> list[ReplyT | Lost]:
        calls, self._waiting = self._waiting, []
        return [self.perform(call) for call in calls]

    def close(self) -> None:
        self.actors = {}
