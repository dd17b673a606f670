"""What work in a child process (`runtime.watchdog`) tells the process that watches it."""

from __future__ import annotations

import msgspec

from drystone.engines.details import EngineTurn, Story
from drystone.verification.result import Assumption, Result


class Doing(msgspec.Struct, frozen=True, tag=True):
    """What the work is at."""

    activity: str
    counters: dict[str, int]
    engine: str = ""  # whose work it is
    checked: int | None = None  # no error is reached with so many passes of loop heads

    @property
    def phase(self) -> str:
        """For people who watch."""
        return f"{self.engine}: {self.activity}" if self.engine else self.activity


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The input is not what drystone reads."""

    message: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A bug in drystone."""

    error: str
    traceback: str


class Known(msgspec.Struct, frozen=True, tag=True):
    """The result of a verification so far: the last one counts."""

    result: Result
    final: bool


class Proved(msgspec.Struct, frozen=True, tag=True):
    """The text of the certificate, should the verdict be TRUE."""

    text: str


class Witnessed(msgspec.Struct, frozen=True, tag=True):
    """The text of the witness for this verdict, or why there is none."""

    verdict: str
    text: str
    problem: str = ""


class CoveredFile(msgspec.Struct, frozen=True):
    """Lines of a file that have code which the program reaches."""

    file: str
    relevant: list[int]  # they decide whether an error is reached
    others: list[int]  # they do not


class Told(msgspec.Struct, frozen=True, tag=True):
    """What blocks told each other, when engines were at work, and what a proof is about."""

    story: Story | None
    turns: tuple[EngineTurn, ...]
    covered: tuple[CoveredFile, ...] = ()


class Recording(msgspec.Struct, frozen=True, tag=True):
    """The recording that was asked for is being written."""


class Answered(msgspec.Struct, frozen=True, tag=True):
    """What came of checking a certificate."""

    valid: bool
    undecided: bool
    checked_by: str
    reason: str
    assumptions: list[Assumption]
    other_texts: list[str] = []


Message = Doing | Known | Proved | Witnessed | Told | Recording | Answered | Refused | Failed


def failed_by(bug: Exception) -> Failed:
    """For the exception that is being handled."""
    import traceback

    text = " ".join(str(bug).split())[:300]
    return Failed(f"{type(bug).__name__}: {text}" if text else type(bug).__name__, traceback.format_exc())
