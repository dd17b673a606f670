"""The clauses of a path: what `horn` is asked, and `spacer` answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from drystone.logic.terms import Term


@dataclass(frozen=True)
class Clause:
    """From states where the guard holds, for some inputs, to the state with these values; the last clause has none."""

    guard: Term
    values: Mapping[Term, Term] = field(default_factory=dict)

    def terms(self) -> list[Term]:
        return [self.guard, *self.values.values()]
