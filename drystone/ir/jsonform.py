"""The control-flow automaton of an inlined program as JSON, for other tools."""

from __future__ import annotations

from typing import Any

from drystone.ir.automaton import MarkKind, Origin, Procedure, Program
from drystone.ir.text import location_kind, operation_text, path_texts


def automaton_object(program: Program, procedure: Procedure) -> dict[str, Any]:
    """What `drystone cfa --format json` prints; docs/how-it-works.md describes the fields."""
    paths = path_texts(procedure)
    frame_of = procedure.frame_of or [0] * procedure.locations
    locations: list[dict[str, Any]] = []
    for location in range(procedure.locations):
        entry: dict[str, Any] = {"id": location, "name": paths[frame_of[location]], "kind": location_kind(procedure, location)}
        mark = procedure.marks.get(location)
        if mark is not None:
            entry |= {"what": mark.what, **place(program, mark.origin)}
        locations.append(entry)
    edges = [
        {
            "id": number,
            "source": edge.source,
            "target": edge.target,
            "operation": operation_text(edge.operation),
            **place(program, edge.origin),
        }
        for number, edge in enumerate(procedure.edges)
    ]
    return {
        "entry": procedure.entry,
        "exit": procedure.exit,
        "errors": _marked(procedure, MarkKind.ERROR),
        "unknowns": _marked(procedure, MarkKind.UNKNOWN),
        "locations": locations,
        "edges": edges,
    }


def place(program: Program, origin: Origin) -> dict[str, Any]:
    """`file` and `line`, both null for what drystone added itself."""
    file, line = program.place(origin)
    return {"file": file, "line": line}


def _marked(procedure: Procedure, kind: MarkKind) -> list[int]:
    return sorted(location for location, mark in procedure.marks.items() if mark.kind is kind)
