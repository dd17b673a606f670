"""Verifies the programs of a suite, several at a time, each in a process of its own, and keeps what comes of each at once."""

from __future__ import annotations

import selectors
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from drystone.base.refusal import Refusal
from drystone.suite.budget import Budget
from drystone.suite.identity import identity
from drystone.suite.kept import Kept
from drystone.suite.outcome import BAD_INPUT, CRASHED, Outcome
from drystone.suite.programs import SuiteProgram
from drystone.verification.apart import Asked, Said, Verify
from drystone.verification.messages import Doing, Refused, Told
from drystone.verification.result import Result, place_text
from drystone.verification.tasks import resolve
from drystone.verification.verify import Verified

_LOOK = 0.25  # seconds between two ticks
_MORE_TIME = "time"  # the cause of an UNKNOWN that more of it might decide
_NO_TURN = "not looked at: the time of the suite was over"


class Observer:
    """Hears what happens; by default, nothing comes of it."""

    def begins(self, name: str, at: float) -> None:
        """A program has its turn."""

    def does(self, name: str, phase: str) -> None:
        """It is at this."""

    def ends(self, outcome: Outcome, told: Told | None) -> None:
        """Its turn is over, or its outcome was known; it may have another turn if there is time left."""

    def tick(self, elapsed: float, waiting: int) -> None:
        """Time has passed."""


class _Turn:
    """A program at work."""

    def __init__(self, program: SuiteProgram, about: str, seconds: float | None) -> None:
        self.program, self.about, self.seconds = program, about, seconds
        self.outcome: Outcome | None = None
        self.told: Told | None = None
        options = msgspec.structs.replace(program.options, timeout=seconds)
        self.asked = Asked(Verify(list(program.files), options))


