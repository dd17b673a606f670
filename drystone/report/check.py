"""The result of checking a certificate, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drystone.report.columns import Line
from drystone.verification.options import OPTION_WORDS
from drystone.verification.result import Assumption, CheckResult, condition_of, place_text

_STYLES = {"valid": "bold green", "rejected": "bold red", "undecided": "bold yellow"}


def check_lines(result: CheckResult) -> Iterator[Line]:
    condition = condition_of(result.assumptions, result.options)
    proved = f"the certificate proves the program {condition}".rstrip()
    yield f"{result.result}  {result.reason or proved}", _STYLES[result.result]
    yield f"  claim: {result.property}", ""
    yield f"  program: {', '.join([*result.files, *_option_words(result.options)])}", ""
    yield f"  certificate: {result.kind}" + (f", checked by {result.checked_by}" if result.checked_by else ""), ""
    yield from assumption_lines(result.assumptions)
    used = f"{result.wall_s:.1f} s, {result.cpu_s:.1f} s of processor time, {result.peak_mb:.0f} MB"
    yield f"  check: {used}", "dim"


def _option_words(options: dict[str, Any]) -> Iterator[str]:
    """What decides how the files are read, as the command line says it."""
    yield options["data_model"]
    yield options["std"]
    for name, value in options.items():
        if name == "checks":
            yield from [f"--check {','.join(value)}"] if value else []
        elif name in _AS_WORDS:
            yield from (f"{_AS_WORDS[name]} {each}" for each in ([value] if isinstance(value, str | int) else value or ()))
        elif name not in ("data_model", "std", "entry", "error_function", "data_race", "errors", "passed_over", "left_to_right"):
            yield f"{name.replace('_', ' ')}: {value}"


_AS_WORDS = {**OPTION_WORDS, "compile_commands": "--compile-commands", "unwind": "--unwind"}


def assumption_lines(assumptions: list[Assumption]) -> Iterator[Line]:
    places: dict[tuple[str, str], list[str]] = {}
    for each in assumptions:
        places.setdefault((each.kind, each.what), []).extend([place_text(each.file, each.line)] if each.file is not None else [])
    for (kind, what), where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        yield f"  assumes {kind}: {what}" + (f" ({where[0]}{more})" if where else ""), "dim"
