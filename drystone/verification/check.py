"""Does a certificate prove a program? From the C text, what is said about the program, and the certificate alone.

As for a verification, a child process does the work under the limits of time and memory.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from drystone.base.refusal import Refusal
from drystone.base.shown_files import shown_file
from drystone.base.version import __version__
from drystone.certificates.file import CertificateFile, NotACertificate, check_formulas, claimed_options, read_certificate
from drystone.claims.certificates import kind_of
from drystone.ir.conventions import ALL
from drystone.runtime.watchdog import Usage
from drystone.verification.messages import Answered, Doing, Message, Refused, failed_by
from drystone.verification.options import OPTION_WORDS, CheckOptions
from drystone.verification.result import CheckResult, assumptions_of
from drystone.verification.supervised import Ending, OnProgress, OnTick, Tell, Watching, planned, unheard
from drystone.verification.tasks import property_of, read_bytes, resolve

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

_RESERVE_SHARE, _RESERVE_SECONDS = 0.1, 1.0  # of the time limit, for reporting
_WHERE_FILES_LIE = frozenset(("include_directories", "include_files", "system_directories", "compile_commands"))
"""How these are spelled is not the claim, but whether there are any; what was read there is compared by its contents."""


class Checked(msgspec.Struct, frozen=True, tag=True):
    """What came of a check."""

    result: CheckResult
    ending: Ending


def check(
    certificate: str,
    given: Sequence[str],
    options: CheckOptions,
    on_progress: OnProgress = unheard,
    on_tick: OnTick = lambda elapsed: None,
) -> Checked:
    """Whether the certificate in this file proves the program. Raises a `Refusal` for what cannot be used.

    This process must have no other threads, and start no other processes meanwhile (`runtime.watchdog`).
    """
    try:
        claimed = read_certificate(read_bytes(certificate))
    except NotACertificate as problem:
        raise Refusal(f"{certificate}: {problem}") from None
    files, frontend_options = resolve(given, options, is_verified=True)
    _reject_another_claim(certificate, claimed, frontend_options)
    result = _blank_result(certificate, options, claimed, files, frontend_options)
    watching = _Watching(on_progress)

    def work(tell: Tell) -> None:
        _Work(certificate, options, claimed, files, frontend_options, tell).run()

    usage, ending = watching.supervise(work, options.timeout, options.memory, on_tick)
    _conclude(watching, result, usage)
    return Checked(result, ending)


def _reject_another_claim(name: str, claimed: CertificateFile, meant: FrontendOptions) -> None:
    """What is said about the program is what the program is; the certificate must be about that one."""
    asked, stated = msgspec.structs.asdict(meant), msgspec.structs.asdict(claimed_options(claimed.claim))
    for field, value in asked.items():
        differs = bool(value) != bool(stated[field]) if field in _WHERE_FILES_LIE else value != stated[field]
        if differs:
            what = f"its {field.replace('_', ' ')} is {_said(stated[field])}, but {_said(value)} is asked for"
            raise Refusal(f"{name}: {what}; to check what it claims, {_repeated(field, stated[field])}")


def _said(value: object) -> str:
    return " ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value or "the default")


def _repeated(field: str, value: object) -> str:
    """How the command line says what the certificate says."""
    if field == "errors":
        return "leave out --property" if value == ALL else "add --property with the property of the task"
    if field == "checks":
        assert isinstance(value, tuple)
        return f"add --check {','.join(value) or 'none'}"
    if field == "data_race":
        return "add --check data-race" if value else "leave out --check data-race"
    option = OPTION_WORDS.get(field, "--" + field.replace("_", "-"))
    if not value:
        return f"leave out {option}"
    return "add " + " ".join(f"{option} {shlex.quote(str(each))}" for each in (value if isinstance(value, tuple) else [value]))


class _Watching(Watching):
    answer: Answered | None = None

    def hear(self, message: Message) -> None:
        match message:
            case Answered():
                self.answer = message
            case about_itself:
                super().hear(about_itself)


class _Work:
    """In the child."""

    def __init__(
        self,
        certificate: str,
        options: CheckOptions,
        claimed: CertificateFile,
        files: list[str],
        frontend_options: FrontendOptions,
        tell: Tell,
    ) -> None:
        self.certificate, self.options, self.claimed = certificate, options, claimed
        self.files, self.frontend_options = files, frontend_options
        self.tell = tell

    def run(self) -> None:
        from drystone.frontend.load import FrontendError

        try:
            self.tell(Doing("reading", {}))
            check_formulas(self.claimed.certificate)
            self.tell(self._check())
        except FrontendError as problem:
            self.tell(Refused(str(problem)))
        except NotACertificate as problem:
            self.tell(Refused(f"{self.certificate}: {problem}"))
        except Exception as bug:
            self.tell(failed_by(bug))

    def _check(self) -> Answered:
        from drystone.base.deadline import Deadline
        from drystone.certificates.check import check_program
        from drystone.frontend.load import load
        from drystone.frontend.source_text.texts import difference, texts_of

        timeout = planned(self.options.timeout)
        deadline = Deadline.after(timeout - min(_RESERVE_SECONDS, _RESERVE_SHARE * timeout))
        loaded = load(self.files, self.frontend_options)
        assumptions = assumptions_of(loaded.program)
        another = difference(self.claimed.sources, list(map(texts_of, loaded.read)))
        if another:
            return Answered(False, False, "reading", another, assumptions, [another])
        self.tell(Doing("checking", {}))
        checked = check_program(
            loaded.program, self.claimed.certificate, deadline, solver=self.options.solver, jobs=self.options.jobs
        )
        return Answered(checked.valid, checked.undecided, checked.checked_by, checked.reason, assumptions)


def _blank_result(
    certificate: str, options: CheckOptions, claimed: CertificateFile, files: list[str], frontend_options: FrontendOptions
) -> CheckResult:
    return CheckResult(
        drystone=__version__,
        certificate=certificate,
        kind=kind_of(claimed.certificate),
        files=list(map(shown_file, files)),
        property=property_of(frontend_options).text,
        data_model=frontend_options.data_model,
        std=frontend_options.std,
        defines=list(frontend_options.defines),
        options=msgspec.structs.asdict(frontend_options),
        timeout_s=options.timeout,
        memory_mb=options.memory >> 20 if options.memory is not None else None,
    )


def _conclude(watching: _Watching, result: CheckResult, usage: Usage) -> None:
    result.wall_s, result.cpu_s = round(usage.wall, 3), round(usage.cpu, 3)
    result.peak_mb = round(usage.peak / (1 << 20), 1)
    if watching.answer is not None:
        answer = watching.answer
        result.result = "valid" if answer.valid else "undecided" if answer.undecided else "rejected"
        result.checked_by, result.reason = answer.checked_by, answer.reason
        result.assumptions, result.other_texts = answer.assumptions, answer.other_texts
    else:
        result.reason = watching.cut_short(usage)[0]
