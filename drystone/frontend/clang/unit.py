"""A thin layer over libclang: parse, read diagnostics, turn one function into a tree of nodes.

libclang's own Python cursors are slow (a wrapper object, several foreign calls and a generator per
node). Here a whole declaration is visited by one `clang_visitChildren` with one Python callback per
node; everything else (type, location, operator, referenced declaration) is asked for only where the
lowering needs it, directly through ctypes.
"""

from __future__ import annotations

import ctypes
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_longlong, c_uint, c_ulonglong, c_void_p
from functools import cache
from pathlib import Path
from typing import Any


class CXCursor(Structure):
    _fields_ = [("kind", c_int), ("xdata", c_int), ("d0", c_void_p), ("d1", c_void_p), ("d2", c_void_p)]


class CXType(Structure):
    _fields_ = [("kind", c_int), ("d0", c_void_p), ("d1", c_void_p)]


class CXSourceLocation(Structure):
    _fields_ = [("p0", c_void_p), ("p1", c_void_p), ("data", c_uint)]


class CXSourceRange(Structure):
    _fields_ = [("p0", c_void_p), ("p1", c_void_p), ("begin", c_uint), ("end", c_uint)]


class CXSourceRangeList(Structure):
    _fields_ = [("count", c_uint), ("ranges", POINTER(CXSourceRange))]


class CXString(Structure):
    _fields_ = [("data", c_void_p), ("flags", c_uint)]


class CXToken(Structure):
    _fields_ = [("data", c_uint * 4), ("pointer", c_void_p)]


class CXUnsavedFile(Structure):
    _fields_ = [("name", c_char_p), ("contents", c_char_p), ("length", ctypes.c_ulong)]


BUNDLED = str(Path(__file__).parent.parent / "include") + os.sep

