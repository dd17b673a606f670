"""`drystone blocks`: the decomposition of a program into blocks, as text, dot, JSON or SVG."""

from __future__ import annotations

import argparse
import sys

import msgspec

from drystone.base.written_files import write_file
from drystone.blocks.graph import BlockGraph
from drystone.blocks.jsonform import CannotImport
from drystone.blocks.registry import UnknownDecomposition, decomposition
from drystone.cli.exits import BadInput, Exit
from drystone.cli.words import load_program
from drystone.passes.inline import TooLarge, inline


def command(options: argparse.Namespace) -> int:
    try:
        decompose = decomposition(options.decomposition)
    except UnknownDecomposition as problem:
        raise BadInput(f"--decomposition: {problem}") from None
    loaded, _ = load_program(options)
    try:
        if options.slice:
            from drystone.pipeline import PreparedProgram

            program = PreparedProgram(loaded.program).flat(recursion_bound=1, max_edges=options.max_edges, sliced=True).program
        else:
            program = inline(loaded.program, recursion_bound=options.recursion_bound, max_edges=options.max_edges)
    except TooLarge as problem:
        print(f"drystone: {problem}; raise --max-edges or lower --recursion-bound", file=sys.stderr)
        return Exit.UNKNOWN
    try:
        graph = decompose(program)
    except CannotImport as problem:
        raise BadInput(str(problem)) from None
    text = _rendered(graph, options.format)
    if options.output is None:
        sys.stdout.write(text)
    else:
        write_file(options.output, text)
    return Exit.OK


def _rendered(graph: BlockGraph, form: str) -> str:
    match form:
        case "text":
            from drystone.blocks.text import block_lines

            return "\n".join(block_lines(graph)) + "\n"
        case "json":
            from drystone.blocks.jsonform import blocks_object

            return msgspec.json.encode(blocks_object(graph)).decode() + "\n"
        case "dot":
            from drystone.blocks.graphviz import dot_lines

            return "\n".join(dot_lines(graph)) + "\n"
        case _:
            from drystone.blocks.graphviz import svg
            from drystone.ir.graphviz import CannotDraw

            try:
                return svg(graph)
            except CannotDraw as problem:
                raise BadInput(str(problem)) from None
