"""Pairs of programs with threads that differ in one word: of the one an error can be reached, of the other one none can."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tests.threads.generator import random_program, with_creation_in_a_loop
from tests.threads.language import Operand, Statement, Threads, is_error_reachable

_MOST_STATES = 30_000
_TRIES = 40
_WORDS = ("x", "y", "z", "r", "0", "1", "2")


class Siblings(NamedTuple):
    safe: Threads
    unsafe: Threads


@lru_cache(maxsize=1_000)
def siblings(seed: int) -> Siblings | None:
    """None: this seed gives none."""
    chance = random.Random(seed)
    program = with_creation_in_a_loop(seed) if seed % 4 == 3 else random_program(seed, is_careful=seed % 4 == 2)
    is_unsafe = is_error_reachable(program, _MOST_STATES)
    if is_unsafe is None:
        return None
    for _ in range(_TRIES):
        other = _changed(program, chance)
        decided = is_error_reachable(other, _MOST_STATES) if other != program else is_unsafe
        if decided is not None and decided != is_unsafe:
            return Siblings(other, program) if is_unsafe else Siblings(program, other)
    return None


def _changed(program: Threads, chance: random.Random) -> Threads:
    """One condition or one operand is another one; locations stay what they are."""
    bodies = [program.main, *program.workers]
    places = [(number, path) for number, body in enumerate(bodies) for path in _paths(body)]
    number, path = chance.choice(places)
    bodies[number] = _at(bodies[number], path, chance)
    return Threads(bodies[0], tuple(bodies[1:]))


def _paths(body: tuple[Statement, ...]) -> Iterator[tuple[int, ...]]:
    """To statements that compute or compare."""
    for position, each in enumerate(body):
        if each.kind in ("assign", "assert", "assume", "if", "while"):
            yield (position,)
        for inner in _paths(each.body):
            yield (position, *inner)


def _at(body: tuple[Statement, ...], path: tuple[int, ...], chance: random.Random) -> tuple[Statement, ...]:
    position, *rest = path
    each = body[position]
    changed = each._replace(body=_at(each.body, tuple(rest), chance)) if rest else _reworded(each, chance)
    return (*body[:position], changed, *body[position + 1 :])


def _reworded(each: Statement, chance: random.Random) -> Statement:
    word = Operand(chance.choice(_WORDS))
    if each.kind == "assign":
        return each._replace(right=word)
    condition = each.condition
    if chance.random() < 0.3:
        return each._replace(condition=condition._replace(operator="!=" if condition.operator == "==" else "=="))
    return each._replace(condition=condition._replace(right=word))