_VISITOR = CFUNCTYPE(c_int, CXCursor, CXCursor, c_void_p)
_FIELD_VISITOR = CFUNCTYPE(c_int, CXCursor, c_void_p)
_INCLUSION_VISITOR = CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_void_p)
_CONTINUE, _RECURSE = 1, 2
_DETAILED_PREPROCESSING = 1  # option of clang_parseTranslationUnit2

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "clang_createIndex": (c_void_p, [c_int, c_int]),
    "clang_disposeIndex": (None, [c_void_p]),
    "clang_parseTranslationUnit2": (
        c_int,
        [c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(CXUnsavedFile), c_uint, c_uint, POINTER(c_void_p)],
    ),
    "clang_disposeTranslationUnit": (None, [c_void_p]),
    "clang_getTranslationUnitCursor": (CXCursor, [c_void_p]),
    "clang_visitChildren": (c_uint, [CXCursor, _VISITOR, c_void_p]),
    "clang_getNumDiagnostics": (c_uint, [c_void_p]),
    "clang_getDiagnostic": (c_void_p, [c_void_p, c_uint]),
    "clang_disposeDiagnostic": (None, [c_void_p]),
    "clang_getDiagnosticSeverity": (c_int, [c_void_p]),
    "clang_getDiagnosticSpelling": (CXString, [c_void_p]),
    "clang_getDiagnosticLocation": (CXSourceLocation, [c_void_p]),
    "clang_getCString": (c_char_p, [CXString]),
    "clang_disposeString": (None, [CXString]),
    "clang_getCursorSpelling": (CXString, [CXCursor]),
    "clang_getCursorType": (CXType, [CXCursor]),
    "clang_getCursorReferenced": (CXCursor, [CXCursor]),
    "clang_getCursorDefinition": (CXCursor, [CXCursor]),
    "clang_getCanonicalCursor": (CXCursor, [CXCursor]),
    "clang_getCursorLinkage": (c_int, [CXCursor]),
    "clang_Cursor_getNumArguments": (c_int, [CXCursor]),
    "clang_Cursor_getArgument": (CXCursor, [CXCursor, c_uint]),
    "clang_Cursor_getStorageClass": (c_int, [CXCursor]),
    "clang_isCursorDefinition": (c_uint, [CXCursor]),
    "clang_Cursor_getVarDeclInitializer": (CXCursor, [CXCursor]),
    "clang_getCursorBinaryOperatorKind": (c_int, [CXCursor]),
    "clang_getCursorUnaryOperatorKind": (c_int, [CXCursor]),
    "clang_getCursorSemanticParent": (CXCursor, [CXCursor]),
    "clang_getCursorLexicalParent": (CXCursor, [CXCursor]),
    "clang_getCursorExtent": (CXSourceRange, [CXCursor]),
    "clang_getCursorLocation": (CXSourceLocation, [CXCursor]),
    "clang_getRangeStart": (CXSourceLocation, [CXSourceRange]),
    "clang_getRangeEnd": (CXSourceLocation, [CXSourceRange]),
    "clang_getExpansionLocation": (None, [CXSourceLocation, c_void_p, c_void_p, c_void_p, c_void_p]),
    "clang_getSpellingLocation": (None, [CXSourceLocation, c_void_p, c_void_p, c_void_p, c_void_p]),
    "clang_getInclusions": (None, [c_void_p, _INCLUSION_VISITOR, c_void_p]),
    "clang_getFileContents": (c_void_p, [c_void_p, c_void_p, POINTER(ctypes.c_size_t)]),
    "clang_getFileName": (CXString, [c_void_p]),
    "clang_Location_isInSystemHeader": (c_int, [CXSourceLocation]),
    "clang_Cursor_Evaluate": (c_void_p, [CXCursor]),
    "clang_EvalResult_getKind": (c_int, [c_void_p]),
    "clang_EvalResult_getAsLongLong": (c_longlong, [c_void_p]),
    "clang_EvalResult_getAsUnsigned": (c_ulonglong, [c_void_p]),
    "clang_EvalResult_isUnsignedInt": (c_uint, [c_void_p]),
    "clang_EvalResult_getAsDouble": (c_double, [c_void_p]),
    "clang_EvalResult_dispose": (None, [c_void_p]),
    "clang_getCursorPrintingPolicy": (c_void_p, [CXCursor]),
    "clang_PrintingPolicy_dispose": (None, [c_void_p]),
    "clang_PrintingPolicy_setProperty": (None, [c_void_p, c_int, c_uint]),
    "clang_Cursor_hasAttrs": (c_uint, [CXCursor]),
    "clang_Cursor_getMangling": (CXString, [CXCursor]),
    "clang_getAllSkippedRanges": (POINTER(CXSourceRangeList), [c_void_p]),
    "clang_disposeSourceRangeList": (None, [POINTER(CXSourceRangeList)]),
    "clang_getAddressSpace": (c_uint, [CXType]),
    "clang_Cursor_isFunctionInlined": (c_uint, [CXCursor]),
    "clang_getCursorPrettyPrinted": (CXString, [CXCursor, c_void_p]),
    "clang_getEnumConstantDeclValue": (c_longlong, [CXCursor]),
    "clang_getFieldDeclBitWidth": (c_int, [CXCursor]),
    "clang_Cursor_isBitField": (c_uint, [CXCursor]),
    "clang_Cursor_getOffsetOfField": (c_longlong, [CXCursor]),
    "clang_getTypeSpelling": (CXString, [CXType]),
    "clang_isConstQualifiedType": (c_uint, [CXType]),
    "clang_isVolatileQualifiedType": (c_uint, [CXType]),
    "clang_getCanonicalType": (CXType, [CXType]),
    "clang_getPointeeType": (CXType, [CXType]),
    "clang_getArrayElementType": (CXType, [CXType]),
    "clang_getElementType": (CXType, [CXType]),
    "clang_getNumElements": (c_longlong, [CXType]),
    "clang_getResultType": (CXType, [CXType]),
    "clang_getNumArgTypes": (c_int, [CXType]),
    "clang_getArgType": (CXType, [CXType, c_uint]),
    "clang_isFunctionTypeVariadic": (c_uint, [CXType]),
    "clang_Type_getSizeOf": (c_longlong, [CXType]),
    "clang_Type_getAlignOf": (c_longlong, [CXType]),
    "clang_Type_getValueType": (CXType, [CXType]),
    "clang_Type_visitFields": (c_uint, [CXType, _FIELD_VISITOR, c_void_p]),
    "clang_getTypeDeclaration": (CXCursor, [CXType]),
    "clang_getEnumDeclIntegerType": (CXType, [CXCursor]),
    "clang_tokenize": (None, [c_void_p, CXSourceRange, POINTER(POINTER(CXToken)), POINTER(c_uint)]),
    "clang_getRange": (CXSourceRange, [CXSourceLocation, CXSourceLocation]),
    "clang_getTokenLocation": (CXSourceLocation, [c_void_p, CXToken]),
    "clang_getTokenKind": (c_int, [CXToken]),
    "clang_getFile": (c_void_p, [c_void_p, c_char_p]),
    "clang_getLocationForOffset": (CXSourceLocation, [c_void_p, c_void_p, c_uint]),
    "clang_getTokenSpelling": (CXString, [c_void_p, CXToken]),
    "clang_disposeTokens": (None, [c_void_p, POINTER(CXToken), c_uint]),
}


