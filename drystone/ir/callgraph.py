"""Who calls whom, and which functions are recursive.

A call through a pointer may reach every function of the program whose address is taken, whatever its
type; so its edges lead to all of them. Calls to functions without a procedure are no edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from drystone.base.graphs import strongly_connected_components
from drystone.ir.automaton import Edge, Program
from drystone.ir.operations import Call, CallPointer


class CallGraph(msgspec.Struct, frozen=True):
    callees: dict[str, tuple[str, ...]]  # by caller, in the order of their first call
    components: list[tuple[str, ...]]  # strongly connected, callees before callers
    recursive: frozenset[str]  # the procedures that may call themselves, directly or not


def call_sites(program: Program) -> dict[str, list[tuple[str, Edge]]]:
    """The calls of each procedure by its name: in which procedure, and the edge."""
    found: dict[str, list[tuple[str, Edge]]] = {}
    for name, procedure in program.procedures.items():
        for edge in procedure.edges:
            if isinstance(edge.operation, Call):
                found.setdefault(edge.operation.procedure, []).append((name, edge))
    return found


def reached(name: str, callees: Mapping[str, Sequence[str]]) -> dict[str, None]:
    """The procedure and all that its calls lead to, those that are fewest calls away first."""
    found = {name: None}
    for caller in (order := [name]):
        for callee in callees[caller]:
            if callee not in found:
                found[callee] = None
                order.append(callee)
    return found


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
