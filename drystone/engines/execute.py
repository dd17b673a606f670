"""Executes the program on many inputs and looks whether the error is reached. Finds shallow bugs at once, proves nothing.

Runs come in rounds. Each round repeats the schedule of styles (`engines.guesses`) with new seeds and a greater step
limit, so that short executions are tried first and long ones still get their turn. A run that reaches an
error without undefined behaviour is preferred; one that relies on it is kept in case nothing better is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from drystone.engines.guesses import FIRST, STYLES, Constants, Guesses
from drystone.engines.outcome import (
    EngineResult,
    ErrorVerdict,
    Observer,
    Progress,
    Verdict,
    Violation,
    combined,
    error_marks,
)
from drystone.program.automaton import Mark, MarkKind, Origin, Program
from drystone.program.interpreter import Interpreter, Outcome
from drystone.solvers.deadline import Deadline


@dataclass(frozen=True)
class Options:
    seed: int = 0
    """Another seed, other runs."""
    runs: int = 20_000
    """At most so many."""
    steps: tuple[int, ...] = (3_000, 30_000, 300_000, 1_000_000)
    """Step limits of the rounds; the last one stays."""
    runs_after_error: int = 30
    """How many more runs look for further errors, and for a run without undefined behaviour, once an error was reached."""


def check(program: Program, options: Options, deadline: Deadline, observer: Observer) -> EngineResult:
    """FALSE with inputs, or UNKNOWN; never TRUE."""
    search = _Search(program)
    interpreter, constants = Interpreter(program), Constants(program)
    observer(Progress("runs"))
    left, pace = options.runs_after_error, _Pace()
    for number, (style, max_steps) in enumerate(_schedule(options)):
        if deadline.expired() or search.is_complete() or left <= 0:
            break
        seed = options.seed * 1_000_003 + number
        zero_memory = style != "random" and number % 8 != 7
        before = deadline.remaining()
        affordable = min(max_steps, 1_000 + int(min(before, 3600) * pace.steps_per_second / 2))
        outcome = interpreter.run(Guesses(constants, seed, style, zero_memory=zero_memory), max_steps=affordable)
        pace.learn(outcome.steps, before - deadline.remaining())
        if search.learn(outcome):
            observer(Violation(search.mark_of(outcome), outcome.inputs))
        if search.found:
            left -= 1
        if number % 16 == 0:
            observer(Progress("runs", search.counters()))
        if outcome.steps == 0 and outcome.kind == "limit":
            return combined(search.verdicts(), outcome.what, search.counters())  # nothing can be run
        if not outcome.inputs and outcome.kind != "limit":
            break  # every run is this one
    return combined(search.verdicts(), search.summary(), search.counters())


def _schedule(options: Options) -> Iterator[tuple[str, int]]:
    """Style and step limit of each run."""
    count = 0
    for round_ in range(options.runs):
        max_steps = options.steps[min(round_, len(options.steps) - 1)]
        for style in (*FIRST, *STYLES * 2) if round_ == 0 else STYLES * 2:
            yield style, max_steps
            count += 1
            if count >= options.runs:
                return


class _Pace:
    """How fast runs are here, so that none is begun that would outlast the deadline: a run is not interrupted."""

    def __init__(self) -> None:
        self.steps, self.seconds = 20_000.0, 0.1

    @property
    def steps_per_second(self) -> float:
        return self.steps / self.seconds

    def learn(self, steps: int, seconds: float) -> None:
        if seconds == seconds and seconds > 0:  # without a deadline, infinity less infinity
            self.steps, self.seconds = self.steps + steps, self.seconds + seconds


class _Search:
    """What the runs have shown so far."""

    def __init__(self, program: Program) -> None:
        self.marks = error_marks(program)
        self.known: dict[tuple[str, Origin], Mark] = {(mark.what, mark.origin): mark for mark in self.marks}
        self.found: dict[Mark, Outcome] = {}
        self.runs = self.steps = 0
        self.ends: dict[str, int] = {}

    def mark_of(self, outcome: Outcome) -> Mark:
        return self.known.get((outcome.what, outcome.origin)) or Mark(MarkKind.ERROR, outcome.what, outcome.origin)

    def learn(self, outcome: Outcome) -> bool:
        """Does this run show a violation, or a better one?"""
        self.runs += 1
        self.steps += outcome.steps
        self.ends[outcome.kind] = self.ends.get(outcome.kind, 0) + 1
        if outcome.kind != "error":
            return False
        mark = self.mark_of(outcome)
        before = self.found.get(mark)
        if before is not None and _merit(before) <= _merit(outcome):
            return False
        self.found[mark] = outcome
        return True

    def is_complete(self) -> bool:
        """Every error is reached, by a run without undefined behaviour."""
        return len(self.found) >= len(self.marks) and all(_merit(outcome)[0] == 0 for outcome in self.found.values())

    def verdicts(self) -> tuple[ErrorVerdict, ...]:
        """The best runs first: the first violation is the one that is told in full."""
        violated = sorted(self.found.items(), key=lambda item: _merit(item[1]))
        others = [ErrorVerdict(mark, Verdict.UNKNOWN) for mark in self.marks if mark not in self.found]
        return (*(ErrorVerdict(mark, Verdict.FALSE, outcome.inputs) for mark, outcome in violated), *others)

    def counters(self) -> dict[str, int]:
        return {"runs": self.runs, "steps": self.steps}

    def summary(self) -> str:
        how = ", ".join(
            f"{count} {_ENDS.get(kind, kind)}" for kind, count in sorted(self.ends.items(), key=lambda item: -item[1])
        )
        return f"{self.runs} runs did not reach the error ({how})" if self.runs else "there was no time for a run"


_ENDS = {
    "returned": "returned",
    "halt": "ended by exit, abort or a failed assumption",
    "blocked": "ended by a failed assumption",
    "limit": "came to the step limit",
    "crash": "crashed",
    "unknown": "came to something that is not modelled",
}


def _merit(outcome: Outcome) -> tuple[int, int]:
    """Less is better: undefined behaviour, then length."""
    return len(outcome.undefined), outcome.steps
