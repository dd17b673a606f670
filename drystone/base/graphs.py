"""Graph algorithms, none of them recursive: components, loops, dominators."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

import msgspec

Node = TypeVar("Node", bound=Hashable)


def strongly_connected_components(successors: Mapping[Node, Iterable[Node]]) -> list[tuple[Node, ...]]:
    """Tarjan's algorithm (1972) with an explicit stack; successors' components come before their predecessors'."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    components: list[tuple[Node, ...]] = []
    for root in successors:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(successors[root]))]
        while work:
            node, remaining = work[-1]
            for successor in remaining:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(successors.get(successor, ()))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[Node] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    components.append(tuple(reversed(component)))
    return components


class Loop(msgspec.Struct, frozen=True):
    """A head, and all nodes on ways from it back to it along edges that close a cycle there."""

    head: int
    members: frozenset[int]


def loops(successors: list[list[int]], root: int) -> list[Loop]:
    """The loops of the nodes that the root reaches: their heads are the targets of back edges of a depth-first search."""
    open_, closed = 1, 2
    colour = [0] * len(successors)
    colour[root] = open_
    closing: dict[int, list[int]] = {}  # per head, where the back edges start
    predecessors: list[list[int]] = [[] for _ in successors]
    stack = [(root, iter(successors[root]))]
    while stack:
        node, remaining = stack[-1]
        for successor in remaining:
            predecessors[successor].append(node)
            if colour[successor] == 0:
                colour[successor] = open_
                stack.append((successor, iter(successors[successor])))
                break
            if colour[successor] == open_:
                closing.setdefault(successor, []).append(node)
        else:
            colour[node] = closed
            stack.pop()
    found = []
    for head, sources in closing.items():
        members = {head, *sources}
        work = [node for node in sources if node != head]
        while work:
            for other in predecessors[work.pop()]:
                if other not in members:
                    members.add(other)
                    work.append(other)
        found.append(Loop(head, frozenset(members)))
    return found


def immediate_dominators(successors: list[list[int]], root: int) -> list[int]:
    """Per node the last one that every way from the root passes before it; the root's is itself, -1 for unreachable nodes.

    The iterative algorithm of Cooper, Harvey, Kennedy 2001: near linear on the graphs of programs.
    """
    order = _postorder(successors, root)
    number = {node: index for index, node in enumerate(order)}
    predecessors: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for successor in successors[node]:
            predecessors[successor].append(node)
    dominator = [-1] * len(successors)
    dominator[root] = root
    changed = True
    while changed:
        changed = False
        for node in reversed(order):
            if node == root:
                continue
            best = -1
            for other in predecessors[node]:
                if dominator[other] < 0:
                    continue
                if best < 0:
                    best = other
                    continue
                a, b = best, other
                while a != b:
                    while number[a] < number[b]:
                        a = dominator[a]
                    while number[b] < number[a]:
                        b = dominator[b]
                best = a
            if dominator[node] != best:
                dominator[node] = best
                changed = True
    return dominator


def _postorder(successors: list[list[int]], root: int) -> list[int]:
    seen = {root}
    order: list[int] = []
    stack = [(root, iter(successors[root]))]
    while stack:
        node, remaining = stack[-1]
        for successor in remaining:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(successors[successor])))
                break
        else:
            order.append(node)
            stack.pop()
    return order
