"""Block graphs as a table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drystone.blocks.graph import Block, BlockGraph
from drystone.ir.text import location_kind

_SHOWN = 4  # exits or neighbours per block


def block_lines(graph: BlockGraph) -> Iterator[str]:
    loops = sum(block.contains_loop for block in graph.blocks)
    cyclic = sum(len(component) > 1 or component[0] in graph.successors[component[0]] for component in graph.components)
    yield (
        f"blocks {len(graph.blocks)} ({loops} with a loop inside), cut points {len(graph.cut_points)}, "
        f"components {len(graph.components)} ({cyclic} cyclic), edges {len(graph.procedure.edges)}"
    )
    heads = ("block", "hash", "entry", "exits", "edges", "predecessors", "successors", "component")
    rows = [heads, *(_row(graph, block) for block in graph.blocks)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _row(graph: BlockGraph, block: Block) -> tuple[str, ...]:
    return (
        block.id,
        graph.hash_of(block)[:8],
        str(block.entry),
        _listed([_exit_text(graph, location) for location in block.exits]),
        str(len(block.edges)) + (" with a loop" if block.contains_loop else ""),
        _listed(graph.predecessors[block.id]),
        _listed(graph.successors[block.id]),
        str(block.component),
    )


def _exit_text(graph: BlockGraph, location: int) -> str:
    kind = location_kind(graph.procedure, location)
    return str(location) if kind in ("location", "entry") else f"{location} ({kind})"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "") or "-"
