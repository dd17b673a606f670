"""A translation unit: a file that clang has parsed, with what is asked of all of it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_void_p
from pathlib import Path

from drystone.frontend.clang.bindings import (
    CONTINUE,
    INCLUSION_VISITOR,
    RECURSE,
    VISITOR,
    CXCursor,
    CXUnsavedFile,
    library,
    text_of,
)
from drystone.frontend.clang.kinds import (
    ATTR_FIRST,
    ATTR_LAST,
    DECL_REF_EXPR,
    FUNCTION_DECL,
    MEMBER_REF_EXPR,
    STRUCT_DECL,
    UNION_DECL,
    VAR_DECL,
)
from drystone.frontend.clang.source import Source
from drystone.frontend.clang.tokens import Tokens

BUNDLED = str(Path(__file__).parent.parent / "include") + os.sep
"""The folder of the headers that drystone brings along."""
_DETAILED_PREPROCESSING = 1  # option of clang_parseTranslationUnit2


class Diagnostic:
    __slots__ = ("severity", "message", "file", "line", "column")

    def __init__(self, severity: int, message: str, file: str, line: int, column: int) -> None:
        self.severity = severity
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    @property
    def is_error(self) -> bool:
        return self.severity >= 3


@contextmanager
def _without_folders_of_the_environment() -> Iterator[None]:
    """clang would look for headers there first: what a program is must not depend on who asks."""
    hidden = {name: os.environ.pop(name) for name in ("CPATH", "C_INCLUDE_PATH") if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


class TranslationUnit:
    """One parsed file."""

    def __init__(self, path: str, arguments: list[str], texts: dict[str, bytes] | None = None, options: int = 0) -> None:
        """`texts` are read instead of the files of these names."""
        lib = library()
        self._lib = lib
        self.path = path
        self._index = lib.clang_createIndex(0, 0)
        encoded = [argument.encode() for argument in arguments]
        handle = c_void_p()
        given = [CXUnsavedFile(name.encode(), text, len(text)) for name, text in (texts or {}).items()]
        unsaved = (CXUnsavedFile * len(given))(*given)
        with _without_folders_of_the_environment():
            code = lib.clang_parseTranslationUnit2(
                self._index,
                path.encode(),
                (c_char_p * len(encoded))(*encoded),
                len(encoded),
                unsaved,
                len(given),
                options,
                byref(handle),
            )
        if code != 0 or not handle.value:
            raise ValueError(f"{path}: libclang could not parse this file (code {code})")
        self._handle = handle
        self.source = Source(texts or {})
        self.tokens = Tokens(handle, self.source)

    def close(self) -> None:
        self._lib.clang_disposeTranslationUnit(self._handle)
        self._lib.clang_disposeIndex(self._index)

    def diagnostics(self) -> list[Diagnostic]:
        lib = self._lib
        found = []
        for index in range(lib.clang_getNumDiagnostics(self._handle)):
            raw = lib.clang_getDiagnostic(self._handle, index)
            message = text_of(lib.clang_getDiagnosticSpelling(raw))
            file, line, column = self.source.position(lib.clang_getDiagnosticLocation(raw))
            found.append(Diagnostic(lib.clang_getDiagnosticSeverity(raw), message, file, line, column))
            lib.clang_disposeDiagnostic(raw)
        return found

    def declarations(self) -> Iterator[CXCursor]:
        """The top-level declarations in order."""
        found: list[CXCursor] = []
        append = found.append

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            append(cursor)
            return CONTINUE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), VISITOR(visit), None)
        return iter(found)

    def survey(self) -> tuple[list[CXCursor], list[tuple[CXCursor, CXCursor]]]:
        """All declarations of functions and variables, wherever they stand, and all attributes, each with its declaration.

        One pass over the whole unit, at less than a microsecond per node: attributes and declarations in blocks that the
        entry does not reach matter, too (a weak declaration there makes the symbol weak for the whole file).
        """
        declared: list[CXCursor] = []
        attributes: list[tuple[CXCursor, CXCursor]] = []

        def visit(cursor: CXCursor, parent: CXCursor, _data: object) -> int:
            kind = cursor.kind
            if kind == VAR_DECL or kind == FUNCTION_DECL:
                declared.append(cursor)
            elif ATTR_FIRST <= kind <= ATTR_LAST:
                attributes.append((cursor, parent))
            return RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), VISITOR(visit), None)
        return declared, attributes

    def member_references(self) -> list[CXCursor]:
        """All expressions `s.m` and `p->m`, also in types."""
        return self.cursors(frozenset((MEMBER_REF_EXPR,)))

    def cursors(self, kinds: frozenset[int]) -> list[CXCursor]:
        """All that is of these kinds, also in types. One pass over the whole unit."""
        found: list[CXCursor] = []

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            if cursor.kind in kinds:
                found.append(cursor)
            return RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), VISITOR(visit), None)
        return found

    def record_texts(self) -> list[tuple[str, int, int]]:
        """Files and offsets of all structures and unions with members, as written. One pass over the whole unit."""
        found = []

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            if cursor.kind in (STRUCT_DECL, UNION_DECL) and self._lib.clang_isCursorDefinition(cursor):
                extent = self._lib.clang_getCursorExtent(cursor)
                file, start = self.source.written(self._lib.clang_getRangeStart(extent))
                found.append((file, start, self.source.written(self._lib.clang_getRangeEnd(extent))[1]))
            return RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), VISITOR(visit), None)
        return found

    def referred(self) -> set[int]:
        """The keys of the declarations that expressions refer to. One pass over the whole unit."""
        found: set[int] = set()

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            if cursor.kind == DECL_REF_EXPR:
                found.add(self._lib.clang_getCursorReferenced(cursor).d0)
            return RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), VISITOR(visit), None)
        return found

    def own_files(self) -> list[str]:
        """The files that belong to the program: without the headers that drystone brings along."""
        return [file for file, _ in self.inclusions() if not file.startswith(BUNDLED)]

    def skipped(self) -> list[tuple[str, int, int]]:
        """Files and offsets of the parts that the preprocessor left out. Needs a unit parsed by `parsed_in_detail`."""
        found = []
        ranges = self._lib.clang_getAllSkippedRanges(self._handle)
        if ranges:
            for index in range(ranges.contents.count):
                extent = ranges.contents.ranges[index]
                file, start = self.source.written(self._lib.clang_getRangeStart(extent))
                found.append((file, start, self.source.written(self._lib.clang_getRangeEnd(extent))[1]))
            self._lib.clang_disposeSourceRangeList(ranges)
        return found

    def inclusions(self) -> list[tuple[str, bytes]]:
        """The files that were read with their contents, in the order in which they were first read; the main one is first."""
        found: dict[str, bytes] = {}

        def visit(file: int | None, stack: object, length: int, data: object) -> None:
            name = text_of(self._lib.clang_getFileName(file)) if file else ""
            if name and name not in found:
                size = ctypes.c_size_t()
                start = self._lib.clang_getFileContents(self._handle, file, byref(size))
                found[name] = ctypes.string_at(start, size.value) if start else b""

        self._lib.clang_getInclusions(self._handle, INCLUSION_VISITOR(visit), None)
        return sorted(found.items(), key=lambda item: item[0] != self.path)


def parsed_in_detail(path: str, arguments: list[str]) -> TranslationUnit:
    """A unit that knows which parts the preprocessor left out."""
    return TranslationUnit(path, arguments, options=_DETAILED_PREPROCESSING)
