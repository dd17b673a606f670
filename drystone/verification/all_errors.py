"""All errors of a program, one after the other: once an error is found, the program is looked at again without it.

An execution ends where an assertion fails, so another assertion holds if no execution gets to its failure past those that hold.
"""

from __future__ import annotations

import msgspec

from drystone.base.deadline import Deadline
from drystone.verification.messages import Known, Message
from drystone.verification.result import ErrorReport, Evidence, Result


def violations_of(report: Result) -> list[str]:
    """The errors that an execution is known for, as `FrontendOptions.passed_over` names them."""
    examples = (report.evidence.counterexample, *report.evidence.others)
    return [example.id for example in examples if example is not None]


def goes_on(report: Result, deadline: Deadline) -> bool:
    """Is there something left to find?"""
    known = violations_of(report)
    is_open = any(error.id not in known and error.verdict != "TRUE" for error in report.errors)
    is_news = report.verdict == "FALSE" and report.cause == ""
    return is_news and is_open and not deadline.expired()


def in_addition(known: Result, message: Message) -> Message:
    """What is told while the program is looked at again: what was known before is not forgotten."""
    return Known(merged(known, message.result), message.final) if isinstance(message, Known) else message


def merged(known: Result, found: Result) -> Result:
    """FALSE, with what both say. `found` is about the program without the errors of `known`."""
    examples = [each for each in (found.evidence.counterexample, *found.evidence.others) if each is not None]
    verdicts = {error.id: error.verdict for error in found.errors}
    violations = violations_of(known)

    def verdict_of(error: ErrorReport) -> str:
        return error.verdict if error.id in violations else verdicts.get(error.id, error.verdict)

    return msgspec.structs.replace(
        known,
        cause=found.cause if found.verdict != "FALSE" else "",
        rest=found.reason if found.verdict == "UNKNOWN" else "",
        warnings=list(dict.fromkeys((*known.warnings, *found.warnings))),
        errors=[msgspec.structs.replace(error, verdict=verdict_of(error)) for error in known.errors],
        counters={name: known.counters.get(name, 0) + found.counters.get(name, 0) for name in (*known.counters, *found.counters)},
        explanation=[*known.explanation, *found.explanation],
        evidence=Evidence(known.evidence.counterexample, [*known.evidence.others, *examples], found.evidence.certificate),
    )
