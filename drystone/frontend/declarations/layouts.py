"""Types to which gcc gives another size or layout than clang: refused, wherever they are declared.

- An `_Atomic` type whose size is no power of two: clang makes it larger; with ILP32, one of 16 bytes: gcc aligns it more.
- With ILP32, vectors of 8 bytes as members: their alignment depends on the instructions that gcc may use.
- Bit-fields with an alignment of their own under `#pragma pack`, or of a type that has one.
- The alignment of a function, which is 1 for gcc and 4 for clang.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, CXType, library
from drystone.frontend.clang.cursors import evaluate, fields_of, printed_attributes
from drystone.frontend.clang.nodes import tree_of
from drystone.frontend.clang.unit import BUNDLED, TranslationUnit

_ATOMIC = regex(rb"_Atomic")
_VECTOR = regex(rb"vector_size|ext_vector_type|__m64")
_PACKED = regex(rb"pragma\s+pack|_Pragma")
_DECLARED = frozenset((kinds.VAR_DECL, kinds.PARM_DECL, kinds.FIELD_DECL, kinds.TYPEDEF_DECL, kinds.FUNCTION_DECL))
_RECORDS = frozenset((kinds.STRUCT_DECL, kinds.UNION_DECL))
_ATOMIC_TYPE, _VECTOR_TYPES = 177, (113, 176)  # CXTypeKind
_ARRAYS = (112, 114, 115, 116)
_POINTER = 101
_FUNCTIONS = (110, 111)
_CODE = 4  # clang's alignment of functions


def different_layouts(unit: TranslationUnit, pointer_width: int) -> Iterator[tuple[str, CXCursor]]:
    """What is different, and where. Without the words that such a type needs, there is none."""
    text = b"\n".join(text for file, text in unit.inclusions() if not file.startswith(BUNDLED))
    is_atomic = _ATOMIC.search(text) is not None
    is_vector = pointer_width == 32 and _VECTOR.search(text) is not None
    is_aligned = b"align" in text or b"lignof" in text
    is_packed = _PACKED.search(text) is not None and is_aligned
    if not is_atomic and not is_vector and not is_aligned:
        return
    lib = library()
    for cursor in unit.cursors(_DECLARED | _RECORDS | {kinds.SIZEOF_EXPR, kinds.CAST_EXPR, kinds.COMPOUND_LITERAL}):
        type_ = lib.clang_getCanonicalType(lib.clang_getCursorType(cursor))
        if cursor.kind == kinds.SIZEOF_EXPR:
            if is_atomic and _is_size_of_atomic(cursor, pointer_width):
                yield "size of an atomic type", cursor
            if is_aligned and _is_alignment_of_function(unit, cursor):
                yield "alignment of a function", cursor
            continue
        if is_atomic and _has_other_atomic(type_, pointer_width):
            yield "atomic type of such a size", cursor
        if is_vector and cursor.kind in _RECORDS and _depends_on_small_vectors(type_):
            yield "vector of 8 bytes as a member", cursor
        if cursor.kind != kinds.FIELD_DECL:
            continue
        if not is_aligned or not lib.clang_Cursor_isBitField(cursor):
            continue
        if is_packed and "align" in printed_attributes(cursor):
            yield "bit-field with an alignment of its own", cursor
        if lib.clang_Type_getAlignOf(lib.clang_getCursorType(cursor)) != lib.clang_Type_getAlignOf(type_):
            yield "bit-field of a type with an alignment of its own", cursor


def _is_size_of_atomic(cursor: CXCursor, pointer_width: int) -> bool:
    """Is the size or alignment of a type that is written here, and may be declared nowhere, one of an atomic record?"""
    value = evaluate(cursor)
    node = tree_of(cursor)
    if not isinstance(value, int) or any(child.kind != kinds.TYPE_REF for child in node.children):
        return False
    lib = library()
    sizes = [lib.clang_Type_getSizeOf(lib.clang_getCursorType(child.cursor)) for child in node.children]
    return any(value != size and _is_other_size(size, pointer_width) for size in sizes)


def _is_alignment_of_function(unit: TranslationUnit, cursor: CXCursor) -> bool:
    """Of a function, of a typedef's function type, or of a type that is written with parentheses which are not a pointer's? An
    alignment that an attribute asks for is the same for both."""
    if evaluate(cursor) != _CODE:
        return False
    lib, children = library(), tree_of(cursor).children
    if any(lib.clang_getCanonicalType(lib.clang_getCursorType(child.cursor)).kind in _FUNCTIONS for child in children):
        return True  # its size is 1
    words = unit.tokens.of(cursor)  # none, where a macro of clang makes it
    is_operand = any(kinds.EXPR_FIRST <= child.kind <= kinds.EXPR_LAST for child in children)
    return "lignof" in "".join(words[:1]) and not is_operand and words.count("(") > 1 and "*" not in words


def _is_other_size(size: int, pointer_width: int) -> bool:
    return size > 0 and (size & size - 1 != 0 or (pointer_width == 32 and size == 16))


def _has_other_atomic(type_: CXType, pointer_width: int) -> bool:
    lib = library()
    while type_.kind in (*_ARRAYS, _POINTER):
        inner = lib.clang_getPointeeType(type_) if type_.kind == _POINTER else lib.clang_getArrayElementType(type_)
        type_ = lib.clang_getCanonicalType(inner)
    if type_.kind != _ATOMIC_TYPE:
        return False
    size = lib.clang_Type_getSizeOf(lib.clang_Type_getValueType(type_))
    return bool(lib.clang_Type_getSizeOf(type_) != size or (pointer_width == 32 and size == 16))


def _depends_on_small_vectors(record: CXType) -> bool:
    """Would the record look otherwise if its vectors of 8 bytes were aligned to 4?"""
    lib = library()
    end = 0
    for field in fields_of(record):
        offset, type_ = lib.clang_Cursor_getOffsetOfField(field), lib.clang_getCanonicalType(lib.clang_getCursorType(field))
        if _is_small_vector(type_) and (lib.clang_Type_getAlignOf(record) <= 8 or offset != -(-end // 32) * 32):
            return True
        end = offset + max(lib.clang_Type_getSizeOf(type_), 0) * 8
    return False


def _is_small_vector(type_: CXType) -> bool:
    lib = library()
    while type_.kind in _ARRAYS:
        type_ = lib.clang_getCanonicalType(lib.clang_getArrayElementType(type_))
    return type_.kind in _VECTOR_TYPES and lib.clang_Type_getSizeOf(type_) == 8
