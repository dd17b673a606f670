"""Options of the commands that read what `verify` has written: check (certificates), repeat (recordings), trace."""

from __future__ import annotations

import argparse

from drystone.cli.help import Parser
from drystone.cli.options.shared import add_limit_options, add_program_options
from drystone.cli.options.values import latency, positive


def add_check_options(check: Parser) -> None:
    from drystone.base.registry import told
    from drystone.solvers.registry import LIBRARIES

    check.description = (
        "Does a certificate of drystone prove a program? It is complete: only its obligations are checked, by a solver, without "
        "an engine. Witnesses, which other tools exchange, are for `drystone validate`."
    )
    check.add_argument("certificate", metavar="CERTIFICATE", help="what `drystone verify --certificate` has written")
    add_program_options(check)
    add_limit_options(check)
    check.add_argument("--solver", choices=LIBRARIES, help="ask this one; default: first the one that did not find the proof")
    check.lists = {**check.lists, "solvers": told(LIBRARIES)}
    check.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes that share the work, default 1")


def add_validate_options(validate: Parser) -> None:
    validate.description = (
        "Is what a witness says true? Witnesses (SV-COMP, version 2.0) are of any tool and say what they like: a few invariants, "
        "or where a violation leads through. The program is verified with the witness in its text; nothing is believed. For "
        "proofs of drystone, `check` needs no search: a certificate is complete, and its check is fast and knows no engine."
    )
    validate.add_argument("witness", metavar="WITNESS", help="what `drystone verify --witness`, or another tool, has written")
    add_program_options(validate)
    add_limit_options(validate)
    validate.add_argument("--workers", type=positive, metavar="N", help="processes, default one per core")
    validate.add_argument("--no-native", action="store_true", help="never run the program itself, compiled, in a sandbox")


def add_repeat_options(repeat: argparse.ArgumentParser) -> None:
    repeat.add_argument(
        "recording", metavar="RECORDING", help="what `drystone verify --engine dss` or `tree` has written with `--record`"
    )
    add_program_options(repeat, files="*")
    repeat.set_defaults(std=None)
    repeat.add_argument("--show", action="store_true", help="print every message or call, one line each")


def add_trace_options(trace: argparse.ArgumentParser) -> None:
    trace.add_argument(
        "trace",
        metavar="FILE",
        help="what `drystone verify` has written with `--engine dss --trace`, or with `--engine tree --record`",
    )
    trace.add_argument(
        "--json", metavar="FILE", help="write one JSON object to FILE ('-' for standard output) instead of the tables"
    )
    trace.add_argument("--svg", metavar="FILE", help="draw what each host did when; not of a tree")
    of_a_call = "of a call, to the block and back, if there are several workers, or `measured`, as in this run; default 0"
    trace.add_argument("--latency", type=latency, default=0.0, metavar="SECONDS", help=of_a_call)
    trace.add_argument("--verbose", action="store_true", help="all blocks; show tracebacks of internal errors")
