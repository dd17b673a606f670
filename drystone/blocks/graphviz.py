"""Block graphs as drawings: one box per block, in it the block's part of the automaton.

A location where blocks meet is drawn in each of them, as in Kettl 2022; dashed arrows lead from a block's exit
to the entries of its successors.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from drystone.blocks.graph import BlockGraph
from drystone.ir.graphviz import MAX_DRAWN_EDGES, CannotDraw
from drystone.ir.text import location_kind, operation_text

_LABEL_LENGTH = 80
_SHAPES = {
    "entry": "shape=circle, style=bold",
    "exit": "shape=doublecircle",
    "error": 'shape=octagon, style=filled, fillcolor="#f4b6b6"',
    "unknown": 'shape=diamond, style=filled, fillcolor="#f7e1a0"',
    "halt": 'shape=circle, style=filled, fillcolor="#d8d8d8"',
    "location": "shape=circle",
}


def dot_lines(graph: BlockGraph) -> Iterator[str]:
    procedure = graph.procedure
    yield f"digraph {_quoted(procedure.name)} {{"
    yield '  graph [rankdir=TB, fontname="Helvetica", labeljust=l, compound=true];'
    yield '  node [fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Courier", fontsize=9];'
    numbers = {block.id: number for number, block in enumerate(graph.blocks)}
    by_entry = graph.by_entry()
    for block in graph.blocks:
        number = numbers[block.id]
        exits = set(block.exits)
        yield f"  subgraph cluster_{number} {{"
        yield f'    label={_quoted(f"{block.id}  {graph.hash_of(block)[:8]}")}; color="#707070"; style=rounded;'
        drawn = {block.entry: None} | {procedure.edges[edge].source: None for edge in block.edges}
        for location in drawn:
            yield f"    {_node(number, location)} [label={location}, {_SHAPES[location_kind(procedure, location)]}];"
        for location in block.exits:  # a node of its own, also where the entry is an exit: the iteration ends there
            mark = procedure.marks.get(location)
            label = str(location) if mark is None else f"{location}\n{_shortened(mark.what)}"
            shape = _SHAPES[location_kind(procedure, location)]
            yield f"    {_node(number, location, is_exit=True)} [label={_quoted(label)}, {shape}];"
        for index in block.edges:
            edge = procedure.edges[index]
            place = f" tooltip={_quoted(graph.program.where(edge.origin))}," if edge.origin.file >= 0 else ""
            label = _quoted(_shortened(operation_text(edge.operation)))
            target = _node(number, edge.target, is_exit=edge.target in exits)
            yield f"    {_node(number, edge.source)} -> {target} [{place} label={label}];"
        yield "  }"
    for block in graph.blocks:
        for location in block.exits:
            for follower in by_entry.get(location, ()):
                target = _node(numbers[follower.id], location)
                yield f"  {_node(numbers[block.id], location, is_exit=True)} -> {target} [style=dashed];"
    yield "}"


def svg(graph: BlockGraph) -> str:
    """The drawing, by running `dot`; raises `CannotDraw` where that cannot be."""
    edges = len(graph.procedure.edges)
    if edges > MAX_DRAWN_EDGES:
        raise CannotDraw(f"an automaton of {edges} edges is too large to draw, the limit is {MAX_DRAWN_EDGES}: use --format dot")
    program_file = shutil.which("dot")
    if program_file is None:
        raise CannotDraw("--format svg needs Graphviz: install it (the command `dot` must be on the PATH) or use --format dot")
    source = "\n".join(dot_lines(graph)).encode()
    done = subprocess.run([program_file, "-Tsvg"], input=source, capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotDraw(f"Graphviz failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()


def _node(block: int, location: int, is_exit: bool = False) -> str:
    return f"b{block}_{location}" + ("_out" if is_exit else "")


def _shortened(text: str) -> str:
    return text if len(text) <= _LABEL_LENGTH else text[: _LABEL_LENGTH - 2] + " …"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
