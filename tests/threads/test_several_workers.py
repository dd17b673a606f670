"""The search through all states, and the check that finds them again, by several processes: the same states and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base import closure
from drystone.base.deadline import Deadline
from drystone.certificates.check import check_program
from drystone.claims.verdicts import Verdict
from drystone.engines.explicit.engine import answer
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.question import Question, Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.passes.readings import settled
from drystone.pipeline import PreparedProgram
from tests.threads.generator import random_program
from tests.threads.language import c_text

MAX_THREE = """
#include <pthread.h>
extern void reach_error(void);
int turns[3], waiting, bad;
void *f(void *p) {
    int me = (int)(long)p;
    for (int i = 0; i < 3; i++) {
        waiting++;
        turns[me] = turns[me] + 1;
        waiting--;
    }
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, f, (void *)0);
    pthread_create(&b, 0, f, (void *)1);
    pthread_create(&c, 0, f, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    if (CONDITION) reach_error();
}
"""


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes begin early."""
    monkeypatch.setattr(closure, "_SHARED_FROM", 20)


def program_of(text: str, folder: Path) -> Program:
    file = folder / "program.c"
    file.write_text(text)
    return load([str(file)], FrontendOptions(data_model="LP64")).program


def searched(program: Program, workers: int) -> EngineResult:
    settings = Settings(memory=4e9, workers=workers)
    return answer(Question(PreparedProgram(settled(program)), settings, Deadline.after(60), unobserved))


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("turns[0] + turns[1] + turns[2] != 9", Verdict.TRUE),
        ("waiting == -3", Verdict.FALSE),  # far from the first states
        ("waiting > 9", Verdict.TRUE),
    ],
)
def test_three_threads(condition: str, verdict: Verdict, tmp_path: Path) -> None:
    program = program_of(MAX_THREE.replace("CONDITION", condition), tmp_path)
    results = {workers: searched(program, workers) for workers in (1, 2, 3)}
    assert {result.verdict for result in results.values()} == {verdict}, [result.reason for result in results.values()]
    if verdict is Verdict.TRUE:
        assert len({result.counters["states"] for result in results.values()}) == 1
        certificate = results[2].certificate
        assert certificate is not None
        for jobs in (1, 2):
            assert check_program(program, certificate, Deadline.after(60), jobs=jobs).valid


def test_random_programs(tmp_path: Path) -> None:
    verdicts = set()
    for seed in range(12):
        program = program_of(c_text(random_program(seed)), tmp_path)
        one, two = searched(program, 1), searched(program, 2)
        assert one.verdict is two.verdict, (seed, one.reason, two.reason)
        if one.certificate is not None and two.certificate is not None:
            assert one.counters["states"] == two.counters["states"]
            assert check_program(program, two.certificate, Deadline.after(60), jobs=2).valid
        verdicts.add(one.verdict)
    assert {Verdict.TRUE, Verdict.FALSE} <= verdicts
