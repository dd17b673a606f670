"""The C interface of libclang, as far as it is used: structures, signatures, the library itself."""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_longlong, c_uint, c_ulonglong, c_void_p
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


VISITOR = CFUNCTYPE(c_int, CXCursor, CXCursor, c_void_p)
FIELD_VISITOR = CFUNCTYPE(c_int, CXCursor, c_void_p)
INCLUSION_VISITOR = CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_void_p)
CONTINUE, RECURSE = 1, 2

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "clang_createIndex": (c_void_p, [c_int, c_int]),
    "clang_disposeIndex": (None, [c_void_p]),
    "clang_parseTranslationUnit2": (
        c_int,
        [c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(CXUnsavedFile), c_uint, c_uint, POINTER(c_void_p)],
    ),
    "clang_disposeTranslationUnit": (None, [c_void_p]),
    "clang_getTranslationUnitCursor": (CXCursor, [c_void_p]),
    "clang_visitChildren": (c_uint, [CXCursor, VISITOR, c_void_p]),
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
    "clang_getCursorTLSKind": (c_int, [CXCursor]),
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
    "clang_getInclusions": (None, [c_void_p, INCLUSION_VISITOR, c_void_p]),
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
    "clang_Type_visitFields": (c_uint, [CXType, FIELD_VISITOR, c_void_p]),
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
