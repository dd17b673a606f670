"""States as values, and how one follows another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from drystone.concrete.few_values import MOST
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Input

State = tuple[object, ...]
"""A location, and the values of what is live there: numbers, None for any, tuples of these for regions of memory."""


class Tried(NamedTuple):
    """What is looked at one by one: up to so many values of an input, or also of a variable behind a branch that leaves few."""

    most: int
    is_split: bool


INPUTS_ONLY = Tried(MOST, False)


class Choice(NamedTuple):
    """An input on a way, its name in the text, and which value of it stands for which value that is tried, if it is not the same;
    or a variable behind a branch that leaves few values to it."""

    edge: Edge
    chosen: Input | str
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
