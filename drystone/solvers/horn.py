"""Interpolants along a path, as a solution of Horn clauses. Importing this module imports no solver library.

A path is a chain of clauses: from states of one relation that satisfy a guard to states of the next. A solution of the
clauses is a formula per relation that holds after the part of the path before it and excludes what follows. To whoever asks it is
a proposal: nothing here is a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from drystone.logic.sorts import Array, Float
from drystone.logic.terms import Term
from drystone.logic.walks import reachable
from drystone.solvers.clauses import Clause


def interpolants(clauses: Sequence[Clause], effort: int, limit_seconds: float) -> list[list[Term]] | None:
    """Per relation between two clauses the conjuncts of its formula, over the symbols that the clause before gives values.

    The first clause begins in any state. Of relations behind a clause that is never passed, nothing is said. None: the path can
    be taken, or there was no answer within the limits, or the clauses have arrays or floats, which are not tried. `effort`
    is the solver's own count, the same in every run, where the time is not.
    """
    if len(clauses) < 2 or _has_arrays_or_floats(term for clause in clauses for term in clause.terms()):
        return None
    from drystone.solvers.spacer import solve

    return solve(clauses, effort, limit_seconds)


def _has_arrays_or_floats(formulas: Iterable[Term]) -> bool:
    return any(isinstance(term.sort, Array | Float) for term in reachable(formulas))
