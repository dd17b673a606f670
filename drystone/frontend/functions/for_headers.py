"""Which parts of a `for` are there: libclang lists those that are, and does not say which."""

from __future__ import annotations

import re

_SKIP = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)
_FOR = re.compile(rb"for(?:\s|\\\n|//[^\n]*\n|/\*.*?\*/)*\(", re.DOTALL)
_FOR_OR_SKIP = re.compile(_SKIP.pattern + rb"|\b" + _FOR.pattern, re.DOTALL)


def for_headers(text: bytes) -> list[tuple[bool, bool, bool] | None]:
    """As `for_header`, for all loops of a text in order."""
    return [for_header(text, match.start()) for match in _FOR_OR_SKIP.finditer(text) if match[0].startswith(b"for")]


def for_header(text: bytes, offset: int) -> tuple[bool, bool, bool] | None:
    """Which of the three parts of the `for` at `offset` are not empty; None if the text does not show them."""
    opening = _FOR.match(text, offset)
    if opening is None:
        return None
    position = opening.end()
    depth = 0
    parts: list[bool] = []
    filled = False
    while position < len(text):
        skipped = _SKIP.match(text, position)
        if skipped:
            filled = filled or text[position : position + 1] in b"\"'"
            position = skipped.end()
            continue
        character = text[position : position + 1]
        position += 1
        if character in b"([{":
            depth += 1
            filled = True
        elif character in b")]}":
            if depth == 0:
                parts.append(filled)
                break
            depth -= 1
        elif character == b";" and depth == 0:
            parts.append(filled)
            filled = False
        elif not character.isspace() and character != b"\\":
            filled = True
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else None
