"""How a command ends whose work was done in a child process: what is printed, and the exit code if the work did not end well."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from drystone.base.written_files import write_file
from drystone.cli.exits import Exit
from drystone.report.columns import Line
from drystone.report.console import print_lines
from drystone.runtime.watchdog import End

if TYPE_CHECKING:
    from drystone.verification.result import CheckResult, Result, ValidationResult
    from drystone.verification.supervised import Ending


def bad_end(ending: Ending, *, verbose: bool) -> int | None:
    """Says what went wrong, if the work crashed or was interrupted; the exit code then."""
    if ending.failed is not None or ending.end is End.CRASHED:
        if ending.failed is not None:
            if verbose:
                print(ending.failed.traceback, file=sys.stderr, end="")
            hint = "" if verbose else " (this is a bug in drystone; run again with --verbose for the traceback)"
            print(f"drystone: internal error: {ending.failed.error}{hint}", file=sys.stderr)
        return Exit.INTERNAL
    if ending.end is End.INTERRUPTED:
        print("drystone: interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    return None


def write_report(
    result: Result | CheckResult | ValidationResult, answer: str, lines: Iterable[Line], words: argparse.Namespace
) -> None:
    """What the command ends with, as --json and --quiet want it: one object, the answer, or the lines for people."""
    if words.json is not None:
        text = msgspec.json.encode(result).decode() + "\n"
        sys.stdout.write(text) if words.json == "-" else write_file(words.json, text)
    if words.json != "-":
        if words.quiet:
            print(answer)
        else:
            print_lines(lines, sys.stdout)
