"""`drystone check`: does a certificate prove a program? From the C text, the command line and the certificate alone.

As for `drystone verify`, this process watches and prints, and a child does the work under the limits of time and memory.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

import msgspec

from drystone import __version__
from drystone.certificates.file import CertificateFile, NotACertificate, check_formulas, claimed_options, read_certificate
from drystone.cli.child import Doing, Failed, Refused, Watching, failed_by, write_report
from drystone.cli.exits import BadInput, Exit
from drystone.cli.tasks import read_bytes, resolve
from drystone.report.check import CheckReport, check_lines
from drystone.report.progress import display
from drystone.report.result import Assumption, assumptions_of, property_text
from drystone.runtime.watchdog import Limits, Send, Usage, supervise

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

_RESERVE_SHARE, _RESERVE_SECONDS = 0.1, 1.0  # of the time limit, for reporting
_WHERE_FILES_LIE = frozenset(("include_directories", "compile_commands"))
"""How these are spelled is not the claim, but whether there are any; what was read there is compared by its contents."""
_OPTIONS = {"include_directories": "-I", "defines": "-D"}  # where it is not --name-of-the-field


class Answered(msgspec.Struct, frozen=True, tag=True):
    valid: bool
    undecided: bool
    checked_by: str
    reason: str
    assumptions: list[Assumption]
    other_texts: list[str] = []


_Message = Doing | Refused | Failed | Answered
_DECODER: msgspec.msgpack.Decoder[_Message] = msgspec.msgpack.Decoder(_Message)


def command(options: argparse.Namespace) -> int:
    try:
        claimed = read_certificate(read_bytes(options.certificate))
    except NotACertificate as problem:
        raise BadInput(f"{options.certificate}: {problem}") from None
    files, frontend_options = resolve(options)
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
    """What the command line says about the program is what the program is; the certificate must be about that one."""
    asked, stated = msgspec.structs.asdict(meant), msgspec.structs.asdict(claimed_options(claimed.claim))
    for field, value in asked.items():
        differs = bool(value) != bool(stated[field]) if field in _WHERE_FILES_LIE else value != stated[field]
        if differs:
            what = f"its {field.replace('_', ' ')} is {_said(stated[field])}, but {_said(value)} is asked for"
            raise BadInput(f"{name}: {what}; to check what it claims, {_repeated(field, stated[field])}")


def _said(value: object) -> str:
    return " ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value or "the default")


def _repeated(field: str, value: object) -> str:
    """How the command line says what the certificate says."""
    option = _OPTIONS.get(field, "--" + field.replace("_", "-"))
    if not value:
        return f"leave out {option}"
    return "add " + " ".join(f"{option} {shlex.quote(str(each))}" for each in (value if isinstance(value, tuple) else [value]))


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
        from drystone.base.deadline import Deadline
        from drystone.certificates.check import check_program
        from drystone.frontend.load import load
        from drystone.frontend.texts import difference, texts_of

        timeout = self.options.timeout
        deadline = Deadline.after(timeout - min(_RESERVE_SECONDS, _RESERVE_SHARE * timeout))
        loaded = load(self.files, self.frontend_options)
        assumptions = assumptions_of(loaded.program)
        another = difference(self.claimed.sources, list(map(texts_of, loaded.read)))
        if another:
            return Answered(False, False, "reading", another, assumptions, [another])
        self._tell(Doing("checking", {}))
        checked = check_program(
            loaded.program, self.claimed.certificate, deadline, solver=self.options.solver, jobs=self.options.jobs
        )
        return Answered(checked.valid, checked.undecided, checked.checked_by, checked.reason, assumptions)

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
        property=property_text(frontend_options.entry, frontend_options.error_function),
        data_model=frontend_options.data_model,
        std=frontend_options.std,
        defines=list(frontend_options.defines),
        options=msgspec.structs.asdict(frontend_options),
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
        report.assumptions, report.other_texts = answer.assumptions, answer.other_texts
    else:
        report.reason = watching.cut_short(usage)[0]
    code = watching.bad_end(usage, verbose=options.verbose)
    write_report(report, report.result, check_lines(report), options)
    if code is not None:
        return code
    return Exit.OK if report.result == "valid" else Exit.UNKNOWN
