"""Which element of the text a location of a witness means, or that there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from drystone.frontend.clang import kinds
from drystone.witnesses.form import Location
from drystone.witnesses.syntax import BRANCHINGS, LOOPS, Element, Syntax


class Unsuitable(Exception):
    """Something that a witness says has no meaning at its place: the complete message for people."""


class NotValidated(Exception):
    """Something that may have a meaning, but none that can be put into the text."""


class Places:
    """Of one file. What is not found raises `Unsuitable`."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax

    def statement_at(self, location: Location) -> Element:
        """The outermost one that begins there; without a column, the first of the line."""
        return self.either(location, self._statement_at)

    def _statement_at(self, location: Location) -> Element:
        found = self._at(location, (each for each in self.syntax.elements if each.is_statement and not _is_body(each)))
        if found is None:
            raise Unsuitable(f"{shown(location)}: no statement begins there")
        if found.kind == kinds.DECL_STMT and found.parent is not None and found.parent.kind == kinds.FOR_STMT:
            raise NotValidated(f"{shown(location)}: a place in the header of a loop")
        return found

    def loop_at(self, location: Location) -> Element:
        return self.either(location, self._loop_at)

    def _loop_at(self, location: Location) -> Element:
        found = self._at(location, (each for each in self.syntax.elements if each.kind in LOOPS))
        if found is None or self.syntax.keyword_at(found) is None:
            raise Unsuitable(f"{shown(location)}: no loop begins there")
        return found

    def definition_at(self, location: Location) -> Element:
        """The body of the function whose definition begins there, or has its name there."""
        return self.either(location, self._definition_at)

    def _definition_at(self, location: Location) -> Element:
        for body in self.syntax.elements:
            whole = self.syntax.definitions.get(body.function)
            if whole is None or not _is_body(body) or location.function not in ("", body.function):
                continue
            first, last = self.syntax.position(whole.start), self.syntax.position(body.start)
            column = location.column if location.column is not None else last[1] if location.line == last[0] else first[1]
            if first <= (location.line, column) <= last:
                return body
        raise Unsuitable(f"{shown(location)}: no function is defined there")

    def branching_at(self, location: Location) -> Element:
        return self.either(location, self._branching_at)

    def _branching_at(self, location: Location) -> Element:
        for each in self.syntax.elements:
            keyword = self.syntax.keyword_at(each) if each.kind in BRANCHINGS else None
            if keyword is not None and self._matches(location, keyword, each.function):
                return each
        raise Unsuitable(f"{shown(location)}: there is no if, switch, loop or conditional expression")

    def call_at(self, location: Location) -> Element:
        """The call whose closing parenthesis is there."""
        return self.either(location, self._call_at)

    def _call_at(self, location: Location) -> Element:
        for each in self.syntax.elements:
            if each.kind == kinds.CALL_EXPR and self._matches(location, each.end - 1, each.function):
                if self.syntax.text[each.end - 1 : each.end] != b")":
                    raise NotValidated(f"{shown(location)}: the call is hidden by a macro")
                return each
        raise Unsuitable(f"{shown(location)}: no call ends there")

    def either(self, location: Location, find: Callable[[Location], Element]) -> Element:
        """Columns count bytes, or characters, as the tool has it: where that makes a difference, only one may be a place."""
        other = self._in_bytes(location)
        if other == location:
            return find(location)
        try:
            found = find(location)
        except Unsuitable:
            return find(other)
        with suppress(Unsuitable):
            if find(other) is not found:
                raise NotValidated(f"{shown(location)}: its column may count bytes or characters")
        return found

    def _in_bytes(self, location: Location) -> Location:
        """The same location if its column counts characters."""
        if location.column is None:
            return location
        start, end = self.syntax.line_range(location.line)
        before = self.syntax.text[start:end].decode(errors="surrogateescape")[: location.column - 1]
        more = len(before.encode(errors="surrogateescape")) - len(before)
        return msgspec.structs.replace(location, column=location.column + more)

    def _at(self, location: Location, elements: Iterable[Element]) -> Element | None:
        return next((each for each in elements if self._matches(location, each.start, each.function)), None)

    def _matches(self, location: Location, offset: int, function: str) -> bool:
        line, column = self.syntax.position(offset)
        if location.function and location.function != function:
            return False
        return line == location.line and location.column in (None, column)


def _is_body(element: Element) -> bool:
    return element.kind == kinds.COMPOUND_STMT and element.parent is None


def shown(location: Location) -> str:
    column = f":{location.column}" if location.column is not None else ""
    return f"{Path(location.file).name}:{location.line}{column}"