class Suite:
    """One run. Outcomes come in the order of the programs, whatever the order of their ends."""

    def __init__(self, programs: Sequence[SuiteProgram], budget: Budget, kept: Kept, observers: Sequence[Observer]) -> None:
        self._programs, self._budget, self._kept, self._observers = programs, budget, kept, observers
        self._start = time.monotonic()
        self._found: dict[str, Outcome] = {}
        self._turns = selectors.DefaultSelector()

    def outcomes(self) -> list[Outcome]:
        """What is known so far."""
        return [self._found[each.name] for each in self._programs if each.name in self._found]

    def run(self) -> None:
        """When this returns, or an exception leaves it, no process is left, and what is known is kept."""
        self._kept.begin()
        try:
            unknown = [pair for program in self._programs if (pair := self._unless_known(program)) is not None]
            self._verify(self._ordered(unknown), again=False)
            self._try_again()
        finally:
            for key in list(self._turns.get_map().values()):
                key.data.asked.end()
            self._turns.close()
        self._kept.end()

    def _ordered(self, programs: list[tuple[SuiteProgram, str]]) -> list[tuple[SuiteProgram, str]]:
        """Large ones tend to take long: where there is time for all, none of them should be the last, alone."""
        in_turn = self._budget.jobs == 1 or self._budget.total is not None
        return programs if in_turn else sorted(programs, key=_size, reverse=True)

    def _unless_known(self, program: SuiteProgram) -> tuple[SuiteProgram, str] | None:
        """With what its result is about."""
        try:
            about = identity(program)
        except Refusal as problem:
            self._ended(Outcome(program.name, BAD_INPUT, _line(str(problem)), None, program.options.timeout))
            return None
        known = self._kept.get(about, program.options.timeout)
        if known is None:
            return program, about
        told = self._kept.told(about) if program.options.is_told else None
        self._ended(msgspec.structs.replace(known, name=program.name, is_kept=True), told)
        return None

    def _try_again(self) -> None:
        """Those for which their share of the time was not enough, as long as there is a larger one."""
        while open_ := [each for each in self._programs if self._might_do_with_more(each, len(self._programs))]:
            waiting = [(each, identity(each)) for each in open_ if self._might_do_with_more(each, len(open_))]
            if not waiting or not self._verify(waiting, again=True):
                return

    def _might_do_with_more(self, program: SuiteProgram, waiting: int) -> bool:
        result = self._found[program.name].result
        return (
            result is not None
            and result.cause == _MORE_TIME
            and result.timeout_s is not None
            and self._budget.again(self._elapsed(), result.timeout_s, waiting) is not None
        )

    def _verify(self, waiting: list[tuple[SuiteProgram, str]], again: bool) -> int:
        """How many had a turn."""
        waiting = waiting[::-1]
        begun = 0
        while waiting or self._turns.get_map():
            while waiting and len(self._turns.get_map()) < self._budget.jobs:
                program, about = waiting.pop()
                seconds = self._seconds(program, len(waiting) + 1, again)
                if seconds is not None:
                    self._begin(_Turn(program, about, None if seconds == float("inf") else seconds))
                    begun += 1
                elif not again:
                    self._ended(_without_turn(program))
            for key, _ in self._turns.select(_LOOK):
                self._hear(key.data)
            for each in self._observers:
                each.tick(self._elapsed(), len(waiting))
        return begun

    def _seconds(self, program: SuiteProgram, waiting: int, again: bool) -> float | None:
        if not again:
            return self._budget.share(self._elapsed(), waiting)
        result = self._found[program.name].result
        assert result is not None and result.timeout_s is not None
        return self._budget.again(self._elapsed(), result.timeout_s, waiting)

    def _begin(self, turn: _Turn) -> None:
        self._turns.register(turn.asked, selectors.EVENT_READ, turn)
        for each in self._observers:
            each.begins(turn.program.name, self._elapsed())

    def _hear(self, turn: _Turn) -> None:
        messages = turn.asked.said()
        for message in messages or ():
            self._take(turn, message)
        if messages is None:
            self._turns.unregister(turn.asked)
            code = turn.asked.end()
            outcome = turn.outcome or _crashed(turn.program, f"drystone ended without an answer, with exit code {code}")
            if outcome.verdict != CRASHED and _is_about_the_same(turn):  # else the next run should try again
                self._kept.put(turn.about, outcome, turn.told)
            self._ended(outcome, turn.told)

    def _take(self, turn: _Turn, message: Said) -> None:
        limit = turn.program.options.timeout
        match message:
            case Doing():
                for each in self._observers:
                    each.does(turn.program.name, message.phase)
            case Refused(reason):
                turn.outcome = Outcome(turn.program.name, BAD_INPUT, _line(reason), None, limit)
            case Verified(result, ending, told=told):
                turn.told = told
                if ending.failed is not None:
                    turn.outcome = _crashed(turn.program, f"internal error: {ending.failed.error}")
                else:
                    turn.outcome = Outcome(turn.program.name, result.verdict, in_a_line(result), result, limit)
            case _:
                raise AssertionError(message)

    def _ended(self, outcome: Outcome, told: Told | None = None) -> None:
        self._found[outcome.name] = outcome
        for each in self._observers:
            each.ends(outcome, told)

    def _elapsed(self) -> float:
        return time.monotonic() - self._start


def _size(waiting: tuple[SuiteProgram, str]) -> int:
    program, _ = waiting
    try:
        files, _ = resolve(program.files, program.options)
        return sum(Path(each).stat().st_size for each in files)
    except (Refusal, OSError):  # changed meanwhile; its own turn will tell
        return 0


def _is_about_the_same(turn: _Turn) -> bool:
    """Texts may have changed since the suite looked at them, before the program had its turn or after."""
    try:
        return identity(turn.program) == turn.about
    except Refusal:
        return False


def _without_turn(program: SuiteProgram) -> Outcome:
    return Outcome(program.name, "UNKNOWN", _NO_TURN, None, program.options.timeout)


def _crashed(program: SuiteProgram, what: str) -> Outcome:
    return Outcome(program.name, CRASHED, _line(what), None, program.options.timeout)


def in_a_line(result: Result) -> str:
    """What a verdict is about: the first error, or how it was proved, or why it is not known."""
    if result.verdict == "FALSE":
        failing = [each for each in result.errors if each.verdict == "FALSE"]
        more = f" and {len(failing) - 1} more" if len(failing) > 1 else ""
        return f"{place_text(failing[0].file, failing[0].line)}: {failing[0].what}{more}" if failing else _line(result.reason)
    return _line(result.reason)


def _line(text: str) -> str:
    return " ".join(text.split())
