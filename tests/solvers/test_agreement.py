"""Both solvers and `evaluate` give every operator the same meaning: 10,000 random formulas with DRYSTONE_FULL=1, else a part.

For a random term and random values of its symbols, `evaluate` says what the term is. The solver must find that it
cannot be anything else, and, asked for a model without these values, one under which `evaluate` says the same.
"""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from drystone.logic.evaluation import ArrayValue, Value, evaluate
from drystone.logic.sorts import BOOL, EXTENDED, FLOAT32, FLOAT64, Array, Float, bitvec
from drystone.logic.terms import Term, conjunction, constant, equal, extract, free_symbols, make, negate, select
from drystone.solvers import Answer, make_solver
from tests.logic.random_terms import FULL, Generator, plain, plain_extract, random_environment

HALF = Float(5, 11)
ARRAYS = (Array(bitvec(2), bitvec(3)), Array(bitvec(4), bitvec(8)))
AMOUNTS = {"bits": (80, 4000), "arrays": (60, 3000), "floats": (30, 2500), "large floats": (10, 500)}  # a part, all


def literal(symbol_or_term: Term, value: Value) -> Term:
    """`term = value`, for an array element by element."""
    sort = symbol_or_term.sort
    if isinstance(sort, Array):
        assert isinstance(value, ArrayValue)
        indices = [constant(sort.index, index) for index in range(1 << sort.index.width)]
        return conjunction([literal(select(symbol_or_term, index), value.at(index.payload)) for index in indices])
    assert isinstance(value, int)
    return equal(symbol_or_term, constant(sort, value))


def generator(kind: str, random: Random, solver: str) -> Generator:
    """`plain` nodes reach the solver as they are; made ones have been simplified before."""
    simplified = bool(random.getrandbits(1))
    drawing = partial(Generator, random, make=make if simplified else plain, extract=extract if simplified else plain_extract)
    match kind:
        case "bits":
            return drawing((1, 2, 3, 4, 5, 8))
        case "arrays":
            return drawing((2, 3, 4, 8), arrays=ARRAYS)
        case "floats":
            tiny = (HALF,) if solver == "bitwuzla" else (Float(3, 4), Float(4, 5), HALF)
            return drawing((3, 7, 8, 9, 16), tiny)
    large = (FLOAT32, HALF) if solver == "bitwuzla" else (FLOAT32, HALF, Float(3, 4))
    return drawing((8, 16, 32), large, remainder=False)


def check(term: Term, random: Random, solver_name: str) -> bool:
    """Raises if they disagree; False if the solver does not know."""
    symbols = free_symbols(term)
    environment = random_environment(random, symbols)
    value = evaluate([term], environment)[0]
    solver = make_solver(solver_name, random.getrandbits(8))
    claim = literal(term, value)
    answer = solver.check([claim], 0.5)
    assert answer is not Answer.UNSAT, (term, value)
    if answer is Answer.SAT:
        model = {symbol: solver.value(symbol) for symbol in symbols}
        assert evaluate([claim], model) == [1], (term, value, model)
        if not isinstance(term.sort, Array):
            assert solver.value(term) == value
    solver.push()
    for symbol in symbols:
        solver.add(literal(symbol, environment[symbol]))
    refuted = solver.check([plain("not", BOOL, claim)], 30)
    assert refuted is not Answer.SAT, (term, environment, value)
    confirmed = solver.check([claim], 30)
    assert confirmed is not Answer.UNSAT, (term, environment, value)
    solver.pop()
    return (refuted, confirmed) == (Answer.UNSAT, Answer.SAT)


@pytest.mark.parametrize("solver", ["bitwuzla", "z3"])
@pytest.mark.parametrize("kind", AMOUNTS)
def test_solver_and_evaluate_agree(kind: str, solver: str) -> None:
    seeds = AMOUNTS[kind][FULL]
    known = 0
    for seed in range(seeds):
        random = Random(f"{kind} {seed}")
        generate = generator(kind, random, solver)
        sort = random.choice(ARRAYS) if kind == "arrays" and random.random() < 0.1 else generate.sort()
        term = generate.term(sort, random.randrange(1, 3 if kind == "large floats" else 5))
        known += check(term, random, solver)
    assert known >= 0.95 * seeds


OPERATIONS = [
    ("fp.add", 2), ("fp.sub", 2), ("fp.mul", 2), ("fp.div", 2), ("fp.neg", 1), ("fp.abs", 1),
    ("fp.floor", 1), ("fp.ceil", 1), ("fp.trunc", 1), ("fp.round", 1), ("fp.rint", 1),
]  # fmt: skip


@pytest.mark.parametrize("sort", [FLOAT64, EXTENDED], ids=str)
@pytest.mark.parametrize(("operator", "arity"), OPERATIONS)
def test_doubles_and_long_doubles_bit_by_bit(operator: str, arity: int, sort: Float) -> None:
    random = Random(operator)
    solver = make_solver("both" if sort == FLOAT64 else "z3")
    bits = bitvec(sort.width)
    names = [plain("state", sort, payload=f"{operator} {i}") for i in range(arity)]
    pattern = make("fp.to_bits", bits, plain(operator, sort, *names))
    for _ in range(30 if FULL else 6):
        environment = random_environment(random, names)
        value = evaluate([pattern], environment)[0]
        assert isinstance(value, int)
        solver.push()
        for name in names:
            solver.add(literal(name, environment[name]))
        assert solver.check([equal(pattern, constant(bits, value))]) is Answer.SAT
        assert solver.check([negate(equal(pattern, constant(bits, value)))]) is Answer.UNSAT
        solver.pop()


@pytest.mark.parametrize("sort", [FLOAT32], ids=str)
@pytest.mark.parametrize("solver", ["bitwuzla", "z3"])
def test_remainder_of_floats(solver: str, sort: Float) -> None:
    random = Random(5)
    asked = make_solver(solver)
    a, b = (plain("state", sort, payload=name) for name in "ab")
    pattern = make("fp.to_bits", bitvec(sort.width), plain("fp.fmod", sort, a, b))
    for _ in range(20 if FULL else 3):
        environment = random_environment(random, [a, b])
        value = evaluate([pattern], environment)[0]
        asked.push()
        asked.add(literal(a, environment[a]))
        asked.add(literal(b, environment[b]))
        assert asked.check([negate(literal(pattern, value))], 30) is Answer.UNSAT, asked.reason
        assert asked.check([literal(pattern, value)], 30) is Answer.SAT, asked.reason
        asked.pop()
