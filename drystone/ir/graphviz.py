"""Automata as drawings: the dot language, and SVG through Graphviz where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator

from drystone.ir.automaton import Procedure, Program
from drystone.ir.text import location_kind, operation_text, path_texts

MAX_DRAWN_EDGES = 5_000
"""Graphviz needs minutes for more, and nobody can read the result."""

LABEL_LENGTH = 80
SHAPES = {
    "entry": "shape=circle, style=bold",
    "exit": "shape=doublecircle",
    "error": 'shape=octagon, style=filled, fillcolor="#f4b6b6"',
    "unknown": 'shape=diamond, style=filled, fillcolor="#f7e1a0"',
    "halt": 'shape=circle, style=filled, fillcolor="#d8d8d8"',
    "location": "shape=circle",
}


class CannotDraw(Exception):
    """Says why there is no drawing, and what to do about it."""


def dot_lines(program: Program, procedure: Procedure) -> Iterator[str]:
    """The automaton in the dot language, one box per activation of a function."""
    yield from head_lines(procedure.name)
    paths = path_texts(procedure)
    members: list[list[int]] = [[] for _ in paths]
    for location in range(procedure.locations):
        members[procedure.frame_of[location] if procedure.frame_of is not None else 0].append(location)
    for frame, locations in enumerate(members):
        boxed = frame > 0
        if boxed:
            yield f'  subgraph cluster_{frame} {{ label={quoted(paths[frame])}; color="#b0b0b0";'
        for location in locations:
            mark = procedure.marks.get(location)
            label = str(location) if mark is None else f"{location}\n{shortened(mark.what)}"
            yield f"  {location} [label={quoted(label)}, {SHAPES[location_kind(procedure, location)]}];"
        if boxed:
            yield "  }"
    for edge in procedure.edges:
        place = f" tooltip={quoted(program.where(edge.origin))}," if edge.origin.file >= 0 else ""
        yield f"  {edge.source} -> {edge.target} [{place} label={quoted(shortened(operation_text(edge.operation)))}];"
    yield "}"


def head_lines(name: str) -> Iterator[str]:
    yield f"digraph {quoted(name)} {{"
    yield '  graph [rankdir=TB, fontname="Helvetica", labeljust=l];'
    yield '  node [fontname="Helvetica", fontsize=10];'
    yield '  edge [fontname="Courier", fontsize=9];'


def svg(program: Program, procedure: Procedure) -> str:
    """The drawing, by running `dot`; raises `CannotDraw` where that cannot be."""
    return drawn(dot_lines(program, procedure), len(procedure.edges))


def drawn(lines: Iterable[str], edges: int) -> str:
    """The SVG of a graph in the dot language with that many edges; raises `CannotDraw` where there is none."""
    if edges > MAX_DRAWN_EDGES:
        raise CannotDraw(f"an automaton of {edges} edges is too large to draw, the limit is {MAX_DRAWN_EDGES}: use --format dot")
    program_file = shutil.which("dot")
    if program_file is None:
        raise CannotDraw("--format svg needs Graphviz: install it (the command `dot` must be on the PATH) or use --format dot")
    source = "\n".join(lines).encode()
    done = subprocess.run([program_file, "-Tsvg"], input=source, capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotDraw(f"Graphviz failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()


def shortened(text: str) -> str:
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 2] + " …"


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
