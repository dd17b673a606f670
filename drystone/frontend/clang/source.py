"""Where in which file something is written, and the texts of files."""

from __future__ import annotations

import re
from bisect import bisect_right
from ctypes import byref, c_uint, c_void_p
from pathlib import Path

from drystone.base.regex import regex
from drystone.frontend.clang.bindings import CXCursor, CXSourceLocation, library, text_of

SCOPED_WORD = regex(rb"([A-Za-z_]\w*)(?:(?:\s|\\\n)*::(?:\s|\\\n)*[A-Za-z_]\w*)?")


class Source:
    """The files of one translation unit as they are written."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        """`texts` are read instead of the files of these names."""
        self._lib = library()
        self._file_names: dict[int, str] = {}
        self._texts = dict(texts)
        self._line_starts: dict[str, list[int]] = {}
        self._file, self._offset = c_void_p(), c_uint()

    def text(self, file: str) -> bytes:
        """The text of a file that was parsed."""
        text = self._texts.get(file)
        if text is None:
            try:
                text = Path(file).read_bytes()
            except OSError:
                text = b""
            self._texts[file] = text
        return text

    def position(self, location: CXSourceLocation) -> tuple[str, int, int]:
        """File, line and column; inside a macro: where it was expanded."""
        self._lib.clang_getExpansionLocation(location, byref(self._file), None, None, byref(self._offset))
        file, offset = self._file_and_offset()
        if not file:
            return "", 0, 0
        starts = self._line_starts.get(file)
        if starts is None:
            # clang would find the column by searching back: quadratic on very long lines
            starts = self._line_starts[file] = [0, *(match.end() for match in re.finditer(rb"\n", self.text(file)))]
        line = bisect_right(starts, offset)
        return file, line, offset - starts[line - 1] + 1

    def written(self, location: CXSourceLocation) -> tuple[str, int]:
        """File and byte offset; inside a macro: where the token is written."""
        self._lib.clang_getSpellingLocation(location, byref(self._file), None, None, byref(self._offset))
        return self._file_and_offset()

    def expanded(self, location: CXSourceLocation) -> tuple[str, int]:
        """File and byte offset; inside a macro: where it was expanded."""
        self._lib.clang_getExpansionLocation(location, byref(self._file), None, None, byref(self._offset))
        return self._file_and_offset()

    def _file_and_offset(self) -> tuple[str, int]:
        handle = self._file.value
        if not handle:
            return "", 0
        name = self._file_names.get(handle)
        if name is None:
            name = self._file_names[handle] = text_of(self._lib.clang_getFileName(handle))
        return name, self._offset.value

    def extent(self, cursor: CXCursor) -> tuple[str, int, int, int, int]:
        """File, first line and column, last line and column."""
        lib = self._lib
        extent = lib.clang_getCursorExtent(cursor)
        file, line, column = self.position(lib.clang_getRangeStart(extent))
        _, end_line, end_column = self.position(lib.clang_getRangeEnd(extent))
        return file, line, column, end_line, end_column

    def start_offset(self, cursor: CXCursor) -> tuple[str, int]:
        """File and byte offset where the cursor's text begins, as written."""
        return self.written(self._lib.clang_getRangeStart(self._lib.clang_getCursorExtent(cursor)))

    def name_offset(self, cursor: CXCursor) -> tuple[str, int]:
        """File and byte offset of a declared name, as written."""
        return self.written(self._lib.clang_getCursorLocation(cursor))

    def is_written_in(self, cursor: CXCursor, folder: str) -> bool:
        """Does the declared name stand in a file of this folder?"""
        return self.name_offset(cursor)[0].startswith(folder)

    def between(self, first: CXCursor, second: CXCursor) -> tuple[str, int, int]:
        """File and offsets of the text between two cursors, as written; an empty range where there is no such text."""
        lib = self._lib
        file, start = self.written(lib.clang_getRangeEnd(lib.clang_getCursorExtent(first)))
        other, end = self.start_offset(second)
        return (file, start, end) if file == other else ("", 0, 0)

    def offset(self, file: str, line: int, column: int) -> int:
        """The byte at a position in a file."""
        return sum(len(each) + 1 for each in self.text(file).split(b"\n")[: line - 1]) + column - 1

    def word_at(self, file: str, line: int, column: int) -> str:
        """The identifier at a position, with its scope (`gnu::weak`)."""
        lines = self.text(file).split(b"\n")
        match = SCOPED_WORD.match(lines[line - 1], column - 1) if 0 < line <= len(lines) else None
        return match[0].decode() if match else ""
