"""A search that was cut short and goes on proves nothing about what it had no time to ask."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines import bmc
from drystone.engines.bmc import BmcOptions, Run
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.logic.terms import Term
from drystone.pipeline import PreparedProgram
from drystone.solvers import Answer, Solver, make_solver

WRONG = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x * x == 1521) reach_error(); return 0; }
"""


class Reluctant:
    """Answers only from the second time on."""

    def __init__(self, solver: Solver) -> None:
        self._solver, self._asked = solver, 0

    def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
        self._asked += 1
        return Answer.UNKNOWN if self._asked == 1 else self._solver.check(assumptions, limit_seconds)

    def __getattr__(self, name: str) -> object:
        return getattr(self._solver, name)


def test_a_query_without_an_answer_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wrong.c"
    path.write_text(WRONG)
    program = load([str(path)], FrontendOptions()).program
    monkeypatch.setattr(bmc, "make_solver", lambda name, seed: Reluctant(make_solver(name, seed)))
    run = Run(PreparedProgram(program), BmcOptions(), unobserved, {"queries": 0, "unrollings": 0, "replays": 0}, 2)
    assert run.search(Deadline.after(60), depth=2).verdict is Verdict.UNKNOWN
    assert run.search(Deadline.after(60), depth=2).verdict is Verdict.FALSE
