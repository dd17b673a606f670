"""A result for people, at most a screen long unless asked for more."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from drystone.base.plurals import counted
from drystone.checks.registry import CHECKS
from drystone.counterexamples.told import Step
from drystone.report.columns import Line, column_lines, column_width, effects, schedule_line, style_of
from drystone.report.reliance import all_lines, reliance_lines
from drystone.verification.result import (
    CounterexampleReport,
    ErrorReport,
    FunctionContract,
    LoopInvariant,
    Result,
    condition_of,
    part_of,
    place_text,
    violated,
)

SHOWN_STEPS = 20
_SHOWN_INPUTS = 20
_LONGEST_C = 240  # characters
_SHOWN_ERRORS = 10
_SHOWN_OPEN = 3  # of those that nobody has looked at
_SHOWN_CHECKS = 4
_SHOWN_INVARIANTS = 8
_LONGEST_INVARIANT = 300  # characters
_NOT_CHOSEN = ("uninitialised", "undefined", "approximated")
_STYLES = {"TRUE": "bold green", "FALSE": "bold red", "UNKNOWN": "bold yellow"}

_EXPLAINED = frozenset(("body", "library", "assembly", "volatile"))  # constructs whose first line does not say what is wrong

WIDTH = 132
"""Characters of a line where nobody says how many there are."""


def line_width(stream: TextIO) -> int:
    """Of a terminal, as wide as it is."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if stream.isatty() else WIDTH


def print_lines(lines: Iterable[Line], stream: TextIO) -> None:
    if stream.isatty() and not os.environ.get("NO_COLOR"):
        from rich.console import Console
        from rich.text import Text

        console = Console(file=stream, highlight=False, soft_wrap=True)
        for text, style in lines:
            console.print(Text(text, style=style))
    else:
        for text, _ in lines:
            print(text, file=stream)


def report_lines(report: Result, *, verbose: bool, explain: bool = False, width: int = WIDTH) -> Iterator[Line]:
    yield f"{report.verdict}  {headline(report)}", _STYLES[report.verdict]
    for warning in report.warnings:
        yield f"  {warning}", "yellow"
    yield from _proof_lines(report) if report.verdict == "TRUE" else _violation_lines(report, verbose, width)
    yield from _part_lines(report)
    certificate = report.evidence.certificate
    if certificate is not None:
        state = f"checked by {certificate.checked_by}" if certificate.checked else "not checked"
        yield from _contract_lines(certificate.contracts, verbose)
        yield from _invariant_lines(certificate.invariants, verbose)
        held = _certificates(report) or f"{certificate.kind}, {state}"
        yield f"  certificate{' of what holds' if report.verdict != 'TRUE' else ''}: {held}", ""
    if report.unmodelled is not None and report.unmodelled.kind in _EXPLAINED:
        yield f"  {report.unmodelled.what}", ""
    if report.verdict == "UNKNOWN" and report.hint:
        yield f"  try: {report.hint}", ""
    if explain:
        yield from _explanation_lines(report)
    for line in all_lines(report) if verbose else reliance_lines(report):
        yield f"  {line}", "dim"
    used = f"{report.wall_s:.1f} s, {report.cpu_s:.1f} s of processor time, {report.peak_mb:.0f} MB"
    counters = ", ".join(counted(count, name.replace("_", " ")) for name, count in report.counters.items())
    yield f"  engine {report.engine}: {used}" + (f"; {counters}" if counters and verbose else ""), "dim"


def _proof_lines(report: Result) -> Iterator[Line]:
    """What was proved, and how."""
    if report.errors:
        errors = sorted(report.errors, key=lambda each: bool(report.parts) and each.kind in CHECKS)  # assertions first
        shown = [f"{place_text(each.file, each.line)} {each.what}" for each in errors[:_SHOWN_CHECKS] if each.file]
        shown = shown or ["data races of all threads"]
        more = f", and {len(report.errors) - len(shown)} more" if len(shown) < len(report.errors) else ""
        yield f"  checked: {', '.join(shown)}{more}", ""
        yield f"  proof: {report.reason.removeprefix(f'{condition_of(report.assumptions, report.options)}: ')}", ""


