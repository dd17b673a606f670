"""Who gets which state first; none is lost, and none is given to nobody."""

from __future__ import annotations

import random

from drystone.engines.tree.states import State
from drystone.engines.tree.waiting import Waiting


def test_a_state_waits_for_who_knows_it() -> None:
    waiting = Waiting(lambda state: True)
    known, new, other = State(1), State(2), State(3)
    for state, depth, worker in ((known, 5, 0), (new, 6, None), (other, 1, 1)):
        waiting.add(state, depth, worker)
    assert waiting.next_for(0, may_steal=False) is known
    waiting.take(known)
    assert waiting.next_for(0, may_steal=False) is new
    waiting.take(new)
    assert waiting.next_for(0, may_steal=False) is None
    assert waiting.next_for(0, may_steal=True) is None
    for number in range(20):
        waiting.add(State(10 + number), 2, 1)
    assert waiting.next_for(0, may_steal=False) is None
    assert waiting.next_for(0, may_steal=True) is other
    waiting.take(other)
    assert not waiting.is_empty() and waiting.next_for(1, may_steal=False) == State(10)


def test_who_is_lost_knows_nothing() -> None:
    waiting = Waiting(lambda state: True)
    waiting.add(State(1), 3, 0)
    waiting.add(State(2), 2, None)
    waiting.forget(0)
    assert waiting.next_for(1, may_steal=False) == State(2)
    waiting.take(State(2))
    assert waiting.next_for(1, may_steal=False) == State(1)


def test_all_are_taken_once() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        unwanted: set[State] = set()
        waiting = Waiting(lambda state: state not in unwanted)  # noqa: B023
        states = [State(number) for number in range(20)]
        for state in states:
            waiting.add(state, chance.randrange(4), chance.choice([None, 0, 1, 2]))
        unwanted |= set(chance.sample(states, 5))
        taken = []
        while not waiting.is_empty():
            worker = chance.randrange(3)
            if chance.random() < 0.2:
                waiting.forget(worker)
            following = waiting.next_for(worker, may_steal=True)
            if following is None:  # what is left waits for others, who take it
                continue
            waiting.take(following)
            taken.append(following)
        assert sorted(state.location for state in taken) == [state.location for state in states if state not in unwanted]
