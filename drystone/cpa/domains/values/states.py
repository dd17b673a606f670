"""States as values, and how one follows another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from drystone.ir.automaton import Edge
from drystone.ir.expressions import Input

State = tuple[object, ...]
"""A location, and the values of what is live there: numbers, None for any, tuples of these for regions of memory."""

Function = Callable[[State, dict[State, State | None], Callable[[State], None]], None]
"""Puts the successors of a state that are new into the table, with the state that they follow, and hands them on."""


class Choice(NamedTuple):
    """An input on a way, its name in the text, and which value of it stands for which value that is tried."""

    edge: Edge
    input: Input
    name: str
    witnesses: Mapping[int, int]


class Way(msgspec.Struct, frozen=True):
    """From one kept state to another: the edges, and the inputs that are tried there."""

    edges: tuple[Edge, ...]
    choices: tuple[Choice, ...]


class Traced(NamedTuple):
    """A successor, how it was reached, and the values of the way's choices."""

    state: State
    way: Way
    values: tuple[int, ...]
