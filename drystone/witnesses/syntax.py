"""Where in the text of a file its statements stand: what the locations of a witness point to.

Offsets and columns count bytes, and what a macro expands to stands where the macro is used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import msgspec

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import result_type, spelling
from drystone.frontend.clang.nodes import EFFECTS, Node, tree_of
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.options import FrontendOptions
from drystone.frontend.parsing import clang_arguments

LOOPS = {kinds.WHILE_STMT: b"while", kinds.DO_STMT: b"do", kinds.FOR_STMT: b"for"}
BRANCHINGS = {kinds.IF_STMT: b"if", kinds.SWITCH_STMT: b"switch", kinds.CONDITIONAL: b"?", **LOOPS}
LABELS = (kinds.LABEL_STMT, kinds.CASE_STMT, kinds.DEFAULT_STMT)
_TOKEN = regex(
    rb"(?P<space>\s+|\\\n|//[^\n]*|/\*.*?\*/)"
    rb'|(?P<literal>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|[uUL]?\'(?:\\.|[^\'\\\n])*\')'
    rb"|(?P<word>[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*)"
    rb"|(?P<sign>\+\+|--|->|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|.)",
    re.DOTALL,
)


class Element:
    """A statement, a conditional expression or a call."""

    __slots__ = ("kind", "start", "end", "parent", "function", "is_statement", "parts", "name", "is_negated", "has_effects")

    def __init__(self, kind: int, start: int, end: int, parent: Element | None, function: str, is_statement: bool) -> None:
        self.kind, self.start, self.end = kind, start, end
        self.parent, self.function, self.is_statement = parent, function, is_statement
        self.parts: list[tuple[int, int, int]] = []  # kind, start and end of what it consists of
        self.name = ""  # of the function that is called
        self.has_effects = False  # the condition of a branching, when it is evaluated
        self.is_negated = False  # the condition of a branching: is it `!c`, or `!!!c`?

    def contains(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end

    @property
    def statement(self) -> Element | None:
        """The innermost one that it is, or is a part of."""
        found: Element | None = self
        while found is not None and not found.is_statement:
            found = found.parent
        return found

    @property
    def keyword(self) -> bytes:
        return BRANCHINGS.get(self.kind, b"")

    @property
    def body(self) -> tuple[int, int]:
        """Of a loop."""
        _, start, end = self.parts[0 if self.kind == kinds.DO_STMT else -1]
        return start, end


class Declared(msgspec.Struct, frozen=True):
    """A variable of a function."""

    name: str
    function: str
    start: int  # where it is declared
    block: tuple[int, int]  # where it is known, from there on


class Definition(msgspec.Struct, frozen=True):
    """Of a function."""

    start: int
    end: int
    result: str  # its type, as clang spells it


class Syntax:
    """The functions that one file defines."""

    def __init__(self, path: str, options: FrontendOptions) -> None:
        """Raises ValueError for a file that clang cannot read."""
        self.path = path
        unit = TranslationUnit(path, clang_arguments(path, options))
        try:
            self.errors = [(each.line, each.message) for each in unit.diagnostics() if each.is_error]
            self.text = unit.source.text(path)
            self._line_starts = [0, *(match.end() for match in re.finditer(rb"\n", self.text))]
            self.elements: list[Element] = []
            self.declared: list[Declared] = []
            self.definitions: dict[str, Definition] = {}
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
        whole = self._extent(function, unit)
        if whole is not None:
            self.definitions[name] = Definition(*whole, result_type(function.cursor))
        for parameter in function.children:
            place = self._extent(parameter, unit)
            if parameter.kind == kinds.PARM_DECL and place is not None and whole is not None:
                self.declared.append(Declared(spelling(parameter.cursor), name, place[0], whole))
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
                    condition = node.children[-1 if node.kind == kinds.DO_STMT else 0]
                    found.is_negated, found.has_effects = _is_negated(condition), condition.effects == EFFECTS
                self.elements.append(found)
            elif node.kind == kinds.VAR_DECL and parent is not None:
                self._declare(node, parent, name, unit)
            for index, child in enumerate(node.children):
                waiting.append((child, found, is_statement and _is_substatement(node, index)))

    def _declare(self, variable: Node, statement: Element, function: str, unit: TranslationUnit) -> None:
        place = self._extent(variable, unit)
        block: Element | None = statement
        while block is not None and block.kind not in (kinds.COMPOUND_STMT, kinds.FOR_STMT):
            block = block.parent
        if place is not None and block is not None:
            self.declared.append(Declared(spelling(variable.cursor), function, place[0], (block.start, block.end)))

    def _extent(self, node: Node, unit: TranslationUnit) -> tuple[int, int] | None:
        file, line, column, end_line, end_column = unit.source.extent(node.cursor)
        return (self.offset(line, column), self.offset(end_line, end_column)) if file == self.path else None

    def around(self, start: int, end: int) -> Iterator[Element]:
        """What the range lies in, the innermost first."""
        return reversed([each for each in self.elements if each.contains(start, end)])

    def statement_around(self, start: int, end: int) -> Element | None:
        """The innermost statement."""
        return next((each for each in self.around(start, end) if each.is_statement), None)

    def parameters(self, function: str) -> list[str]:
        """Of a function that the file defines, in their order; one without a name is an empty text."""
        whole = self.definitions[function].start, self.definitions[function].end
        return [each.name for each in self.declared if each.function == function and each.block == whole]

    def known_as(self, name: str, offset: int, function: str) -> int:
        """Which of the variables of that name in the function is meant there, from 1 on in the order of the text; 0: none of
        them, so a global one."""
        same = sorted(
            (each for each in self.declared if (each.name, each.function) == (name, function)), key=lambda each: each.start
        )
        there = [each for each in same if each.start < offset and each.block[0] <= offset < each.block[1]]
        return 1 + same.index(max(there, key=lambda each: each.block[0])) if there else 0

    def first_evaluated(
        self, element: Element, is_evaluated: Callable[[int, int], bool], is_head: bool = False
    ) -> tuple[int, int] | None:
        """The part of a statement that control gets to first; `is_head`: of a loop, where it comes back to. None: not known.

        `is_evaluated`: does anything happen in this part? A constant condition is none.
        """
        match element.kind:
            case kinds.COMPOUND_STMT | kinds.DO_STMT:
                part = element.parts[0] if element.parts else None
            case kinds.LABEL_STMT | kinds.CASE_STMT | kinds.DEFAULT_STMT:
                part = element.parts[-1] if element.parts else None
            case kinds.IF_STMT | kinds.SWITCH_STMT | kinds.WHILE_STMT | kinds.FOR_STMT:
                heads = self.for_header(element) if element.kind == kinds.FOR_STMT else (element.parts[0][1:],)
                for start, end in heads[1:2] if is_head and len(heads) == 3 else heads[:2]:
                    if self.text[start:end].strip() and is_evaluated(start, end):
                        return start, end
                part = element.parts[-1] if element.kind in LOOPS and element.parts else None
            case _:
                return element.start, element.end
        inner = next((each for each in self.elements if part == (each.kind, each.start, each.end) and each.is_statement), None)
        return self.first_evaluated(inner, is_evaluated) if inner is not None else None

    def for_header(self, loop: Element) -> tuple[tuple[int, int], ...]:
        """The three parts between the parentheses; none where a macro hides them."""
        opening = next((at for _, word, at in tokens(self.text, loop.start, loop.end) if word == b"("), None)
        if opening is None or self.keyword_at(loop) is None:
            return ()
        first = self.next_sign(opening + 1, b";", loop.end)
        second = self.next_sign(first + 1, b";", loop.end) if first is not None else None
        last = self.next_sign(second + 1, b")", loop.end) if second is not None else None
        if first is None or second is None or last is None:
            return ()
        return (opening + 1, first), (first + 1, second), (second + 1, last)

    def condition_of(self, branching: Element) -> tuple[int, int] | None:
        """Where its condition stands; None: a `for` without one, or one that a macro hides."""
        if branching.kind == kinds.FOR_STMT:
            header = self.for_header(branching)
            words = list(tokens(self.text, *header[1])) if header else []
            return (words[0][2], words[-1][2] + len(words[-1][1])) if words else None
        part = branching.parts[-1 if branching.kind == kinds.DO_STMT else 0] if branching.parts else None
        return part[1:] if part is not None else None

    def calls(self, start: int, end: int, name: str = "") -> list[Element]:
        """The calls in a range, in the order of the text; `name`: only those of this function."""
        return [
            each
            for each in self.elements
            if each.kind == kinds.CALL_EXPR and name in ("", each.name) and start <= each.start and each.end <= end
        ]

    def keyword_at(self, element: Element) -> int | None:
        """Where the keyword of a branching stands, or the question mark of a conditional expression; None: in a macro."""
        if element.kind == kinds.CONDITIONAL:
            found = self.next_sign(element.parts[0][2], b"?", element.end) if element.parts else None
            return found
        if not element.keyword:
            return element.start
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