def _violation_lines(report: Result, verbose: bool, width: int) -> Iterator[Line]:
    """Which errors can be reached, and how."""
    examples = [each for each in (report.evidence.counterexample, *report.evidence.others) if each is not None]
    found, told = violated(report), {example.id for example in examples}
    for error in found[:_SHOWN_ERRORS]:
        hint = "" if error.id in told else " (--all shows how)"
        yield f"  {place_text(error.file, error.line)}: {error.what} in {error.function}{hint}", "bold"
    if len(found) > _SHOWN_ERRORS:
        yield f"  and {len(found) - _SHOWN_ERRORS} more", ""
    for example in examples:
        if len(found) > 1:
            yield f"  {place_text(example.file, example.line)}: how {example.error} fails", "bold"
        yield from _counterexample_lines(example, verbose, width)
    if examples:
        yield from _other_error_lines(report)


def _other_error_lines(report: Result) -> Iterator[Line]:
    """What became of the assertions that do not fail. Of checks, there may be many."""
    is_open = "not decided (--all looks at each)" if report.rest is None else f"not decided, {report.rest}"
    holds = "holds in all executions that do not fail before"
    for verdict, what, most in (("TRUE", holds, _SHOWN_ERRORS), ("UNKNOWN", is_open, _SHOWN_OPEN)):
        others = [error for error in report.errors if error.verdict == verdict and _is_told(report, error)]
        for error in others[:most]:
            yield f"  {place_text(error.file, error.line)}: {error.what} in {error.function}: {what}", ""
        if len(others) > most:
            yield f"  and {len(others) - most} more: {what}", ""


def _is_told(report: Result, error: ErrorReport) -> bool:
    """Is there more to say about it than about its part?"""
    part = part_of(report, error)
    return part is None or (not part.checks and part.verdict == "FALSE")


def _part_lines(report: Result) -> Iterator[Line]:
    if report.parts:
        from drystone.report.parts import part_facts

        for heading, what in part_facts(report):
            yield f"  {heading}: {what}", ""


def _certificates(report: Result) -> str:
    if not report.parts:
        return ""
    from drystone.report.parts import certificate_text

    return certificate_text(report)


def _contract_lines(contracts: list[FunctionContract], verbose: bool) -> Iterator[Line]:
    for contract in contracts:
        for what, conjuncts in (("requires", contract.requires), ("ensures", contract.ensures)):
            shown = conjuncts if verbose else conjuncts[:_SHOWN_INVARIANTS]
            more = f" and {len(conjuncts) - len(shown)} more" if len(shown) < len(conjuncts) else ""
            if shown:
                yield f"  {contract.function} {what} {' && '.join(map(_conjunct, shown))}{more}", ""


def _invariant_lines(loops: list[LoopInvariant], verbose: bool) -> Iterator[Line]:
    is_cut = False
    for loop in loops:
        if not loop.invariant:  # only about what drystone itself has added: there are no words for it
            continue
        shown = loop.invariant if verbose else loop.invariant[:_SHOWN_INVARIANTS]
        more = len(loop.invariant) - len(shown)
        whole = " && ".join(map(_conjunct, shown))
        text = whole if verbose else _cut(whole, _LONGEST_INVARIANT)
        is_cut = is_cut or text is not whole
        yield f"  loop invariant at {loop.where}: {text}" + (f" and {more} more" if more else ""), ""
    if is_cut:
        yield "  (… marks what is left out; --verbose, --json and --certificate have all of it)", "dim"


def _conjunct(text: str) -> str:
    """Binds less than `&&`? Then in parentheses; within others it does no harm."""
    return f"({text})" if "||" in text or "?" in text else text


def _explanation_lines(report: Result) -> Iterator[Line]:
    for line in report.explanation or ["there is nothing more to explain"]:
        yield f"  {line}", ""


def headline(report: Result) -> str:
    match report.verdict:
        case "TRUE" if report.errors:
            condition = condition_of(report.assumptions, report.options)
            holds = "the error cannot be reached" if len(report.errors) == 1 else "no error can be reached"
            holds = "there is no data race" if report.options.get("data_race") else holds
            left_out = [part.name for part in report.parts if part.verdict == "not checked" and part.checks]
            holds += f"; not checked: {', '.join(left_out)}" if left_out else ""
            return f"{condition}: {holds}" if condition else holds
        case "TRUE":
            return report.reason
        case "FALSE" if report.options.get("data_race"):
            return "there is a data race"
        case "FALSE":
            count = len(violated(report))
            return "the error can be reached" if count <= 1 else f"{count} errors can be reached"
        case _:
            return report.reason


