"""Options that several commands take: what the program is, how far calls are inlined, limits."""

from __future__ import annotations

import argparse

from drystone.cli.options.values import duration, folder, macro, positive, size, standard


def add_program_options(parser: argparse.ArgumentParser, files: str = "+") -> None:
    named = "C files (.c or .i) of one program, or a task definition (.yml)"
    parser.add_argument(
        "files", nargs=files, metavar="FILE", help=named if files == "+" else f"{named}; default: those that were recorded"
    )
    group = parser.add_argument_group("the program")
    group.add_argument(
        "--data-model", choices=["ILP32", "LP64"], help="sizes of types; default LP64, or as the task definition says"
    )
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
        "-D", dest="defines", type=macro, action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    group.add_argument("--std", type=standard, default="gnu11", metavar="STANDARD", help="the version of C, default gnu11")
    group.add_argument(
        "--compile-commands", metavar="FILE", help="take -I, -D and --std of each file from a compile_commands.json"
    )
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
    external = "functions without a body: pure, they only return any value; havoc, they may also write what they are given"
    group.add_argument("--external", choices=["pure", "havoc"], help=f"{external}; default havoc, for tasks of SV-COMP pure")
    volatile = "a read of a volatile object gives what is in memory, or any value, an input"
    group.add_argument("--volatile", choices=["memory", "input"], help=f"{volatile}; default input, for tasks of SV-COMP memory")
    parser.add_argument("--verbose", action="store_true", help="say more; show tracebacks of internal errors")


def add_limit_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout", type=duration, default=900.0, metavar="TIME", help="wall time, as in 60s, 15min, 2h; default 15min"
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
