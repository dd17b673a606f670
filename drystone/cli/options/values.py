"""What stands behind an option: numbers, times, sizes, names. What is none is refused with a message for the user."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection

from drystone.base.durations import seconds_of
from drystone.base.registry import UnknownName, names_in


def sources(text: str) -> tuple[str, ...] | None:
    from drystone.invariants.registry import SOURCES

    return None if text == "all" else _names(text, SOURCES, "source")


def checks(text: str) -> tuple[str, ...]:
    from drystone.checks.registry import CHECKS, GROUPS
    from drystone.verification.options import DATA_RACE_CHECK

    return _names(text, [*CHECKS, *GROUPS, DATA_RACE_CHECK], "check")


def switches(text: str) -> tuple[str, ...]:
    from drystone.engines.dcpa.registry import SWITCHES

    return _names(text, SWITCHES, "switch")


def _names(text: str, known: Collection[str], what: str) -> tuple[str, ...]:
    try:
        return names_in(text, known, what)
    except UnknownName as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def positive(text: str, largest: int | None = None) -> int:
    value = _integer(text, largest)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text}")
    return value


def iterations(text: str) -> int:
    """As many as `--unwind` can count."""
    from drystone.frontend.options import MOST_ITERATIONS

    return positive(text, MOST_ITERATIONS)


def _integer(text: str, largest: int | None = None) -> int:
    from drystone.verification.options import LARGEST

    value, most = int(text), LARGEST if largest is None else largest
    if value > most:
        raise argparse.ArgumentTypeError(f"must be at most {most}")
    return value


def port(text: str) -> int:
    """0: any that is free."""
    value = int(text)
    if not 0 <= value <= 65_535:
        raise argparse.ArgumentTypeError(f"must be at most 65535, not {text}")
    return value


def duration(text: str) -> float:
    """Seconds; a number without a unit is seconds, too."""
    try:
        return seconds_of(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def latency(text: str) -> float | str:
    if text == "measured":
        return text
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of seconds, or `measured`, not {text}")
    return seconds


def size(text: str) -> int:
    """Bytes; units are powers of 1024."""
    from drystone.verification.options import LARGEST

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMGT]?)(i?B)?", text)
    size = float(found[1]) * 1024 ** " kMGT".index(found[2] or " ") if found else 0.0
    if not 1 <= size <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 500MB or 4GB")
    return int(size)


def folder(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("needs the name of a folder")
    return text


def macro(text: str) -> str:
    if re.match(r"[^\W\d]\w*(\([^)]*\))?(=|$)", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME or NAME=VALUE")
    return text


def defined_name(definition: str) -> str:
    """Of `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`."""
    return re.split(r"[=(]", definition, maxsplit=1)[0]


def macro_name(text: str) -> str:
    if re.fullmatch(r"[^\W\d]\w*", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a macro")
    return text


def standard(text: str) -> str:
    if re.fullmatch(r"(c|gnu)(89|90|99|9x|11|1x|17|18|23|2x)|iso9899:\d+", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a version of C that is known, like c99 or gnu17")
    return text


def natural(text: str) -> int:
    value = _integer(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be negative, not {text}")
    return value
