"""The walk over nodes with arguments: what is reachable from some of them, in an order in which every walk is a loop."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Protocol, Self, TypeVar


class Node(Protocol):
    """A node of a graph without cycles, made after its arguments: `id`s grow."""

    @property
    def id(self) -> int: ...

    @property
    def arguments(self) -> tuple[Self, ...]: ...


N = TypeVar("N", bound=Node)


def reachable(nodes: Iterable[N]) -> list[N]:
    """The nodes and all their arguments, each once, arguments before what uses them."""
    stack = list(nodes)
    seen = set(stack)
    while stack:
        for argument in stack.pop().arguments:
            if argument not in seen:
                seen.add(argument)
                stack.append(argument)
    return sorted(seen, key=_by_id)


def reachable_beyond(known: Container[N], nodes: Iterable[N]) -> list[N]:
    """Those of the nodes and their arguments that are not known; what is behind a known one is not looked at."""
    seen = {node for node in nodes if node not in known}
    stack = list(seen)
    while stack:
        for argument in stack.pop().arguments:
            if argument not in seen and argument not in known:
                seen.add(argument)
                stack.append(argument)
    return sorted(seen, key=_by_id)


def _by_id(node: Node) -> int:
    return node.id
