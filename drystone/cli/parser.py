"""The words of the command line: which commands there are, and the options of each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from drystone.base.registry import Entry
from drystone.base.version import __version__
from drystone.cli.help import Parser

_COMMANDS: dict[str, Entry[Callable[[Parser], None]]] = {
    "verify": Entry(
        "tell whether the error of a program can be reached: TRUE, FALSE or UNKNOWN, with evidence",
        "drystone.cli.options.verify:add_verify_options",
    ),
    "suite": Entry(
        "verify many programs side by side: one table, one exit code, and files for servers and people",
        "drystone.cli.options.suite:add_suite_options",
    ),
    "check": Entry(
        "check that a certificate proves a program",
        "drystone.cli.options.written_files:add_check_options",
    ),
    "validate": Entry(
        "check that what a witness says is true, whoever has written it",
        "drystone.cli.options.written_files:add_validate_options",
    ),
    "repeat": Entry(
        "tell the blocks or workers of a program once more what was recorded, and compare what they answer",
        "drystone.cli.options.written_files:add_repeat_options",
    ),
    "trace": Entry(
        "tell where the time of a run of dss, dcpa or tree went, and what more workers would bring",
        "drystone.cli.options.written_files:add_trace_options",
    ),
    "info": Entry(
        "show what a program consists of, and every construct whose meaning is approximated",
        "drystone.cli.options.inspection:add_info_options",
    ),
    "cfa": Entry(
        "print the control-flow automaton of a program, calls inlined",
        "drystone.cli.options.inspection:add_cfa_options",
    ),
    "blocks": Entry(
        "cut a program into blocks, calls inlined, and show the graph they form",
        "drystone.cli.options.inspection:add_blocks_options",
    ),
    "run": Entry(
        "execute a program in the interpreter",
        "drystone.cli.options.inspection:add_run_options",
    ),
}


def parser_for(given: Sequence[str]) -> argparse.ArgumentParser:
    """Knows the options of the command among the given words, and all the others unless the first word is a command."""
    wanted = next((word for word in given if not word.startswith("-")), "")
    known = {wanted: _COMMANDS[wanted]} if wanted in _COMMANDS and given[0] == wanted else _COMMANDS
    parser = Parser(
        prog="drystone",
        description="A software model checker for C that verifies a program block by block.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"drystone {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    for name, entry in known.items():
        command = commands.add_parser(
            name,
            help=entry.about,
            description=entry.about[0].upper() + entry.about[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == wanted:
            entry.load()(command)
    return parser
