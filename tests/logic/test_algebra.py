"""The laws of operators follow from their meaning, here for all values of small widths."""

from __future__ import annotations

import itertools

import pytest

from drystone.logic.algebra import EXTENSIONS, LAWS, LOW_BITS
from drystone.logic.semantics import function
from drystone.logic.sorts import bitvec

WIDTHS = (1, 2, 3)


@pytest.mark.parametrize("operator", LAWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_laws(operator: str, width: int) -> None:
    law, sort, ones = LAWS[operator], bitvec(width), (1 << width) - 1
    op = function(operator, sort, (sort, sort))
    for a, b, c in itertools.product(range(ones + 1), repeat=3):
        assert op(a, b) == op(b, a) and op(op(a, b), c) == op(a, op(b, c))
    for a in range(ones + 1):
        assert op(a, law.neutral & ones) == a
        assert law.absorbing is None or op(a, law.absorbing & ones) == law.absorbing & ones
        assert law.same is None or op(a, a) == law.same & ones
        assert not law.is_idempotent or op(a, a) == a


@pytest.mark.parametrize("operator", sorted(LOW_BITS))
def test_low_bits(operator: str) -> None:
    count = 1 if operator in ("bvneg", "bvnot") else 2
    for narrow, wide in itertools.combinations(WIDTHS, 2):
        small, large = (function(operator, bitvec(width), (bitvec(width),) * count) for width in (narrow, wide))
        mask = (1 << narrow) - 1
        for values in itertools.product(range(1 << wide), repeat=count):
            assert large(*values) & mask == small(*(value & mask for value in values))


@pytest.mark.parametrize("operator", sorted(EXTENSIONS))
def test_extensions(operator: str) -> None:
    for narrow, wide in itertools.combinations(WIDTHS, 2):
        extended = function(operator, bitvec(wide), (bitvec(narrow),))
        assert all(extended(value) & (1 << narrow) - 1 == value for value in range(1 << narrow))
