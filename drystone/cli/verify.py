"""`drystone verify`: can the error be reached? A verdict with its evidence.

This process only watches and prints. The work (reading the program, the engines, replaying what they found) is done by
a child under the limits of time and memory (`runtime.watchdog`), which sends what it does and finally its report.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone import __version__
from drystone.cli.cfa import write_file
from drystone.cli.exits import BadInput, Exit
from drystone.cli.tasks import DEFAULT_ERRORS, resolve
from drystone.report.console import print_report
from drystone.report.progress import Display, display
from drystone.report.result import Report
from drystone.runtime.watchdog import End, Limits, Send, Usage, supervise

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

_EXITS = {"TRUE": Exit.OK, "FALSE": Exit.FALSE, "UNKNOWN": Exit.UNKNOWN}


class Doing(msgspec.Struct, frozen=True, tag=True):
    """What the work is at."""

    phase: str
    counters: dict[str, int]


class Known(msgspec.Struct, frozen=True, tag=True):
    """The result so far: the last one counts."""

    report: Report
    final: bool


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The input is not what drystone reads."""

    message: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A bug in drystone."""

    error: str
    traceback: str


Message = Doing | Known | Refused | Failed
_DECODER: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(Message)


def command(options: argparse.Namespace) -> int:
    if options.harness is not None and options.replay != "native":
        raise BadInput("--harness keeps what --replay native makes: use both")
    files, frontend_options = resolve(options)
    blank = _blank_report(options, files, frontend_options)
    scratch = Path(tempfile.gettempdir()) / f"drystone-{os.getpid()}-{secrets.token_hex(4)}"
    watching = _Watching(display(sys.stderr, quiet=options.quiet), blank)

    def work(send: Send) -> None:
        from drystone.cli import verification

        tempfile.tempdir = str(scratch)  # made when needed; the parent removes it, whatever happens
        verification.work(options, files, frontend_options, blank, scratch, lambda message: send(msgspec.msgpack.encode(message)))

    limits = Limits(options.timeout, options.memory)
    try:
        usage = supervise(work, limits, watching.receive, watching.tick)
    finally:
        watching.display.close()
        shutil.rmtree(scratch, ignore_errors=True)
    return _conclude(watching, usage, options)


class _Watching:
    """What the work has sent."""

    def __init__(self, display: Display, blank: Report) -> None:
        self.display = display
        self.report = blank
        self.final = False
        self.refused: Refused | None = None
        self.failed: Failed | None = None
        self.last = Doing("starting", {})

    def receive(self, message: bytes) -> None:
        match _DECODER.decode(message):
            case Doing() as doing:
                self.last = doing
                self.display.phase(doing.phase, doing.counters)
            case Known(report, final):
                self.report, self.final = report, final
            case Refused() as refused:
                self.refused = refused
            case Failed() as failed:
                self.failed = failed

    def tick(self, elapsed: float) -> None:
        self.display.tick(elapsed)


def _blank_report(options: argparse.Namespace, files: list[str], frontend_options: FrontendOptions) -> Report:
    function = frontend_options.error_function or DEFAULT_ERRORS[0]
    return Report(
        drystone=__version__,
        verdict="UNKNOWN",
        reason="",
        engine=options.engine,
        file=options.files[0],
        files=files,
        property=f"CHECK( init({frontend_options.entry}()), LTL(G ! call({function}())) )",
        entry=frontend_options.entry,
        data_model=frontend_options.data_model,
        seed=options.seed,
        timeout_s=options.timeout,
        memory_mb=options.memory >> 20,
    )


def _conclude(watching: _Watching, usage: Usage, options: argparse.Namespace) -> int:
    """Prints what is known and gives the exit code."""
    if watching.refused is not None:
        raise BadInput(watching.refused.message)
    report = watching.report
    report.wall_s, report.cpu_s = round(usage.wall, 3), round(usage.cpu, 3)
    report.peak_mb = round(usage.peak / (1 << 20), 1)
    code: int | None = None
    if not watching.final:
        report.counters = report.counters or watching.last.counters
        if report.verdict == "UNKNOWN":
            report.reason, report.cause, report.hint = _cut_short(watching, usage)
    if watching.failed is not None or usage.end is End.CRASHED:
        code = Exit.INTERNAL
        if watching.failed is not None:
            if options.verbose:
                print(watching.failed.traceback, file=sys.stderr, end="")
            hint = "" if options.verbose else " (this is a bug in drystone; run again with --verbose for the traceback)"
            print(f"drystone: internal error: {watching.failed.error}{hint}", file=sys.stderr)
    elif usage.end is End.INTERRUPTED:
        code = Exit.INTERRUPTED
        print("drystone: interrupted", file=sys.stderr)
    if options.json is not None:
        text = msgspec.json.encode(report).decode() + "\n"
        sys.stdout.write(text) if options.json == "-" else write_file(options.json, text)
    if options.json != "-":
        if options.quiet:
            print(report.verdict)
        else:
            print_report(report, sys.stdout, verbose=options.verbose)
    return code if code is not None else _EXITS[report.verdict]


def _cut_short(watching: _Watching, usage: Usage) -> tuple[str, str, str]:
    """Reason, cause and hint where the work did not come to its end."""
    at = f" (while {watching.last.phase})"
    match usage.end:
        case End.TIME:
            return f"out of time after {usage.wall:.1f} s{at}", "time", "a longer --timeout"
        case End.MEMORY:
            return f"out of memory at {usage.peak >> 20} MB{at}", "memory", "a larger --memory"
        case End.INTERRUPTED:
            return f"interrupted{at}", "interrupted", ""
        case _:
            what = watching.failed.error if watching.failed is not None else f"the engine's process ended by {usage.detail}"
            return f"internal error: {what}{at}", "crash", "another --engine; please report this"
