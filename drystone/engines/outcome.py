"""What every engine gets and gives: a deadline, an observer, and a verdict with its evidence.

An engine is a function `check(prepared, options, deadline, observer) -> EngineResult`. The program is as the front end
made it, calls not inlined; an engine that works on another form, which it asks the `PreparedProgram` for, translates back what it
found. The engine knows no clock but the deadline, and reports what it does to the observer, which it does not know either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from drystone.claims.certificates import Certificate
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import Consumed
from drystone.engines.details import Details, EngineTurn, Story
from drystone.engines.obstacles import Obstacle, UndefinedSeen
from drystone.ir.automaton import Mark


class Progress(msgspec.Struct, frozen=True):
    """What an engine is at. A change of `phase` is a line of the log; counters change as often as they like."""

    activity: str  # "runs", "unrolling", "query", ...: one or two words
    counters: dict[str, int] = {}  # bound, queries, runs, ...: what is shown beside the phase
    engine: str = ""  # whose progress it is, where several are asked
    checked: int | None = None  # as in `Obstacle`, should it be cut short

    @property
    def phase(self) -> str:
        """For people."""
        return f"{self.engine}: {self.activity}" if self.engine else self.activity


class Violation(msgspec.Struct, frozen=True):
    """An error that can be reached, told as soon as it is known: a run that is cut short afterwards still has its verdict."""

    error: Mark
    inputs: tuple[Consumed, ...]  # as in `EngineResult`


Happening = Progress | Violation | UndefinedSeen
Observer = Callable[[Happening], None]


def unobserved(event: Happening) -> None:
    """The observer that does not look."""


class ErrorVerdict(msgspec.Struct, frozen=True):
    """The verdict about one error location; there is one per mark of the program's procedures, however often it is inlined."""

    error: Mark
    verdict: Verdict
    inputs: tuple[Consumed, ...] = ()  # for FALSE: an execution that ends here


class EngineResult(msgspec.Struct, frozen=True):
    """The verdict is FALSE if one error location is, TRUE if all are and no unknown location can be reached."""

    verdict: Verdict
    reason: str  # one line for people: what was proved and by what, why it is unknown; empty for FALSE
    error: Mark | None = None  # for FALSE: the first error
    inputs: tuple[Consumed, ...] = ()
    """For FALSE: every input in the order in which a run of the program that the engine was given reads it (calls not inlined),
    as `Outcome.inputs` has them. `RecordedInputs(inputs)` repeats the run; what it does not find there is zero."""
    certificate: Certificate | None = None  # for TRUE
    counters: Mapping[str, int] = {}
    errors: tuple[ErrorVerdict, ...] = ()
    explanation: tuple[str, ...] = ()  # for people who ask why: what was tried, what it gave; a line each
    engine: str = ""  # that found it, where several were asked
    details: Details | None = None  # what its parts did
    story: Story | None = None  # and what they told each other, if it is to be told
    turns: tuple[EngineTurn, ...] = ()  # where several engines were asked: when each of them was at work
    obstacle: Obstacle = Obstacle()  # for UNKNOWN

    @property
    def is_open(self) -> bool:
        """Could another engine know more?"""
        return self.verdict is Verdict.UNKNOWN and not self.obstacle.is_final


def combined(
    errors: tuple[ErrorVerdict, ...], reason: str, counters: Mapping[str, int], obstacle: Obstacle | None = None
) -> EngineResult:
    """The result of an engine that only finds violations: FALSE if there is one, otherwise UNKNOWN for this reason."""
    first = next((each for each in errors if each.verdict is Verdict.FALSE), None)
    if first is None:
        return EngineResult(Verdict.UNKNOWN, reason, counters=counters, errors=errors, obstacle=obstacle or Obstacle())
    return EngineResult(Verdict.FALSE, "", first.error, first.inputs, counters=counters, errors=errors)
