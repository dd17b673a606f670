"""What libclang says about one declaration, expression or type, whichever unit it is in."""

from __future__ import annotations

from drystone.frontend.clang.bindings import CONTINUE, FIELD_VISITOR, CXCursor, CXType, library, text_of

_WIDER_THAN_64 = (12, 20)  # CXTypeKind of unsigned __int128 and __int128
_SUPPRESS_INITIALISERS, _TERSE = 6, 17  # properties of a printing policy


def spelling(cursor: CXCursor) -> str:
    return text_of(library().clang_getCursorSpelling(cursor))


def result_type(function: CXCursor) -> str:
    """As clang spells it, without names that the program gives to types."""
    lib = library()
    result = lib.clang_getResultType(lib.clang_getCursorType(function))
    return text_of(lib.clang_getTypeSpelling(lib.clang_getCanonicalType(result)))


def evaluate(cursor: CXCursor) -> int | float | None:
    """The value of a constant expression, if clang knows it; libclang cuts what is wider than 64 bits."""
    lib = library()
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


def fields_of(type_: CXType) -> list[CXCursor]:
    found: list[CXCursor] = []

    def visit(cursor: CXCursor, _data: object) -> int:
        found.append(cursor)
        return CONTINUE

    library().clang_Type_visitFields(type_, FIELD_VISITOR(visit), None)
    return found


def parameter_keys(function: CXCursor) -> list[int]:
    """The keys of a function's own parameters (not those of function types in its declarator)."""
    count = library().clang_Cursor_getNumArguments(function)
    return [library().clang_Cursor_getArgument(function, index).d0 for index in range(max(count, 0))]


def printed_attributes(cursor: CXCursor) -> str:
    """A declaration without body and initialiser as clang prints it, if it has attributes: attributes look all alike there,
    whichever macros and spellings made them."""
    return pretty_print(cursor, _SUPPRESS_INITIALISERS, _TERSE) if library().clang_Cursor_hasAttrs(cursor) else ""


def pretty_print(cursor: CXCursor, *properties: int) -> str:
    """A declaration as clang prints it, macros expanded. Slow: for rare constructs only."""
    policy = library().clang_getCursorPrintingPolicy(cursor)
    for each in properties:
        library().clang_PrintingPolicy_setProperty(policy, each, 1)
    text = text_of(library().clang_getCursorPrettyPrinted(cursor, policy))
    library().clang_PrintingPolicy_dispose(policy)
    return text


def assembler_name(cursor: CXCursor) -> str:
    """The name that the linker sees: the declared one, or what an asm label or `#pragma redefine_extname` makes of it."""
    if not library().clang_Cursor_hasAttrs(cursor):
        return spelling(cursor)
    return text_of(library().clang_Cursor_getMangling(cursor))
