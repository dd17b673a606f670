"""What master and workers tell each other (Lopes, Rybalchenko 2011, Figures 3 and 4).

A worker is told several states at a time, so that a message costs little against its work, and answers to all of them at once:
if it is lost, so is all that it has found of these, and somebody else is told them.
"""

from __future__ import annotations

import msgspec

from drystone.engines.tree.states import PackedState, State, pack_state, unpack_state

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


PackedNodes = tuple[tuple[PackedState, int], ...]
PackedReached = tuple[tuple[int, int, PackedState], ...]


def pack_nodes(work: DoNode) -> PackedNodes:
    return tuple([(pack_state(state), depth) for state, depth in work.nodes])


def unpack_nodes(iteration: Iteration, nodes: PackedNodes) -> DoNode:
    return DoNode(iteration, tuple([(unpack_state(state), depth) for state, depth in nodes]))


def pack_reached(reached: ReachedNodes) -> PackedReached:
    return tuple([(each.parent, each.transition, pack_state(each.state)) for each in reached.found])


def unpack_reached(worker: int, iteration: Iteration, found: PackedReached) -> ReachedNodes:
    return ReachedNodes(worker, iteration, tuple([Reached(parent, by, unpack_state(state)) for parent, by, state in found]))
