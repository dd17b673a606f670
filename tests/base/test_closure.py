"""All states that steps lead to, found by one process or by several: the same ones, with ways that are ways."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

import pytest

from drystone.base import closure
from drystone.base.closure import Closure
from drystone.base.process_tree import children
from drystone.base.state_owners import choose_owners
from drystone.base.state_steps import Function, State, Table


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes begin early."""
    monkeypatch.setattr(closure, "_SHARED_FROM", 300)


_LOCATIONS, _WIDE, _HIGH = 5, 60, 12


def _followers(state: State) -> list[State]:
    """Of states of a random system: a place, two numbers, and a pair of numbers."""
    random = Random(repr(state))
    place, low, high, pair = state
    assert isinstance(place, int) and isinstance(low, int) and isinstance(high, int) and isinstance(pair, tuple)
    found: list[State] = [((place + 1) % _LOCATIONS, (low + random.randint(0, 3)) % _WIDE, high, pair)]
    if random.random() < 0.5:
        found.append(
            (random.randrange(_LOCATIONS), low, (high + 1) % _HIGH, (pair[1], None if random.random() < 0.1 else high % 3))
        )
    return found


class _System:
    def __init__(self, notable: Callable[[State], bool] = lambda state: False) -> None:
        self.notable = notable

    def function(self, location: object) -> Function:
        def step(state: State, table: Table, push: Callable[[State], None]) -> bool:
            if self.notable(state):
                return True
            for each in _followers(state):
                if each not in table:
                    table[each] = state
                    push(each)
            return False

        return step

    def names(self, location: object) -> Sequence[str]:
        return "low", "high", "pair"


_START: State = (0, 0, 0, (0, 0))


def _unseen(states: int, memory: int) -> None:
    pass


def _reached(is_end: Callable[[State], bool] = lambda state: False) -> set[State]:
    seen, waiting = {_START}, [_START]
    for state in waiting:
        for each in () if is_end(state) else _followers(state):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return seen


def _is_end(state: State) -> bool:
    return state[1] == 17 and state[2] == 7


def _is_shared() -> bool:
    return bool(children(os.getpid()))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_finds_the_same_states(workers: int) -> None:
    search = Closure(_System(), _START, _unseen, workers)
    assert list(search.notable()) == []
    assert search.states == len(_reached())
    assert (search.elsewhere > 0) == (workers > 1) and search.lost == 0
    assert not _is_shared()


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_way_leads_from_the_start_to_a_notable_state(workers: int) -> None:
    expected = {state for state in _reached(_is_end) if _is_end(state)}
    search = Closure(_System(_is_end), _START, _unseen, workers)
    found = set()
    for state in search.notable():
        found.add(state)
        path = search.path(state)
        assert path[0] == _START and path[-1] == state
        assert all(there in _followers(here) for here, there in pairwise(path))
    assert expected and found == expected
    assert search.states == len(_reached(_is_end))


def test_who_has_seen_enough_leaves_nothing_behind() -> None:
    for state in Closure(_System(_is_end), _START, _unseen, 2).notable():
        assert _is_end(state) and _is_shared()
        break
    assert not _is_shared()


def test_where_a_process_is_lost_this_one_goes_on_alone() -> None:
    parent = os.getpid()

    def is_end(state: State) -> bool:
        if os.getpid() != parent and state[1] == 40:
            os.kill(os.getpid(), signal.SIGKILL)
        return _is_end(state)

    search = Closure(_System(is_end), _START, _unseen, 3)
    assert set(search.notable()) == {state for state in _reached(_is_end) if _is_end(state)}
    assert (search.lost, search.elsewhere, search.states) == (1, 0, len(_reached(_is_end)))


def test_what_a_step_raises_is_raised() -> None:
    def is_end(state: State) -> bool:
        if state[1] == 40:
            raise LookupError("forty")
        return False

    for workers in (1, 2):
        with pytest.raises(LookupError, match="forty"):
            list(Closure(_System(is_end), _START, _unseen, workers).notable())
    assert not _is_shared()


def test_is_asked_now_and_then_whether_it_may_go_on() -> None:
    parent = os.getpid()

    def is_end(state: State) -> bool:
        if os.getpid() != parent:
            time.sleep(0.01)
        return False

    told: list[int] = []

    def look(states: int, memory: int) -> None:
        told.append(states)
        if _is_shared() and memory > 0:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        list(Closure(_System(is_end), _START, look, 2).notable())
    assert told == sorted(told) and not _is_shared()


def test_owners_have_as_many_states_each_and_send_few() -> None:
    """Two numbers change seldom, and tell enough states apart; another one changes with each step."""
    random = Random(1)
    here: State = (0, 0, 0, 0)
    steps: list[tuple[State, State]] = []
    for number in range(5_000):
        there = (0, number, *(random.randrange(40) if random.random() < 0.1 else each for each in here[2:]))
        steps.append((here, there))
        here = there
    owners = choose_owners(steps, lambda location: ("clock", "first", "second"), 2)
    assert owners.chosen == {"first", "second"}
    shares = [sum(owners.owner(state) == number for _, state in steps) for number in range(2)]
    assert min(shares) > 0.4 * sum(shares)
    assert sum(owners.owner(here) != owners.owner(there) for here, there in steps) < 0.2 * len(steps)


def test_where_there_is_nothing_to_choose_from_whole_states_decide() -> None:
    owners = choose_owners([((number,), (number + 1,)) for number in range(100)], lambda location: (), 3)
    assert {owners.owner((number,)) for number in range(100)} == {0, 1, 2}
