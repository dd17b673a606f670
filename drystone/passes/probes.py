"""A program whose only error is that a certain point is reached: to ask whether any execution gets there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from drystone.ir.automaton import Edge, Mark, MarkKind, Origin, Procedure, Program
from drystone.ir.operations import Assume, Call, CallPointer, ThreadOperation


class Point(msgspec.Struct, frozen=True):
    """Where an assertion or an assumption is: executions that take one of the edges get to it, or past it."""

    procedure: str
    edges: tuple[Edge, ...]
    origin: Origin

    def is_passed(self, taken: set[Edge]) -> bool:
        return not taken.isdisjoint(self.edges)


def assertions(program: Program) -> Iterator[tuple[Mark, Point]]:
    """For each error, the branch that decides whether it happens, with both of its sides."""
    for name, procedure in program.procedures.items():
        into: dict[int, list[Edge]] = {}
        for edge in procedure.edges:
            into.setdefault(edge.target, []).append(edge)
        outgoing = procedure.outgoing()
        for location, mark in procedure.marks.items():
            if mark.kind is MarkKind.ERROR:
                while len(before := into.get(location, [])) == 1 and len(outgoing[before[0].source]) == 1:
                    location = before[0].source
                sources = dict.fromkeys(edge.source for edge in before) or {location: None}
                yield mark, Point(name, tuple(edge for source in sources for edge in outgoing[source]), mark.origin)


def assumptions(program: Program) -> Iterator[Point]:
    """Conditions without another side, in the order in which an execution may come to them first."""
    for name in _in_order(program):
        procedure = program.procedures[name]
        outgoing = procedure.outgoing()
        for location in _breadth_first(procedure, outgoing):
            edges = outgoing[location]
            if len(edges) == 1 and isinstance(edges[0].operation, Assume):
                yield Point(name, (edges[0],), edges[0].origin)


def _in_order(program: Program) -> Iterator[str]:
    """The procedures that calls lead to, callers first."""
    seen: dict[str, None] = {}
    queue = [program.entry]
    while queue:
        name = queue.pop(0)
        if name in seen or name not in program.procedures:
            continue
        seen[name] = None
        for edge in program.procedures[name].edges:
            if isinstance(edge.operation, Call):
                queue.append(edge.operation.procedure)
            elif isinstance(edge.operation, (CallPointer, ThreadOperation)):
                queue += [each for each in program.functions.values() if each is not None]
    return iter(seen)


def _breadth_first(procedure: Procedure, outgoing: Sequence[Sequence[Edge]]) -> list[int]:
    seen = {procedure.entry: None}
    for location in (order := [procedure.entry]):
        for edge in outgoing[location]:
            if edge.target not in seen:
                seen[edge.target] = None
                order.append(edge.target)
    return order


def reaching(program: Program, point: Point) -> Program:
    """The same program with this error alone: one of the point's edges is taken. What was an error ends an execution."""
    procedures = {name: _without_errors(procedure) for name, procedure in program.procedures.items()}
    probed = procedures[point.procedure]
    target, wanted = probed.locations, set(point.edges)
    edges = [msgspec.structs.replace(edge, target=target) if edge in wanted else edge for edge in probed.edges]
    procedures[point.procedure] = msgspec.structs.replace(
        probed,
        edges=edges,
        marks={**probed.marks, target: Mark(MarkKind.ERROR, "probe", point.origin)},
        locations=target + 1,
        frame_of=None if probed.frame_of is None else [*probed.frame_of, probed.frame_of[point.edges[0].source]],
    )
    return msgspec.structs.replace(program, procedures=procedures)


def _without_errors(procedure: Procedure) -> Procedure:
    marks = {
        location: Mark(MarkKind.HALT, mark.what, mark.origin) if mark.kind is MarkKind.ERROR else mark
        for location, mark in procedure.marks.items()
    }
    return msgspec.structs.replace(procedure, marks=marks)
