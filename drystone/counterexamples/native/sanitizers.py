"""Violated checks in compiled programs: gcc's sanitizers report them, with the line, and end the program."""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.ir.automaton import CONVENTIONS, ErrorKind, Mark, Origin

_OF_CHECK = {
    ErrorKind.DIVISION: "integer-divide-by-zero",
    ErrorKind.SHIFT: "shift",
    ErrorKind.OVERFLOW: "signed-integer-overflow,integer-divide-by-zero,shift",
    ErrorKind.CONVERSION: "float-cast-overflow",
    **dict.fromkeys(
        (ErrorKind.NULL, ErrorKind.USE_AFTER_FREE, ErrorKind.STACK_USE_AFTER_RETURN, ErrorKind.BOUNDS, ErrorKind.STRING),
        "address,bounds,null",
    ),
    **dict.fromkeys((ErrorKind.DOUBLE_FREE, ErrorKind.INVALID_FREE, ErrorKind.LEAK), "address"),
}
_OVERRUN = "buffer-overflow|buffer-underflow|out of bounds|insufficient space|negative-size-param|unknown-crash|SEGV"
_SAID = {
    ErrorKind.NULL: "null pointer|on unknown address 0x0000000",
    ErrorKind.USE_AFTER_FREE: "heap-use-after-free",
    ErrorKind.STACK_USE_AFTER_RETURN: "stack-use-after-return|stack-use-after-scope",
    **dict.fromkeys((ErrorKind.BOUNDS, ErrorKind.STRING), _OVERRUN),
    ErrorKind.DOUBLE_FREE: "attempting double-free|heap-use-after-free",
    ErrorKind.INVALID_FREE: "attempting free on address|attempting to call malloc_usable_size|SEGV",
    ErrorKind.LEAK: "detected memory leaks",
}
"""What AddressSanitizer, LeakSanitizer and the others call it."""
_WRAPS = "-fwrapv"  # which would define what is to be reported
_SUMMARY = regex(r"ERROR: (?:Address|Leak)Sanitizer: (.*)")
_FRAME = regex(r"#\d+ 0x\w+ in .*:(\d+)")
_REPORT = regex(r":(\d+):\d+: runtime error: (.*)")


def is_check(error: Mark) -> bool:
    return error.convention is not None and error.convention not in CONVENTIONS


def sanitized(error: Mark, flags: tuple[str, ...]) -> tuple[str, ...]:
    """The flags of the compiler for a program that shall report this error."""
    found = _OF_CHECK.get(error.convention) if error.convention is not None else None
    if found is None:
        return flags
    shows_lines = ("-g1",) if is_of_memory(error) else ()
    return (*(flag for flag in flags if flag != _WRAPS), f"-fsanitize={found}", "-fno-sanitize-recover=all", *shows_lines)


def has_sanitizer(error: Mark) -> bool:
    """Does gcc look for it? Not for what C defines (unsigned numbers that wrap around, integers that are
    cut off), nor for pointers that leave their object."""
    is_of_floats = "cannot hold" in error.what
    return error.convention in _OF_CHECK and (error.convention is not ErrorKind.CONVERSION or is_of_floats)


def is_of_memory(error: Mark) -> bool:
    """Does AddressSanitizer look for it? It needs all addresses that there are."""
    return error.convention in _SAID


def reported(errors: str, error: Mark, place: Origin) -> str:
    """What a sanitizer has said, if it is about the place of the error: about its line, of memory also in a function that is
    called there."""
    for found in _REPORT.finditer(errors):
        if place.line <= int(found[1]) <= place.end_line:
            return found[2]
    words = _SAID.get(error.convention) if error.convention is not None else None
    said = _SUMMARY.search(errors) if words is not None else None
    if said is None or words is None or regex(words).search(said[1]) is None:
        return ""
    lines = {int(line) for line in _FRAME.findall(errors[said.end() :].partition("\n\n")[0])}
    is_there = error.convention is ErrorKind.LEAK or any(place.line <= line <= place.end_line for line in lines)
    return said[1].partition(" (pc ")[0] if is_there else ""
