"""What blocks tell each other. A message is a plain value; terms travel packed.

The kinds are those of Kettl 2022 (section 4.1.6): a postcondition about a location goes to the blocks that begin there, an error
condition (violation condition in Beyer, Kettl, Lemberger 2024) to the blocks that end there, its refutation to the block that
asked. `START` and `INVARIANT` are the coordinator's: begin to look for violations; rely on this.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cache

import msgspec

from drystone.base.digests import blake2b
from drystone.logic.packing import pack, unpack
from drystone.logic.terms import Term


class Kind(IntEnum):
    """In the order in which a block takes them; RESULT and ERROR come first (Kettl 2022, Table 13)."""

    ERROR = 0  # a block cannot go on
    RESULT = 1  # a block has an answer for the coordinator
    INVARIANT = 2  # what was found to hold at a location, by other means
    BLOCKPOSTCONDITION = 3  # what holds at a location, up to a level
    ERRORCONDITIONUNREACHABLE = 4  # states of an error condition are not reached through this block
    ERRORCONDITION = 5  # states from which the error is reached, or may be: are they reached themselves?
    START = 6


ERRORS, POSTCONDITIONS = "errors", "postconditions"
"""What `--precedence` says that blocks take first: error conditions, or postconditions."""

COORDINATOR = "coordinator"


class Step(msgspec.Struct, frozen=True, array_like=True):
    """A block on a way to the error, and the condition it sent."""

    block: str
    condition: str


class Content(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What some kinds of messages say besides."""


class Failure(Content, frozen=True):
    """ERROR."""

    reason: str


class Reached(Content, frozen=True):
    """RESULT: the error is, along the trace."""

    exact: bool = False  # else as far as the predicates tell


class Refined(Content, frozen=True):
    """RESULT: an abstract counterexample was refuted."""

    predicates: int  # new ones


class Concrete(Content, frozen=True):
    """ERRORCONDITION and its refutation, where an abstract counterexample is followed concretely."""

    position: int  # in the trace


class Certain(Content, frozen=True):
    """ERRORCONDITION: all of its states lead to the error."""


class Violated(Content, frozen=True):
    """ERRORCONDITION of a distributed analysis."""

    is_error: bool  # else something that is not modelled: neither a proof nor a counterexample
    level: int  # of the postconditions from which it was found to be reached, where these are told apart


class Push(Content, frozen=True):
    """ERRORCONDITION: which of these lemmas hold one level higher?"""


class Pushed(Content, frozen=True):
    """ERRORCONDITIONUNREACHABLE: the answer."""

    refuted: bytes  # a bit for each lemma, the lowest first: no state of the level before leads to its negation


class Version(Content, frozen=True):
    """BLOCKPOSTCONDITION: the newest of a block counts."""

    number: int
    is_initial: bool = False  # made from a precondition that nobody had sent


class Again(Content, frozen=True):
    """START: all is concluded anew."""

    max_cubes: int
    version: int  # what is said from now on is newer


AnyContent = Failure | Reached | Refined | Concrete | Certain | Violated | Push | Pushed | Version | Again


class Message(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    kind: Kind
    sender: str
    receiver: str = ""  # a block; empty: all that the location says
    location: int = 0
    id: str = ""
    parent: str = ""  # the message that this one answers
    level: int = 0
    epoch: int = 0  # messages of earlier epochs are void
    terms: bytes = b""
    trace: tuple[Step, ...] = ()  # the blocks from the location to the error
    content: AnyContent | None = None

    @property
    def is_reminder(self) -> bool:
        """To whom it comes from: no message of distributed summary synthesis."""
        return self.sender == self.receiver

    def conjuncts(self) -> list[Term]:
        return unpack(self.terms) if self.terms else []

    def hash(self) -> str:
        return blake2b(msgspec.msgpack.encode(self), digest_size=16).hexdigest()


def packed(terms: Sequence[Term]) -> bytes:
    return pack(list(terms)) if terms else b""


def encode(message: Message) -> bytes:
    return msgspec.msgpack.encode(message)


@cache  # most programs are verified in one process
def _decoder() -> msgspec.msgpack.Decoder[Message]:
    return msgspec.msgpack.Decoder(Message)


def decode(data: bytes) -> Message:
    return _decoder().decode(data)
