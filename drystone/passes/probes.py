"""A program whose only error is that a certain point is reached: to ask whether any execution gets there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from drystone.ir.automaton import Edge, Mark, MarkKind, Origin, Procedure, Program
from drystone.ir.callgraph import call_graph, call_sites, reached
from drystone.ir.operations import Assume, Skip


class Point(msgspec.Struct, frozen=True):
    """Where an assertion or an assumption is: executions that take one of the edges get to it, or past it."""

    procedure: str
    edges: tuple[Edge, ...]
    origin: Origin

    def is_passed(self, taken: set[Edge]) -> bool:
        return not taken.isdisjoint(self.edges)


def assertions(program: Program) -> Iterator[tuple[Mark, tuple[Point, ...]]]:
    """For each error, the branches that decide whether it happens, with both of their sides."""
    calls = call_sites(program)
    for name, procedure in program.procedures.items():
        for location, mark in procedure.marks.items():
            if mark.kind is MarkKind.ERROR and mark.origin.file >= 0:
                yield mark, tuple(_deciding(program, calls, name, location, mark.origin))


def _deciding(
    program: Program, calls: dict[str, list[tuple[str, Edge]]], name: str, location: int, origin: Origin
) -> Iterator[Point]:
    """The last branches at which an execution may still get by; in the callers, if there is none."""
    seen: set[tuple[str, int]] = set()
    waiting = [(name, location)]
    while waiting:
        name, location = here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        procedure = program.procedures[name]
        escaping = _escaping(procedure, location)
        edges = [edge for edge in procedure.edges if edge.source in escaping]
        last = {edge.source for edge in edges if edge.target not in escaping}
        if last:
            yield Point(name, tuple(edge for edge in edges if edge.source in last), origin)
        if procedure.entry not in escaping:
            waiting += [(caller, edge.source) for caller, edge in calls.get(name, ())]


def _escaping(procedure: Procedure, location: int) -> set[int]:
    """Locations from which an end of the procedure, or of the program, is reached without coming to this one."""
    into: dict[int, list[int]] = {}
    for edge in procedure.edges:
        into.setdefault(edge.target, []).append(edge.source)
    found = {procedure.exit, *procedure.marks} - {location}
    waiting = list(found)
    while waiting:
        for source in into.get(waiting.pop(), ()):
            if source not in found and source != location:
                found.add(source)
                waiting.append(source)
    return found


def assumptions(program: Program, is_own: Callable[[Origin], bool]) -> Iterator[Point]:
    """Conditions without another side, in the order in which an execution may come to them first."""
    for name in reached(program.entry, call_graph(program).callees):
        procedure = program.procedures[name]
        outgoing = procedure.outgoing()
        for location in _breadth_first(procedure, outgoing):
            edges = outgoing[location]
            if len(edges) == 1 and isinstance(edges[0].operation, Assume) and is_own(edges[0].origin):
                yield Point(name, (edges[0],), edges[0].origin)


def without(program: Program, assumption: Point) -> Program:
    """The same program, with all executions passing the assumption."""
    procedure = program.procedures[assumption.procedure]
    passed = [
        msgspec.structs.replace(edge, operation=Skip("an assumption")) if edge in assumption.edges else edge
        for edge in procedure.edges
    ]
    changed = msgspec.structs.replace(procedure, edges=passed)
    return msgspec.structs.replace(program, procedures={**program.procedures, assumption.procedure: changed})


def _breadth_first(procedure: Procedure, outgoing: Sequence[Sequence[Edge]]) -> list[int]:
    seen = {procedure.entry: None}
    for location in (order := [procedure.entry]):
        for edge in outgoing[location]:
            if edge.target not in seen:
                seen[edge.target] = None
                order.append(edge.target)
    return order


def reaching(program: Program, points: Sequence[Point]) -> Program:
    """The same program with this error alone: an edge of one of the points is taken. What was an error ends an execution."""
    procedures = {name: _without_errors(procedure) for name, procedure in program.procedures.items()}
    for point in points:
        probed = procedures[point.procedure]
        target, wanted = probed.locations, set(point.edges)
        procedures[point.procedure] = msgspec.structs.replace(
            probed,
            edges=[msgspec.structs.replace(edge, target=target) if edge in wanted else edge for edge in probed.edges],
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
