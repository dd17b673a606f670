"""Workers in processes: whatever their number, their delays and their ends, the run is the same."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.tree import engine
from drystone.engines.tree.distribution import WorkerHosts
from drystone.engines.tree.hosted import Call, Inline, Reply
from drystone.engines.tree.log import Log, Search
from drystone.engines.tree.master import Concluded, Precision
from drystone.engines.tree.options import Options
from drystone.engines.tree.setting import Setting
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram
from drystone.runtime.workers import WorkerProcesses
from tests.engines.test_predicate import HEAD, PROGRAMS

FLAGS = """int main(void) { int a = 0, b = 0, c = 0, d = 0; unsigned n = 0;
  while (__VERIFIER_nondet_int()) { int k = __VERIFIER_nondet_int();
    if (k == 0) { a = !a; b = !b; } else if (k == 1) { c = !c; d = !d; } else if (n < 3) n++; else { a = 1; b = 1; } }
  if (a != b) reach_error(); if (c != d) reach_error(); if (n > 3) reach_error(); return 0; }"""
OPTIONS = Options(encoding="single", abstraction="cartesian")


class Iterations(Log):
    """What must be the same in all runs."""

    def __init__(self) -> None:
        self.all: list[tuple[object, ...]] = []
        self.workers: set[int] = set()

    def begun(self, search: Search) -> None:
        self.all.append((search.recursion, search.precision.packed))

    def concluded(self, concluded: Concluded) -> None:
        way = concluded.way and (concluded.way.states, concluded.way.transitions)
        self.all.append((way, concluded.sizes, concluded.targets))

    def refined(self, precision: Precision, seconds: float) -> None:
        self.all.append((precision.packed,))

    def replied(self, reply: Reply) -> None:
        self.workers.add(reply.worker)


def program_of(folder: Path, text: str) -> Program:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return load([str(path)], FrontendOptions()).program


def run(program: Program, make_hosts: Callable[[int], WorkerHosts], workers: int = 1) -> tuple[Iterations, EngineResult]:
    log = Iterations()
    setting = Setting(workers, make_hosts, log)
    return log, engine.check(PreparedProgram(program), OPTIONS, Deadline.after(100), unobserved, setting)


class Disturbed(WorkerProcesses):
    """Messages are late, and now and then a worker is killed while it is at work."""

    def __init__(self, count: int, seed: int, kills: float) -> None:
        self.chance, self.kills, self.killed = random.Random(seed), kills, 0
        super().__init__(count, disturb=self.delayed)

    def delayed(self, data: bytes) -> bytes:
        time.sleep(self.chance.random() * 0.002)
        return data

    def submit(self, host: int, call: Call) -> None:
        super().submit(host, call)
        if self.killed < 4 and self.chance.random() < self.kills:
            self.killed += 1
            os.kill(self._hosts[host].process, signal.SIGKILL)


@pytest.mark.parametrize(("workers", "kills"), [(1, 0.0), (2, 0.0), (4, 0.0), (1, 0.05), (3, 0.05)])
def test_the_same_run(tmp_path: Path, workers: int, kills: float) -> None:
    program = program_of(tmp_path, FLAGS)
    expected, result = run(program, lambda count: Inline())
    assert result.verdict is Verdict.TRUE and len(expected.all) > 5
    found, again = run(program, lambda count: Disturbed(count, workers, kills), workers)
    assert found.all == expected.all
    assert again.verdict is Verdict.TRUE and again.counters["iterations"] == result.counters["iterations"]
    assert (again.counters["lost_hosts"] > 0) == (kills > 0)
    assert found.workers <= set(range(workers)) and len(found.workers) >= min(2, workers)
    assert again.counters["bytes"] > 0 and again.counters["messages"] > 0
    assert again.counters["bytes_per_state"] > 0 and again.counters["messages_per_1000_states"] > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_small_programs(tmp_path: Path, name: str) -> None:
    text, verdict = PROGRAMS[name]
    program = program_of(tmp_path, text)
    expected, _ = run(program, lambda count: Inline())
    found, result = run(program, lambda count: WorkerProcesses(count), 2)
    assert result.verdict is verdict and found.all == expected.all


def test_a_state_that_is_the_end_of_workers_is_given_up(tmp_path: Path) -> None:
    class Deadly(WorkerProcesses):
        def submit(self, host: int, call: Call) -> None:
            super().submit(host, call)
            if any(depth == 4 for _, depth in call.nodes):
                os.kill(self._hosts[host].process, signal.SIGKILL)

    _, result = run(program_of(tmp_path, FLAGS), lambda count: Deadly(count), 2)
    assert result.verdict is Verdict.UNKNOWN and "SIGKILL" in result.reason
