"""The procedure MainWorker (Lopes, Rybalchenko 2011, Figure 4): computes what follows the states that it is told.

It keeps the part of the tree that it knows, and does not send what is covered there. What it sends again is a state that it has
found before at the same depth, from another parent: in the paper's Figure 5 only the worker would know of that parent, and so the
least counterexample would depend on who has found what.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from drystone.engines.tree.events import DoNode, Preds, Reached, ReachedNodes
from drystone.engines.tree.reach import Added, Tree
from drystone.engines.tree.states import Order, State


class Post(Protocol):
    """The abstract post."""

    def begin(self, precision: bytes) -> Order:
        """From now on with this precision."""

    def successors(self, state: State) -> Iterable[tuple[int, State]]:
        """By transition."""


class Worker:
    def __init__(self, number: int, root: State, post: Post) -> None:
        self.number, self.root, self.post = number, root, post
        self.iteration = 0
        self.found = self.kept = 0  # states that follow those it was told; and of these, not sent
        self._tree: Tree

    def begin(self, event: Preds) -> None:
        self.iteration = event.iteration
        self._tree = Tree(self.post.begin(event.precision), self.root)

    def expand(self, event: DoNode) -> ReachedNodes:
        assert event.iteration == self.iteration, "it was told the predicates before"
        for state, depth in event.nodes:
            self._tree.add(state, depth)
        sent: list[Reached] = []
        for position, (state, depth) in enumerate(event.nodes):
            for transition, following in self.post.successors(state):
                self.found += 1
                if self._tree.add(following, depth + 1) is Added.COVERED:
                    self.kept += 1
                else:
                    sent.append(Reached(position, transition, following))
        return ReachedNodes(self.number, self.iteration, tuple(sent))
