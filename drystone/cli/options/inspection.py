"""Options of the commands that show a program or execute it: info, cfa, blocks, run."""

from __future__ import annotations

import argparse

from drystone.cli.help import Parser
from drystone.cli.options.shared import add_inlining_options, add_program_options
from drystone.cli.options.values import natural, positive


def add_info_options(info: argparse.ArgumentParser) -> None:
    add_program_options(info)
    info.add_argument(
        "--json", metavar="FILE", help="write one JSON object to FILE ('-' for standard output) instead of the tables"
    )
    info.add_argument(
        "--regions", action="store_true", help="explain how memory is partitioned: members, accesses, why not by words"
    )
    turns = "print only which engines would take turns with --engine auto, as a file for `verify --strategy`"
    info.add_argument("--strategy", action="store_true", help=turns)
    add_inlining_options(info)


def add_cfa_options(cfa: argparse.ArgumentParser) -> None:
    add_program_options(cfa)
    cfa.add_argument("--format", choices=["text", "dot", "json", "svg"], default="text", help="default: text; svg needs Graphviz")
    cfa.add_argument(
        "--explain", action="store_true", help="with --slice: list the statements that were removed, each with the reason"
    )
    cfa.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    cfa.add_argument(
        "--encoding",
        choices=["single", "large", "large+"],
        default="single",
        help="single: an edge is one operation (default); large: few locations, an edge is all that can happen between two; "
        "large+: fewer still, at the price of copies",
    )
    cfa.add_argument(
        "--max-growth", type=natural, default=16, metavar="N", help="edges that large+ may add per location, default 16"
    )
    cfa.add_argument("--slice", action="store_true", help="only what decides whether an error or unknown location is reached")
    cfa.add_argument("--procedures", action="store_true", help="one automaton per function, calls not inlined (text only)")
    add_inlining_options(cfa)


def add_blocks_options(blocks: Parser) -> None:
    from drystone.blocks.registry import ABOUT

    add_program_options(blocks)
    blocks.add_argument("--decomposition", metavar="KIND", default="default", help="how it is cut; default: default")
    blocks.lists = {**blocks.lists, "decompositions": ABOUT}
    blocks.add_argument(
        "--format", choices=["text", "dot", "json", "svg"], default="text", help="default: text; svg needs Graphviz"
    )
    blocks.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    slice_ = (
        "of what decides whether an error is reached, calls nested once: `verify --decomposition import:FILE` takes these blocks"
    )
    blocks.add_argument("--slice", action="store_true", help=slice_)
    add_inlining_options(blocks)


def add_run_options(run: argparse.ArgumentParser) -> None:
    add_program_options(run)
    source = run.add_mutually_exclusive_group()
    source.add_argument("--seed", type=int, metavar="N", help="inputs are random, from this seed")
    source.add_argument("--inputs", metavar="LIST", help="inputs in the order they are read, as in 1,2,-3; then zeros")
    run.add_argument(
        "--max-edges", "--max-steps", type=positive, default=1_000_000, metavar="N", help="stop after N edges, default 1000000"
    )
    run.add_argument("--path", action="store_true", help="print the edges taken (the last 1000)")
    run.add_argument(
        "--raw",
        action="store_true",
        help="print what the program prints and nothing else; otherwise its lines are shown after `output |` and `stderr |`",
    )
