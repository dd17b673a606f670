"""The search through all states, and the check that finds them again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check_program
from drystone.certificates.term_text import TermText
from drystone.claims.certificates import ExploredCertificate
from drystone.claims.verdicts import Verdict
from drystone.concrete.few_values import few_values
from drystone.engines.explicit.engine import answer
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.question import Question, Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.ir.expressions import Expression, Input, InputKind, apply, constant
from drystone.logic import terms
from drystone.logic.evaluation import evaluate_one
from drystone.logic.sorts import BOOL, bitvec
from drystone.logic.terms import Term, make
from drystone.passes.readings import settled
from drystone.pipeline import PreparedProgram
from tests.inside import decided
from tests.threads.generator import random_program
from tests.threads.language import c_text, is_error_reachable

WORD = bitvec(8)
COUNTS = """
#include <pthread.h>
extern void reach_error(void);
int x, y;
void *f(void *p) { for (;;) x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (;;) { y++; if (y == 2000000) reach_error(); } }
"""


def program_of(text: str, folder: Path) -> Program:
    file = folder / "program.c"
    file.write_text(text)
    return load([str(file)], FrontendOptions(data_model="LP64")).program


def searched(program: Program, deadline: Deadline, memory: float = 4e9) -> EngineResult:
    return answer(Question(PreparedProgram(settled(program)), Settings(memory=memory), deadline, unobserved))


def test_a_certificate_of_another_program_is_rejected(tmp_path: Path) -> None:
    """It only says how many states there are: whatever it says, only programs without an error pass."""
    valid = 0
    for seed in range(16):
        random = random_program(seed)
        expected = is_error_reachable(random, 300_000)
        program = program_of(c_text(random), tmp_path)
        for states in (1_000_000, 0):
            checked = check_program(program, ExploredCertificate(states, 1), Deadline().within(20))
            assert not (checked.valid and expected), f"{seed}: {c_text(random)}"
            valid += checked.valid
    assert valid


def test_what_a_certificate_says_is_a_limit(tmp_path: Path) -> None:
    program = program_of(COUNTS, tmp_path)
    checked = check_program(program, ExploredCertificate(1, 1), Deadline().within(20))
    assert not checked.valid and "more states than 1" in checked.reason
    assert not check_program(program, ExploredCertificate(1, 0), Deadline().within(20)).valid


@pytest.mark.parametrize(("seconds", "memory", "reason"), [(0.0, 4e9, "out of time"), (60.0, 1.0, "out of memory")])
def test_says_why_it_gives_up(seconds: float, memory: float, reason: str, tmp_path: Path) -> None:
    result = searched(program_of(COUNTS, tmp_path), Deadline().within(seconds), memory)
    assert result.verdict is Verdict.UNKNOWN and reason in result.reason


def test_without_threads_there_is_nothing_to_search(tmp_path: Path) -> None:
    result = searched(program_of("int main(void) { return 0; }", tmp_path), Deadline())
    assert result.verdict is Verdict.UNKNOWN and result.certificate is None


def test_inputs_of_few_values() -> None:
    wide = Input(0, bitvec(32), InputKind.NONDET, "n")

    def with_number(operator: str, number: int) -> Expression:
        return apply(operator, bitvec(32), wide, constant(32, number))

    assert few_values(wide) is None
    assert set(few_values(with_number("bvand", 5)) or ()) == {0, 1, 4, 5}
    assert set(few_values(with_number("bvurem", 3)) or ()) == {0, 1, 2}
    assert set(few_values(with_number("bvsrem", 2)) or ()) == {0, 1, (1 << 32) - 1}
    assert few_values(with_number("bvadd", 1)) is None
    found = few_values(apply("=", BOOL, wide, constant(32, 7)))
    assert found is not None and found[1] == 7 and found[0] != 7


def _random_term(random: Random, depth: int, is_condition: bool = False) -> Term:
    if depth == 0 and not is_condition:
        name = random.choice("abc")
        return random.choice((terms.state(name, WORD), terms.constant(WORD, random.randrange(256))))
    parts = [_random_term(random, max(depth - 1, 0)) for _ in range(2)]
    if is_condition:
        if depth > 1 and random.random() < 0.5:
            conditions = [_random_term(random, depth - 1, True) for _ in range(2)]
            return make(random.choice(("and", "or")), BOOL, *conditions)
        return make(random.choice(("=", "bvult", "bvsle")), BOOL, *parts)
    if random.random() < 0.3:
        return terms.ite(_random_term(random, depth - 1, True), *parts)
    return make(random.choice(("bvadd", "bvsub", "bvand", "bvmul", "bvurem", "bvshl")), WORD, *parts)


def test_text_of_terms_is_right_for_every_value_that_none_stands_for() -> None:
    random = Random(7)
    for _ in range(300):
        term, guard = _random_term(random, 3), _random_term(random, 3, True)
        text = TermText(["a", "b", "c"], frozenset("abc"), dict.fromkeys("abc", WORD))
        text.begin_case()
        text.go(guard, 5, [term])
        values = {name: random.choice((None, random.randrange(256))) for name in "abc"}
        found: list[tuple[object, ...]] = []
        text.function()((0, *values.values()), {}, found.append)
        for _ in range(10):
            chosen = {
                terms.state(name, WORD): value if value is not None else random.randrange(256) for name, value in values.items()
            }
            if evaluate_one(guard, chosen):
                assert found and found[0][1] in (None, evaluate_one(term, chosen))


@pytest.mark.parametrize("spins", ["while (x != y) ;", "while (x == y) ;"])
def test_executions_that_spin_are_not_followed(spins: str, tmp_path: Path) -> None:
    """Other executions take turns otherwise: that one of them does not end says nothing, however long it is looked at."""
    file = tmp_path / "program.c"
    file.write_text(COUNTS.split("int main")[0].replace("x++", "y = x") + f"int main(void) {{ pthread_t t; {spins} "
                    "pthread_create(&t, 0, f, 0); while (x != 1) ; reach_error(); }")  # fmt: skip
    result = decided(file, engine="auto", timeout=20)
    assert result.verdict == "TRUE" and result.counters["edges"] < 200_000
