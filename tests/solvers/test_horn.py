"""Interpolants along paths: what is said of each place follows from the path before and excludes the path after."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from drystone.logic import terms
from drystone.logic.sorts import BOOL, FLOAT64, Array, Sort, bitvec
from drystone.logic.substitution import substitute
from drystone.logic.terms import TRUE, Term, constant, equal, make, negate, select, state
from drystone.solvers import Answer, make_solver
from drystone.solvers.clauses import Clause
from drystone.solvers.horn import interpolants

EFFORT, SECONDS = 5_000_000, 60.0
WORD = bitvec(32)
x, y = state("x", WORD), state("y", WORD)


def word(value: int, sort: Sort = WORD) -> Term:
    return constant(sort, value)


def plus(a: Term, b: Term) -> Term:
    return make("bvadd", a.sort, a, b)


def both_count(steps: int) -> list[Clause]:
    """x = y = 0; x++, y++ so many times; x != y"""
    step = Clause(TRUE, {x: plus(x, word(1)), y: plus(y, word(1))})
    return [Clause(TRUE, {x: word(0), y: word(0)}), *[step] * steps, Clause(negate(equal(x, y)))]


def test_relations_are_found_where_values_would_do() -> None:
    for steps in (0, 1, 4):
        assert interpolants(both_count(steps), EFFORT, SECONDS) == [[equal(x, y)]] * (steps + 1)


def test_no_answer_where_the_path_can_be_taken() -> None:
    possible = [*both_count(2)[:-1], Clause(equal(x, y))]
    assert interpolants(possible, EFFORT, SECONDS) is None


def test_inputs_of_two_clauses_are_different() -> None:
    any_ = terms.input_symbol("any", WORD)
    twice = [Clause(TRUE, {x: any_}), Clause(TRUE, {x: x, y: any_}), Clause(negate(equal(x, y)))]
    assert interpolants(twice, EFFORT, SECONDS) is None
    once = [Clause(TRUE, {x: any_, y: any_}), Clause(TRUE, {x: x, y: y}), Clause(negate(equal(x, y)))]
    assert interpolants(once, EFFORT, SECONDS) == [[equal(x, y)]] * 2


def test_limits_end_it() -> None:
    product = [Clause(TRUE, {x: make("bvmul", WORD, *[terms.input_symbol(name, WORD) for name in "ab"])})]
    factors = [make("bvult", BOOL, word(1), x), equal(make("bvmul", WORD, x, make("bvmul", WORD, x, x)), word(0x7FFFFFFF))]
    hard = [*product, *[Clause(TRUE, {x: make("bvmul", WORD, x, plus(x, word(3)))})] * 3, Clause(terms.conjunction(factors))]
    assert interpolants(hard, 1_000, SECONDS) is None
    assert interpolants(hard, 10**9, 0.05) is None


def test_arrays_and_floats_are_not_tried() -> None:
    memory, number = state("memory", Array(bitvec(8), bitvec(8))), state("number", FLOAT64)
    read = equal(select(memory, word(1, bitvec(8))), word(1, bitvec(8)))
    assert interpolants([Clause(read, {memory: memory}), Clause(negate(read))], EFFORT, SECONDS) is None
    zero = make("fp.eq", BOOL, number, constant(FLOAT64, 0))
    assert interpolants([Clause(zero, {number: number}), Clause(negate(zero))], EFFORT, SECONDS) is None


SMALL = bitvec(4)
SYMBOLS = [state(name, SMALL) for name in "abc"]


def random_term(random: Random, depth: int = 2) -> Term:
    if depth == 0 or random.random() < 0.2:
        return random.choice((*SYMBOLS, terms.input_symbol("any", SMALL), word(random.randrange(16), SMALL)))
    operator = random.choice(("bvadd", "bvsub", "bvand", "bvor", "bvxor", "bvmul", "bvudiv", "bvsrem", "bvshl", "bvlshr", "ite"))
    parts = [random_term(random, depth - 1) for _ in range(2)]
    return terms.ite(random_condition(random), *parts) if operator == "ite" else make(operator, SMALL, *parts)


def random_condition(random: Random) -> Term:
    operator = random.choice(("=", "bvult", "bvule", "bvslt", "bvsle"))
    formula = make(operator, BOOL, random_term(random, 1), random_term(random, 1))
    return negate(formula) if random.random() < 0.5 else formula


def random_path(random: Random) -> list[Clause]:
    first = Clause(TRUE, {symbol: word(random.randrange(16), SMALL) for symbol in SYMBOLS})
    steps = [
        Clause(random_condition(random), {symbol: random_term(random) for symbol in SYMBOLS})
        for _ in range(random.randrange(1, 4))
    ]
    return [first, *steps, Clause(terms.conjunction([random_condition(random), random_condition(random)]))]


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_interpolants_follow_from_the_path_before_and_exclude_the_path_after(first: int) -> None:
    """The law of interpolants, asked of another solver; so all that Spacer says is understood, operator by operator."""
    answered = 0
    for seed in range(first, first + 20):
        path = random_path(Random(seed))
        found = interpolants(path, EFFORT, SECONDS)
        if found is None:
            continue
        answered += 1
        assert len(found) == len(path) - 1
        before: Term = TRUE
        for clause, formulas in zip(path, [*found, [terms.FALSE]], strict=True):
            if is_contradiction(before, clause.guard):
                break  # nobody gets further
            after = terms.conjunction(formulas)
            assert not terms.has_inputs(after)
            assert is_contradiction(before, clause.guard, negate(substituted(after, clause))), seed
            before = after
    assert answered >= 5


def is_contradiction(*formulas: Term) -> bool:
    return make_solver("bitwuzla").check(formulas) is Answer.UNSAT


def substituted(formula: Term, clause: Clause) -> Term:
    return substitute([formula], dict(clause.values))[0]


def test_where_spacer_stops_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """It cannot simplify its lemmas about this path, and would print pages; z3 writes past Python's sys.stderr."""
    byte = bitvec(8)
    n, m, k = state("n", byte), state("m", byte), state("k", bitvec(32))
    low = make("bvand", byte, n, word(3, byte))
    path = [
        Clause(TRUE, {m: word(0, byte), n: word(0, byte)}),
        Clause(TRUE, {k: terms.resize(low, 32), m: m}),
        Clause(equal(k, word(0)), {m: m, n: word(2, byte)}),
        Clause(TRUE, {m: plus(m, word(1, byte)), n: n}),
        Clause(make("bvule", BOOL, word(4, byte), m), {n: n}),
        Clause(equal(make("bvurem", bitvec(32), terms.resize(n, 32), word(5)), word(2))),
    ]
    interpolants(path, EFFORT, SECONDS)
    assert capfd.readouterr() == ("", "")
    print("still there", file=sys.stderr)
    assert capfd.readouterr().err == "still there\n"


def test_importing_it_imports_no_solver() -> None:
    code = "import drystone.solvers.horn, sys; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
