"""What every solver can do.

`UNKNOWN` never strengthens: whoever gets it must behave as if the answer that helps least had been given. No query
raises because of a limit, an operation the solver does not know, or a failure inside it; `reason` says what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

import msgspec

from drystone.logic.evaluation import Value
from drystone.logic.terms import Term


class Answer(Enum):
    SAT = "sat"  # there is a model, see `value`
    UNSAT = "unsat"  # there is none, see `core`
    UNKNOWN = "unknown"  # the solver does not know, see `reason`


class Counters(msgspec.Struct):
    """What a solver has done so far."""

    queries: int = 0
    sat: int = 0
    unsat: int = 0
    unknown: int = 0
    unsupported: int = 0  # queries with an operation the solver does not know
    seconds: float = 0.0  # inside `check`
    terms: int = 0  # translated into the solver's own


class Solver(Protocol):
    """A set of asserted formulas on a stack of levels."""

    name: str

    @property
    def counters(self) -> Counters: ...

    @property
    def reason(self) -> str:
        """Why the latest answer was UNKNOWN."""

    def add(self, term: Term) -> None:
        """Asserts a formula on the current level."""

    def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
        """Is there a model of all asserted formulas and the assumptions?"""

    def value(self, term: Term) -> Value:
        """The value of a term in the model, after SAT. Symbols that the query did not mention are 0."""

    def core(self) -> list[Term]:
        """After UNSAT: assumptions that contradict the asserted formulas; not necessarily the fewest."""

    def push(self) -> None:
        """Opens a level."""

    def pop(self) -> None:
        """Drops the latest level and what was asserted on it."""


class SolverError(Exception):
    """A question that cannot be answered in this state: a value after UNSAT, a core after SAT."""


class Disagreement(SolverError):
    """Two solvers, or a solver and `evaluate`, contradict each other: one of them is wrong."""
