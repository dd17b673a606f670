"""Polynomials have the values of the terms whose forms they are."""

from __future__ import annotations

import random

import pytest

from drystone.logic import terms
from drystone.logic.evaluation import evaluate, evaluate_one
from drystone.logic.polynomials import Polynomial, Polynomials, TooLarge, ratio
from drystone.logic.sorts import bitvec
from drystone.logic.terms import Term, constant, make, resize

_ATOMS = {bits: [terms.state(f"{name}{bits}", bitvec(bits)) for name in "xyz"] for bits in (3, 5, 8)}
_PRODUCT, _FACTORS = terms.input_symbol("a product", bitvec(5)), (_ATOMS[5][0], _ATOMS[5][1])


def number(chance: random.Random, bits: int, depth: int) -> Term:
    choice = chance.randrange(10 if depth else 2)
    if choice == 0:
        return constant(bitvec(bits), chance.randrange(1 << bits))
    if choice == 1:
        return chance.choice([*_ATOMS[bits], *([_PRODUCT] if bits == 5 else [])])
    if choice == 2:
        return resize(number(chance, chance.choice(list(_ATOMS)), depth - 1), bits, signed=chance.random() < 0.6)
    if choice == 3:
        return make(chance.choice(["bvneg", "bvnot"]), bitvec(bits), number(chance, bits, depth - 1))
    if choice == 4:
        return make("bvshl", bitvec(bits), number(chance, bits, depth - 1), constant(bitvec(bits), chance.randrange(bits + 2)))
    operator = chance.choice(["bvadd", "bvadd", "bvsub", "bvmul", "bvmul", "bvudiv", "bvand", "scale"])
    parts = [number(chance, bits, depth - 1), number(chance, bits, depth - 1)]
    if operator == "scale":
        parts[1] = constant(bitvec(bits), chance.randrange(1 << bits))
    return make(operator, bitvec(bits), *parts)


def value(found: Polynomial, environment: dict[Term, int]) -> int:
    total = 0
    for monomial, factor in found.factors.items():
        for each in monomial:
            factor *= evaluate_one(each, environment)
        total += factor
    return total & (1 << found.bits) - 1


@pytest.mark.parametrize("seed", range(40))
def test_a_form_has_the_value_of_its_term(seed: int) -> None:
    chance = random.Random(seed)
    forms = Polynomials({_PRODUCT: _FACTORS})
    for _ in range(25):
        term = number(chance, chance.choice(list(_ATOMS)), 5)
        try:
            found = forms.of(term)
        except TooLarge:
            continue
        for _ in range(8):
            environment = {each: chance.randrange(1 << bits) for bits, atoms in _ATOMS.items() for each in atoms}
            product = environment[_FACTORS[0]] * environment[_FACTORS[1]] & 31
            environment[_PRODUCT] = product
            assert value(found, environment) == evaluate((term,), environment)[0]
            assert not (found.is_never_zero() and value(found, environment) == 0)
            assert not (found.is_zero() and value(found, environment) != 0)


def test_equal_terms_have_one_form() -> None:
    x, y, one = *_ATOMS[8][:2], constant(bitvec(8), 1)
    forms = Polynomials({})
    square = make("bvmul", bitvec(8), make("bvadd", bitvec(8), x, one), make("bvadd", bitvec(8), x, one))
    again = make(
        "bvadd", bitvec(8), make("bvmul", bitvec(8), x, x), make("bvadd", bitvec(8), make("bvadd", bitvec(8), x, one), x)
    )
    assert forms.of(square) == forms.of(again)
    assert forms.of(make("bvmul", bitvec(8), x, y)) == forms.of(make("bvmul", bitvec(8), y, x))


def test_a_sum_that_cannot_overflow_is_extended_part_by_part() -> None:
    small = _ATOMS[3][0]
    wide = resize(make("bvmul", bitvec(8), resize(small, 8, signed=True), constant(bitvec(8), 6)), 16, signed=True)
    apart = make("bvmul", bitvec(16), resize(small, 16, signed=True), constant(bitvec(16), 6))
    assert Polynomials({}).of(wide) == Polynomials({}).of(apart)
    wraps = resize(make("bvmul", bitvec(8), resize(small, 8, signed=True), constant(bitvec(8), 60)), 16, signed=True)
    assert list(Polynomials({}).of(wraps).factors) == [(wraps,)]


def test_what_would_be_large_has_no_form() -> None:
    term = terms.state("x", bitvec(32))
    for name in "abcdefghij":
        term = make("bvmul", bitvec(32), term, make("bvadd", bitvec(32), terms.state(name, bitvec(32)), term))
    with pytest.raises(TooLarge):
        Polynomials({}).of(term)


@pytest.mark.parametrize("bits", [3, 4])
def test_ratios(bits: int) -> None:
    modulus = 1 << bits
    for factor in range(1, modulus):
        for divisor in range(1, modulus):
            found = ratio(factor, divisor, bits)
            if found is None:
                assert all(each * divisor % modulus != factor for each in range(modulus))
            else:
                assert found * divisor % modulus == factor
