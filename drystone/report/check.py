"""The result of checking a certificate, as one object and for people."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.report.console import Line
from drystone.report.result import SCHEMA_VERSION


class CheckReport(msgspec.Struct, kw_only=True):
    """Everything about one check; the fields that `Report` has, too, mean the same."""

    schema_version: int = SCHEMA_VERSION
    drystone: str
    certificate: str  # the file
    kind: str
    result: str = "undecided"  # valid; rejected: it proves nothing; undecided: time, memory or the solvers were not enough
    reason: str = ""  # what is not shown, with file:line
    checked_by: str = ""
    files: list[str]
    other_texts: list[str]  # those of the files that the certificate was not made for
    property: str
    data_model: str
    std: str
    defines: list[str]
    timeout_s: float
    memory_mb: int
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


_STYLES = {"valid": "bold green", "rejected": "bold red", "undecided": "bold yellow"}


def check_lines(report: CheckReport) -> Iterator[Line]:
    yield f"{report.result}  {report.reason or 'the certificate proves the program'}", _STYLES[report.result]
    macros = "".join(f", -D {macro}" for macro in report.defines)
    yield f"  claim: {report.property}, {report.data_model}, {report.std}{macros}", ""
    yield f"  certificate: {report.kind}" + (f", checked by {report.checked_by}" if report.checked_by else ""), ""
    for file in report.other_texts:
        yield f"  {file} is not the text that the certificate was made for", "yellow"
    used = f"{report.wall_s:.1f} s, {report.cpu_s:.1f} s of processor time, {report.peak_mb:.0f} MB"
    yield f"  check: {used}", "dim"
