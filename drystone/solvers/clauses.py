"""The clauses of a path: what `horn` is asked, and `spacer` answers."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from drystone.logic.terms import Term


class Clause(msgspec.Struct, frozen=True):
    """From states where the guard holds, for some inputs, to the state with these values; the last clause has none."""

    guard: Term
    values: Mapping[Term, Term] = {}

    def terms(self) -> list[Term]:
        return [self.guard, *self.values.values()]
