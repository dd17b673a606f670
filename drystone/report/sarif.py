"""Results as SARIF 2.1.0, for servers and editors: a run for each program, in it a result for each error location.

`fail` is an error that can be reached, with the execution as a code flow; `pass` one that no execution reaches; `open` one
that is not decided, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import msgspec

from drystone.base.version import __version__
from drystone.checks.registry import CHECKS
from drystone.counterexamples.told import Step
from drystone.report.columns import effects
from drystone.report.sarif_places import ROOT, Json, Places, message, text
from drystone.suite.outcome import Outcome
from drystone.verification.parts import BEFORE, NOT_CHECKED
from drystone.verification.result import (
    CertificateReport,
    CounterexampleReport,
    ErrorReport,
    Result,
    condition_of,
    part_of,
    race_text,
)

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST_FAULTS = 5
_FINGERPRINT = "drystoneError/v1"


class _Rule(msgspec.Struct, frozen=True):
    id: str
    name: str
    short: str
    help: str


_HOW = (
    " A result of kind fail has an execution that the interpreter has repeated: its steps, each with the values that it writes,"
    " are the code flow. pass: no execution gets there, and a certificate of that was checked. open: neither is known, for the"
    " reason that the message gives."
)
_RULES = {
    "call": _Rule(
        "error-call",
        "ErrorFunctionCalled",
        "A call of an error function can be reached.",
        "The program calls reach_error, __VERIFIER_error or the function that --error-function names. Where that call stands, the"
        " program says that no execution must come." + _HOW,
    ),
    "assertion": _Rule(
        "assertion",
        "AssertionFails",
        "An assertion can fail.",
        "The condition of an assertion (assert, one of another tool, or of a function that --assert names) does not hold for some"
        " inputs." + _HOW,
    ),
    "label": _Rule(
        "error-label",
        "ErrorLabelReached",
        "The label ERROR can be reached.",
        "Control gets to a label called ERROR, by which programs without an error function mark an error." + _HOW,
    ),
    **{
        name: _Rule(
            name,
            "".join(word.capitalize() for word in name.split("-")),
            f"{entry.about[0].upper()}{entry.about[1:]}.",
            "The check " + name + ", which --check asks for, finds operands for which C leaves the result undefined, or which the"
            " program can hardly mean. The message says what is wrong with which expression." + _HOW,
        )
        for name, entry in CHECKS.items()
    },
    "data race": _Rule(
        "data-race",
        "DataRace",
        "Two threads can access the same memory at the same time.",
        "Two threads are about to access the same memory, at least one of them writes, not both accesses are atomic, and nothing"
        " puts one before the other. The code flow has both threads." + _HOW,
    ),
    "": _Rule(
        "no-error-location",
        "NoErrorLocation",
        "Nothing is decided about a program in which no error location was found.",
        "No assertion, no call of an error function and no label ERROR was found where execution gets to, or something is not"
        " modelled before the first of them. The message says what, and what to try.",
    ),
}
"""By what an error location is (`ErrorReport.kind`); the last is about programs without any."""


def sarif(outcomes: list[Outcome]) -> str:
    """The text of the file."""
    runs = [_run(outcome, is_alone=len(outcomes) == 1) for outcome in outcomes]
    return (
        msgspec.json.format(msgspec.json.encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}), indent=1).decode() + "\n"
    )


def _run(outcome: Outcome, *, is_alone: bool) -> Json:
    result = outcome.result
    places = Places(result.file if result is not None else outcome.name)
    rules = [_rule(rule) for rule in _RULES.values()]
    run: Json = {
        "tool": {"driver": {"name": "drystone", "version": __version__, "semanticVersion": __version__, "rules": rules}},
        "originalUriBaseIds": {ROOT: {"description": message("the root of the repository, or the folder that drystone ran in")}},
        "invocations": [_invocation(outcome)],
        "results": list(_results(result, places)) if result is not None else [],
        "properties": {"verdict": outcome.verdict},
    }
    if not is_alone:
        run["automationDetails"] = {"id": text(f"drystone/{outcome.name}/")}
    return run


def _rule(rule: _Rule) -> Json:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.short},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": "error"},
    }


def _invocation(outcome: Outcome) -> Json:
    """Also why there is no verdict, where that is about the program as a whole."""
    result = outcome.result
    is_done = result is not None and result.cause != "crash"
    invocation: Json = {"executionSuccessful": is_done}
    said: list[tuple[str, str]] = []
    if outcome.verdict not in ("TRUE", "FALSE"):
        said.append(("note" if is_done else "error", outcome.said))
    said += [("warning", warning) for warning in (result.warnings if result is not None else ())]
    if said:
        invocation["toolExecutionNotifications"] = [{"level": level, "message": message(what)} for level, what in said]
    return invocation


def _results(result: Result, places: Places) -> Iterator[Json]:
    examples = {each.id: each for each in (result.evidence.counterexample, *result.evidence.others) if each is not None}
    seen: dict[str, int] = {}
    for error in result.errors:
        example = examples.get(error.id)
        fingerprint = places.fingerprint(error.file, error.line, error.function, error.kind, error.what)
        seen[fingerprint] = number = seen.get(fingerprint, 0) + 1  # of several that look alike, the first is the first one
        kind, said = _kind_and_message(result, error, example)
        found = _of_kind(error.kind, kind, said)
        found["partialFingerprints"] = {_FINGERPRINT: f"{fingerprint}:{number}"}
        place = places.location(error.file, error.line, error.function)
        if place:
            found["locations"] = [place]
        if example is not None:
            found["codeFlows"] = [_code_flow(example, places)]
            related = list(_related(example, places))
            if related:
                found["relatedLocations"] = [{"id": number, **each} for number, each in enumerate(related)]
        yield found
    for part in result.parts:
        if part.verdict == NOT_CHECKED:
            yield _of_kind("", "open" if part.checks else "notApplicable", f"{part.name}: not checked: {part.reason}.")
        elif part.verdict == "UNKNOWN" and not part.errors and result.errors:
            yield _of_kind("", "open", f"{part.name}: not decided: {part.reason}.")
    if not result.errors and result.verdict == "UNKNOWN":
        yield _without_errors(result, places)


def _related(example: CounterexampleReport, places: Places) -> Iterator[Json]:
    """The accesses of a data race; and, with --localize, lines that could be changed."""
    for access in example.race:
        yield places.location(access.file, access.line, access.function, f"thread {access.thread} {access.what}")
    candidates = example.localization.candidates if example.localization is not None else []
    for number, each in enumerate(candidates[:_MOST_FAULTS], start=1):
        place = places.location(each.file, each.line, each.function, f"fault candidate {number}: {each.reason}")
        if place:
            yield place


def _of_kind(rule: str, kind: str, said: str) -> Json:
    return {
        "ruleId": _RULES[rule].id,
        "ruleIndex": list(_RULES).index(rule),
        "kind": kind,
        "level": "error" if kind == "fail" else "none",
        "message": message(said),
    }


def _without_errors(result: Result, places: Places) -> Json:
    """The only result there is: why, and which construct that depends on."""
    found = _of_kind("", "open", _not_decided("the program", result))
    place = places.location(result.unmodelled.file, result.unmodelled.line) if result.unmodelled is not None else {}
    if place:
        found["locations"] = [place]
    return found


def _not_decided(what: str, result: Result) -> str:
    return f"{what} is not decided: {result.reason}{f'; try {result.hint}' if result.hint else ''}."


def _kind_and_message(result: Result, error: ErrorReport, example: CounterexampleReport | None) -> tuple[str, str]:
    part = part_of(result, error)
    match error.verdict:
        case "FALSE" if example is None:
            return "fail", f"{error.what} can be reached; verify --all shows how."
        case "FALSE":
            assert example is not None
            what = race_text(example) if example.race else f"{error.what} can be reached"
            given = f" with {', '.join(example.given)}" if example.given else ""
            values = (
                f"; there, {', '.join(f'{name} = {value}' for name, value in example.values.items())}" if example.values else ""
            )
            return "fail", f"{what}{given}{values}."
        case "TRUE" if result.verdict == "TRUE":
            return "pass", f"{error.what} cannot be reached: {result.reason or 'proved'}{_checked(result.evidence.certificate)}."
        case "TRUE" if part is not None and part.verdict == "TRUE" and part.reason != BEFORE:
            return "pass", f"{error.what} cannot be reached: {part.reason or 'proved'}{_checked(part.certificate)}."
        case "TRUE":
            condition = condition_of(result.assumptions, result.options)
            return "pass", f"{condition + ': ' if condition else ''}{error.what} holds in all executions that do not fail before."
        case _ if part is not None and part.verdict == "UNKNOWN":
            return "open", f"{error.what} is not decided: {part.reason}{f'; try {part.hint}' if part.hint else ''}."
        case _ if result.verdict == "FALSE":
            reason = result.rest or "another error was found, and verify --all looks at each"
            return "open", f"{error.what} is not decided: {reason}."
        case _:
            return "open", _not_decided(error.what, result)


def _checked(certificate: CertificateReport | None) -> str:
    if certificate is None:
        return ""
    return f"; certificate checked by {certificate.checked_by}" if certificate.checked else "; certificate not checked"


def _code_flow(example: CounterexampleReport, places: Places) -> Json:
    """A flow for each thread; the numbers of the steps say in which order they were executed."""
    omitted = f", {example.omitted_steps} steps of it left out" if example.omitted_steps else ""
    numbered = list(enumerate(example.steps, start=1))
    by_thread = {
        thread: [_step(number, step, places) for number, step in steps]
        for thread, steps in groupby(sorted(numbered, key=_thread_of), key=_thread_of)
    }
    last = example.race[0].thread if example.race else _thread_of(numbered[-1]) if numbered else 0
    end = places.location(example.file, example.line, example.function, example.error)
    by_thread.setdefault(last, []).append(
        {"location": end, "executionOrder": len(numbered) + 1, "importance": "essential", "kinds": ["danger"]}
    )
    flows = [{"id": f"thread {thread}", "locations": steps} for thread, steps in sorted(by_thread.items())]
    return {"message": message(f"an execution that gets there{omitted}"), "threadFlows": flows}


def _thread_of(numbered: tuple[int, Step]) -> int:
    return numbered[1].thread or 0


def _step(number: int, step: Step, places: Places) -> Json:
    done = step.source or "; ".join(step.operations)
    found = effects(step)
    told: Json = {
        "location": places.location(step.file, step.line, step.function, f"{done}   {found}" if found else done),
        "executionOrder": number,
        "nestingLevel": step.depth,
        "importance": "essential" if found else "important",
    }
    if step.changes:
        told["state"] = {text(name): message(value) for name, value in step.changes.items()}
    return told
