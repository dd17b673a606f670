"""Which parts of a `for` are there: libclang lists those that are, and does not say which."""

from __future__ import annotations

import re

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import pretty_print
from drystone.frontend.clang.nodes import Node, preorder
from drystone.frontend.clang.source import Source
from drystone.frontend.declarations.symbols import FunctionSymbol

_SKIP = regex(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)
_FOR = regex(rb"for(?:\s|\\\n|//[^\n]*\n|/\*.*?\*/)*\(", re.DOTALL)
_FOR_OR_SKIP = regex(_SKIP.pattern + rb"|\b" + _FOR.pattern, re.DOTALL)


class ForHeaders:
    """The headers of the loops of one function."""

    def __init__(self, source: Source, symbol: FunctionSymbol) -> None:
        self._source = source
        self._symbol = symbol
        self._printed: list[tuple[bool, bool, bool] | None] | None = None

    def of(self, loop: Node) -> tuple[bool, bool, bool] | None:
        """Which of the three parts are there, as many as libclang lists before the body; None if that is not known."""
        count = len(loop.children) - 1
        file, offset = self._source.start_offset(loop.cursor)
        there = for_header(self._source.text(file), offset)
        if there is None or sum(there) != count:
            there = self._printed_header(loop)
        return there if there is not None and sum(there) == count else None

    def _printed_header(self, loop: Node) -> tuple[bool, bool, bool] | None:
        """The same from clang's own print of the function, where no macro is left. Slow, so only where the text does not tell."""
        tree = self._symbol.tree
        assert tree is not None
        if self._printed is None:
            self._printed = for_headers(pretty_print(tree.cursor).encode())
        loops = [each.key for each in preorder(tree) if each.kind == kinds.FOR_STMT]
        return self._printed[loops.index(loop.key)] if len(loops) == len(self._printed) else None


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
