"""Where in the text of a file its statements stand: what the locations of a witness point to.

Offsets and columns count bytes, and what a macro expands to stands where the macro is used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node, tree_of
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.options import FrontendOptions
from drystone.frontend.parsing import clang_arguments

LOOPS = {kinds.WHILE_STMT: b"while", kinds.DO_STMT: b"do", kinds.FOR_STMT: b"for"}
BRANCHINGS = {kinds.IF_STMT: b"if", kinds.SWITCH_STMT: b"switch", kinds.CONDITIONAL: b"?", **LOOPS}
_LABELS = (kinds.LABEL_STMT, kinds.CASE_STMT, kinds.DEFAULT_STMT)
_TOKEN = regex(
    rb"(?P<space>\s+|\\\n|//[^\n]*|/\*.*?\*/)"
    rb'|(?P<literal>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|[uUL]?\'(?:\\.|[^\'\\\n])*\')'
    rb"|(?P<word>[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*)"
    rb"|(?P<sign>\+\+|--|->|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|.)",
    re.DOTALL,
)


class Element:
    """A statement, a conditional expression or a call."""

    __slots__ = ("kind", "start", "end", "parent", "function", "is_statement", "parts", "name", "is_negated")

    def __init__(self, kind: int, start: int, end: int, parent: Element | None, function: str, is_statement: bool) -> None:
        self.kind, self.start, self.end = kind, start, end
        self.parent, self.function, self.is_statement = parent, function, is_statement
        self.parts: list[tuple[int, int, int]] = []  # kind, start and end of what it consists of
        self.name = ""  # of the function that is called
        self.is_negated = False  # the condition of a branching: is it `!c`, or `!!!c`?

    def contains(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end

    @property
    def keyword(self) -> bytes:
        return BRANCHINGS.get(self.kind, b"")

    @property
    def body(self) -> tuple[int, int]:
        """Of a loop."""
        _, start, end = self.parts[0 if self.kind == kinds.DO_STMT else -1]
        return start, end

    @property
    def condition(self) -> tuple[int, int] | None:
        """Of a branching; None: a `for` without one, or one of which that is not known."""
        if self.kind == kinds.DO_STMT:
            return self.parts[-1][1:]
        return self.parts[0][1:] if self.kind != kinds.FOR_STMT and self.parts else None


class Syntax:
    """The functions that one file defines."""

    def __init__(self, path: str, options: FrontendOptions) -> None:
        """Raises ValueError for a file that clang cannot read."""
        self.path = path
        unit = TranslationUnit(path, clang_arguments(path, options))
        try:
            self.text = unit.source.text(path)
            self._line_starts = [0, *(match.end() for match in re.finditer(rb"\n", self.text))]
            self.elements: list[Element] = []
            for declaration in unit.survey()[0]:
                if declaration.kind == kinds.FUNCTION_DECL:
                    self._collect(tree_of(declaration), unit)
        finally:
            unit.close()
        self.elements.sort(key=lambda each: (each.start, -each.end))

    # positions

    def offset(self, line: int, column: int) -> int:
        return self._line_starts[line - 1] + column - 1 if 0 < line <= len(self._line_starts) else len(self.text)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_range(self, line: int) -> tuple[int, int]:
        """The offsets of a line."""
        return self.offset(line, 1), self.offset(line + 1, 1)

    # what stands where

    def _collect(self, function: Node, unit: TranslationUnit) -> None:
        if not function.children or function.children[-1].kind != kinds.COMPOUND_STMT:
            return
        name = spelling(function.cursor)
        waiting: list[tuple[Node, Element | None, bool]] = [(function.children[-1], None, True)]
        while waiting:
            node, parent, is_statement = waiting.pop()
            found = parent
            is_statement = is_statement or kinds.UNEXPOSED_STMT <= node.kind <= kinds.DECL_STMT
            if is_statement or node.kind in (kinds.CALL_EXPR, kinds.CONDITIONAL):
                place = self._extent(node, unit)
                if place is None:
                    continue  # in another file
                found = Element(node.kind, *place, parent, name, is_statement)
                if node.kind == kinds.CALL_EXPR:
                    found.name = spelling(node.cursor)
                for child in node.children:
                    inner = self._extent(child, unit)
                    if inner is not None:
                        found.parts.append((child.kind, *inner))
                if node.kind in BRANCHINGS and node.children:
                    found.is_negated = _is_negated(node.children[-1 if node.kind == kinds.DO_STMT else 0])
                self.elements.append(found)
            for index, child in enumerate(node.children):
                waiting.append((child, found, is_statement and _is_substatement(node, index)))

    def _extent(self, node: Node, unit: TranslationUnit) -> tuple[int, int] | None:
        file, line, column, end_line, end_column = unit.source.extent(node.cursor)
        return (self.offset(line, column), self.offset(end_line, end_column)) if file == self.path else None

    def around(self, start: int, end: int) -> Iterator[Element]:
        """What the range lies in, the innermost first."""
        return reversed([each for each in self.elements if each.contains(start, end)])

    def statement_around(self, start: int, end: int) -> Element | None:
        """The innermost statement."""
        return next((each for each in self.around(start, end) if each.is_statement), None)

    def calls(self, start: int, end: int, name: str) -> list[Element]:
        """The calls of a function in a range, in the order of the text."""
        return [
            each
            for each in self.elements
            if each.kind == kinds.CALL_EXPR and each.name == name and start <= each.start and each.end <= end
        ]

    def keyword_at(self, element: Element) -> int | None:
        """Where the keyword of a branching stands, or the question mark of a conditional expression; None: in a macro."""
        if element.kind == kinds.CONDITIONAL:
            found = self.next_sign(element.parts[0][2], b"?", element.end) if element.parts else None
            return found
        return element.start if re.match(element.keyword + rb"\b", self.text[element.start : element.end]) else None

    def next_sign(self, start: int, sign: bytes, end: int | None = None) -> int | None:
        """Where a sign stands next that is in no parentheses and in no comment."""
        depth = 0
        for kind, word, offset in tokens(self.text, start, end):
            if kind == "sign" and word == sign and depth == 0:
                return offset
            depth += (word in (b"(", b"[", b"{")) - (word in (b")", b"]", b"}")) if kind == "sign" else 0
            if depth < 0:
                return None
        return None


def _is_negated(condition: Node) -> bool:
    is_negated = False
    while condition.children and (
        condition.kind in (kinds.PAREN_EXPR, kinds.UNEXPOSED_EXPR)
        or (condition.kind, condition.operator) == (kinds.UNARY_OPERATOR, "!")
    ):
        is_negated ^= condition.kind == kinds.UNARY_OPERATOR
        condition = condition.children[0]
    return is_negated


def _is_substatement(node: Node, index: int) -> bool:
    """Is this part of a statement one itself, be it only an expression?"""
    last = len(node.children) - 1
    match node.kind:
        case kinds.COMPOUND_STMT | kinds.LABEL_STMT | kinds.DEFAULT_STMT:
            return True
        case kinds.IF_STMT:
            return index > 0
        case kinds.WHILE_STMT | kinds.FOR_STMT | kinds.SWITCH_STMT | kinds.CASE_STMT:
            return index == last
        case kinds.DO_STMT:
            return index == 0
        case _:
            return False


def tokens(text: bytes, start: int = 0, end: int | None = None) -> Iterator[tuple[str, bytes, int]]:
    """Kind (literal, word or sign), text and offset; neither white space nor comments."""
    position, end = start, len(text) if end is None else end
    while position < end:
        found = _TOKEN.match(text, position, end)
        assert found is not None and found.lastgroup is not None
        if found.lastgroup != "space":
            yield found.lastgroup, found[0], position
        position = found.end()
