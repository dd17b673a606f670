"""Engines in turns: the first verdict wins, a process that dies or fails leaves the question to the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drystone.base.clock import now
from drystone.base.deadline import Deadline
from drystone.base.process_tree import descendants
from drystone.base.refusal import Refusal
from drystone.claims.certificates import Invariant, KInductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import Consumed
from drystone.engines.outcome import EngineResult, Happening, Observer, Progress, Violation, unobserved
from drystone.engines.portfolio.turns import Line, in_turns
from drystone.ir.automaton import Mark, MarkKind, Origin
from drystone.ir.expressions import InputKind
from drystone.logic.sorts import bitvec

PLACE = Origin(0, 3, 1, 3, 9)
ERROR = Mark(MarkKind.ERROR, "reach_error()", PLACE)
INPUTS = (
    Consumed(0, InputKind.NONDET, "nondet", PLACE, (1 << 79) + 5, bitvec(80)),
    Consumed(-1, InputKind.NONDET, "x", PLACE, b"\x00\xff", None),
)
PROVED = EngineResult(
    Verdict.TRUE,
    "by k-induction",
    certificate=KInductiveCertificate(3, [Invariant(7, "a.c:1", ["x == 1"], b"\x01\x02")], 2, "z3"),
)
VIOLATED = EngineResult(Verdict.FALSE, "", ERROR, INPUTS, counters={"queries": 2}, engine="bmc")


def proves(observer: Observer) -> EngineResult:
    return PROVED


def violates(observer: Observer) -> EngineResult:
    observer(Violation(ERROR, INPUTS))
    return VIOLATED


def does_not_know(observer: Observer) -> EngineResult:
    observer(Progress("thinking", {"queries": 1}))
    return EngineResult(Verdict.UNKNOWN, "no idea", counters={"runs": 1})


def goes_on_for_ever(observer: Observer) -> EngineResult:
    while True:
        time.sleep(60)


def dies(observer: Observer) -> EngineResult:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def fails(observer: Observer) -> EngineResult:
    raise ValueError("something is wrong")


Work = Callable[[Observer], EngineResult]


def answer(
    *works: Work, workers: int = 2, seconds: float = 60.0, observer: Observer = unobserved, first: float = 0.05
) -> EngineResult:
    return in_turns([Line(work.__name__, work, first) for work in works], workers, Deadline.after(seconds), observer)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("other", [goes_on_for_ever, dies, fails, does_not_know])
def test_the_first_verdict_wins_and_nothing_is_left(other: Work, workers: int) -> None:
    before = set(descendants(os.getpid()))
    proved, violated = answer(other, proves, workers=workers), answer(violates, other, workers=workers)
    assert (proved.verdict, proved.certificate) == (Verdict.TRUE, PROVED.certificate)
    assert (violated.verdict, violated.error, violated.inputs) == (Verdict.FALSE, ERROR, INPUTS)
    assert set(descendants(os.getpid())) <= before


def test_what_they_tell_arrives() -> None:
    told: list[Happening] = []
    answer(does_not_know, observer=told.append)
    answer(violates, observer=told.append)
    assert told == [Progress("thinking", {"queries": 1}), Violation(ERROR, INPUTS)]


def test_nobody_knows() -> None:
    result = answer(dies, does_not_know)
    assert (result.verdict, result.reason, dict(result.counters)) == (Verdict.UNKNOWN, "no idea", {"runs": 1})
    assert answer(dies, dies).reason == "an engine's process ended by signal 9"
    assert "ValueError: something is wrong" in answer(fails).reason


def test_some_begin_late() -> None:
    """Whoever decides at once does not wait for them."""
    told: list[Happening] = []
    in_turns([Line("late", does_not_know, 0.01, late=3.0), Line("early", violates, 0.01)], 1, Deadline.after(60), told.append)
    assert told == [Violation(ERROR, INPUTS)]


def test_a_worker_that_is_idle_waits_a_moment(tmp_path: Path) -> None:
    """What one engine decides at once need not be asked of another one; what takes longer, it is."""

    def is_there(observer: Observer) -> EngineResult:
        (tmp_path / "began").touch()
        return EngineResult(Verdict.UNKNOWN, "no idea")

    def decides_soon(observer: Observer) -> EngineResult:
        while not (tmp_path / "began").exists():
            time.sleep(0.01)
        return PROVED

    other = Line("other", is_there, 30.0, late=30.0)
    in_turns([other, Line("first", proves, 30.0)], 2, Deadline.after(60), unobserved)
    assert not (tmp_path / "began").exists()
    assert in_turns([other, Line("first", decides_soon, 30.0)], 2, Deadline.after(60), unobserved).verdict is Verdict.TRUE


def test_something_is_done_meanwhile() -> None:
    done: list[int] = []
    lines = [Line("one", does_not_know, 0.01), Line("another", proves, 0.01)]
    in_turns(lines, 1, Deadline.after(60), unobserved, meanwhile=lambda: done.append(os.getpid()))
    assert done == [os.getpid()]


def refuses(observer: Observer) -> EngineResult:
    raise Refusal("blocks.json: is not a file of blocks")


def test_what_the_user_can_mend_ends_everything() -> None:
    before = set(descendants(os.getpid()))
    with pytest.raises(Refusal, match=r"blocks.json: is not a file of blocks"):
        answer(goes_on_for_ever, refuses)
    assert set(descendants(os.getpid())) <= before


def thinks(observer: Observer) -> EngineResult:
    """For half a second of its own time."""
    observer(Progress("thinking", {"queries": 7}))
    end, turns, before = now() + 0.5, 1, time.monotonic()
    while now() < end:
        if time.monotonic() > before + 0.04:
            turns += 1
        before = time.monotonic()
    return EngineResult(Verdict.UNKNOWN, "no idea", counters={"turns": turns})


def test_each_has_its_turn_and_goes_on_where_it_was() -> None:
    """With one worker, an engine that goes on for ever does not keep another one from its half second."""
    result = answer(goes_on_for_ever, thinks, workers=1, seconds=4.0)
    assert result.reason == "out of time: goes_on_for_ever was at the beginning; thinks: UNKNOWN, no idea"
    assert result.counters["turns"] > 1
    assert [line.split(",")[1] for line in result.explanation] == [" was at the beginning", " UNKNOWN"]


_PORTFOLIO = """
import time
from drystone.engines.portfolio.turns import Line, in_turns
from drystone.base.deadline import Deadline
lines = [Line(name, lambda observer: time.sleep(600), 0.01) for name in ("one", "two", "three")]
in_turns(lines, 1, Deadline.after(600), lambda event: None)
"""


def test_who_is_paused_does_not_outlive_the_others() -> None:
    with subprocess.Popen([sys.executable, "-c", _PORTFOLIO]) as portfolio:
        while sum(state_of(each) == "T" for each in descendants(portfolio.pid)) < 2:
            assert portfolio.poll() is None
            time.sleep(0.05)
        engines = descendants(portfolio.pid)
        portfolio.kill()
    for _ in range(600):
        if all(state_of(each) in ("", "Z") for each in engines):
            return
        time.sleep(0.05)
    pytest.fail("an engine is left")


def state_of(process: int) -> str:
    """As Linux tells it: T is paused, Z over; nothing if there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def finds_slowly(observer: Observer) -> EngineResult:
    """It tells at once what it has found, and looks for something better."""
    observer(Violation(ERROR, INPUTS))
    time.sleep(1.0)
    return VIOLATED