@cache
def library() -> Any:
    """libclang with the signatures used here (a `CDLL`; its functions have no static types)."""
    import clang

    folder = Path(next(iter(clang.__path__))) / "native"
    candidates = [path for name in ("libclang.so", "libclang.dylib", "libclang.dll") if (path := folder / name).exists()]
    if not candidates:
        raise OSError("libclang is not installed: run `pip install libclang`")
    os.environ["LIBCLANG_NOTHREADS"] = "1"  # parse on our own thread, whose stack we choose
    lib = ctypes.CDLL(str(candidates[0]))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def text_of(string: CXString) -> str:
    """The text of a CXString, which is released."""
    lib = library()
    raw = lib.clang_getCString(string)
    lib.clang_disposeString(string)
    return raw.decode("utf-8", "replace") if raw is not None else ""


# Cursor kinds that the front end distinguishes (libclang 18, Index.h).
STRUCT_DECL, UNION_DECL, ENUM_DECL, FIELD_DECL, ENUM_CONSTANT, FUNCTION_DECL, VAR_DECL, PARM_DECL = 2, 3, 5, 6, 7, 8, 9, 10
TYPEDEF_DECL = 20
TYPE_REF, MEMBER_REF, LABEL_REF = 43, 47, 48
EXPR_FIRST = 100
UNEXPOSED_EXPR, DECL_REF_EXPR, MEMBER_REF_EXPR, CALL_EXPR = 100, 101, 102, 103
INTEGER_LITERAL, FLOATING_LITERAL, IMAGINARY_LITERAL, STRING_LITERAL, CHARACTER_LITERAL = 106, 107, 108, 109, 110
PAREN_EXPR, UNARY_OPERATOR, ARRAY_SUBSCRIPT, BINARY_OPERATOR, COMPOUND_ASSIGN = 111, 112, 113, 114, 115
CONDITIONAL, CAST_EXPR, COMPOUND_LITERAL, INIT_LIST, ADDR_LABEL, STMT_EXPR, GENERIC = 116, 117, 118, 119, 120, 121, 122
SIZEOF_EXPR = 136
LABEL_STMT, COMPOUND_STMT, CASE_STMT, DEFAULT_STMT, IF_STMT, SWITCH_STMT = 201, 202, 203, 204, 205, 206
WHILE_STMT, DO_STMT, FOR_STMT, GOTO_STMT, INDIRECT_GOTO, CONTINUE_STMT, BREAK_STMT, RETURN_STMT = (
    207,
    208,
    209,
    210,
    211,
    212,
    213,
    214,
)
ASM_STMT, NULL_STMT, DECL_STMT = 215, 230, 231
UNEXPOSED_STMT = 200
STATIC_ASSERT = 602
ATTR_FIRST, ATTR_LAST = 400, 499
ASM_LABEL_ATTR, ALIGNED_ATTR = 407, 441
UNEXPOSED_DECL = 1
_SUPPRESS_INITIALISERS, _TERSE = 6, 17  # properties of a printing policy
EXPR_LAST = 199

