"""What is known by itself of each kind of errors that a program may have, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drystone.verification.parts import BEFORE, NOT_CHECKED
from drystone.verification.result import PartReport, Result, condition_of, part_of


def part_facts(result: Result) -> Iterator[tuple[str, str]]:
    """A heading, and what there is to say. Nothing, if the result is about all errors at once."""
    proved = [part for part in result.parts if part.verdict == "TRUE"]
    condition = condition_of(result.assumptions, result.options)
    for heading, parts in (
        ("proved", [part for part in proved if part.reason != BEFORE]),
        (f"proved {BEFORE}", [part for part in proved if part.reason == BEFORE]),
    ):
        if parts:
            yield f"{heading}{condition and f' {condition}'}", ", ".join(_counted(part) for part in parts)
    failed = [part for part in result.parts if part.verdict == "FALSE"]
    if failed:
        yield "violated", ", ".join(_counted_violations(part, result) for part in failed)
    still = [part for part in result.parts if part.verdict == "UNKNOWN"]
    for reason in dict.fromkeys(part.reason for part in still):
        yield "not decided", f"{_named([part for part in still if part.reason == reason])}: {reason}"
    for part in result.parts:
        if part.verdict == NOT_CHECKED:
            yield part.name, f"{NOT_CHECKED}: {part.reason}"


def certificate_text(result: Result) -> str:
    """Which certificates there are, where parts have their own."""
    kept = [part for part in result.parts if part.certificate is not None and part.verdict == "TRUE"]
    texts = {part.name: _certificate(part) for part in kept}
    return "; ".join(
        f"{', '.join(name for name, each in texts.items() if each == text)} {text}" for text in dict.fromkeys(texts.values())
    )


def _certificate(part: PartReport) -> str:
    found = part.certificate
    if found is None:
        return ""
    return f"{found.kind}, {f'checked by {found.checked_by}' if found.checked else 'not checked'}"


def _named(parts: Sequence[PartReport]) -> str:
    return ", ".join(part.name for part in parts)


def _counted(part: PartReport) -> str:
    return f"{part.name} ({part.errors})" if part.errors else part.name


def _counted_violations(part: PartReport, result: Result) -> str:
    verdicts = [error.verdict for error in result.errors if part_of(result, error) == part]
    still = f", {verdicts.count('UNKNOWN')} not decided" if result.rest is not None and "UNKNOWN" in verdicts else ""
    return f"{part.name} ({verdicts.count('FALSE')} of {part.errors}{still})"
