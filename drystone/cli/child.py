"""What a command that works in a child process (`runtime.watchdog`) hears from it, and how it ends, with or without the child."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from drystone.cli.cfa import write_file
from drystone.cli.exits import BadInput, Exit
from drystone.report.console import Line, print_lines
from drystone.report.progress import Display
from drystone.runtime.watchdog import End, Usage

if TYPE_CHECKING:
    from drystone.report.check import CheckReport
    from drystone.report.result import Report


class Doing(msgspec.Struct, frozen=True, tag=True):
    """What the work is at."""

    phase: str
    counters: dict[str, int]


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The input is not what drystone reads."""

    message: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A bug in drystone."""

    error: str
    traceback: str


def failed_by(bug: Exception) -> Failed:
    """For the exception that is being handled."""
    import traceback

    text = " ".join(str(bug).split())[:300]
    return Failed(f"{type(bug).__name__}: {text}" if text else type(bug).__name__, traceback.format_exc())


class Watching:
    """What the work has said about itself."""

    def __init__(self, display: Display) -> None:
        self.display = display
        self.refused: Refused | None = None
        self.failed: Failed | None = None
        self.last = Doing("starting", {})

    def hear(self, message: Doing | Refused | Failed) -> None:
        match message:
            case Doing():
                self.last = message
                self.display.phase(message.phase, message.counters)
            case Refused():
                self.refused = message
            case Failed():
                self.failed = message

    def tick(self, elapsed: float) -> None:
        self.display.tick(elapsed)

    def reject_bad_input(self) -> None:
        if self.refused is not None:
            raise BadInput(self.refused.message)

    def bad_end(self, usage: Usage, *, verbose: bool) -> int | None:
        """Says what went wrong, if the child crashed or was interrupted; the exit code then."""
        if self.failed is not None or usage.end is End.CRASHED:
            if self.failed is not None:
                if verbose:
                    print(self.failed.traceback, file=sys.stderr, end="")
                hint = "" if verbose else " (this is a bug in drystone; run again with --verbose for the traceback)"
                print(f"drystone: internal error: {self.failed.error}{hint}", file=sys.stderr)
            return Exit.INTERNAL
        if usage.end is End.INTERRUPTED:
            print("drystone: interrupted", file=sys.stderr)
            return Exit.INTERRUPTED
        return None

    def cut_short(self, usage: Usage) -> tuple[str, str, str]:
        """Reason, cause and hint where the work did not come to its end."""
        at = f" (while {self.last.phase})"
        match usage.end:
            case End.TIME:
                return f"out of time after {usage.wall:.1f} s{at}", "time", "a longer --timeout"
            case End.MEMORY:
                return f"out of memory at {usage.peak >> 20} MB{at}", "memory", "a larger --memory"
            case End.INTERRUPTED:
                return f"interrupted{at}", "interrupted", ""
            case _:
                what = self.failed.error if self.failed is not None else f"the engine's process ended by {usage.detail}"
                return f"internal error: {what}{at}", "crash", "another --engine; please report this"


def write_report(report: Report | CheckReport, answer: str, lines: Iterable[Line], options: argparse.Namespace) -> None:
    """What the command ends with, as --json and --quiet want it: one object, the answer, or the lines for people."""
    if options.json is not None:
        text = msgspec.json.encode(report).decode() + "\n"
        sys.stdout.write(text) if options.json == "-" else write_file(options.json, text)
    if options.json != "-":
        if options.quiet:
            print(answer)
        else:
            print_lines(lines, sys.stdout)
