"""C types with the layout that clang computes for the target.

A type is converted once per distinct clang type of a translation unit. Records are completed on first
use, so that recursive types need no special care.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.frontend.clang.bindings import CXCursor, CXType, library, text_of
from drystone.frontend.clang.cursors import fields_of, spelling
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, BitVec, Float, Sort, bitvec


class CType:
    """`size` and `align` in bytes; -1 where C knows none (incomplete types, variable length arrays)."""

    __slots__ = ("_spelling", "size", "align")

    def __init__(self, spelling: str | CXType, size: int, align: int) -> None:
        self._spelling = spelling
        self.size = size
        self.align = align

    def __str__(self) -> str:
        """As written in C, asked of clang only when needed."""
        if not isinstance(self._spelling, str):
            self._spelling = text_of(library().clang_getTypeSpelling(self._spelling))
        return self._spelling


class Void(CType):
    pass


class Unsupported(CType):
    """128-bit floats and their like: any use is reported and leads to an unknown location."""


class Scalar(CType):
    __slots__ = ("sort",)
    sort: Sort


class Int(Scalar):
    """An integer, enumeration, or `_Bool` (whose value is 0 or 1)."""

    __slots__ = ("width", "signed", "is_bool", "rank")
    sort: BitVec

    def __init__(self, spelling: str | CXType, width: int, align: int, signed: bool, rank: int, is_bool: bool = False) -> None:
        super().__init__(spelling, width // 8, align)
        self.width = width
        self.signed = signed
        self.rank = rank
        self.is_bool = is_bool
        self.sort = bitvec(width)


class Real(Scalar):
    __slots__ = ()
    sort: Float

    def __init__(self, spelling: str | CXType, sort: Float, size: int, align: int) -> None:
        super().__init__(spelling, size, align)
        self.sort = sort


class Pointer(Scalar):
    __slots__ = ("_types", "_pointee")
    sort: BitVec

    def __init__(self, spelling: str | CXType, width: int, types: Types, pointee: CXType | CType) -> None:
        super().__init__(spelling, width // 8, width // 8)
        self.sort = bitvec(width)
        self._types = types
        self._pointee = pointee

    @property
    def target(self) -> CType:
        if isinstance(self._pointee, CType):
            return self._pointee
        return self._types.convert(self._pointee)


class Array(CType):
    """`count` is -1 for an incomplete array, -2 for a variable length one."""

    __slots__ = ("element", "count")

    def __init__(self, spelling: str | CXType, element: CType, count: int, size: int, align: int) -> None:
        super().__init__(spelling, size, align)
        self.element = element
        self.count = count


class Field(msgspec.Struct, frozen=True):
    name: str
    type: CType
    offset: int  # in bits
    bits: int = -1  # width of a bit-field, else -1
    cell: int = 0  # bit-fields: byte offset and size of the bytes they are read and written with
    cell_size: int = 0
    volatile: bool = False  # it is, or has a part that is

    def moved(self, offset: int) -> Field:
        """The same member seen from a record in which its own record lies at `offset` bits."""
        cell = self.cell + offset // 8
        return msgspec.structs.replace(self, offset=self.offset + offset, cell=cell)


class Record(CType):
    """A struct or union. Bit-fields that share bytes share a *cell*, so that all accesses to these bytes agree in size."""

    __slots__ = ("is_union", "_types", "_source", "_fields", "_by_decl")

    def __init__(self, spelling: str | CXType, size: int, align: int, is_union: bool, types: Types, source: CXType) -> None:
        super().__init__(spelling, size, align)
        self.is_union = is_union
        self._types = types
        self._source = source
        self._fields: list[Field] | None = None
        self._by_decl: dict[int, Field] = {}

    def is_same(self, other: CType) -> bool:
        """Also if one of them is qualified."""
        lib = library()
        declared = lib.clang_getTypeDeclaration(self._source)
        return isinstance(other, Record) and declared.d0 == lib.clang_getTypeDeclaration(other._source).d0

    @property
    def fields(self) -> list[Field]:
        if self._fields is None:
            self._complete()
        assert self._fields is not None
        return self._fields

    @property
    def by_declaration(self) -> dict[int, Field]:
        """Members by their declaration, those of anonymous members included."""
        if self._fields is None:
            self._complete()
        return self._by_decl

    def field(self, declaration: CXCursor) -> Field:
        return self.by_declaration[declaration.d0]

    def _complete(self) -> None:
        lib = library()
        raw: list[tuple[CXCursor, Field]] = []
        for cursor in fields_of(self._source):
            bits = lib.clang_getFieldDeclBitWidth(cursor) if lib.clang_Cursor_isBitField(cursor) else -1
            type_ = self._types.convert(lib.clang_getCursorType(cursor))
            name = spelling(cursor)
            if "(" in name:  # "struct S::(anonymous at ...)"
                name = ""
            volatile = self._types.has_volatile(lib.clang_getCursorType(cursor))
            raw.append((cursor, Field(name, type_, lib.clang_Cursor_getOffsetOfField(cursor), bits, volatile=volatile)))
        cells = _cells([field for _, field in raw if field.bits > 0])
        self._fields = []
        for cursor, field in raw:
            if field.bits > 0:
                start, size = cells[(field.offset, field.bits)]
                field = msgspec.structs.replace(field, cell=start, cell_size=size)
            self._by_decl[cursor.d0] = field
            if not field.name and isinstance(field.type, Record):  # members of an anonymous member are members here
                for key, inner in field.type.by_declaration.items():
                    self._by_decl[key] = inner.moved(field.offset)
            if field.bits != 0:
                self._fields.append(field)


class Lanes(Record):
    """Several values of one type side by side, which are computed with together (`frontend.lanes`); for all else a record."""

    __slots__ = ("element",)

    def __init__(self, element: Scalar, count: int, size: int, align: int, types: Types, source: CXType) -> None:
        super().__init__(source, size, align, False, types, source)
        self.element = element
        self._fields = [Field(str(index), element, index * element.size * 8) for index in range(count)]

    def is_same(self, other: CType) -> bool:
        return type(other) is type(self) and other.element is self.element and other.size == self.size


class Complex(Lanes):
    """A complex number: its real and its imaginary part."""


class Vector(Lanes):
    """GNU `vector_size`; clang's own vectors, which some comparisons give, are the same but for their members."""


