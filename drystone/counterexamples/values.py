"""Values as a C programmer writes them: by their type characters, enumerators, strings, numbers with or without a sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from drystone.base.regex import regex
from drystone.concrete.inputs import Consumed
from drystone.ir.expressions import Constant
from drystone.ir.source_types import Member, SourceTypes, array_of, is_pointer, plain, pointee
from drystone.ir.text import constant_text
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, BitVec, Bool, Sort, bitvec

_SHOWN_BYTES = 16
_SHOWN_ELEMENTS = 16
_UNSIGNED = regex(
    r"\b(unsigned|u?int(8|16|32|64|ptr|max)_t|size_t|_Bool|bool|__?u(8|16|32|64)|u(8|16|32|64)"
    r"|u(char|short|int|long|quad)(_t)?|[A-Z]*(UINT|ULONG|USHORT|UCHAR|DWORD|WORD|BYTE)\w*|gfp_t|dma_addr_t|sector_t)\b"
)
_SIGNED_NAMES = regex(r"\bint(8|16|32|64|ptr|max)_t\b")
_FLOATS = {"float": FLOAT32, "double": FLOAT64, "long double": EXTENDED}
_ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
CHARACTERS = ("char", "unsigned char", "signed char")

AddressText = Callable[[int, str], str]
"""How C writes an address as a pointer to something of a type."""


def is_unsigned(ctype: str) -> bool:
    """By the type's name: the values are for people, nothing is decided by them."""
    return _UNSIGNED.search(ctype) is not None and _SIGNED_NAMES.search(ctype) is None


def plain_address(value: int, _pointee: str) -> str:
    return f"{value:#x}"


def value_text(
    value: int, sort: Sort, ctype: str = "", types: SourceTypes | None = None, address: AddressText = plain_address
) -> str:
    """The C text of a bit pattern."""
    meaning = types.meaning(ctype) if types is not None else plain(ctype)
    if isinstance(sort, BitVec) and is_pointer(meaning):
        return "NULL" if value == 0 else address(value, pointee(meaning))
    if isinstance(sort, Bool):
        return "1" if value else "0"
    enumerator = types.enumerators.get(meaning, {}).get(value) if types is not None else None
    if enumerator is not None:
        return enumerator
    if meaning == "char" and (value in _ESCAPES or 32 <= value < 127):
        return f"'{_character(value, quote=39)}'"
    return constant_text(Constant(sort, value), unsigned=is_unsigned(meaning) or is_unsigned(ctype))


def content_text(content: bytes, ctype: str, types: SourceTypes, address: AddressText = plain_address) -> str:
    """What is in memory, as an initialiser of C writes it."""
    array, record = array_of(ctype), types.records.get(plain(ctype))
    if array is not None:
        element, step = array[0], types.size(array[0])
        if plain(element) in CHARACTERS and is_text(content, element):
            return string_text(content)
        if step and len(content) >= step:
            starts = range(0, len(content) - step + 1, step)
            return list_text([content_text(content[at : at + step], element, types, address) for at in starts], content)
    if record is not None and record.members:
        if not any(content):
            return "{0}"
        shown = [f".{each.name} = {text}" for each, text in _members(content, ctype, types, address) if each.name]
        shown = shown[:1] if record.is_union else shown
        return f"{{{', '.join(shown)}}}"
    if not 0 < len(content) == types.size(ctype):
        return bytes_text(content)
    return scalar_text(content, ctype, types, address)


def _members(content: bytes, ctype: str, types: SourceTypes, address: AddressText) -> Iterator[tuple[Member, str]]:
    for each in types.records[plain(ctype)].members:
        if each.bits < 0:
            part = content[each.offset // 8 : each.offset // 8 + types.size(each.ctype)]
            yield each, content_text(part, each.ctype, types, address)
        else:
            yield each, bit_field_text(int.from_bytes(content, "little") >> each.offset, each.bits, each.ctype, types)


def scalar_text(content: bytes, ctype: str, types: SourceTypes, address: AddressText = plain_address) -> str:
    """All bytes of a scalar of this type."""
    bits, sort = int.from_bytes(content, "little"), _FLOATS.get(plain(ctype))
    if sort is EXTENDED:
        bits = extended_from_memory(bits)
    return value_text(bits, sort or bitvec(8 * len(content)), ctype, types, address)


def bit_field_text(bits: int, width: int, ctype: str, types: SourceTypes) -> str:
    """The lowest bits of a number, as the value of a bit-field of this type."""
    full, value = 8 * (types.size(ctype) or 4), bits & (1 << width) - 1
    if not is_unsigned(ctype) and ctype not in types.enumerators and value >> width - 1:
        value |= (1 << full) - (1 << width)
    return value_text(value, bitvec(full), ctype, types)


def list_text(texts: Sequence[str], content: bytes = b"\1") -> str:
    """Elements in braces."""
    if not any(content):
        return "{0}"
    more = ", …" if len(texts) > _SHOWN_ELEMENTS else ""
    return f"{{{', '.join(texts[:_SHOWN_ELEMENTS])}{more}}}"


def is_text(content: bytes, element: str) -> bool:
    """Would a person rather read a string? Of other characters than `char` only if all of it is text."""
    text, is_char = content.rstrip(b"\0"), plain(element) == "char"
    readable = sum(32 <= byte < 127 or (byte in _ESCAPES and byte != 0) for byte in text)
    return 2 * readable > len(text) or not text if is_char else 0 < readable == len(text)


def string_text(content: bytes) -> str:
    """A string literal; C adds the zeros at its end."""
    shown, texts = content.rstrip(b"\0"), list[str]()
    for position, byte in enumerate(shown):
        text = _character(byte)
        follows = chr(shown[position + 1]) if position + 1 < len(shown) else ""
        if text.startswith("\\x") and follows in "0123456789abcdefABCDEF" and follows:
            text = f"\\{byte:03o}"  # a hexadecimal escape has no end
        texts.append("\\000" if byte == 0 and follows.isdigit() else text)
    return f'"{"".join(texts)}"'


def _character(byte: int, quote: int = 34) -> str:
    if byte in _ESCAPES and byte not in (34, 39):
        return _ESCAPES[byte]
    if byte == quote:
        return f"\\{chr(byte)}"
    return chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}"


def bytes_text(content: bytes) -> str:
    if not any(content):
        return f"{len(content)} zero bytes"
    return f"{len(content)} bytes {content[:_SHOWN_BYTES].hex(' ')}" + (" …" if len(content) > _SHOWN_BYTES else "")


def input_text(entry: Consumed, types: SourceTypes | None = None) -> str:
    """The value of an input, as its type in C has it."""
    if isinstance(entry.value, bytes):
        return bytes_text(entry.value)
    return value_text(entry.value, entry.sort, entry.ctype, types) if entry.sort is not None else str(entry.value)
