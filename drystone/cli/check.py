"""`drystone check`: does a certificate prove a program? From the C text and the certificate alone.

As for `drystone verify`, this process watches and prints, and a child does the work under the limits of time and memory.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import msgspec

from drystone import __version__
from drystone.cli.child import Doing, Failed, Refused, Watching, failed_by, write_report
from drystone.cli.exits import BadInput, Exit
from drystone.cli.tasks import read_bytes, resolve
from drystone.evidence.certificate_file import CertificateFile, NotACertificate, check_formulas, other_texts, read_certificate
from drystone.report.check import CheckReport, check_lines
from drystone.report.progress import display
from drystone.report.result import property_text
from drystone.runtime.watchdog import Limits, Send, Usage, supervise

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

_RESERVE_SHARE, _RESERVE_SECONDS = 0.1, 1.0  # of the time limit, for reporting
_MAY_DIFFER = frozenset(("include_directories", "compile_commands"))
"""Where files lie is not the claim; what they contain is read."""


class Answered(msgspec.Struct, frozen=True, tag=True):
    valid: bool
    undecided: bool
    checked_by: str
    reason: str


_Message = Doing | Refused | Failed | Answered
_DECODER: msgspec.msgpack.Decoder[_Message] = msgspec.msgpack.Decoder(_Message)


def command(options: argparse.Namespace) -> int:
    try:
        claimed = read_certificate(read_bytes(options.certificate))
    except NotACertificate as problem:
        raise BadInput(f"{options.certificate}: {problem}") from None
    files, frontend_options = resolve(options, claimed.claim.options())
    _reject_another_claim(options.certificate, claimed, frontend_options)
    report = _blank_report(options, claimed, files, frontend_options)
    watching = _Watching(display(sys.stderr, quiet=options.quiet))

    def work(send: Send) -> None:
        _Work(options, claimed, files, frontend_options, send).run()

    try:
        usage = supervise(work, Limits(options.timeout, options.memory), watching.receive, watching.tick)
    finally:
        watching.display.close()
    return _conclude(watching, report, usage, options)


def _reject_another_claim(name: str, claimed: CertificateFile, meant: FrontendOptions) -> None:
    """What the command line says about the program must be what the certificate is about."""
    asked, stated = msgspec.structs.asdict(meant), msgspec.structs.asdict(claimed.claim)
    for field in asked.keys() - _MAY_DIFFER:
        if asked[field] != stated[field]:
            what = field.replace("_", " ")
            raise BadInput(f"{name}: its {what} is {_said(stated[field])}, but {_said(asked[field])} is asked for")


def _said(value: object) -> str:
    return " ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value or "reach_error")


class _Watching(Watching):
    answer: Answered | None = None

    def receive(self, message: bytes) -> None:
        match _DECODER.decode(message):
            case Answered() as answer:
                self.answer = answer
            case about_itself:
                self.hear(about_itself)


class _Work:
    """In the child."""

    def __init__(
        self,
        options: argparse.Namespace,
        claimed: CertificateFile,
        files: list[str],
        frontend_options: FrontendOptions,
        send: Send,
    ) -> None:
        self.options, self.claimed, self.files, self.frontend_options = options, claimed, files, frontend_options
        self.send = send

    def run(self) -> None:
        from drystone.frontend.load import FrontendError

        try:
            self._tell(Doing("reading", {}))
            check_formulas(self.claimed.certificate)
            self._tell(self._check())
        except FrontendError as problem:
            self._tell(Refused(str(problem)))
        except NotACertificate as problem:
            self._tell(Refused(f"{self.options.certificate}: {problem}"))
        except Exception as bug:
            self._tell(failed_by(bug))

    def _check(self) -> Answered:
        from drystone.evidence.certificate import check
        from drystone.solvers.deadline import Deadline

        timeout = self.options.timeout
        deadline = Deadline.after(timeout - min(_RESERVE_SECONDS, _RESERVE_SHARE * timeout))
        self._tell(Doing("checking", {}))
        checked = check(
            self.files,
            self.frontend_options,
            self.claimed.certificate,
            deadline,
            solver=self.options.solver,
            jobs=self.options.jobs,
        )
        return Answered(checked.valid, checked.undecided, checked.checked_by, checked.reason)

    def _tell(self, message: _Message) -> None:
        self.send(msgspec.msgpack.encode(message))


def _blank_report(
    options: argparse.Namespace, claimed: CertificateFile, files: list[str], frontend_options: FrontendOptions
) -> CheckReport:
    return CheckReport(
        drystone=__version__,
        certificate=options.certificate,
        kind=str(claimed.certificate.__struct_config__.tag),
        files=files,
        other_texts=other_texts(claimed.sources, files),
        property=property_text(frontend_options.entry, frontend_options.error_function),
        data_model=frontend_options.data_model,
        std=frontend_options.std,
        defines=list(frontend_options.defines),
        timeout_s=options.timeout,
        memory_mb=options.memory >> 20,
    )


def _conclude(watching: _Watching, report: CheckReport, usage: Usage, options: argparse.Namespace) -> int:
    watching.reject_bad_input()
    report.wall_s, report.cpu_s = round(usage.wall, 3), round(usage.cpu, 3)
    report.peak_mb = round(usage.peak / (1 << 20), 1)
    if watching.answer is not None:
        answer = watching.answer
        report.result = "valid" if answer.valid else "undecided" if answer.undecided else "rejected"
        report.checked_by, report.reason = answer.checked_by, answer.reason
    else:
        report.reason = watching.cut_short(usage)[0]
    code = watching.bad_end(usage, verbose=options.verbose)
    write_report(report, report.result, check_lines(report), options)
    if code is not None:
        return code
    return Exit.OK if report.result == "valid" else Exit.UNKNOWN
