"""The tokens of a translation unit. All of this is slow: for rare constructs only."""

from __future__ import annotations

import os
import re
from ctypes import POINTER, byref, c_uint, c_void_p

from drystone.frontend.clang.bindings import CXCursor, CXSourceRange, CXToken, library, text_of
from drystone.frontend.clang.source import SCOPED_WORD, Source

_COMMENT = 4  # CXTokenKind
_SPLICES = (b"\\", b"??/")


class Tokens:
    """Reads the tokens of one translation unit."""

    def __init__(self, handle: c_void_p, source: Source) -> None:
        self._lib = library()
        self._handle = handle
        self._source = source

    def of(self, cursor: CXCursor) -> list[str]:
        """The spellings of a cursor's tokens. Slow: for rare constructs only."""
        return [word for _, word in self._spelled(self._lib.clang_getCursorExtent(cursor))]

    def first(self, cursor: CXCursor) -> str:
        """Its spelling where it is written, be that in a macro of another file or of clang itself; empty if there is none."""
        start = self._lib.clang_getRangeStart(self._lib.clang_getCursorExtent(cursor))
        return next((word for _, word in self._spelled(self._lib.clang_getRange(start, start))), "")

    def in_file(self, file: str, size: int) -> list[str]:
        """The tokens of a file of so many bytes that are no comments, wherever the preprocessor leaves them. Slow."""
        lib = self._lib
        handle = lib.clang_getFile(self._handle, os.fsencode(file))
        assert handle, file
        start, end = (lib.clang_getLocationForOffset(self._handle, handle, offset) for offset in (0, size))
        return [word for kind, word in self._spelled(lib.clang_getRange(start, end)) if kind != _COMMENT]

    def _spelled(self, extent: CXSourceRange) -> list[tuple[int, str]]:
        lib = self._lib
        tokens, count = POINTER(CXToken)(), c_uint()
        lib.clang_tokenize(self._handle, extent, byref(tokens), byref(count))
        each = (tokens[index] for index in range(count.value))
        words = [(lib.clang_getTokenKind(token), text_of(lib.clang_getTokenSpelling(self._handle, token))) for token in each]
        lib.clang_disposeTokens(self._handle, tokens, count)
        return words

    def first_word(self, cursor: CXCursor) -> str:
        """The identifier that a cursor's text begins with, with its scope (`gnu::weak`), wherever it is written: in a macro's
        definition, too. Empty where it is written nowhere (pasted tokens)."""
        lib = self._lib
        start = lib.clang_getRangeStart(lib.clang_getCursorExtent(cursor))
        tokens, count = POINTER(CXToken)(), c_uint()
        lib.clang_tokenize(self._handle, lib.clang_getRange(start, start), byref(tokens), byref(count))
        word, file, offset = "", "", 0
        if count.value:
            word = text_of(lib.clang_getTokenSpelling(self._handle, tokens[0]))
            file, offset = self._source.written(lib.clang_getTokenLocation(self._handle, tokens[0]))
        lib.clang_disposeTokens(self._handle, tokens, count)
        match = SCOPED_WORD.match(self._source.text(file), offset) if file else None
        if match is None or match[1].decode() != word or self._source.text(file).startswith(_SPLICES, match.end()):
            return word  # pasted or continued on the next line: a scope without its name is a name that nobody knows
        return re.sub(rb"\s|\\\n", b"", match[0]).decode()
