"""Graph algorithms, none of them recursive: components, cycles, dominators."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strongly_connected_components(successors: Mapping[Node, Iterable[Node]]) -> list[tuple[Node, ...]]:
    """Tarjan's algorithm with an explicit stack; successors' components come before their predecessors'."""
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


def locations_on_cycles(successors: list[list[int]]) -> set[int]:
    """The nodes from which a non-empty way leads back."""
    components = strongly_connected_components(dict(enumerate(successors)))
    return {node for component in components for node in component if len(component) > 1 or node in successors[node]}


def immediate_dominators(successors: list[list[int]], root: int) -> list[int]:
    """Per node the last one that every way from the root passes before it; the root's is itself, -1 for unreachable nodes.

    The iterative algorithm of Cooper, Harvey and Kennedy: near linear on the graphs of programs.
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
