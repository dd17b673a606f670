"""What a report says: the data that the page is drawn from, made of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from drystone.base.plurals import counted
from drystone.base.shown_files import shown_file
from drystone.counterexamples.told_faults import Localization
from drystone.report.console import headline
from drystone.report.page.loops import FoldedLoop, loops_of
from drystone.report.page.run import ShownStory, Time, story_of, time_of
from drystone.report.page.sources import NOWHERE, Place, ShownFile, Sources
from drystone.report.parts import certificate_text, part_facts
from drystone.report.reliance import grouped_assumptions
from drystone.verification.messages import Told
from drystone.verification.result import CounterexampleReport, Result, place_text

_LONGEST = 4_000  # characters of a value or a formula


class ShownError(msgspec.Struct, frozen=True):
    what: str
    function: str
    place: Place
    verdict: str
    execution: int = -1  # that gets there


class Reliance(msgspec.Struct, frozen=True):
    """What a verdict relies on, or what executions have seen."""

    kind: str
    what: str
    places: list[Place]
    is_usual: bool = False  # that is how drystone works, not something about this program


class Note(msgspec.Struct, frozen=True):
    """Beside a line of the source."""

    kind: str  # invariant, requires, ensures, assumption, undefined, error
    place: Place
    lines: list[str]
    about: str = ""


class Coverage(msgspec.Struct, frozen=True):
    """Lines of a file with code; those that do not decide whether an error is reached are the others."""

    file: int
    relevant: list[int]
    others: list[int]


class ShownStep(msgspec.Struct, frozen=True):
    place: Place
    function: str
    depth: int
    text: str  # of a step that is at no line, or another one than that of its line
    changes: dict[str, str]
    inputs: list[str]
    thread: int | None


class ShownFault(msgspec.Struct, frozen=True):
    """A line that could be changed so that the execution does not fail."""

    place: Place
    reason: str
    size: int  # of the smallest set of lines that it belongs to
    sets: int


class ShownExecution(msgspec.Struct, frozen=True):
    error: str
    function: str
    place: Place
    steps: list[ShownStep]
    omitted: int
    omitted_after: int  # these steps
    loops: list[FoldedLoop]
    faults: list[ShownFault]  # the most suspicious first
    facts: list[tuple[str, list[str]]]  # a heading, and what there is to say


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    drystone: str
    file: str
    verdict: str
    headline: str
    asked: list[tuple[str, str]]
    answered: list[tuple[str, str]]
    advice: list[tuple[str, str]]  # of an UNKNOWN: what it depends on, what to try; warnings
    errors: list[ShownError]
    relies_on: list[Reliance]
    notes: list[Note]
    coverage: list[Coverage]  # of a proof
    executions: list[ShownExecution]
    explanation: list[str]
    counters: dict[str, int]
    story: ShownStory | None
    time: Time
    files: list[ShownFile]
    index: str = ""  # the address of the page that this is one of
    is_live: bool = False  # the run goes on, and the page asks for what comes of it


def contents_of(result: Result, texts: Mapping[str, str], told: Told | None = None) -> Contents:
    """`texts`: where the text of a file is that the result calls otherwise, like the standard input."""
    sources = Sources(result.files, texts)
    examples = [each for each in (result.evidence.counterexample, *result.evidence.others) if each is not None]
    ids = [each.id for each in examples]
    errors = [
        ShownError(
            each.what,
            each.function,
            sources.place(each.file, each.line),
            each.verdict,
            ids.index(each.id) if each.id in ids else -1,
        )
        for each in result.errors
    ]
    return Contents(
        drystone=result.drystone,
        file=result.file,
        verdict=result.verdict,
        headline=headline(result),
        asked=list(_asked(result)),
        answered=list(_answered(result)),
        advice=list(_advice(result)),
        errors=errors,
        relies_on=list(_reliance(result, sources)),
        notes=list(_notes(result, sources)),
        coverage=list(_coverage(told, sources)) if told is not None and result.verdict == "TRUE" else [],
        executions=[_execution(each, sources) for each in examples],
        explanation=result.explanation,
        counters=result.counters,
        story=story_of(result, told, sources),
        time=time_of(result, told),
        files=sources.files(),
    )


def _asked(result: Result) -> Iterator[tuple[str, str]]:
    yield "program", result.file
    if result.files != [result.file]:
        yield "files", ", ".join(result.files)
    yield "property", result.property
    yield "execution starts in", result.entry
    yield "data model", result.data_model
    if result.timeout_s is not None:
        yield "time limit", f"{result.timeout_s:g} s"
    if result.memory_mb is not None:
        yield "memory limit", f"{result.memory_mb} MB"


def _answered(result: Result) -> Iterator[tuple[str, str]]:
    yield "engine", result.engine
    certificate = result.evidence.certificate
    if result.verdict == "TRUE" and result.reason:
        yield "proof", result.reason
    if certificate is not None:
        checked = f"checked by {certificate.checked_by}" if certificate.checked else f"not checked: {certificate.problem}"
        yield "certificate", certificate_text(result) or f"{certificate.kind}, {checked}"
    if result.verdict == "FALSE":
        yield "found", result.reason
    yield from part_facts(result)
    yield "time", f"{result.wall_s:.1f} s, {result.cpu_s:.1f} s of processor time"
    yield "memory", f"{result.peak_mb:.0f} MB"
    yield "drystone", result.drystone


def _advice(result: Result) -> Iterator[tuple[str, str]]:
    if result.unmodelled is not None:
        yield "depends on", f"{result.unmodelled.what} ({place_text(result.unmodelled.file, result.unmodelled.line)})"
    if result.verdict == "UNKNOWN" and result.hint:
        yield "try", result.hint
    for warning in result.warnings:
        yield "warning", warning


def _reliance(result: Result, sources: Sources) -> Iterator[Reliance]:
    for seen in result.undefined_seen:
        yield Reliance("undefined behaviour seen", seen.what, [sources.place(seen.file, seen.line)])
    for group in grouped_assumptions(result.assumptions):
        places = list(dict.fromkeys(sources.place(each.file, each.line) for each in group.items))
        yield Reliance(group.kind, group.what, [place for place in places if place != NOWHERE], group.is_usual)


def _notes(result: Result, sources: Sources) -> Iterator[Note]:
    certificate = result.evidence.certificate
    for contract in certificate.contracts if certificate is not None else ():
        for kind, conjuncts in (("requires", contract.requires), ("ensures", contract.ensures)):
            if conjuncts:
                yield Note(kind, sources.place_of(contract.where), _cut(conjuncts), contract.function)
    for loop in certificate.invariants if certificate is not None else ():
        yield Note("invariant", sources.place_of(loop.where), _cut(loop.invariant))
    for error in result.errors:
        yield Note("error", sources.place(error.file, error.line), [error.what], error.verdict)
    for seen in result.undefined_seen:
        yield Note("undefined", sources.place(seen.file, seen.line), [seen.what])
    for each in result.assumptions:
        yield Note("assumption", sources.place(each.file, each.line), [each.what], each.kind)


def _coverage(told: Told, sources: Sources) -> Iterator[Coverage]:
    for each in told.covered:
        number = sources.number(shown_file(each.file))
        if number is not None:  # else it is one of drystone's own
            yield Coverage(number, each.relevant, each.others)


def _execution(example: CounterexampleReport, sources: Sources) -> ShownExecution:
    steps = [
        ShownStep(
            sources.place(step.file, step.line),
            step.function,
            step.depth,
            "" if step.file is not None and step.source else "; ".join(_cut(step.operations)),
            {name: _shortened(value) for name, value in step.changes.items()},
            _cut(step.inputs),
            step.thread,
        )
        for step in example.steps
    ]
    error = sources.place(example.file, example.line)
    for each in example.race:  # the two accesses that are next
        place = sources.place(each.file, each.line)
        steps.append(ShownStep(place, each.function, 0, f"here, thread {each.thread} {each.what}", {}, [], each.thread))
    if steps and not example.race and steps[-1].place != error:
        steps.append(ShownStep(error, example.function, steps[-1].depth, "", {}, [], steps[-1].thread))
    cut = _first_steps(example)
    return ShownExecution(
        example.error,
        example.function,
        error,
        steps,
        example.omitted_steps,
        cut,
        loops_of(example.steps[:cut]) + loops_of(example.steps[cut:], cut),
        [
            ShownFault(sources.place(each.file, each.line), _shortened(each.reason), each.size, each.sets)
            for each in (example.localization.candidates if example.localization is not None else ())
        ],
        list(_facts(example)),
    )


def _first_steps(example: CounterexampleReport) -> int:
    """How many steps come before those that are left out."""
    from drystone.counterexamples.telling import FIRST_STEPS

    return min(FIRST_STEPS, len(example.steps)) if example.omitted_steps else len(example.steps)


def _facts(example: CounterexampleReport) -> Iterator[tuple[str, list[str]]]:
    yield "values at the error", [f"{name} = {_shortened(value)}" for name, value in example.values.items()]
    yield (
        "threads",
        [f"thread {each.thread} {each.what} at {place_text(each.file, each.line)} in {each.function}" for each in example.race],
    )
    yield "inputs", _cut(example.given)
    yield "as C", _cut(example.given_as_c)
    yield "relies on undefined behaviour", example.undefined
    yield "calls external code", example.external
    if example.native is not None:
        is_so = "reproduced" if example.native.reproduced else "not reproduced"
        yield "the compiled program", [f"{is_so}: {example.native.reason}"]
    if example.localization is not None:
        yield "faults looked for", list(_looked_for(example.localization))
    yield "length", [f"{counted(len(example.steps) + example.omitted_steps, 'steps')}, repeated by the interpreter"]


def _looked_for(found: Localization) -> Iterator[str]:
    yield f"{counted(len(found.candidates), 'lines')} of {found.lines} could be changed, in {counted(len(found.sets), 'sets')}"
    yield from (f"left out: {each}" for each in found.left_out)


def _cut(texts: list[str]) -> list[str]:
    return [_shortened(text) for text in texts]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
