"""The lines of a file of the program, for people: whatever its encoding is, each line has a text."""

from __future__ import annotations

from functools import cache


@cache
def source_lines(file: str) -> list[str]:
    """Of a file that is not there any more, like a text from the standard input, none.

    Lines end where the compiler ends them: not at form feeds, as in Python.
    """
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read().removesuffix("\n").split("\n")
    except OSError:
        return []


def source_line(file: str, line: int) -> str:
    lines = source_lines(file)
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
