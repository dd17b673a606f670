"""States of symbolic execution: the conditions under which control is there, and what variables and memory hold then."""

from __future__ import annotations

import msgspec

from drystone.logic.sorts import BOOL
from drystone.logic.terms import FALSE, TRUE, Term, make, negate
from drystone.symbolic.environment import Environment

_LOOK_BACK = 64


class Guard:
    """A path of conditions: all of them hold."""

    __slots__ = ("_asked", "depth", "literal", "parent", "term")

    def __init__(self, parent: Guard | None, literal: Term) -> None:
        self.parent = parent
        self.literal = literal
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.term: Term = literal if parent is None else make("and", BOOL, parent.term, literal)
        self._asked: Term | None = None  # neither this nor its opposite was found here

    def and_(self, condition: Term) -> Guard | None:
        """The guard with one more condition; None where it cannot hold."""
        if condition is TRUE:
            return self
        if condition is FALSE:
            return None
        opposite = negate(condition)
        if opposite is not self._asked:  # at a branch, one condition is asked for and then the other
            step: Guard | None = self
            for _ in range(_LOOK_BACK):
                if step is None:
                    break
                literal = step.literal
                if literal is condition:
                    return self
                if literal is opposite:
                    return None
                step = step.parent
            self._asked = condition
        guard = Guard(self, condition)
        return None if guard.term is FALSE else guard


class State(msgspec.Struct):
    guard: Guard
    environment: Environment


def divergence(a: Guard, b: Guard) -> tuple[Guard, list[Term], list[Term]]:
    """The common part of two guards and the conditions that each has beyond it, outermost first."""
    rest_a: list[Term] = []
    rest_b: list[Term] = []
    x, y = a, b
    while x is not y:
        if x.depth >= y.depth:
            rest_a.append(x.literal)
            assert x.parent is not None
            x = x.parent
        else:
            rest_b.append(y.literal)
            assert y.parent is not None
            y = y.parent
    return x, rest_a[::-1], rest_b[::-1]


def common_depth(a: Guard, b: Guard) -> int:
    """How many conditions the common part of two guards has."""
    while a is not b:
        if a.depth >= b.depth:
            assert a.parent is not None
            a = a.parent
        else:
            assert b.parent is not None
            b = b.parent
    return a.depth
