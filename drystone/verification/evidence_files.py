"""Evidence that is written to files: certificates and witnesses, as the work tells them to the process that writes them."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.base.shown_files import is_standard_input
from drystone.claims.certificates import Certificate
from drystone.claims.property import Property
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import Replayed
from drystone.frontend.load import FrontendOptions, Loaded
from drystone.ir.automaton import Program
from drystone.verification.messages import Proved, Witnessed


def proved(loaded: Loaded, options: FrontendOptions, certificate: Certificate) -> Proved:
    from drystone.certificates.file import certificate_text

    return Proved(certificate_text(loaded.read, options, certificate))


def violation_witnessed(program: Program, replayed: Replayed, files: Sequence[str], options: FrontendOptions) -> Witnessed:
    """The witness of an execution that was confirmed, or why there is none."""
    from drystone.witnesses.form import task_of, witness_text
    from drystone.witnesses.violation import NotTold, violation_witness

    problem = _cannot_be_told(files, options)
    if problem:
        return Witnessed(Verdict.FALSE.value, "", problem)
    # an assertion that fails is an error, too, and the format has only the call
    specification = Property(options.entry, options.error_function).text
    try:
        task = task_of(files, specification, options.data_model)
        return Witnessed(Verdict.FALSE.value, witness_text(violation_witness(program, replayed, options, task)))
    except NotTold as reason:
        return Witnessed(Verdict.FALSE.value, "", str(reason))


def _cannot_be_told(files: Sequence[str], options: FrontendOptions) -> str:
    if any(map(is_standard_input, files)):
        return "a text from the standard input is in no file"
    return "witnesses of version 2.0 are not about data races" if options.data_race else ""
