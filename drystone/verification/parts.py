"""The program of a user with checks: what is known by itself of its assertions, and of each check or group of checks.

A part is violated if one of its errors is reached; it is proved if no error of it is reached in any execution, or with all parts
at once; otherwise it is open, for a reason of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from drystone.checks.registry import CHECKS, GROUPS
from drystone.ir.conventions import ALL
from drystone.verification.result import CounterexampleReport, ErrorReport, Evidence, PartReport, Result

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

ASSERTIONS = "assertions"
NOT_CHECKED = "not checked"
BEFORE = "in all executions that do not fail before"
_NEXT = "another error was found first; --all looks at each"


class Part(msgspec.Struct, frozen=True):
    name: str
    checks: tuple[str, ...] = ()  # none: the assertions

    def has(self, error: ErrorReport) -> bool:
        return error.kind in self.checks if self.checks else error.kind not in CHECKS


def parts_of(options: FrontendOptions) -> list[Part]:
    """None of tasks, which say themselves what is to be shown, nor of a program without checks."""
    if options.errors != ALL or options.data_race or not options.checks:
        return []
    memory = GROUPS["memory"] if set(GROUPS["memory"]) <= set(options.checks) else ()
    grouped = [Part("memory", memory)] if memory else []
    return [Part(ASSERTIONS), *grouped, *(Part(name, (name,)) for name in options.checks if name not in memory)]


def reports(parts: Sequence[Part], found: Result) -> list[PartReport]:
    """What a look at these parts together has found about each."""
    return [_report(part, [error for error in found.errors if part.has(error)], found) for part in parts]


def _report(part: Part, errors: Sequence[ErrorReport], found: Result) -> PartReport:
    verdicts = {error.verdict for error in errors}
    blank = PartReport(part.name, "UNKNOWN", checks=list(part.checks), errors=len(errors))
    if "FALSE" in verdicts:
        return msgspec.structs.replace(blank, verdict="FALSE")
    if found.verdict == "TRUE":
        return msgspec.structs.replace(blank, verdict="TRUE", reason=found.reason)
    if found.verdict == "FALSE" and (found.rest == "" or verdicts == {"TRUE"}):
        return msgspec.structs.replace(blank, verdict="TRUE", reason=BEFORE)
    if found.verdict == "FALSE":
        return msgspec.structs.replace(blank, reason=found.rest or _NEXT, cause=found.cause)
    return msgspec.structs.replace(blank, reason=found.reason, cause=found.cause, hint=found.hint, unmodelled=found.unmodelled)


def joined(known: Result, found: Result, looked_at: Sequence[Part]) -> Result:
    """`known`, with what a look at some parts by themselves has found."""
    new = {each.name: each for each in reports(looked_at, found)}
    certificate = found.evidence.certificate
    new = {name: msgspec.structs.replace(each, certificate=certificate) for name, each in new.items()}
    parts = [_better(each, new[each.name]) if each.name in new else each for each in known.parts]
    examples = {each.id: each for each in (*_examples(known), *_examples(found))}
    in_order = list(examples.values())
    return concluded(
        msgspec.structs.replace(
            known,
            verdict="FALSE" if found.verdict == "FALSE" else known.verdict,
            reason=found.reason if found.verdict == "FALSE" and known.verdict != "FALSE" else known.reason,
            engine=found.engine,
            parts=parts,
            errors=_joined_errors(known, found, looked_at, parts),
            rest=found.rest if found.rest is not None else known.rest,
            warnings=list(dict.fromkeys((*known.warnings, *found.warnings))),
            assumptions=list(dict.fromkeys((*known.assumptions, *found.assumptions))),
            undefined_seen=list(dict.fromkeys((*known.undefined_seen, *found.undefined_seen))),
            counters={
                name: known.counters.get(name, 0) + found.counters.get(name, 0) for name in (*known.counters, *found.counters)
            },
            explanation=[*known.explanation, *([f"{named(looked_at)} alone:"] if found.explanation else []), *found.explanation],
            evidence=Evidence(in_order[0] if in_order else None, in_order[1:], known.evidence.certificate or certificate),
        )
    )


def concluded(known: Result) -> Result:
    """The verdict about all parts together."""
    verdicts = {each.name: each.verdict for each in known.parts}
    if "FALSE" in verdicts.values():
        return msgspec.structs.replace(known, verdict="FALSE", cause="", hint="", unmodelled=None)
    still = [each for each in known.parts if each.verdict == "UNKNOWN"]
    if not still:
        missing = [each for each in known.parts if each.verdict == NOT_CHECKED and each.checks]
        left_out = [f"{each.name} not checked: {each.reason}" for each in missing]
        reason = "; ".join((known.reason if known.verdict == "TRUE" else "each by itself", *left_out))
        return msgspec.structs.replace(known, verdict="TRUE", reason=reason, cause="", hint="", unmodelled=None)
    first = still[0]
    holds = f"{ASSERTIONS} hold, but " if verdicts.get(ASSERTIONS) == "TRUE" else ""
    is_about_all = first.cause == "nothing" or len(still) == sum(each.verdict != NOT_CHECKED for each in known.parts)
    names = ", ".join(each.name for each in still)
    reason = first.reason if is_about_all else f"{holds}{names} {'is' if len(still) == 1 else 'are'} not decided: {first.reason}"
    return msgspec.structs.replace(
        known, verdict="UNKNOWN", reason=reason, cause=first.cause, hint=first.hint, unmodelled=first.unmodelled
    )


def cut_short(result: Result) -> Result:
    """What nobody has said anything about yet is open for the reason of the result."""
    why = {"reason": result.reason, "cause": result.cause, "hint": result.hint}
    is_open = [part.verdict == "UNKNOWN" and not part.reason for part in result.parts]
    parts = [msgspec.structs.replace(part, **why) if still else part for part, still in zip(result.parts, is_open, strict=True)]
    return concluded(msgspec.structs.replace(result, parts=parts))


def named(parts: Sequence[Part]) -> str:
    return ", ".join(part.name for part in parts)


def _better(old: PartReport, new: PartReport) -> PartReport:
    """What was found by itself counts more than what holds as long as nothing else fails; a violation stays one."""
    if old.verdict in ("FALSE", NOT_CHECKED) or (old.verdict == "TRUE" and new.verdict == "UNKNOWN"):
        return old
    return msgspec.structs.replace(new, errors=max(old.errors, new.errors))


def _examples(report: Result) -> list[CounterexampleReport]:
    return [each for each in (report.evidence.counterexample, *report.evidence.others) if each is not None]


def _joined_errors(known: Result, found: Result, looked_at: Sequence[Part], parts: Sequence[PartReport]) -> list[ErrorReport]:
    """Errors of a part that is proved are not reached, also those that the front end does not leave where it stands alone."""
    proved = {part.name for part in parts if part.verdict == "TRUE"}
    new = {error.id: error for error in found.errors}
    errors: list[ErrorReport] = []
    for error in known.errors:
        part = next((each for each in looked_at if each.has(error)), None)
        if part is None or error.verdict == "FALSE":
            errors.append(error)
        elif part.name in proved:
            errors.append(msgspec.structs.replace(error, verdict="TRUE"))
        else:
            errors.append(msgspec.structs.replace(error, verdict=new[error.id].verdict if error.id in new else error.verdict))
    ids = {error.id for error in errors}
    return [*errors, *(error for error in found.errors if error.id not in ids)]
