"""What a distributed analysis is made of (Kettl 2022, Definition 11): an analysis of one block, and four operators.

A state of the analysis stands for states of the program at one location. An error condition is a formula about the variables of
a location: from all states that it does not describe, the error is not reached along its trace. `level` is greater than those of
all messages that a result is made of: what is named after it is new.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from drystone.engines.dcpa.options import WorkerOptions
from drystone.engines.dss.queries import GaveUp, Queries
from drystone.logic.terms import FALSE, Term
from drystone.symbolic.transformers import Exit

State = TypeVar("State")


class DistributedAnalysis(ABC, Generic[State]):
    """Of one block, with a solver of its own."""

    def __init__(self, block: str, queries: Queries) -> None:
        self.block, self.queries = block, queries
        self.unanswered = 0

    # the analysis

    @abstractmethod
    def top(self) -> State:
        """All states of the program."""

    @abstractmethod
    def forward(self, state: State, exit: Exit, level: int) -> State | None:
        """Where the block is left by this exit; None if no state leaves."""

    @abstractmethod
    def reaches(self, state: State, bad: Term) -> bool:
        """May the guard of something bad in this block hold?"""

    @abstractmethod
    def violation(self, bad: Term, level: int) -> Term:
        """The error condition of something bad in this block."""

    @abstractmethod
    def backward(self, exit: Exit, condition: Term, level: int) -> Term:
        """The error condition at the start of the block for one at an exit."""

    def assume(self, state: State, formula: Term, level: int) -> State:
        """With an invariant of the start, which others have found: those states that satisfy it, or some more."""
        return state

    # the four operators

    @abstractmethod
    def serialise(self, states: Sequence[State]) -> list[Term]:
        """As terms, for a message."""

    @abstractmethod
    def deserialise(self, terms: Sequence[Term]) -> list[State]:
        """What `serialise` has made."""

    @abstractmethod
    def combine(self, first: State, second: State, stamp: str) -> State:
        """A state for all states of the program that either stands for; what is named after the stamp is new."""

    @abstractmethod
    def proceed(self, state: State, condition: Term) -> bool:
        """May a state of the program satisfy the error condition? If not, the backward analysis stops here."""

    # for all

    def may_hold(self, formulas: Sequence[Term]) -> bool:
        """The solver's answer; without one, yes: then nothing is left out."""
        if FALSE in formulas:
            return False
        try:
            return self.queries.is_satisfiable(formulas)
        except GaveUp:
            if self.queries.deadline.expired():
                raise
            self.unanswered += 1
            return True


def combined(analysis: DistributedAnalysis[State], states: Sequence[State], most: int, level: int) -> list[State]:
    """Kettl 2022, section 3.7.3: combine over sets. As many states are kept apart as there may be, all others become one."""
    kept, others = list(states[: most - 1]), states[most - 1 :]
    if not others:
        return kept
    joined = others[0]
    for number, each in enumerate(others[1:], 2):
        joined = analysis.combine(joined, each, f"{level}, {number}")
    return [*kept, joined]


class DistributedDomain(msgspec.Struct, frozen=True):
    """A domain, so that it can be run without being known by name."""

    options: type[WorkerOptions]  # of its workers; the tag is `module:NAME` of this value
    posts: str  # what people call its postconditions
    post: Callable[[Sequence[Term]], Term]  # what the terms of a postcondition say; inputs stand for values that there are
    max_states: int = 1  # of a postcondition, that are kept apart, unless somebody chooses
    is_exact: bool = False  # do its states and conditions stand for what is reached, and no more?
