"""Options that several commands take: what the program is, how far calls are inlined, limits."""

from __future__ import annotations

import argparse
from typing import Any

from drystone.cli.help import Parser
from drystone.cli.options.values import (
    checks,
    defined_name,
    duration,
    folder,
    iterations,
    macro,
    macro_name,
    positive,
    size,
    standard,
)


class _Define(argparse.Action):
    """-D: what was said before about the same macro does not count."""

    def __call__(self, parser: argparse.ArgumentParser, words: argparse.Namespace, value: Any, option: str | None = None) -> None:
        _forget(words, defined_name(value))
        words.defines.append(value)


class _Undefine(argparse.Action):
    """-U, likewise."""

    def __call__(self, parser: argparse.ArgumentParser, words: argparse.Namespace, value: Any, option: str | None = None) -> None:
        _forget(words, value)
        words.undefines.append(value)


def _forget(words: argparse.Namespace, name: str) -> None:
    words.defines = [each for each in words.defines if defined_name(each) != name]
    words.undefines = [each for each in words.undefines if each != name]


def add_program_options(parser: argparse.ArgumentParser, files: str = "+") -> None:
    named = "C files (.c or .i) of one program, or a task definition (.yml); - is the standard input, @FILE holds more words"
    parser.add_argument(
        "files", nargs=files, metavar="FILE", help=named if files == "+" else f"{named}; default: those that were recorded"
    )
    add_meaning_options(parser)


def add_meaning_options(parser: argparse.ArgumentParser) -> None:
    """How files are read, and what an error is."""
    group = parser.add_argument_group("the program")
    group.add_argument(
        "--data-model", choices=["ILP32", "LP64"], help="sizes of types; default LP64, or as the task definition says"
    )
    _add_preprocessing_options(group)
    group.add_argument("--std", type=standard, default="gnu11", metavar="STANDARD", help="the version of C, default gnu11")
    group.add_argument("--compile-commands", metavar="FILE", help="take the options of each file from a compile_commands.json")
    group.add_argument(
        "--undefined",
        choices=["any", "machine"],
        help="what undefined operations give: any value (then, if that decides, what gcc's code gives), or what gcc's code gives",
    )
    group.add_argument("--entry", metavar="FUNCTION", help="where execution starts, default main")
    group.add_argument("--error-function", metavar="NAME", help="the error is a call of this function, instead of reach_error")
    group.add_argument(
        "--assert",
        action="append",
        default=[],
        dest="asserting",
        metavar="NAME",
        help="the first argument of this function must hold, as that of assert; may be repeated",
    )
    group.add_argument("--property", metavar="FILE", help="a property file: CHECK( init(main()), LTL(G ! call(reach_error())) )")
    _add_check_option(parser, group)
    external = "functions without a body: pure, they only return any value; havoc, they may also write what they are given"
    group.add_argument("--external", choices=["pure", "havoc"], help=f"{external}; default havoc, for tasks of SV-COMP pure")
    volatile = "a read of a volatile object gives what is in memory, or any value, an input"
    group.add_argument("--volatile", choices=["memory", "input"], help=f"{volatile}; default input, for tasks of SV-COMP memory")
    unwind = (
        "loops are executed at most N times, calls of a function nested at most N deep; executions that go on are not looked at"
    )
    group.add_argument("--unwind", type=iterations, metavar="N", help=f"{unwind}, which the result says")
    parser.add_argument("--verbose", action="store_true", help="say more; show tracebacks of internal errors")


def _add_check_option(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> None:
    from drystone.checks.registry import CHECKS, DEFAULT

    told = (
        "what else is an error, as in overflow,division; memory: what can go wrong in it; all: every check; none; data-race: "
        f"only races of threads are; default {','.join(DEFAULT)} where C files are verified, for tasks of SV-COMP none"
    )
    group.add_argument("--check", type=checks, metavar="LIST", help=told)
    if isinstance(parser, Parser):
        parser.lists = {**parser.lists, "checks": {name: entry.about for name, entry in CHECKS.items()}}


def _add_preprocessing_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-I",
        dest="include_directories",
        type=folder,
        action="append",
        default=[],
        metavar="DIR",
        help="where to look for included files",
    )
    group.add_argument(
        "-isystem",
        dest="system_directories",
        type=folder,
        action="append",
        default=[],
        metavar="DIR",
        help="where to look for included files after all -I",
    )
    group.add_argument(
        "-include", dest="include_files", action="append", default=[], metavar="FILE", help="read this file before each C file"
    )
    group.add_argument(
        "-D", dest="defines", type=macro, action=_Define, default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    group.add_argument(
        "-U",
        dest="undefines",
        type=macro_name,
        action=_Undefine,
        default=[],
        metavar="NAME",
        help="undefine a macro; of -D and -U, the last one counts",
    )


def add_limit_options(command: argparse.ArgumentParser, *, seconds: float = 900.0) -> None:
    default = f"{seconds / 60:g}min"
    command.add_argument(
        "--timeout", type=duration, default=seconds, metavar="TIME", help=f"wall time, as in 60s, 15min, 2h; default {default}"
    )
    command.add_argument(
        "--memory", type=size, default=4 << 30, metavar="SIZE", help="of all processes together, as in 500MB, 4GB; default 4GB"
    )
    command.add_argument("--json", metavar="FILE", help="write the result as one JSON object to FILE ('-' for standard output)")
    command.add_argument("--quiet", action="store_true", help="only the answer")


def add_inlining_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--recursion-bound", type=positive, default=10, metavar="N", help="nested calls of a function, default 10"
    )
    command.add_argument(
        "--max-edges", type=positive, default=200_000, metavar="N", help="give up beyond N edges, default 200000"
    )