def test_who_has_found_something_is_not_paused() -> None:
    result = answer(goes_on_for_ever, finds_slowly, workers=1)
    assert result.verdict is Verdict.FALSE
    assert float(result.explanation[0].split()[1]) < 0.5


def has_much_to_say(observer: Observer) -> EngineResult:
    return EngineResult(Verdict.TRUE, "x" * 30_000_000)


def test_who_is_saying_something_is_heard() -> None:
    result = answer(goes_on_for_ever, has_much_to_say, workers=1, first=0.02)
    assert result.verdict is Verdict.TRUE and len(result.reason) == 30_000_000


def takes_much_memory(observer: Observer) -> EngineResult:
    taken = bytearray(os.urandom(1 << 20)) * 200
    while len(taken):
        time.sleep(60)
    raise AssertionError


def test_the_largest_gives_way() -> None:
    lines = [Line(work.__name__, work, 0.3) for work in (takes_much_memory, thinks)]
    result = in_turns(lines, 1, Deadline.after(60), unobserved, memory=200 << 20)
    assert result.reason == "no idea"
    assert "ended to leave memory for the others" in result.explanation[0]


def test_time_is_up() -> None:
    before = set(descendants(os.getpid()))
    result = answer(goes_on_for_ever, thinks, seconds=0.2)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == "out of time: goes_on_for_ever was at the beginning; thinks was at thinking (queries 7)"
    assert set(descendants(os.getpid())) <= before
