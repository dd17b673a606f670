"""`drystone cfa`: the automaton of a program as text, dot, JSON or SVG; sliced and in large blocks if asked."""

from __future__ import annotations

import argparse
import sys

import msgspec

from drystone.base.written_files import write_file
from drystone.cli.exits import BadInput, Exit
from drystone.cli.words import load_program
from drystone.ir.automaton import Program
from drystone.passes.inline import TooLarge, inline


def command(options: argparse.Namespace) -> int:
    if options.procedures and options.format != "text":
        raise BadInput(f"--procedures prints text; it cannot be combined with --format {options.format}")
    if options.procedures and (options.encoding != "single" or options.slice):
        raise BadInput("--procedures prints functions as they are; it cannot be combined with --encoding or --slice")
    if options.explain and not options.slice:
        raise BadInput("--explain tells what slicing removed: use it with --slice")
    loaded, _ = load_program(options)
    program = loaded.program
    if not options.procedures:
        try:
            program = inline(program, recursion_bound=options.recursion_bound, max_edges=options.max_edges)
        except TooLarge as problem:
            hint = "raise --max-edges, lower --recursion-bound, or see `drystone cfa --procedures`"
            print(f"drystone: {problem}; {hint}", file=sys.stderr)
            return Exit.UNKNOWN
    if options.slice:
        from drystone.memory.regions import Regions
        from drystone.passes.scalarise import scalarise
        from drystone.passes.slicing import explain, slice_program

        whole = scalarise(program, Regions(program))
        sliced = slice_program(whole)
        if options.explain:
            text = "\n".join(explain(whole, sliced)) + "\n"
            sys.stdout.write(text) if options.output is None else write_file(options.output, text)
            return Exit.OK
        program = sliced.program
    text = _rendered(program, options.format) if options.encoding == "single" else _rendered_encoded(program, options)
    if options.output is None:
        sys.stdout.write(text)
    else:
        write_file(options.output, text)
    return Exit.OK


def _rendered(program: Program, form: str) -> str:
    procedure = program.procedures[program.entry]
    match form:
        case "text":
            from drystone.ir.text import program_text

            return program_text(program)
        case "json":
            from drystone.ir.jsonform import automaton_object

            return msgspec.json.encode(automaton_object(program, procedure)).decode() + "\n"
        case "dot":
            from drystone.ir.graphviz import dot_lines

            return "\n".join(dot_lines(program, procedure)) + "\n"
        case _:
            from drystone.ir.graphviz import CannotDraw, svg

            try:
                return svg(program, procedure)
            except CannotDraw as problem:
                raise BadInput(str(problem)) from None


def _rendered_encoded(program: Program, options: argparse.Namespace) -> str:
    from drystone.large_blocks import printing as encodedform
    from drystone.large_blocks.encoding import encode

    encoded = encode(program, advanced=options.encoding == "large+", max_growth=options.max_growth)
    match options.format:
        case "text":
            return "\n".join(encodedform.encoded_lines(program, encoded)) + "\n"
        case "json":
            return msgspec.json.encode(encodedform.encoded_object(program, encoded)).decode() + "\n"
        case "dot":
            return "\n".join(encodedform.encoded_dot_lines(program, encoded)) + "\n"
        case _:
            from drystone.ir.graphviz import CannotDraw, drawn

            try:
                return drawn(encodedform.encoded_dot_lines(program, encoded), len(encoded.edges))
            except CannotDraw as problem:
                raise BadInput(str(problem)) from None
