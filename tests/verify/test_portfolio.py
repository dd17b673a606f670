"""Engines side by side: the first verdict wins, a process that dies or fails leaves the question to the others."""

from __future__ import annotations

import os
import signal
import time

import pytest

from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation
from drystone.engines.portfolio import side_by_side
from drystone.logic.sorts import bitvec
from drystone.program.automaton import Mark, MarkKind, Origin
from drystone.program.environment import Consumed
from drystone.program.expressions import InputKind
from drystone.program.proofs import Invariant, KInductiveCertificate
from drystone.runtime.watchdog import descendants

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


@pytest.mark.parametrize("other", [goes_on_for_ever, dies, fails, does_not_know])
def test_the_first_verdict_wins_and_nothing_is_left(other: object) -> None:
    before = set(descendants(os.getpid()))
    assert side_by_side([other, proves], lambda event: None) == PROVED  # type: ignore[list-item]
    assert side_by_side([violates, other], lambda event: None) == VIOLATED  # type: ignore[list-item]
    assert set(descendants(os.getpid())) <= before


def test_what_they_tell_arrives() -> None:
    told: list[Progress | Violation] = []
    side_by_side([does_not_know], told.append)
    side_by_side([violates], told.append)
    assert told == [Progress("thinking", {"queries": 1}), Violation(ERROR, INPUTS)]


def test_nobody_knows() -> None:
    result = side_by_side([dies, does_not_know], lambda event: None)
    assert (result.verdict, result.reason, dict(result.counters)) == (Verdict.UNKNOWN, "no idea", {"runs": 1})
    assert side_by_side([dies, dies], lambda event: None).reason == "an engine's process ended by signal 9"
    assert "ValueError: something is wrong" in side_by_side([fails], lambda event: None).reason
