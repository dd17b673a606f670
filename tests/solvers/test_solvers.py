"""What the protocol of solvers promises, for each of them."""

from __future__ import annotations

import subprocess
import sys
import time
from random import Random
from typing import Any

import pytest

from drystone.logic.smtlib import smtlib
from drystone.logic.sorts import BOOL, EXTENDED, FLOAT64, Array, Float, bitvec
from drystone.logic.terms import FALSE, Term, constant, equal, make, negate, select, state, store
from drystone.solvers import Answer, make_solver
from drystone.solvers.pair import CrossCheck, Fallback
from drystone.solvers.protocol import Disagreement, SolverError
from tests.logic.random_terms import Generator

NAMES = ["bitwuzla", "z3", "auto", "both"]
WORD = bitvec(32)
x, y = state("x", WORD), state("y", WORD)


def word(value: int) -> Term:
    return constant(WORD, value)


@pytest.mark.parametrize("name", NAMES)
def test_levels_models_and_cores(name: str) -> None:
    solver = make_solver(name, 3)
    solver.add(make("bvult", BOOL, x, y))
    solver.push()
    solver.add(make("bvult", BOOL, y, x))
    assert solver.check() is Answer.UNSAT and solver.core() == []
    solver.pop()
    assert solver.check([equal(y, word(1))]) is Answer.SAT
    assert (solver.value(x), solver.value(y), solver.value(make("bvadd", WORD, x, y))) == (0, 1, 1)
    assert solver.value(state("never mentioned", WORD)) == 0
    assumptions = [equal(x, word(5)), equal(state("z", WORD), x), equal(y, word(5))]
    assert solver.check(assumptions) is Answer.UNSAT
    assert set(solver.core()) == {assumptions[0], assumptions[2]}
    assert solver.check([equal(x, word(5)), FALSE]) is Answer.UNSAT and solver.core() == [FALSE]
    with pytest.raises(SolverError):
        solver.value(x)
    assert solver.check() is Answer.SAT
    with pytest.raises(SolverError):
        solver.core()
    assert solver.counters.queries >= 5
    with pytest.raises(SolverError):
        solver.pop()


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_what_a_dropped_level_defined_stays_true(name: str) -> None:
    """The bits of a sum are a symbol with a definition in bitwuzla; the definition must outlive the level it came on."""
    f = state("f", FLOAT64)
    bits = bitvec(64)
    pattern = make("fp.to_bits", bits, make("fp.add", FLOAT64, f, f))
    one, two = constant(FLOAT64, 0x3FF0000000000000), constant(bits, 0x4000000000000000)
    solver = make_solver(name)
    solver.push()
    solver.push()
    solver.add(equal(pattern, two))
    assert solver.check() is Answer.SAT
    solver.pop()
    solver.add(make("fp.eq", BOOL, f, one))
    assert solver.check([negate(equal(pattern, two))]) is Answer.UNSAT
    solver.pop()
    assert solver.check([make("fp.eq", BOOL, f, one), negate(equal(pattern, two))]) is Answer.UNSAT


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_cores_are_contradictions(name: str) -> None:
    found = 0
    for seed in range(60):
        random = Random(seed)
        generate = Generator(random, (2, 3))
        assumptions = [generate.term(BOOL, 2) for _ in range(12)]
        solver = make_solver(name)
        if solver.check(assumptions) is Answer.UNSAT:
            found += 1
            core = solver.core()
            assert set(core) <= set(assumptions)
            assert make_solver("z3" if name == "bitwuzla" else "bitwuzla").check(core) is Answer.UNSAT
    assert found > 20


def hard() -> Term:
    """Two factors of a product of primes."""
    large = bitvec(64)
    a, b = make("zero_extend", large, x), make("zero_extend", large, y)
    factors = equal(make("bvmul", large, a, b), constant(large, 2654435761 * 3037000493))
    return make("and", BOOL, factors, make("and", BOOL, make("bvult", BOOL, word(9), x), make("bvult", BOOL, x, y)))


@pytest.mark.parametrize("name", ["bitwuzla", "z3", "both"])
def test_a_limit_gives_unknown_and_the_solver_goes_on(name: str) -> None:
    solver = make_solver(name)
    solver.push()
    solver.add(hard())
    start = time.perf_counter()
    answer = solver.check((), 0.3)
    assert time.perf_counter() - start < 8
    assert answer is Answer.UNKNOWN and solver.reason
    solver.pop()
    assert solver.check([equal(x, y)]) is Answer.SAT
    assert solver.reason == ""