def _counterexample_lines(example: CounterexampleReport, verbose: bool, width: int) -> Iterator[Line]:
    for access in example.race:
        yield f"  thread {access.thread} {access.what} at {place_text(access.file, access.line)} in {access.function}", ""
    if example.values:
        yield "  values at the error: " + ", ".join(f"{name} = {value}" for name, value in example.values.items()), ""
    yield from _input_lines(example, verbose)
    for what in example.undefined:
        yield f"  relies on undefined behaviour: {what}", "yellow"
    for what in example.external:
        yield f"  calls external code: {what}", "yellow"
    replayed = f"  execution of {counted(len(example.steps) + example.omitted_steps, 'steps')}, replayed by the interpreter"
    if example.native is not None:
        native = example.native
        replayed += f"; natively {'reproduced' if native.reproduced else 'not reproduced'}: {native.reason}"
    yield replayed, ""
    if any(step.thread for step in example.steps):
        yield f"  schedule (thread, steps): {schedule_line(example.steps)}", ""
    yield "", ""
    yield from _step_lines(example, verbose, width)
    yield "", ""
    if example.localization is not None:
        from drystone.report.faults import fault_lines

        yield from fault_lines(example.localization, verbose)


def _input_lines(example: CounterexampleReport, verbose: bool) -> Iterator[Line]:
    """What was chosen first, also as C to paste; the rest (memory that nothing has written, addresses) for those who ask."""
    given = example.given
    if given:
        shown = given if verbose else given[:_SHOWN_INPUTS]
        more = f" and {len(given) - len(shown)} more" if len(given) > len(shown) else ""
        yield "  inputs: " + ", ".join(shown) + more, ""
    for number, text in enumerate(example.given_as_c):
        is_shown = verbose or len(text) <= _LONGEST_C
        hint = "(long: --verbose shows it, --harness FILE writes a file to compile)"
        yield f"  {'as C:' if number == 0 else '     '} {text if is_shown else hint}", ""
    others = [f"{each.name} = {each.value}" for each in example.inputs if each.kind in _NOT_CHOSEN]
    if verbose and others:
        yield "  other inputs: " + ", ".join(others), "dim"


def _step_lines(example: CounterexampleReport, verbose: bool, width: int) -> Iterator[Line]:
    steps = example.steps if verbose else example.steps[-SHOWN_STEPS:]
    hidden = len(example.steps) - len(steps) + example.omitted_steps
    if hidden:
        what = f"{counted(hidden, 'steps')} left out" if verbose else f"{counted(hidden, 'earlier steps')}; --verbose shows more"
        yield f"  ({what})", "dim"
    files = {step.file for step in steps}
    if len(files) == 1:
        yield f"  {steps[0].file}", "dim"
    is_in_columns = len(files) == 1 and column_width(steps, width)
    yield from column_lines(steps, width) if is_in_columns else _listed_steps(steps, len(files) == 1)
    yield f"  {place_text(example.file, example.line)}  {example.error}", "bold red"


def _listed_steps(steps: Sequence[Step], is_one_file: bool) -> Iterator[Line]:
    """One below the other, whatever their threads are."""
    places = [f"{_thread(step)}{step.line if is_one_file else place_text(step.file, step.line)}" for step in steps]
    width = max((len(place) for place in places), default=0)
    texts = [_cut("  " * min(step.depth, 10) + (step.source or "; ".join(step.operations)), 72) for step in steps]
    text_width = min(max((len(text) for text in texts), default=0), 72)
    for step, place, text in zip(steps, places, texts, strict=True):
        yield f"  {place:>{width}}  {text:<{text_width}}  {_cut(effects(step), 80)}".rstrip(), style_of(step.thread or 0)


def _thread(step: Step) -> str:
    return f"thread {step.thread}  " if step.thread is not None else ""


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
