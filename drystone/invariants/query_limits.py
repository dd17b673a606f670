"""Whom the searches for invariants ask, and for how long."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drystone.base.deadline import Deadline
from drystone.logic.terms import Term
from drystone.solvers import Solver, make_solver


class QueryLimits(msgspec.Struct, frozen=True):
    solver: str
    seed: int
    deadline: Deadline
    query_seconds: float  # after which a query counts as UNKNOWN

    def context(self, facts: Iterable[Term]) -> Solver:
        """A solver that knows the facts."""
        made = make_solver(self.solver, self.seed)
        for fact in facts:
            made.add(fact)
        return made
