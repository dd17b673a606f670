"""Correction sets against their definition: all minimal sets of parts without which the rest can hold, the smallest first."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from drystone.base.deadline import Deadline
from drystone.localization.correction_sets import CorrectionSets, Limits, Parts
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term

VARIABLES = [terms.state(name, BOOL) for name in "abcd"]
LITERALS = [*VARIABLES, *map(terms.negate, VARIABLES)]
CLAUSES = st.lists(st.sampled_from(LITERALS), min_size=1, max_size=2).map(terms.disjunction)


def is_satisfiable(formulas: list[Term]) -> bool:
    from drystone.solvers import Answer, make_solver

    return make_solver("bitwuzla").check(formulas) is Answer.SAT


def by_definition(sure: list[Term], parts: list[Term]) -> set[Parts]:
    found: set[Parts] = set()
    for size in range(len(parts) + 1):
        for chosen in map(frozenset, combinations(range(len(parts)), size)):
            left = [part for number, part in enumerate(parts) if number not in chosen]
            if not any(each <= chosen for each in found) and is_satisfiable([*sure, *left]):
                found.add(chosen)
    return found


@settings(max_examples=40, deadline=None)
@given(st.lists(CLAUSES, max_size=2), st.lists(CLAUSES, min_size=1, max_size=6))
def test_they_are_the_minimal_ones_in_the_order_of_their_size(sure: list[Term], parts: list[Term]) -> None:
    expected = by_definition(sure, parts)
    search = CorrectionSets(sure, [[part] for part in parts], Limits(size=6), Deadline())
    found = [correction.parts for correction in search.smallest_first()]
    if frozenset() in expected:
        assert found == [] and search.left_out  # it is no contradiction
    else:
        assert set(found) == expected and len(found) == len(expected) and search.left_out == []
        assert [len(each) for each in found] == sorted(len(each) for each in found)


def test_limits_are_told() -> None:
    a = VARIABLES[0]
    parts = [[a], [a], [a], [a]]
    sure = [terms.negate(a)]

    def left_out(**limits: int) -> list[str]:
        search = CorrectionSets(sure, parts, Limits(**limits), Deadline())
        list(search.smallest_first())
        return search.left_out

    assert left_out(size=4) == []
    assert left_out(size=3) == ["sets of more than 3 lines"]
    assert left_out(size=4, queries=3) == ["what needs more than 3 queries"]
    split = [[a], [terms.negate(a)]]
    search = CorrectionSets([], split, Limits(sets=1), Deadline())
    assert len(list(search.smallest_first())) == 1 and search.left_out == ["more than 1 sets"]
    search = CorrectionSets(sure, parts, Limits(), Deadline.after(0.0))
    assert list(search.smallest_first()) == [] and search.left_out == ["what needs more than 30 s"]