UNARY_OPERATORS = [
    "",
    "post++",
    "post--",
    "++",
    "--",
    "&",
    "*",
    "+",
    "-",
    "~",
    "!",
    "__real",
    "__imag",
    "__extension__",
    "co_await",
]
BINARY_OPERATORS = [
    "",
    ".*",
    "->*",
    "*",
    "/",
    "%",
    "+",
    "-",
    "<<",
    ">>",
    "<=>",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&",
    "^",
    "|",
    "&&",
    "||",
    "=",
]
BINARY_OPERATORS += ["*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","]


PURE, PARTIAL, EFFECTS = 0, 1, 2


class Node:
    """One node of the syntax tree.

    `effects` says what evaluating it may do: PURE; PARTIAL, it is not safe to evaluate where the program
    would not (dereference); EFFECTS, it may change the state (call, assignment, ++).
    """

    __slots__ = ("kind", "cursor", "children", "operator", "effects", "key")

    def __init__(self, kind: int, cursor: CXCursor) -> None:
        self.kind = kind
        self.cursor = cursor
        self.children: list[Node] = []
        self.operator = ""
        self.effects = PURE
        self.key: int = cursor.d1 if kind >= EXPR_FIRST else cursor.d0


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


def preorder(tree: Node) -> Iterator[Node]:
    """The node itself, and all below it."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


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
        self._file_names: dict[int, str] = {}
        self._texts: dict[str, bytes] = dict(texts or {})
        self._line_starts: dict[str, list[int]] = {}
        self._file, self._offset = c_void_p(), c_uint()

    def close(self) -> None:
        self._lib.clang_disposeTranslationUnit(self._handle)
        self._lib.clang_disposeIndex(self._index)

    def diagnostics(self) -> list[Diagnostic]:
        lib = self._lib
        found = []
        for index in range(lib.clang_getNumDiagnostics(self._handle)):
            raw = lib.clang_getDiagnostic(self._handle, index)
            message = text_of(lib.clang_getDiagnosticSpelling(raw))
            file, line, column = self.position(lib.clang_getDiagnosticLocation(raw))
            found.append(Diagnostic(lib.clang_getDiagnosticSeverity(raw), message, file, line, column))
            lib.clang_disposeDiagnostic(raw)
        return found

    def declarations(self) -> Iterator[CXCursor]:
        """The top-level declarations in order."""
        found: list[CXCursor] = []
        append = found.append

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            append(cursor)
            return _CONTINUE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), _VISITOR(visit), None)
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
            return _RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), _VISITOR(visit), None)
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
            return _RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), _VISITOR(visit), None)
        return found

    def record_texts(self) -> list[tuple[str, int, int]]:
        """Files and offsets of all structures and unions with members, as written. One pass over the whole unit."""
        found = []

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            if cursor.kind in (STRUCT_DECL, UNION_DECL) and self._lib.clang_isCursorDefinition(cursor):
                extent = self._lib.clang_getCursorExtent(cursor)
                file, start = self.written(self._lib.clang_getRangeStart(extent))
                found.append((file, start, self.written(self._lib.clang_getRangeEnd(extent))[1]))
            return _RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), _VISITOR(visit), None)
        return found

    def referred(self) -> set[int]:
        """The keys of the declarations that expressions refer to. One pass over the whole unit."""
        found: set[int] = set()

        def visit(cursor: CXCursor, _parent: CXCursor, _data: object) -> int:
            if cursor.kind == DECL_REF_EXPR:
                found.add(self._lib.clang_getCursorReferenced(cursor).d0)
            return _RECURSE

        self._lib.clang_visitChildren(self._lib.clang_getTranslationUnitCursor(self._handle), _VISITOR(visit), None)
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
                file, start = self.written(self._lib.clang_getRangeStart(extent))
                found.append((file, start, self.written(self._lib.clang_getRangeEnd(extent))[1]))
            self._lib.clang_disposeSourceRangeList(ranges)
        return found

    def tree(self, cursor: CXCursor) -> Node:
        """The whole syntax tree below a declaration or expression, in one visitor pass."""
        root = self._node(cursor)
        stack = [root]
        make_node = self._node

        def visit(cursor: CXCursor, parent: CXCursor, _data: object) -> int:
            node = make_node(cursor)
            parent_key = parent.d1 if parent.kind >= EXPR_FIRST else parent.d0
            top = stack[-1]
            while top.key != parent_key:
                stack.pop()
                top = stack[-1]
            top.children.append(node)
            effects = node.effects
            if effects:
                for above in reversed(stack):
                    if above.effects >= effects:
                        break
                    above.effects = effects
            stack.append(node)
            return _RECURSE

        self._lib.clang_visitChildren(cursor, _VISITOR(visit), None)
        return root

    def _node(self, cursor: CXCursor) -> Node:
        kind = cursor.kind
        node = Node(kind, cursor)
        if kind == BINARY_OPERATOR or kind == COMPOUND_ASSIGN:
            node.operator = BINARY_OPERATORS[self._lib.clang_getCursorBinaryOperatorKind(cursor)]
            if kind == COMPOUND_ASSIGN or node.operator == "=":
                node.effects = EFFECTS
        elif kind == UNARY_OPERATOR:
            node.operator = UNARY_OPERATORS[self._lib.clang_getCursorUnaryOperatorKind(cursor)]
            node.effects = _UNARY_EFFECTS.get(node.operator, PURE)
        else:
            node.effects = _KIND_EFFECTS.get(kind, PURE)
        return node

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

    def offset(self, file: str, line: int, column: int) -> int:
        """The byte at a position in a file."""
        return sum(len(each) + 1 for each in self.text(file).split(b"\n")[: line - 1]) + column - 1

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

    def written(self, location: CXSourceLocation) -> tuple[str, int]:
        """File and byte offset; inside a macro: where the token is written."""
        self._lib.clang_getSpellingLocation(location, byref(self._file), None, None, byref(self._offset))
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

    def name_offset(self, cursor: CXCursor) -> tuple[str, int]:
        """File and byte offset of a declared name, as written."""
        return self.written(self._lib.clang_getCursorLocation(cursor))

    def is_written_in(self, cursor: CXCursor, folder: str) -> bool:
        """Does the declared name stand in a file of this folder?"""
        return self.name_offset(cursor)[0].startswith(folder)

    def inclusions(self) -> list[tuple[str, bytes]]:
        """The files that were read with their contents, in the order in which they were first read; the main one is first."""
        found: dict[str, bytes] = {}

        def visit(file: int | None, stack: object, length: int, data: object) -> None:
            name = text_of(self._lib.clang_getFileName(file)) if file else ""
            if name and name not in found:
                size = ctypes.c_size_t()
                start = self._lib.clang_getFileContents(self._handle, file, byref(size))
                found[name] = ctypes.string_at(start, size.value) if start else b""

        self._lib.clang_getInclusions(self._handle, _INCLUSION_VISITOR(visit), None)
        return sorted(found.items(), key=lambda item: item[0] != self.path)

    def between(self, first: CXCursor, second: CXCursor) -> tuple[str, int, int]:
        """File and offsets of the text between two cursors, as written; an empty range where there is no such text."""
        lib = self._lib
        file, start = self.written(lib.clang_getRangeEnd(lib.clang_getCursorExtent(first)))
        other, end = self.start_offset(second)
        return (file, start, end) if file == other else ("", 0, 0)

    def start_offset(self, cursor: CXCursor) -> tuple[str, int]:
        """File and byte offset where the cursor's text begins, as written."""
        return self.written(self._lib.clang_getRangeStart(self._lib.clang_getCursorExtent(cursor)))

    def tokens(self, cursor: CXCursor) -> list[str]:
        """The spellings of a cursor's tokens. Slow: for rare constructs only."""
        return [word for _, word in self._tokens(self._lib.clang_getCursorExtent(cursor))]

    def first_token(self, cursor: CXCursor) -> str:
        """Its spelling where it is written, be that in a macro of another file or of clang itself; empty if there is none."""
        start = self._lib.clang_getRangeStart(self._lib.clang_getCursorExtent(cursor))
        return next((word for _, word in self._tokens(self._lib.clang_getRange(start, start))), "")

    def words(self, file: str, size: int) -> list[str]:
        """The tokens of a file of so many bytes that are no comments, wherever the preprocessor leaves them. Slow."""
        lib = self._lib
        handle = lib.clang_getFile(self._handle, os.fsencode(file))
        assert handle, file
        start, end = (lib.clang_getLocationForOffset(self._handle, handle, offset) for offset in (0, size))
        return [word for kind, word in self._tokens(lib.clang_getRange(start, end)) if kind != _COMMENT]

    def _tokens(self, extent: CXSourceRange) -> list[tuple[int, str]]:
        lib = self._lib
        tokens, count = POINTER(CXToken)(), c_uint()
        lib.clang_tokenize(self._handle, extent, byref(tokens), byref(count))
        each = (tokens[index] for index in range(count.value))
        words = [(lib.clang_getTokenKind(token), text_of(lib.clang_getTokenSpelling(self._handle, token))) for token in each]
        lib.clang_disposeTokens(self._handle, tokens, count)
        return words

    def evaluate(self, cursor: CXCursor) -> int | float | None:
        """The value of a constant expression, if clang knows it; libclang cuts what is wider than 64 bits."""
        lib = self._lib
        if lib.clang_getCanonicalType(lib.clang_getCursorType(cursor)).kind in _WIDER_THAN_64:
            return None
        result = lib.clang_Cursor_Evaluate(cursor)
        if not result:
            return None
        kind = lib.clang_EvalResult_getKind(result)
        value: int | float | None = None
        if kind == 1:
            unsigned = lib.clang_EvalResult_isUnsignedInt(result)
            value = lib.clang_EvalResult_getAsUnsigned(result) if unsigned else lib.clang_EvalResult_getAsLongLong(result)
        elif kind == 2:
            value = lib.clang_EvalResult_getAsDouble(result)
        lib.clang_EvalResult_dispose(result)
        return value

    def fields(self, type_: CXType) -> list[CXCursor]:
        found: list[CXCursor] = []

        def visit(cursor: CXCursor, _data: object) -> int:
            found.append(cursor)
            return _CONTINUE

        self._lib.clang_Type_visitFields(type_, _FIELD_VISITOR(visit), None)
        return found

    def parameters(self, function: CXCursor) -> list[int]:
        """The keys of a function's own parameters (not those of function types in its declarator)."""
        count = self._lib.clang_Cursor_getNumArguments(function)
        return [self._lib.clang_Cursor_getArgument(function, index).d0 for index in range(max(count, 0))]

    def attributes(self, cursor: CXCursor) -> str:
        """A declaration without body and initialiser as clang prints it, if it has attributes: attributes look all alike there,
        whichever macros and spellings made them."""
        return self.pretty(cursor, _SUPPRESS_INITIALISERS, _TERSE) if self._lib.clang_Cursor_hasAttrs(cursor) else ""

    def pretty(self, cursor: CXCursor, *properties: int) -> str:
        """A declaration as clang prints it, macros expanded. Slow: for rare constructs only."""
        policy = self._lib.clang_getCursorPrintingPolicy(cursor)
        for each in properties:
            self._lib.clang_PrintingPolicy_setProperty(policy, each, 1)
        text = text_of(self._lib.clang_getCursorPrettyPrinted(cursor, policy))
        self._lib.clang_PrintingPolicy_dispose(policy)
        return text

    def assembler_name(self, cursor: CXCursor) -> str:
        """The name that the linker sees: the declared one, or what an asm label or `#pragma redefine_extname` makes of it."""
        if not self._lib.clang_Cursor_hasAttrs(cursor):
            return self.spelling(cursor)
        return text_of(self._lib.clang_Cursor_getMangling(cursor))

    def word_at(self, file: str, line: int, column: int) -> str:
        """The identifier at a position, with its scope (`gnu::weak`)."""
        lines = self.text(file).split(b"\n")
        match = _SCOPED_WORD.match(lines[line - 1], column - 1) if 0 < line <= len(lines) else None
        return match[0].decode() if match else ""

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
            file, offset = self.written(lib.clang_getTokenLocation(self._handle, tokens[0]))
        lib.clang_disposeTokens(self._handle, tokens, count)
        match = _SCOPED_WORD.match(self.text(file), offset) if file else None
        if match is None or match[1].decode() != word or self.text(file).startswith(_SPLICES, match.end()):
            return word  # pasted or continued on the next line: a scope without its name is a name that nobody knows
        return re.sub(rb"\s|\\\n", b"", match[0]).decode()

    def spelling(self, cursor: CXCursor) -> str:
        return text_of(self._lib.clang_getCursorSpelling(cursor))


_COMMENT = 4  # CXTokenKind
_WIDER_THAN_64 = (12, 20)  # CXTypeKind of unsigned __int128 and __int128
_SPLICES = (b"\\", b"??/")
_SCOPED_WORD = re.compile(rb"([A-Za-z_]\w*)(?:(?:\s|\\\n)*::(?:\s|\\\n)*[A-Za-z_]\w*)?")


def parsed_in_detail(path: str, arguments: list[str]) -> TranslationUnit:
    """A unit that knows which parts the preprocessor left out."""
    return TranslationUnit(path, arguments, options=_DETAILED_PREPROCESSING)


_KIND_EFFECTS = {
    CALL_EXPR: EFFECTS,
    STMT_EXPR: EFFECTS,
    COMPOUND_LITERAL: EFFECTS,
    ARRAY_SUBSCRIPT: PARTIAL,
    MEMBER_REF_EXPR: PARTIAL,
}
_UNARY_EFFECTS = {"++": EFFECTS, "--": EFFECTS, "post++": EFFECTS, "post--": EFFECTS, "*": PARTIAL}
