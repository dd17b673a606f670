"""What variables and memory hold in symbolic execution."""

from __future__ import annotations

from collections.abc import Iterable

from drystone.logic import terms
from drystone.logic.sorts import Sort
from drystone.logic.terms import Term


class Environment(dict[str, Term]):
    """A term per variable and region; what was never assigned is a state variable of its name."""

    __slots__ = ("sorts",)

    def __init__(self, sorts: dict[str, Sort], items: Iterable[tuple[str, Term]] = ()) -> None:
        super().__init__(items)
        self.sorts = sorts

    def __missing__(self, name: str) -> Term:
        return terms.state(name, self.sorts[name])

    def copy(self) -> Environment:
        new = Environment(self.sorts)
        new.update(self)
        return new
