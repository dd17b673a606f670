"""The command line: dispatch to the commands, exit codes.

Imports nothing heavy; each command is a module that is imported when it is called.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from drystone.base.refusal import Refusal
from drystone.base.response_files import expanded
from drystone.cli.exits import Exit
from drystone.cli.parser import parser_for
from drystone.cli.standard_input import standard_input_as_file


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit code. Never lets an exception through."""
    if arguments is not None:
        return _run(arguments)
    gc.set_threshold(_SELDOM)  # most of what a start makes stays
    code = _run(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return code  # Python tries once more, and says why not
    os._exit(code)  # nothing is left to be done, and to take all modules apart takes a while


_SELDOM = 100_000


def _run(arguments: list[str]) -> int:
    _prepare_streams()
    verbose = "--verbose" in arguments
    try:
        given = _told_apart(expanded(arguments))
        verbose = "--verbose" in given
        with _without_typing_extensions():
            options = parser_for(given).parse_args(given)
            command = _command(options.command)
        with standard_input_as_file(options):
            code = command(options)
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


@contextmanager
def _without_typing_extensions() -> Iterator[None]:
    """msgspec needs nothing of it that Python has not. Where tools for developers have installed it, it takes as long to load as
    all of msgspec."""
    if "typing_extensions" in sys.modules:
        yield
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["typing_extensions"]


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
        case "suite":
            from drystone.cli import suite

            return suite.command
        case "check":
            from drystone.cli import check

            return check.command
        case "validate":
            from drystone.cli import validate

            return validate.command
        case "repeat":
            from drystone.cli import repeat

            return repeat.command
        case "trace":
            from drystone.cli import trace

            return trace.command
        case "run":
            from drystone.cli import run

            return run.command
        case _:
            raise AssertionError(name)


def _told_apart(arguments: list[str]) -> list[str]:
    """argparse would take the second word of `--inputs -3,4` for an option, and that of `--serve FILE` for a port."""
    joined: list[str] = []
    for word in arguments:
        before = joined[-1] if joined else ""
        if before == "--inputs" and re.match(r"-[\d.]", word):
            joined[-1] = f"--inputs={word}"
        elif before == "--serve" and not re.fullmatch(r"-?\d+", word):
            joined[-1:] = ["--serve=0", word]
        else:
            joined.append(word)
    return joined


if __name__ == "__main__":
    sys.exit(main())
