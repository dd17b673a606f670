"""What the theorem of Lopes, Rybalchenko 2011 rests on: what follows a state is covered by what follows a larger one.

Random predicates and clauses at each location, random states, abstractions that are forced to be Cartesian beyond few combinations.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.cpa.domains.predicates.states import Local
from drystone.cpa.encodings import kept_locations
from drystone.engines.abstract_searches import symbolic
from drystone.engines.tree.post import PostOptions, PredicatePost, Transitions
from drystone.engines.tree.precisions import Told, pack_told, told_clauses
from drystone.engines.tree.states import Order, State
from drystone.logic import terms
from drystone.logic.sorts import BOOL, BitVec
from drystone.logic.terms import Term
from drystone.passes.inline import MAX_EDGES
from drystone.pipeline import PreparedProgram
from drystone.symbolic.transformers import TransitionSystem
from tests.engines.tree.test_workers import FLAGS, program_of

_STATES = 25


def _predicates(variables: list[Term], chance: random.Random) -> tuple[Term, ...]:
    found: list[Term] = []
    for _ in range(chance.randrange(5) if variables else 0):
        variable = chance.choice(variables)
        constant = terms.constant(variable.sort, chance.randrange(4))
        found.append(terms.equal(variable, constant) if chance.random() < 0.6 else terms.make("bvult", BOOL, variable, constant))
    if len(variables) > 1 and chance.random() < 0.5:
        found.append(terms.equal(*chance.sample(variables, 2)))
    return tuple(dict.fromkeys(each for each in found if each.operator != "const"))


def _clauses(predicates: tuple[Term, ...], chance: random.Random) -> tuple[Term, ...]:
    if len(predicates) < 2:
        return ()
    pairs = [chance.sample(predicates, 2) for _ in range(2)]
    literals = [[each if chance.random() < 0.5 else terms.negate(each) for each in pair] for pair in pairs]
    return tuple(dict.fromkeys(terms.negate(terms.conjunction(pair)) for pair in literals))


def _state(location: int, local: Local, chance: random.Random) -> State:
    width = len(local.predicates)
    if not width:
        return State(location)
    if chance.random() < 0.7:
        found = {chance.randrange(1 << width) for _ in range(chance.randrange(1, 5))}
        return State(location, tuple(sorted(found)))
    holds = chance.randrange(1 << width) & chance.randrange(1 << width)
    fails = chance.randrange(1 << width) & chance.randrange(1 << width) & ~holds
    return State(location, (holds, fails, chance.randrange(1 << len(told_clauses(local)))), True)


def _larger(state: State, local: Local, chance: random.Random) -> State:
    if not local.predicates:
        return state
    if not state.is_cartesian:
        if chance.random() < 0.5:
            more = {chance.randrange(1 << len(local.predicates)) for _ in range(3)}
            return State(state.location, tuple(sorted({*state.bits, *more})))
        every = (1 << len(local.predicates)) - 1
        holds, fails = every, every
        for each in state.bits:
            holds, fails = holds & each, fails & ~each
        return State(state.location, (holds & chance.randrange(every + 1), fails & chance.randrange(every + 1), 0), True)
    return State(state.location, tuple(each & chance.randrange(1 << 9) for each in state.bits), True)


@pytest.mark.parametrize("seed", range(8))
def test_what_follows_less_is_covered(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    flat = PreparedProgram(program_of(tmp_path, FLAGS)).flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
    meaning = symbolic(flat)
    system = TransitionSystem(meaning, flat.original, kept_locations(meaning.program, "single").locations)
    transitions = Transitions(system.all_blocks(), meaning.memory.constraints)
    precision = {}
    for place in system.cut_points:
        predicates = _predicates([each for each in system.live_variables(place) if each.sort == BitVec(32)], chance)
        precision[place] = Local(predicates, _clauses(predicates, chance))
    options = PostOptions(is_cartesian=seed % 4 == 3, max_cubes=1 + seed % 3)
    post = PredicatePost(transitions, options, Deadline())
    order: Order = post.begin(pack_told(Told(precision)))
    compared = 0
    for _ in range(_STATES):
        place = chance.choice(system.cut_points)
        less = _state(place, precision[place], chance)
        more = _larger(less, precision[place], chance)
        assert order.covers(more, less)
        after = dict(post.successors(more))
        for transition, state in post.successors(less):
            compared += 1
            assert order.covers(after[transition], state), (less, more, transition)
    assert compared > 10
