"""Evidence that is written to files: certificates and witnesses, as the work tells them to the process that writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from drystone.base.shown_files import is_standard_input
from drystone.claims.certificates import Certificate
from drystone.claims.property import STATED
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import Replayed
from drystone.frontend.load import FrontendOptions, Loaded
from drystone.ir.automaton import ErrorKind, Program
from drystone.ir.conventions import NONE
from drystone.pipeline import PreparedProgram
from drystone.verification.messages import Proved, Witnessed
from drystone.verification.tasks import property_of

if TYPE_CHECKING:
    from drystone.witnesses.form import Task


def proved(loaded: Loaded, options: FrontendOptions, certificate: Certificate) -> Proved:
    from drystone.certificates.file import certificate_text

    return Proved(certificate_text(loaded.read, options, certificate))


def without_checks(options: FrontendOptions) -> FrontendOptions:
    """What a proof says beside what it says of checks that nobody has asked for."""
    return msgspec.structs.replace(options, checks=())


def _about(options: FrontendOptions, kind: ErrorKind | None) -> FrontendOptions:
    """What a violation is one of, where nobody has asked for checks: the assertions, or the property of the check."""
    if kind not in options.checks:
        return without_checks(options)
    checks = next((names for names in STATED.values() if kind in names), (str(kind),))
    return msgspec.structs.replace(options, errors=NONE, checks=checks)


def violation_witnessed(
    program: Program, replayed: Replayed, files: Sequence[str], options: FrontendOptions, *, is_asked: bool
) -> Witnessed:
    """The witness of an execution that was confirmed, or why there is none. `is_asked`: for the checks that are made."""
    from drystone.witnesses.form import witness_text
    from drystone.witnesses.violation import NotTold, violation_witness

    claimed = options if is_asked else _about(options, replayed.error.convention)
    problem = _cannot_be_told(files, options)
    if problem:
        return Witnessed(Verdict.FALSE.value, "", problem)
    try:
        witness = violation_witness(program, replayed, options, _task(files, claimed))
        return Witnessed(Verdict.FALSE.value, witness_text(witness))
    except NotTold as reason:
        return Witnessed(Verdict.FALSE.value, "", str(reason))


def proof_witnessed(
    prepared: PreparedProgram, certificate: Certificate | None, files: Sequence[str], options: FrontendOptions
) -> Witnessed:
    """The witness of a proof whose certificate was checked, or why there is none."""
    from drystone.witnesses.correctness import correctness_witness
    from drystone.witnesses.form import witness_text

    problem = _cannot_be_told(files, options)
    if options.unwind is not None:  # the format has no words for that
        problem = problem or "the proof is only about executions that --unwind does not cut off"
    if problem:
        return Witnessed(Verdict.TRUE.value, "", problem)
    return Witnessed(Verdict.TRUE.value, witness_text(correctness_witness(prepared, certificate, options, _task(files, options))))


def _task(files: Sequence[str], options: FrontendOptions) -> Task:
    from drystone.witnesses.form import task_of

    return task_of(files, claimed_text(options), options.data_model)


def claimed_text(options: FrontendOptions) -> str:
    """The property that a witness is about. An assertion that fails is an error, too, but the format knows only the call."""
    return msgspec.structs.replace(property_of(options), is_all=False).text


def _cannot_be_told(files: Sequence[str], options: FrontendOptions) -> str:
    if any(map(is_standard_input, files)):
        return "a text from the standard input is in no file"
    return "witnesses of version 2.0 are not about data races" if options.data_race else ""
