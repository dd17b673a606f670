"""The command line: options, dispatch to the commands, exit codes.

Imports nothing heavy; each command is a module that is imported when it is called.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

from drystone.base.refusal import Refusal
from drystone.cli.exits import Exit

EXIT_CODES = """\
exit codes:
  0  done (a verdict TRUE; for `check`: the certificate is valid; for `replay`: all was answered as recorded; for `run`: the
     error was not reached)
  1  the error can be reached (for `run`: it was)
  2  unknown (for `check`: the certificate is not confirmed; for `replay`: a block answers something else)
  3  wrong usage, or input that cannot be read or is not C
  4  internal error: a bug in drystone
"""


class _Parser(argparse.ArgumentParser):
    """`lists`: by their titles, what the names mean that options take; shown before the exit codes."""

    lists: Mapping[str, Mapping[str, str]] = {}

    def format_help(self) -> str:
        self.epilog = "\n".join([*(_listed(title, told) for title, told in self.lists.items()), EXIT_CODES])
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(Exit.BAD_INPUT, f"{self.prog}: error: {message}\n")


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit code. Never lets an exception through."""
    if arguments is not None:
        return _run(arguments)
    gc.set_threshold(_SELDOM)  # most of what a start makes stays
    code = _run(sys.argv[1:])
    gc.freeze()  # Python need not go through it all to find what is garbage: it ends
    return code


_SELDOM = 20_000


def _run(arguments: list[str]) -> int:
    _prepare_streams()
    given = _join_negative_inputs(arguments)
    verbose = "--verbose" in given
    try:
        wanted = next((word for word in given if not word.startswith("-")), "")
        options = _parser(wanted).parse_args(given)
        code = _command(options.command)(options)
        sys.stdout.flush()
        return int(code)
    except SystemExit as stop:  # argparse: --help, --version, errors
        return stop.code if isinstance(stop.code, int) else Exit.BAD_INPUT
    except Refusal as problem:
        print(f"drystone: {problem}", file=sys.stderr)
        return Exit.BAD_INPUT
    except BrokenPipeError:  # `drystone cfa … | head`
        _drop_output()
        return Exit.BROKEN_PIPE
    except KeyboardInterrupt:
        print("drystone: interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except Exception as bug:
        if isinstance(bug, OSError) and bug.errno in _OUTPUT_FAILURES:
            _drop_output()
            print(f"drystone: the output cannot be written: {bug.strerror}", file=sys.stderr)
            return Exit.BAD_INPUT
        if verbose:
            import traceback

            traceback.print_exc()
        text = " ".join(str(bug).split())[:300]
        hint = "" if verbose else " (this is a bug in drystone; run again with --verbose for the traceback)"
        print(f"drystone: internal error: {type(bug).__name__}: {text}{hint}", file=sys.stderr)
        return Exit.INTERNAL


_OUTPUT_FAILURES = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO))


def _prepare_streams() -> None:
    """A stream that the caller has closed is like /dev/null; file names and C text can hold what the terminal cannot show."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """What is still buffered goes nowhere, so that Python does not try to write it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    match name:
        case "info":
            from drystone.cli import info

            return info.command
        case "cfa":
            from drystone.cli import cfa

            return cfa.command
        case "blocks":
            from drystone.cli import blocks

            return blocks.command
        case "verify":
            from drystone.cli import verify

            return verify.command
        case "check":
            from drystone.cli import check

            return check.command
        case "replay":
            from drystone.cli import replay

            return replay.command
        case "trace":
            from drystone.cli import trace

            return trace.command
        case "run":
            from drystone.cli import run

            return run.command
        case _:
            raise AssertionError(name)


def _add_inlining_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--recursion-bound", type=_positive, default=10, metavar="N", help="nested calls of a function, default 10"
    )
    command.add_argument(
        "--max-edges", type=_positive, default=200_000, metavar="N", help="give up beyond N edges, default 200000"
    )


def _add_limit_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout", type=_duration, default=900.0, metavar="TIME", help="wall time, as in 60s, 15min, 2h; default 15min"
    )
    command.add_argument(
        "--memory", type=_size, default=4 << 30, metavar="SIZE", help="of all processes together, as in 500MB, 4GB; default 4GB"
    )
    command.add_argument("--json", metavar="FILE", help="write the result as one JSON object to FILE ('-' for standard output)")
    command.add_argument("--quiet", action="store_true", help="only the answer")


