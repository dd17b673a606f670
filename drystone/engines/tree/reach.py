"""The abstract reachability tree: which states are reached, how deep, from where (Lopes, Rybalchenko 2011, Figures 5 and 6).

What is in the tree up to a depth does not depend on the order in which states are added, once all that is reached from it up to
that depth has been added: a state is dropped if a larger one is at most as deep, and because the abstract post is monotone, all
that followed the one that was dropped is covered by what follows the larger one, at most as deep. What followed it may remain for
a while, and covers nothing that will not be covered anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain

import msgspec

from drystone.engines.tree.states import Order, State

Parent = tuple[State, int]
"""A state, and the transition from it."""


class Added(Enum):
    NEW = "new"
    AGAIN = "again"  # at the same depth, from another parent
    COVERED = "covered"


class Node(msgspec.Struct):
    depth: int
    parents: dict[Parent, None]  # that are less deep by one, unless they have been dropped
    is_given: bool = False  # to somebody, to be expanded


class Way(msgspec.Struct, frozen=True):
    """A path through the tree: `states[i + 1]` is reached from `states[i]` by `transitions[i]`."""

    states: tuple[State, ...]
    transitions: tuple[int, ...]


class Tree:
    def __init__(self, order: Order, root: State) -> None:
        self.order, self.root = order, root
        self.nodes: dict[State, Node] = {}
        self._found: dict[State, Parent] = {}  # where each was found first, also those that have been dropped
        self._with: dict[int, dict[int, dict[State, None]]] = {}  # by location and combination
        self._cartesian: dict[int, dict[State, None]] = {}  # by location
        self._insert(root, 0)

    def add(self, state: State, depth: int, parent: Parent | None = None) -> Added:
        """The procedure AddNode. `parent`: less deep by one; None where nobody asks for ways.

        A state of the same depth that is found again has one more parent, which may decide about the least counterexample.
        """
        if parent is not None:
            self._found.setdefault(state, parent)
        known = self.nodes.get(state)
        if known is not None and known.depth <= depth:
            if known.depth < depth:
                return Added.COVERED
            if parent is not None:
                known.parents[parent] = None
            return Added.AGAIN
        nodes, covers = self.nodes, self.order.covers
        for each in self._perhaps_larger(state):
            if nodes[each].depth <= depth and covers(each, state):
                return Added.COVERED
        for each in [each for each in self._perhaps_smaller(state) if nodes[each].depth >= depth and covers(state, each)]:
            self._remove(each)
        self._insert(state, depth)
        if parent is not None:
            nodes[state].parents[parent] = None
        return Added.NEW

    def is_current(self, state: State, depth: int) -> bool:
        """Is it in the tree, at this depth?"""
        node = self.nodes.get(state)
        return node is not None and node.depth == depth

    def parents(self, state: State) -> Iterator[Parent]:
        node = self.nodes[state]
        return (each for each in node.parents if self.is_current(each[0], node.depth - 1))

    # selection

    def least_counterexample(self, targets: Iterable[State]) -> Way:
        """The function SelectCounterexample: of all shortest ways to targets of one depth, which are in the tree, as is all that
        is less deep, the least by the order of transitions.

        Backwards, layer by layer, the states that get to a target in so many steps; then forwards, from the root on, always by
        the least transition that stays in these layers: that is the least of all ways, though there may be too many to list.
        """
        onwards: list[dict[State, dict[int, State]]] = []  # by layer, the last one first
        layer = set(targets)
        while self.root not in layer:
            before: dict[State, dict[int, State]] = {}
            for state in layer:
                for parent, transition in self.parents(state):
                    before.setdefault(parent, {})[transition] = state
            assert before, "the targets were reached from the root"
            onwards.append(before)
            layer = set(before)
        states, transitions = [self.root], list[int]()
        for step in reversed(onwards):
            least = min(step[states[-1]])
            transitions.append(least)
            states.append(step[states[-1]][least])
        return Way(tuple(states), tuple(transitions))

    def first_counterexample(self, target: State) -> Way:
        """The way that was found first: what naive selection takes."""
        states, transitions = [target], list[int]()
        while states[-1] != self.root:
            parent, transition = self._found[states[-1]]
            states.append(parent)
            transitions.append(transition)
        return Way(tuple(states[::-1]), tuple(transitions[::-1]))

    def sizes(self, deepest: int | None = None) -> list[int]:
        """How many states there are at each depth."""
        sizes: list[int] = []
        for node in self.nodes.values():
            if deepest is None or node.depth <= deepest:
                sizes += [0] * (node.depth + 1 - len(sizes))
                sizes[node.depth] += 1
        return sizes

    # which states a state is compared with

    def _perhaps_larger(self, state: State) -> Iterable[State]:
        cartesian = self._cartesian.get(state.location, ())
        if state.is_cartesian:
            return cartesian
        sharing = self._with.get(state.location, {}).get(state.bits[0], ())
        return chain(sharing, cartesian) if cartesian else sharing

    def _perhaps_smaller(self, state: State) -> Iterable[State]:
        sharing = self._with.get(state.location, {})
        if state.is_cartesian:
            others = dict.fromkeys(each for found in sharing.values() for each in found)
            return chain(self._cartesian.get(state.location, ()), others)
        if len(state.bits) == 1:
            return sharing.get(state.bits[0], ())
        return dict.fromkeys(each for bits in state.bits for each in sharing.get(bits, ()))

    def _keys(self, state: State) -> Iterator[dict[State, None]]:
        if state.is_cartesian:
            yield self._cartesian.setdefault(state.location, {})
        else:
            sharing = self._with.setdefault(state.location, {})
            for each in state.bits:
                yield sharing.setdefault(each, {})

    def _insert(self, state: State, depth: int) -> None:
        self.nodes[state] = Node(depth, {})
        for index in self._keys(state):
            index[state] = None

    def _remove(self, state: State) -> None:
        self.nodes.pop(state, None)
        for index in self._keys(state):
            index.pop(state, None)
