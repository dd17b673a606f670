"""What master and workers tell each other (Lopes, Rybalchenko 2011, Figures 3 and 4).

A worker is told several states at a time, so that a message costs little against its work, and answers to all of them at once:
if it is lost, so is all that it has found of these, and somebody else is told them.
"""

from __future__ import annotations

import msgspec

from drystone.engines.tree.states import State

Iteration = int


class Event(msgspec.Struct, frozen=True, array_like=True, tag=True):
    pass


class Join(Event, frozen=True):
    worker: int


class Leave(Event, frozen=True):
    """A worker is no more."""

    worker: int


class AskForNode(Event, frozen=True):
    worker: int


class Reached(msgspec.Struct, frozen=True, array_like=True):
    parent: int  # which of the states that the worker was told
    transition: int
    state: State


class ReachedNodes(Event, frozen=True):
    worker: int
    iteration: Iteration
    found: tuple[Reached, ...]


class Preds(Event, frozen=True):
    """A new tree begins, with this precision."""

    iteration: Iteration
    precision: bytes


class DoNode(Event, frozen=True):
    iteration: Iteration
    nodes: tuple[tuple[State, int], ...]  # with their depths
