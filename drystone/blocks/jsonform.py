"""Block graphs as JSON: the automaton (`ir.jsonform`) with its blocks, for other tools and for `import:FILE`.

    "blocks": [{"id", "hash", "entry", "exits": [...], "edges": [edge ids],
                "predecessors": [...], "successors": [...], "component"}]

A file to import needs `blocks`, and of each block `entry`, `exits` and `edges`. An `id` is kept. `hash`, `predecessors`,
`successors` and `component` follow from these and are computed anew. If the file has the automaton too, it must be
the program's: a decomposition of another version of the program would be nonsense.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from drystone.base.refusal import Refusal
from drystone.blocks.graph import BlockGraph, Part, block_graph
from drystone.blocks.properties import completeness_faults, strictness_faults, validity_faults
from drystone.ir.automaton import Program
from drystone.ir.jsonform import automaton_object
from drystone.ir.text import operation_text

_SHOWN_FAULTS = 3


class CannotImport(Refusal):
    """Says what is wrong with a file of blocks."""


def blocks_object(graph: BlockGraph) -> dict[str, Any]:
    """What `drystone blocks --format json` prints."""
    blocks = [
        {
            "id": block.id,
            "hash": graph.hash_of(block),
            "entry": block.entry,
            "exits": block.exits,
            "edges": block.edges,
            "predecessors": graph.predecessors[block.id],
            "successors": graph.successors[block.id],
            "component": block.component,
        }
        for block in graph.blocks
    ]
    return automaton_object(graph.program, graph.procedure) | {"blocks": blocks}


class _StoredBlock(msgspec.Struct):
    entry: int
    exits: list[int]
    edges: list[int]
    id: str | None = None


class _StoredEdge(msgspec.Struct):
    source: int
    target: int
    operation: str


class _Stored(msgspec.Struct):
    blocks: list[_StoredBlock]
    edges: list[_StoredEdge] | None = None
    entry: int | None = None
    exit: int | None = None


def import_blocks(program: Program, file: Path) -> BlockGraph:
    """The decomposition in the file; raises `CannotImport` unless it is a strict, complete and valid one of this program."""
    try:
        text = file.read_bytes()
    except (OSError, ValueError) as problem:
        raise CannotImport(f"{file}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    try:
        return read_blocks(program, text)
    except CannotImport as problem:
        raise CannotImport(f"{file}: {problem}") from None


def read_blocks(program: Program, text: bytes) -> BlockGraph:
    try:
        stored = msgspec.json.decode(text, type=_Stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise CannotImport(f"is not a file of blocks: {problem}") from None
    _compare_automata(program, stored)
    procedure = program.procedures[program.entry]
    for number, block in enumerate(stored.blocks):
        name = f"block {block.id or number}"
        for location in (block.entry, *block.exits):
            if not 0 <= location < procedure.locations:
                raise CannotImport(f"{name}: there is no location {location}, they are 0 to {procedure.locations - 1}")
        for edge in block.edges:
            if not 0 <= edge < len(procedure.edges):
                raise CannotImport(f"{name}: there is no edge {edge}, they are 0 to {len(procedure.edges) - 1}")
    parts = [Part(block.entry, frozenset(block.exits), block.edges) for block in stored.blocks]
    graph = block_graph(program, parts, _names(stored.blocks))
    faults = [*strictness_faults(graph), *completeness_faults(graph), *validity_faults(graph)]
    if faults:
        more = f"; and {len(faults) - _SHOWN_FAULTS} more" if len(faults) > _SHOWN_FAULTS else ""
        raise CannotImport("; ".join(faults[:_SHOWN_FAULTS]) + more)
    return graph


def _names(blocks: list[_StoredBlock]) -> list[str] | None:
    """The ids of the file; None if it has none."""
    names = [block.id for block in blocks if block.id is not None]
    if not names:
        return None
    if len(names) < len(blocks):
        raise CannotImport("some blocks have an id and others have none")
    twice = next((name for name, count in _counts(names).items() if count > 1), None)
    if twice is not None:
        raise CannotImport(f"two blocks have the id {twice}")
    return names


def _counts(names: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


def _compare_automata(program: Program, stored: _Stored) -> None:
    procedure = program.procedures[program.entry]
    reason = "the file was made from another program, or with other options"
    for what, theirs, ours in (("entry", stored.entry, procedure.entry), ("exit", stored.exit, procedure.exit)):
        if theirs is not None and theirs != ours:
            raise CannotImport(f"its automaton's {what} is location {theirs}, the program's is {ours}: {reason}")
    if stored.edges is None:
        return
    if len(stored.edges) != len(procedure.edges):
        raise CannotImport(f"its automaton has {len(stored.edges)} edges, the program's has {len(procedure.edges)}: {reason}")
    for number, (theirs_, ours_) in enumerate(zip(stored.edges, procedure.edges, strict=True)):
        text = operation_text(ours_.operation)
        if (theirs_.source, theirs_.target, theirs_.operation) != (ours_.source, ours_.target, text):
            raise CannotImport(
                f"edge {number} of its automaton is {theirs_.source} -> {theirs_.target}: {theirs_.operation}, "
                f"the program's is {ours_.source} -> {ours_.target}: {text}: {reason}"
            )
