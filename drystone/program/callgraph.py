"""Who calls whom, and which functions are recursive.

A call through a pointer may reach every function of the program whose address is taken, whatever its
type; so its edges lead to all of them. Calls to functions without a procedure are no edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

import msgspec

from drystone.program.automaton import Program
from drystone.program.operations import Call, CallPointer

Node = TypeVar("Node", bound=Hashable)


class CallGraph(msgspec.Struct, frozen=True):
    callees: dict[str, tuple[str, ...]]  # by caller, in the order of their first call
    components: list[tuple[str, ...]]  # strongly connected, callees before callers
    recursive: frozenset[str]  # the procedures that may call themselves, directly or not


def call_graph(program: Program) -> CallGraph:
    address_taken = [name for name in program.functions.values() if name is not None]
    callees: dict[str, tuple[str, ...]] = {}
    for name, procedure in program.procedures.items():
        called: dict[str, None] = {}
        through_pointer = False
        for edge in procedure.edges:
            if isinstance(edge.operation, Call):
                called[edge.operation.procedure] = None
            elif isinstance(edge.operation, CallPointer):
                through_pointer = True
        if through_pointer:
            called.update(dict.fromkeys(address_taken))
        callees[name] = tuple(callee for callee in called if callee in program.procedures)
    components = strongly_connected_components(callees)
    recursive = frozenset(name for component in components for name in component if len(component) > 1 or name in callees[name])
    return CallGraph(callees, components, recursive)


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
