"""Two solvers in turns: who answers first counts, and one that does not answer costs little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates import questions
from drystone.certificates.questions import Means, Questions
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term
from drystone.solvers import Answer, Solver

FORMULA = terms.state("x", BOOL)


class Clock:
    """Time passes only where a solver thinks."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Thinker:
    """A solver that needs so many seconds for an answer, each time anew."""

    def __init__(self, name: str, needs: float, clock: Clock, asked: list[tuple[str, float]]) -> None:
        self.name, self.needs, self.clock, self.asked = name, needs, clock, asked
        self.added: list[Term] = []

    def add(self, term: Term) -> None:
        self.added.append(term)

    def check(self, assumptions: Sequence[Term], limit_seconds: float) -> Answer:
        self.asked.append((self.name, limit_seconds))
        self.clock.now += min(self.needs, limit_seconds)
        return Answer.UNSAT if self.needs <= limit_seconds else Answer.UNKNOWN


def asked_of(
    monkeypatch: pytest.MonkeyPatch, z3: float, bitwuzla: float, patience: float = 1.0, seconds: float = 100.0, times: int = 1
) -> tuple[list[bool], list[tuple[str, float]], float]:
    """What is excluded, who was asked with which limits, and how long it took. bitwuzla has found the proof."""
    clock, asked, needs = Clock(), list[tuple[str, float]](), {"z3": z3, "bitwuzla": bitwuzla}
    monkeypatch.setattr(questions, "make_solver", lambda name, seed: Thinker(name, needs[name], clock, asked))
    both = Questions("bitwuzla", Means(Deadline.after(seconds, clock), patience=patience))
    return [both.excluded(FORMULA) for _ in range(times)], asked, clock.now


def test_the_solver_that_did_not_find_the_proof_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    excluded, asked, _ = asked_of(monkeypatch, z3=0.01, bitwuzla=0.01)
    assert excluded == [True] and [name for name, _ in asked] == ["z3"]


def test_the_solver_that_is_ready_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been asserted counts for it, too; whoever asks next has another one."""
    clock, asked = Clock(), list[tuple[str, float]]()
    monkeypatch.setattr(questions, "make_solver", lambda name, seed: Thinker(f"new {name}", 0.01, clock, asked))
    ready = Thinker("z3", 0.01, clock, asked)
    spare = cast("Solver", ready)
    means = Means(Deadline.after(100.0, clock), ready=[spare])
    first = Questions("bitwuzla", means)
    first.add(FORMULA)
    assert first.excluded(FORMULA) and first.excluded(FORMULA) and first.anew().excluded(FORMULA)
    assert [name for name, _ in asked] == ["z3", "z3", "new z3"] and ready.added == [FORMULA]
    assert Questions("z3", Means(Deadline.after(100.0, clock), ready=[spare])).excluded(FORMULA)
    assert asked[-1][0] == "new bitwuzla"  # it is not the one that is asked first


def test_one_that_does_not_answer_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    excluded, asked, took = asked_of(monkeypatch, z3=1e6, bitwuzla=0.05)
    assert excluded == [True] and [name for name, _ in asked] == ["z3", "bitwuzla"] and took < 0.2


def test_slow_ones_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    excluded, asked, _ = asked_of(monkeypatch, z3=0.15, bitwuzla=1e6)
    assert excluded == [True]
    assert [name for name, _ in asked] == ["z3", "bitwuzla", "z3", "bitwuzla", "z3"]


def test_in_the_end_who_found_the_proof_has_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    excluded, asked, took = asked_of(monkeypatch, z3=1e6, bitwuzla=50.0)
    assert excluded == [True] and asked[-1][0] == "bitwuzla" and took < 53
    assert sum(limit for name, limit in asked if name == "z3") <= 1.0


def test_patience_is_for_all_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    excluded, asked, _ = asked_of(monkeypatch, z3=1e6, bitwuzla=0.01, patience=0.5, times=100)
    assert all(excluded) and sum(limit for name, limit in asked if name == "z3") <= 0.5


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    excluded, _, took = asked_of(monkeypatch, z3=1e6, bitwuzla=1e6, seconds=7.0)
    assert excluded == [False] and took == pytest.approx(7.0)


def test_solvers_that_give_up_at_once_are_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Thinker, "check", lambda self, formulas, limit_seconds: Answer.UNKNOWN)
    assert asked_of(monkeypatch, 0.0, 0.0) == ([False], [], 0.0)