def _cells(fields: list[Field]) -> dict[tuple[int, int], tuple[int, int]]:
    """Groups bit-fields that share bytes: (offset, bits) -> (first byte, number of bytes)."""
    spans = sorted({(field.offset // 8, (field.offset + field.bits + 7) // 8) for field in fields})
    merged: list[list[int]] = []
    for first, last in spans:
        if merged and first < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    cells = {}
    for field in fields:
        byte = field.offset // 8
        first, last = next(span for span in merged if span[0] <= byte < span[1])
        cells[(field.offset, field.bits)] = (first, last - first)
    return cells


class Function(CType):
    """`noreturn`: by an attribute, which gcc and clang make a part of the type."""

    __slots__ = ("result", "parameters", "variadic", "prototyped", "noreturn")

    def __init__(
        self,
        spelling: str | CXType,
        result: CType,
        parameters: list[CType],
        variadic: bool,
        prototyped: bool,
        noreturn: bool = False,
    ) -> None:
        super().__init__(spelling, 1, 1)
        self.noreturn = noreturn
        self.result = result
        self.parameters = parameters
        self.variadic = variadic
        self.prototyped = prototyped


# CXTypeKind -> (signed, conversion rank)
_INTEGERS = {
    3: (False, 0),  # _Bool
    4: (False, 1),  # char, where unsigned
    5: (False, 1),
    6: (False, 2),
    7: (False, 3),
    8: (False, 2),
    9: (False, 3),
    10: (False, 4),
    11: (False, 5),
    12: (False, 6),
    13: (True, 1),  # char, where signed
    14: (True, 1),
    15: (True, 3),  # wchar_t
    16: (True, 2),
    17: (True, 3),
    18: (True, 4),
    19: (True, 5),
    20: (True, 6),
}
_NORETURN = "__attribute__((noreturn))"
_PLAIN_CHAR_UNSIGNED = 4  # CXTypeKind: char, with -funsigned-char
_REALS = {21: FLOAT32, 22: FLOAT64, 23: EXTENDED}
_VOID, _POINTER, _RECORD, _ENUM, _NO_PROTO, _PROTO, _CONSTANT_ARRAY, _INCOMPLETE_ARRAY, _VARIABLE_ARRAY, _ATOMIC = (
    2, 101, 105, 106, 110, 111, 112, 114, 115, 177,
)  # fmt: skip
_COMPLEX, _VECTOR, _EXTENDED_VECTOR = 100, 113, 176


class Types:
    """The types of one translation unit."""

    def __init__(self, pointer_width: int) -> None:
        self.pointer_width = pointer_width
        self._lib = library()
        self._known: dict[tuple[int, int], CType] = {}
        self._volatile: dict[tuple[int, int], bool] = {}
        self.enumerations: list[CXType] = []  # those that were met
        self.spellings: dict[str, str] = {}  # of declared variables: with typedefs, and without
        self.void = Void("void", 1, 1)
        self._untyped = Unsupported("no type", -1, 1)
        self.int = Int("int", 32, 4, True, 3)
        self.unsigned = Int("unsigned int", 32, 4, False, 3)
        self.size = Int("unsigned long", pointer_width, pointer_width // 8, False, 4)
        self.double = Real("double", FLOAT64, 8, 8 if pointer_width == 64 else 4)
        self.difference = Int("long", pointer_width, pointer_width // 8, True, 4)

    def of(self, cursor: CXCursor) -> CType:
        raw = self._lib.clang_getCursorType(cursor)
        found = self._known.get((raw.kind, raw.d0))
        return found if found is not None else self.convert(raw)

    def convert(self, raw: CXType) -> CType:
        if not raw.d0:
            return self._untyped  # what clang gives no type: the text of a _Static_assert
        key = (raw.kind, raw.d0)
        found = self._known.get(key)
        if found is None:
            canonical = self._lib.clang_getCanonicalType(raw)
            canonical_key = (canonical.kind, canonical.d0)
            found = self._known.get(canonical_key)
            if found is None:
                found = self._known[canonical_key] = self._convert(canonical)
            self._known[key] = found
        return found

    def spelled(self, raw: CXType) -> str:
        """As the source writes it; a plain char says what it is where that is unusual."""
        text = text_of(self._lib.clang_getTypeSpelling(raw))
        canonical = self._lib.clang_getCanonicalType(raw)
        if canonical.kind == _PLAIN_CHAR_UNSIGNED:
            return text.replace("char", "unsigned char")
        if text not in self.spellings:
            self.spellings[text] = text_of(self._lib.clang_getTypeSpelling(canonical))
        return text

    def records(self) -> Iterator[Record]:
        """The complete ones that were met, and those that they have as members, each once per qualifiers."""
        waiting = [each for each in dict.fromkeys(self._known.values()) if isinstance(each, Record)]
        seen = set(waiting)
        while waiting:
            record = waiting.pop()
            if record.size < 0:
                continue
            yield record
            for field in record.fields:
                type_ = field.type
                while isinstance(type_, Array):
                    type_ = type_.element
                if isinstance(type_, Record) and type_ not in seen:
                    seen.add(type_)
                    waiting.append(type_)

    def has_volatile(self, raw: CXType) -> bool:
        """Is it volatile, or a record or array that has a part which is?"""
        canonical = self._lib.clang_getCanonicalType(raw)
        key = (canonical.kind, canonical.d0)
        known = self._volatile.get(key)
        if known is None:
            known = bool(self._lib.clang_isVolatileQualifiedType(canonical))
            if canonical.kind in (_CONSTANT_ARRAY, _INCOMPLETE_ARRAY, _VARIABLE_ARRAY):
                known = known or self.has_volatile(self._lib.clang_getArrayElementType(canonical))
            elif canonical.kind == _RECORD:
                fields = fields_of(canonical)
                known = known or any(self.has_volatile(self._lib.clang_getCursorType(each)) for each in fields)
            self._volatile[key] = known
        return known

    def is_atomic(self, raw: CXType) -> bool:
        """Is it declared `_Atomic`?"""
        return bool(self._lib.clang_getCanonicalType(raw).kind == _ATOMIC)

    def decayed(self, type_: CType) -> CType:
        """The type of a parameter that is declared as an array or function."""
        if isinstance(type_, Array):
            return Pointer(f"{type_.element} *", self.pointer_width, self, type_.element)
        if isinstance(type_, Function):
            return Pointer(f"{type_} *", self.pointer_width, self, type_)
        return type_

    def _convert(self, raw: CXType) -> CType:
        lib = self._lib
        kind = raw.kind
        if kind == _VOID:
            return self.void
        if kind == _ATOMIC:
            return self.convert(lib.clang_Type_getValueType(raw))
        if kind in (_NO_PROTO, _PROTO):
            count = max(lib.clang_getNumArgTypes(raw), 0)
            parameters = [self.convert(lib.clang_getArgType(raw, index)) for index in range(count)]
            variadic = bool(lib.clang_isFunctionTypeVariadic(raw)) and kind == _PROTO
            result = self.convert(lib.clang_getResultType(raw))
            said = text_of(lib.clang_getTypeSpelling(raw)).count(_NORETURN)  # by this type, its result and its parameters
            noreturn = said > 0 and said > sum(str(part).count(_NORETURN) for part in (result, *parameters))
            return Function(raw, result, parameters, variadic, kind == _PROTO, noreturn)
        if lib.clang_getAddressSpace(raw):
            return Unsupported(raw, -1, 1)
        size, align = lib.clang_Type_getSizeOf(raw), lib.clang_Type_getAlignOf(raw)
        if kind in _INTEGERS:
            signed, rank = _INTEGERS[kind]
            return Int(raw, size * 8, align, signed, rank, is_bool=kind == 3)
        if kind in _REALS:
            return Real(raw, _REALS[kind], size, align)
        if kind == _POINTER:
            return Pointer(raw, self.pointer_width, self, lib.clang_getPointeeType(raw))
        if kind == _ENUM:
            underlying = self.convert(lib.clang_getEnumDeclIntegerType(lib.clang_getTypeDeclaration(raw)))
            if isinstance(underlying, Int):
                self.enumerations.append(raw)
                return Int(raw, underlying.width, underlying.align, underlying.signed, underlying.rank)
            return Unsupported(raw, -1, 1)
        if kind in (_CONSTANT_ARRAY, _INCOMPLETE_ARRAY, _VARIABLE_ARRAY):
            element = self.convert(lib.clang_getArrayElementType(raw))
            count = {_CONSTANT_ARRAY: lib.clang_getNumElements(raw), _INCOMPLETE_ARRAY: -1, _VARIABLE_ARRAY: -2}[kind]
            return Array(raw, element, count, size if count >= 0 else -1, align if align > 0 else element.align)
        if kind == _RECORD:
            return Record(raw, max(size, -1), max(align, 1), lib.clang_getTypeDeclaration(raw).kind == 3, self, raw)
        if kind in (_COMPLEX, _VECTOR, _EXTENDED_VECTOR):
            lane = self.convert(lib.clang_getElementType(raw))
            if isinstance(lane, (Int, Real)):
                count = 2 if kind == _COMPLEX else lib.clang_getNumElements(raw)
                return (Complex if kind == _COMPLEX else Vector)(lane, count, size, align, self, raw)
        return Unsupported(raw, max(size, -1), max(align, 1))


def is_variably_modified(type_: CType) -> bool:
    """Does a size that is computed when the program runs occur in it?"""
    if isinstance(type_, Array):
        return type_.count == -2 or is_variably_modified(type_.element)
    if isinstance(type_, Pointer):
        return is_variably_modified(type_.target)
    return isinstance(type_, Function) and is_variably_modified(type_.result)


def promote(type_: CType, types: Types) -> CType:
    """Integer promotion (C11 6.3.1.1)."""
    if isinstance(type_, Int) and type_.rank < 3:
        return types.int
    return type_


def common_type(left: CType, right: CType, types: Types) -> CType:
    """The usual arithmetic conversions (C11 6.3.1.8)."""
    if isinstance(left, Real) or isinstance(right, Real):
        reals = [t for t in (left, right) if isinstance(t, Real)]
        return max(reals, key=lambda t: t.sort.width)
    left, right = promote(left, types), promote(right, types)
    if not (isinstance(left, Int) and isinstance(right, Int)):
        return left
    if left.signed == right.signed:
        return left if left.rank >= right.rank else right
    unsigned, signed = (left, right) if not left.signed else (right, left)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.width > unsigned.width:
        return signed
    return Int(f"unsigned {signed}", signed.width, signed.align, False, signed.rank)
