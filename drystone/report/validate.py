"""The result of validating a witness, for people."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.report.check import assumption_lines
from drystone.report.columns import Line
from drystone.verification.result import ValidationResult

_STYLES = {"valid": "bold green", "rejected": "bold red", "undecided": "bold yellow"}


def validation_lines(result: ValidationResult) -> Iterator[Line]:
    yield f"{result.result}  {result.reason}", _STYLES[result.result]
    by = f" of {result.producer}" if result.producer else ""
    yield f"  witness: {'a violation' if result.kind == 'violation' else 'a proof'}{by}", ""
    yield f"  claim: {result.property}", ""
    yield from assumption_lines(result.assumptions)
    used = f"{result.wall_s:.1f} s, {result.cpu_s:.1f} s of processor time, {result.peak_mb:.0f} MB"
    yield f"  validation{f', by {result.engine}' if result.engine else ''}: {used}", "dim"
