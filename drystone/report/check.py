"""The result of checking a certificate, as one object and for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from drystone.report.console import Line
from drystone.report.result import SCHEMA_VERSION, Assumption, place_text


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
    other_texts: list[str] = []  # what was read that is not what the certificate was made for
    property: str
    data_model: str
    std: str
    defines: list[str]
    options: dict[str, Any]  # all that decides what the program is: from the command line, and the certificate claims the same
    assumptions: list[Assumption] = []
    timeout_s: float
    memory_mb: int
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


_STYLES = {"valid": "bold green", "rejected": "bold red", "undecided": "bold yellow"}


def check_lines(report: CheckReport) -> Iterator[Line]:
    yield f"{report.result}  {report.reason or 'the certificate proves the program'}", _STYLES[report.result]
    yield f"  claim: {report.property}", ""
    yield f"  of: {', '.join([*report.files, *_option_words(report.options)])}", ""
    yield f"  certificate: {report.kind}" + (f", checked by {report.checked_by}" if report.checked_by else ""), ""
    yield from _assumption_lines(report.assumptions)
    used = f"{report.wall_s:.1f} s, {report.cpu_s:.1f} s of processor time, {report.peak_mb:.0f} MB"
    yield f"  check: {used}", "dim"


def _option_words(options: dict[str, Any]) -> Iterator[str]:
    """What decides how the files are read, as the command line says it."""
    yield options["data_model"]
    yield options["std"]
    for name, value in options.items():
        if name in _AS_WORDS:
            yield from (f"{_AS_WORDS[name]} {each}" for each in ([value] if isinstance(value, str) else value or ()))
        elif name not in ("data_model", "std", "entry", "error_function"):
            yield f"{name.replace('_', ' ')}: {value}"


_AS_WORDS = {"include_directories": "-I", "defines": "-D", "compile_commands": "--compile-commands"}


def _assumption_lines(assumptions: list[Assumption]) -> Iterator[Line]:
    places: dict[tuple[str, str], list[str]] = {}
    for each in assumptions:
        places.setdefault((each.kind, each.what), []).extend([place_text(each.file, each.line)] if each.file is not None else [])
    for (kind, what), where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        yield f"  assumes {kind}: {what}" + (f" ({where[0]}{more})" if where else ""), "dim"
