"""A block's questions to its solver, with the time that they take."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.engines.dss.operators import Operators
from drystone.logic.terms import Term
from drystone.solvers import Answer, Solver, queries
from drystone.solvers.queries import GaveUp, Signs, shrunk

__all__ = ["GaveUp", "Queries", "Signs", "shrunk"]


class Queries(queries.Queries):
    operators: Operators = msgspec.field(default_factory=Operators)

    def _answer(self, solver: Solver, assumptions: Sequence[Term], limit: float) -> Answer:
        with self.operators.in_solver():
            return super()._answer(solver, assumptions, limit)
