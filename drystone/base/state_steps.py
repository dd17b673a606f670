"""What a search through states is made of: states, how one follows another, and the table of those that were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

State = tuple[object, ...]
"""A location, and values of what this location has names for."""

Table = dict[State, object]
"""The states that were found, and which one came before each."""

Function = Callable[[State, Table, Callable[[State], None]], object]
"""Puts the successors of a state that are new into the table, with the state that they follow, and hands them on. The result says
whether the state is notable."""


class Steps(Protocol):
    def function(self, location: object) -> Function:
        """What happens at this location."""

    def names(self, location: object) -> Sequence[str]:
        """What the values of a state at this location stand for."""
