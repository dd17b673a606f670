"""Abstract states and precisions of predicate abstraction."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from drystone.cpa.domains.predicates.paths import Path
from drystone.logic.terms import Term
from drystone.symbolic.transformers import Bad


class State(msgspec.Struct, frozen=True):
    """`abstraction` holds where it was computed, at `start`. Without a path and targets control is there; with a path, at its
    end; with `bad`, at one of these."""

    location: int
    start: int
    abstraction: Term
    path: Path | None = None
    length: int = 0  # of the path, in steps
    bad: tuple[Bad, ...] = ()

    @property
    def is_abstraction(self) -> bool:
        return self.path is None and not self.bad


class Local(msgspec.Struct, frozen=True):
    """Of a location: predicates, and clauses that have to be kept where not all combinations of these can be told."""

    predicates: tuple[Term, ...] = ()
    clauses: tuple[Term, ...] = ()


Precision = Mapping[int, Local]
"""By location; nothing is known elsewhere."""
