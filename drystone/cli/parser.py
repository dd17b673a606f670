"""The words of the command line: which commands there are, and the options of each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from drystone.base.version import __version__
from drystone.cli.help import Parser
from drystone.cli.options.inspection import add_blocks_options, add_cfa_options, add_info_options, add_run_options
from drystone.cli.options.suite import add_suite_options
from drystone.cli.options.verify import add_verify_options
from drystone.cli.options.written_files import add_check_options, add_repeat_options, add_trace_options, add_validate_options

_COMMANDS: dict[str, tuple[str, Callable[[Parser], None]]] = {
    "verify": ("tell whether the error of a program can be reached: TRUE, FALSE or UNKNOWN, with evidence", add_verify_options),
    "suite": ("verify many programs side by side: one table, one exit code, and files for servers and people", add_suite_options),
    "check": ("check that a certificate proves a program", add_check_options),
    "validate": ("check that what a witness says is true, whoever has written it", add_validate_options),
    "repeat": (
        "tell the blocks or workers of a program once more what was recorded, and compare what they answer",
        add_repeat_options,
    ),
    "trace": ("tell where the time of a run of dss, dcpa or tree went, and what more workers would bring", add_trace_options),
    "info": ("show what a program consists of, and every construct whose meaning is approximated", add_info_options),
    "cfa": ("print the control-flow automaton of a program, calls inlined", add_cfa_options),
    "blocks": ("cut a program into blocks, calls inlined, and show the graph they form", add_blocks_options),
    "run": ("execute a program in the interpreter", add_run_options),
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

    for name, (summary, add_options) in known.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == wanted:
            add_options(command)
    return parser
