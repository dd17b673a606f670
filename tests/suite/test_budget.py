"""How a suite divides its time: nobody gets more than there is, and what quick programs leave is for the others."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from drystone.suite.budget import LEAST, Budget

_SECONDS = st.floats(0, 1000)


@given(_SECONDS, st.floats(0.1, 1000), st.integers(1, 8), st.integers(1, 50))
def test_a_share_is_never_more_than_what_is_left(elapsed: float, total: float, jobs: int, waiting: int) -> None:
    share = Budget(60.0, total, jobs).share(elapsed, waiting)
    if share is None:
        assert total - elapsed < LEAST
    else:
        assert 0 < share <= min(60.0, total - elapsed)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=30), st.floats(40, 200))
def test_with_one_at_a_time_every_program_gets_a_turn(used: list[float], total: float) -> None:
    """`used`: the part of its share that each takes."""
    elapsed, budget = 0.0, Budget(math.inf, total, 1)
    for number, part in enumerate(used):
        share = budget.share(elapsed, len(used) - number)
        assert share is not None
        elapsed += part * share
    assert elapsed <= total + 1e-6


def test_without_a_budget_each_has_its_own_limit() -> None:
    budget = Budget(60.0, None, 2)
    assert budget.share(1e6, 100) == 60.0
    assert budget.again(1e6, 60.0, 1) is None


def test_another_try_has_to_be_longer() -> None:
    budget = Budget(60.0, 100.0, 1)
    assert budget.again(50.0, 5.0, 1) == 50.0
    assert budget.again(50.0, 5.0, 9) is None  # a ninth of what is left is hardly more than it had
    assert budget.again(99.5, 5.0, 1) is None
