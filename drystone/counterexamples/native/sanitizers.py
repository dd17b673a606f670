"""Violated checks in compiled programs: gcc's sanitizers report them, with the line, and end the program."""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.ir.automaton import CONVENTIONS, ErrorKind, Mark

_OF_CHECK = {
    ErrorKind.DIVISION: "integer-divide-by-zero",
    ErrorKind.SHIFT: "shift",
    ErrorKind.OVERFLOW: "signed-integer-overflow,integer-divide-by-zero,shift",
    ErrorKind.CONVERSION: "float-cast-overflow",
}
_WRAPS = "-fwrapv"  # which would define what is to be reported
_REPORT = regex(r":(\d+):\d+: runtime error: (.*)")


def is_check(error: Mark) -> bool:
    return error.convention is not None and error.convention not in CONVENTIONS


def sanitized(error: Mark, flags: tuple[str, ...]) -> tuple[str, ...]:
    """The flags of the compiler for a program that shall report this error."""
    found = _OF_CHECK.get(error.convention) if error.convention is not None else None
    if found is None:
        return flags
    return (*(flag for flag in flags if flag != _WRAPS), f"-fsanitize={found}", "-fno-sanitize-recover=all")


def has_sanitizer(error: Mark) -> bool:
    """Does gcc look for it? Not for what C defines: unsigned numbers that wrap around, integers that are cut off."""
    is_of_floats = "cannot hold" in error.what
    return error.convention in _OF_CHECK and (error.convention is not ErrorKind.CONVERSION or is_of_floats)


def reported(errors: str, error: Mark) -> str:
    """What a sanitizer has said, if it is about the place of the error."""
    for found in _REPORT.finditer(errors):
        if error.origin.line <= int(found[1]) <= error.origin.end_line:
            return found[2]
    return ""
