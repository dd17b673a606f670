"""`drystone verify`: can the error be reached? A verdict with its evidence.

This process only watches and prints. The work (reading the program, the engines, replaying what they found) is done by
a child under the limits of time and memory (`runtime.watchdog`), which sends what it does and finally its report.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone import __version__
from drystone.cli.cfa import write_file
from drystone.cli.child import Watching, write_report
from drystone.cli.exits import BadInput, Exit
from drystone.cli.messages import Known, Message, Proved, Recording
from drystone.cli.tasks import read_bytes, resolve
from drystone.report.console import report_lines
from drystone.report.progress import Display, display
from drystone.report.result import Report, property_text
from drystone.runtime.watchdog import Limits, Send, Usage, supervise

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

_EXITS = {"TRUE": Exit.OK, "FALSE": Exit.FALSE, "UNKNOWN": Exit.UNKNOWN}
_DECODER: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(Message)


def command(options: argparse.Namespace) -> int:
    if options.no_native and options.replay == "native":
        raise BadInput("--replay native runs the program, which --no-native forbids: use one of them")
    if options.harness is not None and options.replay != "native":
        raise BadInput("--harness keeps what --replay native makes: use both")
    if options.engine != "dss":
        for name, is_set in (
            ("--record", options.record is not None),
            ("--trace", options.trace is not None),
            ("--transport", options.transport is not None),
            ("--cluster", options.cluster is not None),
            ("--predictable", options.predictable),
            ("--routing", options.routing != "star"),
            ("--compress", options.compress),
        ):
            if is_set:
                raise BadInput(f"{name} is about blocks and their messages: use --engine dss")
    if options.counted is not None:
        _check_counted(options)
    if options.transport is not None and options.cluster is not None:
        raise BadInput("--cluster says where the blocks live, and so does --transport: use one of them")
    cores = len(os.sched_getaffinity(0))
    options.hosts = options.workers or 0  # of a cluster; 0: one per CPU
    options.workers = (options.workers or cores) if options.cluster is None else min(options.workers or cores, cores)
    if options.cluster is not None:
        _check_cluster(options.cluster)
    if options.decomposition != "loops":
        _check_decomposition(options.decomposition)
    for name in (options.certificate, options.record, options.trace):
        if name is not None:
            _check_writable(name)
    files, frontend_options = resolve(options)
    blank = _blank_report(options, files, frontend_options)
    scratch = Path(tempfile.gettempdir()) / f"drystone-{os.getpid()}-{os.urandom(4).hex()}"
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


def _check_counted(options: argparse.Namespace) -> None:
    """Who does what first among several processes is not counted."""
    if options.engine in ("auto", "execute"):
        raise BadInput(f"--counted is about an engine in one process, and {options.engine} has others: use another --engine")
    if options.cluster is not None or options.transport == "processes" or (options.workers or 1) > 1:
        raise BadInput("--counted is about work in one process: use one worker, and blocks inline")
    options.workers = 1


def _check_cluster(address: str) -> None:
    from drystone.runtime.ray_hosts import NoCluster, check_cluster

    try:
        check_cluster(address)
    except NoCluster as problem:
        raise BadInput(str(problem)) from None


def _check_decomposition(name: str) -> None:
    """Is there one of this name? Whether the blocks of a file are those of the program is seen when dss cuts it."""
    from drystone.blocks.decompositions import UnknownDecomposition, decomposition

    try:
        decomposition(name, others=["loops"])
    except UnknownDecomposition as problem:
        raise BadInput(f"--decomposition: {problem}") from None
    kind, _, file = name.partition(":")
    if kind == "import":
        read_bytes(file)


def _check_writable(name: str) -> None:
    """What can be known before the work is done."""
    folder = Path(name).parent
    if Path(name).is_dir():
        raise BadInput(f"{name}: cannot be written: Is a directory")
    if not folder.is_dir():
        raise BadInput(f"{name}: cannot be written: there is no folder {folder}")


class _Watching(Watching):
    """What the work has found."""

    def __init__(self, display: Display, blank: Report) -> None:
        super().__init__(display)
        self.report = blank
        self.final = False
        self.certificate: str | None = None
        self.is_recording = False

    def receive(self, message: bytes) -> None:
        match _DECODER.decode(message):
            case Known(report, final):
                self.report, self.final = report, final
            case Proved(text):
                self.certificate = text
            case Recording():
                self.is_recording = True
            case about_itself:
                self.hear(about_itself)


def _blank_report(options: argparse.Namespace, files: list[str], frontend_options: FrontendOptions) -> Report:
    return Report(
        drystone=__version__,
        verdict="UNKNOWN",
        reason="",
        engine=options.engine,
        file=options.files[0],
        files=files,
        property=property_text(frontend_options.entry, frontend_options.error_function),
        entry=frontend_options.entry,
        data_model=frontend_options.data_model,
        options=msgspec.structs.asdict(frontend_options),
        seed=options.seed,
        timeout_s=options.timeout,
        counted_s=options.counted,
        memory_mb=options.memory >> 20,
    )


def _conclude(watching: _Watching, usage: Usage, options: argparse.Namespace) -> int:
    """Prints what is known and gives the exit code."""
    watching.reject_bad_input()
    report = watching.report
    report.wall_s, report.cpu_s = round(usage.wall, 3), round(usage.cpu, 3)
    report.peak_mb = round(usage.peak / (1 << 20), 1)
    if not watching.final:
        report.counters = report.counters or watching.last.counters
        if report.verdict == "UNKNOWN":
            report.reason, report.cause, report.hint = watching.cut_short(usage)
    code = watching.bad_end(usage, verbose=options.verbose)
    problem = _write_certificate(report, watching.certificate, options) if options.certificate is not None else None
    if options.record is not None:
        problem = _end_recording(report, watching, options) or problem
    lines = report_lines(report, verbose=options.verbose, explain=options.explain)
    write_report(report, report.verdict, lines, options)
    if problem is not None:
        raise problem  # after the verdict, which is known all the same
    return code if code is not None else _EXITS[report.verdict]


def _write_certificate(report: Report, text: str | None, options: argparse.Namespace) -> BadInput | None:
    """The certificate of a TRUE goes to its file, otherwise nothing does. What went wrong."""
    if report.verdict == "TRUE" and text is not None:
        try:
            write_file(options.certificate, text)
        except BadInput as problem:
            return problem
    elif not options.quiet:
        why = f"the verdict is {report.verdict}" if report.verdict != "TRUE" else "the proof has none"
        print(f"drystone: no certificate is written: {why}", file=sys.stderr)
    return None


def _end_recording(report: Report, watching: _Watching, options: argparse.Namespace) -> BadInput | None:
    """The verdict of a run that was cut short comes after what the child has written. What went wrong."""
    if not watching.is_recording and not options.quiet:
        print("drystone: no recording is written: no block was asked", file=sys.stderr)
    if watching.final or not watching.is_recording:
        return None
    from drystone.engines.dss.recording import Ended, chunk

    try:
        with open(options.record, "ab") as file:
            file.write(chunk([Ended(report.verdict, report.reason)]))
    except OSError as problem:
        return BadInput(f"{options.record}: cannot be written: {problem.strerror}")
    return None
