"""The parts: tapes evaluate like `evaluate`, affine relations are complete, abstract values contain the concrete ones."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drystone.base.deadline import Deadline
from drystone.cpa.domains.intervals.abstract import Range, evaluate, refine
from drystone.invariants.interpretation import Interpretation
from drystone.invariants.sampling import Constants, Inputs, Runner, State, sample
from drystone.invariants.sources.affine import relation_term, relations, sparse_relations
from drystone.logic import evaluation, terms
from drystone.logic.sorts import BOOL, bitvec
from drystone.logic.terms import Term, ite, make
from drystone.logic.walks import reachable
from drystone.symbolic.transformers import ENTRY
from tests.invariants.checking import system_of
from tests.invariants.families import FAMILIES

WIDTH = 3


@given(st.lists(st.tuples(*[st.integers(0, 7)] * 3), min_size=1, max_size=6))
def test_relations_are_exactly_those_that_hold(states: list[tuple[int, ...]]) -> None:
    """All combinations of the generators are all relations modulo 2^3, by enumeration."""
    expected = set()
    for relation in product(range(8), repeat=4):
        if all((relation[0] + sum(a * x for a, x in zip(relation[1:], state, strict=True))) % 8 == 0 for state in states):
            expected.add(relation)
    found: set[tuple[int, ...]] = {(0, 0, 0, 0)}
    for generator in relations(states, WIDTH):
        found = {tuple((a + k * b) % 8 for a, b in zip(each, generator, strict=True)) for each in found for k in range(8)}
    assert found <= expected
    # `0 = 4·c` and the like are no relations between variables: generators without variables are left out
    assert {each[1:] for each in expected} == {each[1:] for each in found}


@given(st.lists(st.tuples(*[st.integers(0, 7)] * 3), min_size=1, max_size=6))
def test_relations_hold_as_terms(states: list[tuple[int, ...]]) -> None:
    variables = [terms.state(name, bitvec(WIDTH)) for name in "xyz"]
    for relation in [*relations(states, WIDTH), *sparse_relations(states, WIDTH)]:
        formula = relation_term(relation, variables, WIDTH)
        for state in states:
            assert evaluation.evaluate_one(formula, dict(zip(variables, state, strict=True))) == 1


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_a_run_takes_the_steps_that_the_transformers_describe(tmp_path: Path, family: object) -> None:
    assert callable(family)
    system = system_of(tmp_path, family("short", 3))
    runner, choose = Runner(system), random.Random(0)
    constants = Constants(system.all_terms())
    for style in ("zero", "small", "mixed", "random"):
        cut = ENTRY
        state: State = {}
        for _ in range(20):
            inputs = _Recorded(constants, choose, style)
            reached = runner.step(cut, state, inputs)
            block = system.initial if cut == ENTRY else system.blocks[cut]
            environment = {**inputs.used, **state}
            taken = [t for t, exit in block.exits.items() if evaluation.evaluate_one(exit.guard, environment, 0)]
            assert taken == ([reached[0]] if reached else [])
            if reached is None:
                break
            exit = block.exits[reached[0]]
            for variable, value in reached[1].items():
                assert evaluation.evaluate((exit.after(variable),), environment, 0) == [value]
            cut, state = reached


class _Recorded(Inputs):
    """Remembers what it gave, and gives it again."""

    def __init__(self, constants: Constants, choose: random.Random, style: str) -> None:
        super().__init__(constants, choose, style)
        self.used: dict[Term, evaluation.Value] = {}

    def value(self, symbol: Term) -> evaluation.Value:
        return self.used.setdefault(symbol, super().value(symbol))


def test_samples_depend_on_the_seed_alone(tmp_path: Path) -> None:
    system = system_of(tmp_path, FAMILIES[0]("int", 1))
    one, same, other = (sample(system, seed, Deadline()) for seed in (1, 1, 2))
    assert one == same
    assert one.states != other.states


BITS = 5
SORT = bitvec(BITS)
X, Y = terms.state("x", SORT), terms.state("y", SORT)
_BINARY = ("bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvurem", "bvsrem", "bvudiv", "bvlshr", "bvxor")
_COMPARE = ("bvult", "bvule", "bvslt", "bvsle", "=")

numbers = st.recursive(
    st.sampled_from([X, Y]) | st.integers(0, 31).map(lambda value: terms.constant(SORT, value)),
    lambda inner: st.one_of(
        st.builds(lambda o, a, b: make(o, SORT, a, b), st.sampled_from(_BINARY), inner, inner),
        st.builds(lambda o, a, b, c, d: ite(make(o, BOOL, a, b), c, d), st.sampled_from(_COMPARE), inner, inner, inner, inner),
        st.builds(lambda a: terms.resize(terms.resize(a, 3), BITS, signed=True), inner),
        st.builds(lambda a: make("bvneg", SORT, a), inner),
    ),
    max_leaves=8,
)


def _range(low: int, high: int) -> Range:
    views = [x - 32 if x >= 16 else x for x in range(low, high + 1)]
    return Range(low, high, min(views), max(views))


abstract = st.one_of(
    st.frozensets(st.integers(0, 31), min_size=1, max_size=4),
    st.tuples(st.integers(0, 31), st.integers(0, 31)).map(lambda pair: _range(min(pair), max(pair))),
    st.none(),
)


def _members(value: frozenset[int] | Range | None) -> list[int]:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(range(32)) if value is None else list(range(value.low, value.high + 1))


def _contains(value: frozenset[int] | Range | None, x: int) -> bool:
    if isinstance(value, frozenset):
        return x in value
    if value is None:
        return True
    return value.low <= x <= value.high and value.least <= (x - 32 if x >= 16 else x) <= value.most


@settings(max_examples=300)
@given(numbers, st.sampled_from(_COMPARE), numbers, numbers, st.booleans(), abstract, abstract)
def test_abstract_values_contain_the_concrete_ones(
    value: Term,
    operator: str,
    left: Term,
    right: Term,
    positive: bool,
    x: frozenset[int] | Range | None,
    y: frozenset[int] | Range | None,
) -> None:
    condition = make(operator, BOOL, left, right)
    condition = condition if positive else terms.negate(condition)
    order = reachable([value, condition])
    state = {X: x, Y: y}
    plain = evaluate(order, state, {})
    refined = evaluate(order, state, refine([condition], plain))
    for a, b in product(_members(x)[:8], _members(y)[-8:]):
        concrete, holds = evaluation.evaluate((value, condition), {X: a, Y: b})
        assert isinstance(concrete, int) and _contains(plain[value], concrete)
        if holds:
            assert _contains(refined[value], concrete)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("type_", ["int", "unsigned char"])
def test_abstract_states_contain_the_sampled_ones(tmp_path: Path, family: object, type_: str) -> None:
    assert callable(family)
    system = system_of(tmp_path, family(type_, 3))
    interpretation = Interpretation(system, {32: [0, 1, 5]}, Deadline())
    assert interpretation.complete
    samples = sample(system, 77, Deadline())
    for cut in system.cut_points:
        for variable, value in interpretation.at(cut).items():
            bits = terms.width(variable)
            for state in samples.at(cut):
                x = state[variable]
                assert isinstance(x, int)
                if isinstance(value, frozenset):
                    assert x in value
                elif value is not None:
                    assert value.low <= x <= value.high
                    assert value.least <= (x - (1 << bits) if x >> (bits - 1) else x) <= value.most