def test_unsupported_formats_are_unknown_or_go_to_the_other_solver() -> None:
    f = state("f", EXTENDED)
    grows = make("fp.lt", BOOL, f, make("fp.add", EXTENDED, f, f))
    solver = make_solver("bitwuzla")
    solver.push()
    solver.add(grows)
    assert solver.check() is Answer.UNKNOWN and "extended" in solver.reason
    assert solver.check([equal(x, word(1)), equal(x, word(2))]) is Answer.UNSAT  # whatever the rest says
    solver.pop()
    assert solver.check() is Answer.SAT
    assert solver.check([grows]) is Answer.UNKNOWN
    assert solver.counters.unsupported == 3
    both = make_solver("auto")
    assert isinstance(both, Fallback)
    both.push()
    both.add(grows)
    assert both.check([equal(x, word(1))]) is Answer.SAT
    assert both.value(grows) == 1 and both.value(x) == 1
    both.pop()
    assert both.check([negate(grows), grows]) is Answer.UNSAT


def test_bits_of_an_unsupported_format_can_be_moved() -> None:
    f, g = state("f", EXTENDED), state("g", EXTENDED)
    solver = make_solver("bitwuzla")
    solver.add(equal(f, g))
    assert solver.check([negate(equal(make("fp.to_bits", bitvec(79), f), make("fp.to_bits", bitvec(79), g)))]) is Answer.UNSAT
    assert solver.check([equal(f, constant(EXTENDED, 12345))]) is Answer.SAT and solver.value(g) == 12345


class Liar:
    """A solver that finds no model."""

    def __init__(self) -> None:
        self._solver = make_solver("z3")

    def __getattr__(self, name: str) -> object:
        return getattr(self._solver, name)

    def check(self, *_: object) -> Answer:
        return Answer.UNSAT


def test_disagreement_is_reported() -> None:
    solver = CrossCheck(make_solver("bitwuzla"), Liar())  # type: ignore[arg-type]
    with pytest.raises(Disagreement, match="bitwuzla says sat, z3 says unsat"):
        solver.check([equal(x, y)])


def test_failures_inside_a_solver_are_unknown() -> None:
    solver = make_solver("bitwuzla")

    def fails(*_: object) -> Answer:
        raise RuntimeError("out of something")

    solver._check = fails  # type: ignore[attr-defined]
    assert solver.check() is Answer.UNKNOWN and "out of something" in solver.reason


def test_importing_the_package_imports_no_solver() -> None:
    program = "import sys, drystone.solvers; print([name for name in ('bitwuzla', 'z3') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no solver 'yices'; there are bitwuzla, z3, auto, both"):
        make_solver("yices")


@pytest.mark.parametrize("seed", range(60))
def test_smtlib_means_the_same(seed: int) -> None:
    """z3 reads the script and gives the answer that it gives to the terms."""
    import z3

    random = Random(seed)
    arrays = (Array(bitvec(2), bitvec(3)),)
    kinds: tuple[dict[str, Any], ...] = (
        {"widths": (1, 2, 3, 4)},
        {"widths": (2, 3), "arrays": arrays},
        {"widths": (3, 7), "formats": (Float(3, 4),)},
    )
    generate = Generator(random, **kinds[seed % 3], remainder=False)
    formulas = [generate.term(BOOL, 3) for _ in range(3)]
    solver = make_solver("z3")
    for formula in formulas:
        solver.add(formula)
    read = z3.Solver()
    read.set("timeout", 20000)
    read.from_string(smtlib(formulas).replace("(check-sat)", ""))
    answer, expected = str(read.check()), solver.check((), 20)
    assert expected is Answer.UNKNOWN or answer in (expected.value, "unknown")


def test_values_of_arrays() -> None:
    memory = state("memory", Array(bitvec(4), bitvec(8)))
    three, nine = constant(bitvec(4), 3), constant(bitvec(8), 9)
    for name in ("bitwuzla", "z3"):
        solver = make_solver(name)
        solver.add(equal(select(memory, three), nine))
        solver.add(negate(equal(select(memory, state("i", bitvec(4))), nine)))
        assert solver.check() is Answer.SAT
        value = solver.value(memory)
        assert value.at(3) == 9 and value.at(solver.value(state("i", bitvec(4)))) != 9  # type: ignore[union-attr, arg-type]
        changed = solver.value(store(memory, three, constant(bitvec(8), 1)))
        assert changed.at(3) == 1  # type: ignore[union-attr]


def test_a_solver_with_deep_terms_ends_quickly() -> None:
    """z3's context needs time quadratic in the depth to free terms that are still held."""
    term = x
    for _ in range(20_000):
        term = make("bvxor", WORD, make("bvmul", WORD, term, y), x)
    for name in ("bitwuzla", "z3"):
        solver = make_solver(name)
        solver.add(equal(x, word(1)))
        assert solver.check() is Answer.SAT
        solver.translate(term)  # type: ignore[attr-defined]
        start = time.process_time()
        del solver
        assert time.process_time() - start < 2
