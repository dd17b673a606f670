"""Implicants hold in the model and imply the formula, for some inputs."""

from __future__ import annotations

import random

import pytest

from drystone.logic import terms
from drystone.logic.evaluation import ArrayValue, Value, evaluate
from drystone.logic.implicants import implicant
from drystone.logic.sorts import BOOL, Array, bitvec
from drystone.logic.terms import Term, constant, ite, make, select, store
from drystone.solvers import Answer, make_solver

BYTE = bitvec(4)
MEMORY = Array(BYTE, BYTE)


class Generator:
    """Random formulas over variables, inputs and memory."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables = [terms.state(name, BYTE) for name in "xyz"]
        self.inputs = [terms.input_symbol(name, BYTE) for name in "mn"]
        self.memory = terms.state("memory", MEMORY)

    def number(self, depth: int) -> Term:
        choice = self.random.randrange(8 if depth else 3)
        if choice == 0:
            return constant(BYTE, self.random.randrange(16))
        if choice in (1, 2):
            return self.random.choice(self.variables if choice == 1 else self.inputs)
        if choice == 3:
            return ite(self.formula(depth - 1), self.number(depth - 1), self.number(depth - 1))
        if choice == 4:
            return select(self.array(depth - 1), self.number(depth - 1))
        operator = self.random.choice(["bvadd", "bvsub", "bvmul", "bvand"])
        return make(operator, BYTE, self.number(depth - 1), self.number(depth - 1))

    def array(self, depth: int) -> Term:
        if depth <= 0 or self.random.random() < 0.3:
            return self.memory
        if self.random.random() < 0.3:
            return ite(self.formula(depth - 1), self.array(depth - 1), self.array(depth - 1))
        return store(self.array(depth - 1), self.number(depth - 1), self.number(depth - 1))

    def formula(self, depth: int) -> Term:
        choice = self.random.randrange(6) if depth > 0 else 5
        if choice == 0:
            return terms.negate(self.formula(depth - 1))
        if choice in (1, 2):
            return make("and" if choice == 1 else "or", BOOL, self.formula(depth - 1), self.formula(depth - 1))
        if choice == 3:
            return make("=", BOOL, self.formula(depth - 1), self.formula(depth - 1))
        operator = self.random.choice(["=", "bvult", "bvsle"])
        return make(operator, BOOL, self.number(depth), self.number(depth))

    def model(self) -> dict[Term, Value]:
        values: dict[Term, Value] = {symbol: self.random.randrange(16) for symbol in (*self.variables, *self.inputs)}
        values[self.memory] = ArrayValue(self.random.randrange(16), {i: self.random.randrange(16) for i in range(8)})
        return values


@pytest.mark.parametrize("seeds", [range(start, start + 50) for start in range(0, 400, 50)], ids=str)
def test_implicants_of_random_formulas(seeds: range) -> None:
    for seed in seeds:
        generator = Generator(seed)
        formula = generator.formula(4)
        model = generator.model()
        if not evaluate([formula], model)[0]:
            formula = terms.negate(formula)
        literals = implicant([formula], model)
        assert not terms.has_inputs(literals)
        assert all(evaluate(literals, model)), seed
        # the states of the implicant satisfy the formula for some of the 256 inputs
        solver = make_solver("bitwuzla")
        for literal in literals:
            solver.add(literal)
        for m in range(16):
            for n in range(16):
                fixed = dict(zip(generator.inputs, (constant(BYTE, m), constant(BYTE, n)), strict=True))
                solver.add(terms.negate(terms_with(formula, fixed)))
        assert solver.check() is Answer.UNSAT, seed


def test_inputs_are_replaced_by_bounds_rather_than_by_values() -> None:
    x, y = (terms.state(name, BYTE) for name in "xy")
    any_, other = (terms.input_symbol(name, BYTE) for name in "mn")
    model: dict[Term, Value] = {x: 3, y: 9, any_: 7, other: 8}

    def less(a: Term, b: Term) -> Term:
        return make("bvult", BOOL, a, b)

    def at_most(a: Term, b: Term) -> Term:
        return make("bvule", BOOL, a, b)

    ten = constant(BYTE, 10)
    assert implicant([less(x, any_), at_most(any_, y)], model) == [less(x, y)]
    assert implicant([at_most(x, any_), less(constant(BYTE, 6), any_)], model) == []  # the largest number will do
    (bound,) = implicant([less(x, any_), less(any_, other), less(other, ten)], model)
    assert bound in [less(x, constant(BYTE, limit)) for limit in (6, 7, 8)]
    differs = [terms.negate(terms.equal(any_, each)) for each in (x, y)]
    assert implicant(differs, model) == [terms.negate(terms.equal(constant(BYTE, 7), each)) for each in (x, y)]


def terms_with(formula: Term, inputs: dict[Term, Term]) -> Term:
    from drystone.logic.substitution import substitute

    return substitute(formula, inputs)
