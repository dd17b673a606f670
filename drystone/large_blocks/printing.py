"""Encoded automata for people and other tools: text, JSON and dot, in the forms of `text`, `jsonform` and `graphviz`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drystone.ir.automaton import MarkKind, Origin, Program
from drystone.ir.graphviz import LABEL_LENGTH, SHAPES, head_lines, quoted, shortened
from drystone.ir.jsonform import place
from drystone.ir.text import declaration_lines, header_lines, location_kind, path_texts, source_comment
from drystone.large_blocks.encoding import Encoded, LargeEdge
from drystone.large_blocks.guarded_commands import first_edge, label_lines, label_text, single_edges

_WIDTH = 120


def encoded_lines(program: Program, encoded: Encoded) -> Iterator[str]:
    """The program with the encoded automaton in place of the single-edge one."""
    procedure = encoded.procedure
    yield from header_lines(program)
    yield ""
    yield from declaration_lines(program, procedure)
    counts = f"{len(encoded.locations)} locations, {len(encoded.edges)} edges"
    yield f"  {counts}, made from {procedure.locations} locations, {len(procedure.edges)} edges"
    digits = len(str(encoded.locations[-1]))
    leaving = encoded.outgoing()
    for location in encoded.locations:
        label = f"  {location:>{digits}}: "
        kind = location_kind(procedure, location)
        if kind == "entry" or (kind == "exit" and location not in leaving):
            yield f"{label}({kind})"
            label = " " * len(label)
        mark = encoded.mark(location)
        if mark is not None:
            body = f"{label}{mark.kind.upper()} {mark.what}"
            yield body + source_comment(program, mark.origin, len(body))
        for edge in leaving.get(location, ()):
            lines = list(label_lines(edge.label, _WIDTH))
            last = lines.pop()
            for line in lines:
                yield label + line
                label = " " * len(label)
            body = f"{label}{last}  -> {edge.target}"
            yield body + source_comment(program, _origin(encoded, edge), len(body))
            label = " " * len(label)


def encoded_object(program: Program, encoded: Encoded) -> dict[str, Any]:
    """As `jsonform.automaton_object`; an edge also lists the `edges` of the single encoding that it is made of, by id."""
    procedure = encoded.procedure
    paths = path_texts(procedure)
    frame_of = procedure.frame_of
    locations: list[dict[str, Any]] = []
    for location in encoded.locations:
        name = paths[frame_of[location] if frame_of is not None else 0]
        entry: dict[str, Any] = {"id": location, "name": name, "kind": location_kind(procedure, location)}
        mark = encoded.mark(location)
        if mark is not None:
            entry |= {"what": mark.what, **place(program, mark.origin), "merged": encoded.merged[location]}
        locations.append(entry)
    edges = [
        {
            "id": number,
            "source": edge.source,
            "target": edge.target,
            "operation": label_text(edge.label),
            **place(program, _origin(encoded, edge)),
            "edges": single_edges(edge.label),
        }
        for number, edge in enumerate(encoded.edges)
    ]
    return {
        "entry": encoded.entry,
        "exit": procedure.exit if procedure.exit in set(encoded.locations) else None,
        "errors": _sinks(encoded, MarkKind.ERROR),
        "unknowns": _sinks(encoded, MarkKind.UNKNOWN),
        "locations": locations,
        "edges": edges,
    }


def encoded_dot_lines(program: Program, encoded: Encoded) -> Iterator[str]:
    """The encoded automaton in the dot language. Labels are cut; the single edges of one are in the JSON form."""
    procedure = encoded.procedure
    yield from head_lines(procedure.name)
    for location in encoded.locations:
        mark = encoded.mark(location)
        label = str(location) if mark is None else f"{location}\n{shortened(mark.what)}"
        yield f"  {location} [label={quoted(label)}, {SHAPES[location_kind(procedure, location)]}];"
    for edge in encoded.edges:
        origin = _origin(encoded, edge)
        tooltip = f" tooltip={quoted(program.where(origin))}," if origin.file >= 0 else ""
        yield f"  {edge.source} -> {edge.target} [{tooltip} label={quoted(label_text(edge.label, LABEL_LENGTH))}];"
    yield "}"


def _origin(encoded: Encoded, edge: LargeEdge) -> Origin:
    """Where in the source a label begins."""
    return encoded.procedure.edges[first_edge(edge.label)].origin


def _sinks(encoded: Encoded, kind: MarkKind) -> list[int]:
    return [encoded.sinks[kind]] if kind in encoded.sinks else []