def _parser(wanted: str) -> argparse.ArgumentParser:
    """Knows all commands, and the options of the one that is wanted."""
    from drystone.base.version import __version__

    parser = _Parser(
        prog="drystone",
        description="A software model checker for C that verifies a program block by block.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"drystone {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)

    for name, (summary, add_options) in _COMMANDS.items():
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


def _add_verify_options(verify: _Parser) -> None:
    from drystone.base.registry import told
    from drystone.blocks.registry import ABOUT
    from drystone.engines.dss.registry import SUMMARIES
    from drystone.engines.registry import AUTO, ENGINES
    from drystone.invariants.registry import SOURCES

    _add_program_options(verify)
    verify.add_argument("--engine", choices=ENGINES, default=AUTO, help=f"which one looks at the program; default {AUTO}")
    sources = "sources of candidate invariants, as in affine,guards, or none; default all"
    verify.add_argument("--candidates", type=_sources, metavar="LIST", help=sources)
    cuts = "how dss cuts the program into blocks; default loops"
    verify.add_argument("--decomposition", metavar="KIND", default="loops", help=cuts)
    kinds_of_summaries = "what the blocks of dss tell each other; default lemmas"
    verify.add_argument("--summaries", metavar="KIND", default="lemmas", help=kinds_of_summaries)
    _add_predicate_options(verify)
    verify.lists = {
        "engines": told(ENGINES),
        "sources of candidate invariants": told(SOURCES),
        "decompositions": ABOUT,
        "summaries": told(SUMMARIES),
    }
    _add_limit_options(verify)
    counted = (
        "limit the engine by its work, as much as takes about TIME, instead of by the clock, in one process: the same run, with "
        "the same counters, each time; --timeout ends it all the same"
    )
    verify.add_argument("--counted", type=_duration, metavar="TIME", help=counted)
    verify.add_argument("--certificate", metavar="FILE", help="for TRUE: write the proof, for `drystone check`")
    verify.add_argument("--dump-smt", metavar="DIR", help="keep each query with its answer, as an SMT-LIB file")
    verify.add_argument(
        "--record", metavar="FILE", help="with --engine dss: keep all messages between blocks, for `drystone replay`"
    )
    verify.add_argument(
        "--explain",
        action="store_true",
        help="show what the engines tried: invariants, bounds, blocks; and what proved it or failed",
    )
    workers = "processes: for blocks with dss, for engines side by side with auto; default: one per core, or CPU of the cluster"
    verify.add_argument("--workers", type=_positive, metavar="N", help=workers)
    verify.add_argument(
        "--transport",
        choices=["inline", "processes"],
        help="with --engine dss: blocks in one process, or in processes of their own; default: inline with one worker",
    )
    cluster = "with --engine dss: blocks on a Ray cluster, one host per CPU: its address, or auto to find or start one"
    verify.add_argument("--cluster", metavar="ADDRESS", help=cluster)
    predictable = "with --engine dss: the same run, counters and summaries for any number of workers; some speed is lost"
    verify.add_argument("--predictable", action="store_true", help=predictable)
    verify.add_argument("--trace", metavar="FILE", help="with --engine dss: what each block did when, for `drystone trace`")
    verify.add_argument(
        "--routing",
        choices=["star", "broadcast"],
        default="star",
        help="with --engine dss: messages go to blocks that need them (default), or to all, to measure what that costs",
    )
    verify.add_argument("--compress", action="store_true", help="with --engine dss: compress what goes between processes")
    verify.add_argument("--seed", type=_natural, default=0, metavar="N", help="of everything that is random, default 0")
    verify.add_argument("--uncertified", action="store_true", help="accept a proof whose certificate was not checked")
    verify.add_argument(
        "--replay", choices=["interpreter", "native"], default="interpreter", help="native: also compile the program and run it"
    )
    verify.add_argument(
        "--no-native",
        action="store_true",
        help="never run the program itself, compiled, in a sandbox; what only that can show is UNKNOWN",
    )
    verify.add_argument("--harness", metavar="FILE", help="with --replay native: keep the C file that repeats the execution")


def _add_predicate_options(verify: argparse.ArgumentParser) -> None:
    with_predicates = "with --summaries predicates:"
    verify.add_argument(
        "--start",
        choices=["top", "bottom"],
        default="top",
        help=f"{with_predicates} what a block assumes before it is told anything, all states (default) or none",
    )
    verify.add_argument(
        "--max-cubes",
        type=_positive,
        default=16,
        metavar="N",
        help=f"{with_predicates} of a postcondition, default 16; beyond, it becomes a conjunction",
    )
    verify.add_argument(
        "--instantiation",
        choices=["context-aware", "context-free"],
        default="context-aware",
        help=f"{with_predicates} each block is told what others know (default), or is verified by itself, from any state",
    )


def _listed(title: str, told: Mapping[str, str]) -> str:
    import shutil
    import textwrap

    column = max(map(len, told)) + 4
    width = shutil.get_terminal_size().columns - 2
    lines = [
        textwrap.fill(about, width, initial_indent=f"  {name}".ljust(column), subsequent_indent=" " * column)
        for name, about in told.items()
    ]
    return "\n".join([f"{title}:", *lines, ""])


def _add_check_options(check: _Parser) -> None:
    from drystone.base.registry import told
    from drystone.solvers.registry import LIBRARIES

    check.add_argument("certificate", metavar="CERTIFICATE", help="what `drystone verify --certificate` has written")
    _add_program_options(check)
    _add_limit_options(check)
    check.add_argument("--solver", choices=LIBRARIES, help="ask this one; default: first the one that did not find the proof")
    check.lists = {"solvers": told(LIBRARIES)}
    check.add_argument("--jobs", type=_positive, default=1, metavar="N", help="processes that share the work, default 1")


def _add_replay_options(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("recording", metavar="RECORDING", help="what `drystone verify --engine dss --record` has written")
    _add_program_options(replay, files="*")
    replay.set_defaults(std=None)
    replay.add_argument("--show", action="store_true", help="print every message, one line each")


def _add_trace_options(trace: argparse.ArgumentParser) -> None:
    trace.add_argument("trace", metavar="FILE", help="what `drystone verify --engine dss --trace` has written")
    trace.add_argument(
        "--json", metavar="FILE", help="write one JSON object to FILE ('-' for standard output) instead of the tables"
    )
    trace.add_argument("--svg", metavar="FILE", help="draw what each host did when")
    latency = "of a call, to the block and back, if there are several workers, or `measured`, as in this run; default 0"
    trace.add_argument("--latency", type=_latency, default=0.0, metavar="SECONDS", help=latency)
    trace.add_argument("--verbose", action="store_true", help="all blocks; show tracebacks of internal errors")


def _add_info_options(info: argparse.ArgumentParser) -> None:
    _add_program_options(info)
    info.add_argument(
        "--json", metavar="FILE", help="write one JSON object to FILE ('-' for standard output) instead of the tables"
    )
    info.add_argument(
        "--regions", action="store_true", help="explain how memory is partitioned: members, accesses, why not by words"
    )
    _add_inlining_options(info)


def _add_cfa_options(cfa: argparse.ArgumentParser) -> None:
    _add_program_options(cfa)
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
        "--max-growth", type=_natural, default=16, metavar="N", help="edges that large+ may add per location, default 16"
    )
    cfa.add_argument("--slice", action="store_true", help="only what decides whether an error or unknown location is reached")
    cfa.add_argument("--procedures", action="store_true", help="one automaton per function, calls not inlined (text only)")
    _add_inlining_options(cfa)


def _add_blocks_options(blocks: _Parser) -> None:
    from drystone.blocks.registry import ABOUT

    _add_program_options(blocks)
    blocks.add_argument("--decomposition", metavar="KIND", default="default", help="how it is cut; default: default")
    blocks.lists = {"decompositions": ABOUT}
    blocks.add_argument(
        "--format", choices=["text", "dot", "json", "svg"], default="text", help="default: text; svg needs Graphviz"
    )
    blocks.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    slice_ = (
        "of what decides whether an error is reached, calls nested once: `verify --decomposition import:FILE` takes these blocks"
    )
    blocks.add_argument("--slice", action="store_true", help=slice_)
    _add_inlining_options(blocks)


def _add_run_options(run: argparse.ArgumentParser) -> None:
    _add_program_options(run)
    source = run.add_mutually_exclusive_group()
    source.add_argument("--seed", type=int, metavar="N", help="inputs are random, from this seed")
    source.add_argument("--inputs", metavar="LIST", help="inputs in the order they are read, as in 1,2,-3; then zeros")
    run.add_argument("--max-steps", type=_positive, default=1_000_000, metavar="N", help="stop after N edges, default 1000000")
    run.add_argument("--path", action="store_true", help="print the edges taken (the last 1000)")
    run.add_argument(
        "--raw",
        action="store_true",
        help="print what the program prints and nothing else; otherwise its lines are shown after `output |` and `stderr |`",
    )


def _add_program_options(parser: argparse.ArgumentParser, files: str = "+") -> None:
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
        type=_folder,
        action="append",
        default=[],
        metavar="DIR",
        help="where to look for included files",
    )
    group.add_argument(
        "-D", dest="defines", type=_macro, action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    group.add_argument("--std", type=_standard, default="gnu11", metavar="STANDARD", help="the version of C, default gnu11")
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
    group.add_argument("--property", metavar="FILE", help="a property file: CHECK( init(main()), LTL(G ! call(reach_error())) )")
    external = "functions without a body: pure, they only return any value; havoc, they may also write what they are given"
    group.add_argument("--external", choices=["pure", "havoc"], help=f"{external}; default havoc, for tasks of SV-COMP pure")
    volatile = "a read of a volatile object gives what is in memory, or any value, an input"
    group.add_argument("--volatile", choices=["memory", "input"], help=f"{volatile}; default input, for tasks of SV-COMP memory")
    parser.add_argument("--verbose", action="store_true", help="say more; show tracebacks of internal errors")


_COMMANDS: dict[str, tuple[str, Callable[[_Parser], None]]] = {
    "verify": ("tell whether the error of a program can be reached: TRUE, FALSE or UNKNOWN, with evidence", _add_verify_options),
    "check": ("check that a certificate proves a program", _add_check_options),
    "replay": ("tell the blocks of a program once more what was recorded, and compare what they answer", _add_replay_options),
    "trace": ("tell where the time of a run of dss went, and what more workers would bring", _add_trace_options),
    "info": ("show what a program consists of, and every construct whose meaning is approximated", _add_info_options),
    "cfa": ("print the control-flow automaton of a program, calls inlined", _add_cfa_options),
    "blocks": ("cut a program into blocks, calls inlined, and show the graph they form", _add_blocks_options),
    "run": ("execute a program in the interpreter", _add_run_options),
}


# the types of options


def _sources(text: str) -> tuple[str, ...] | None:
    from drystone.invariants.registry import SOURCES as known

    if text == "all":
        return None
    names = tuple(name for name in text.split(",") if name and name != "none")
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"no source {name!r} of candidate invariants; there are {', '.join(known)}")
    return names


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def _duration(text: str) -> float:
    """Seconds; a number without a unit is seconds, too."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)?", text)
    seconds = float(found[1]) * {"ms": 0.001, "s": 1, "min": 60, "m": 60, "h": 3600, None: 1}[found[2]] if found else 0.0
    if seconds <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time like 60s, 15min or 2h")
    return seconds


def _latency(text: str) -> float | str:
    if text == "measured":
        return text
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of seconds, or `measured`, not {text}")
    return seconds


def _size(text: str) -> int:
    """Bytes; units are powers of 1024."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMGT]?)(i?B)?", text)
    size = int(float(found[1]) * 1024 ** " kMGT".index(found[2] or " ")) if found else 0
    if size <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 500MB or 4GB")
    return size


def _folder(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("needs the name of a folder")
    return text


def _macro(text: str) -> str:
    if re.match(r"[^\W\d]\w*(\([^)]*\))?(=|$)", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME or NAME=VALUE")
    return text


def _standard(text: str) -> str:
    if re.fullmatch(r"(c|gnu)(89|90|99|9x|11|1x|17|18|23|2x)|iso9899:\d+", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a version of C that is known, like c99 or gnu17")
    return text


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be negative, not {text}")
    return value


def _join_negative_inputs(arguments: list[str]) -> list[str]:
    """`--inputs -3,4` is two words, the second of which argparse would take for an option."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] == "--inputs" and re.match(r"-[\d.]", word):
            joined[-1] = f"--inputs={word}"
        else:
            joined.append(word)
    return joined


if __name__ == "__main__":
    sys.exit(main())
