"""Can control go along a trace of blocks to the error? One query, about all states and inputs at once.

Violation conditions go back block by block, and each of them is only a part of the states from which its trace leads to the
error: where the abstraction is weak, many are refuted before one is found that is reached. The trace is known long before.
"""

from __future__ import annotations

import math

from drystone.engines.dss.preparation import Blocks
from drystone.ir.automaton import MarkKind
from drystone.logic import terms
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, Term
from drystone.solvers import Answer, make_solver

LARGEST = 50_000  # nodes of a condition
LARGEST_WITHOUT_LIMIT = 5_000  # where nothing ends a query that takes too long

Trace = tuple[str, ...]


class Traces:
    """Of blocks, each of which begins where the one before ends; the last one has the error."""

    def __init__(self, blocks: Blocks, solver: str = "bitwuzla") -> None:
        self.blocks, self.solver = blocks, solver
        self._conditions: dict[Trace, Term | None] = {}

    def is_possible(self, trace: Trace, limit_seconds: float = math.inf) -> bool:
        """From some state at its start; if that is not known, no."""
        condition = self.condition(trace)
        if condition is None or condition is FALSE:
            return False
        if math.isfinite(limit_seconds):
            return make_solver(self.solver).check([condition], limit_seconds) is Answer.SAT
        return terms.size(condition) <= LARGEST_WITHOUT_LIMIT and make_solver(self.solver).check([condition]) is Answer.SAT

    def condition(self, trace: Trace) -> Term | None:
        """When does the trace lead from a state at its start to an error at its end? None: that is too large to say."""
        known = self._conditions
        for first in range(len(trace) - 1, -1, -1):
            if trace[first:] not in known:
                known[trace[first:]] = self._longer(trace[first], trace[first + 1 :])
        return known[trace]

    def _longer(self, id: str, trace: Trace) -> Term | None:
        transformer = self.blocks.blocks[id].transformer
        if not trace:
            return _of_this_pass(terms.disjunction(bad.guard for bad in transformer.bad if bad.mark.kind is MarkKind.ERROR), 0)
        condition = self._conditions[trace]
        if condition is None:
            return None
        before = transformer.exits[self.blocks.blocks[trace[0]].start].pre(condition)
        return _of_this_pass(before, len(trace)) if terms.size(before) <= LARGEST else None


_PASS = " in pass "


def _of_this_pass(formula: Term, number: int) -> Term:
    """With other inputs than those of other passes of the same block, which have been renamed already."""
    new = [symbol for symbol in terms.free_symbols(formula) if symbol.operator == "input" and _PASS not in symbol.payload]
    return substitute(formula, {symbol: terms.input_symbol(f"{symbol.payload}{_PASS}{number}", symbol.sort) for symbol in new})
