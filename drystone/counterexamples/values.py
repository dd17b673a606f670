"""Values as a C programmer writes them: signed or unsigned by the type, pointers in hexadecimal, floats as decimals."""

from __future__ import annotations

import re

from drystone.concrete.inputs import Consumed
from drystone.ir.expressions import Constant
from drystone.ir.text import constant_text
from drystone.logic.sorts import BitVec, Bool, Sort

_SHOWN_BYTES = 16
_UNSIGNED = re.compile(
    r"\b(unsigned|u?int(8|16|32|64|ptr|max)_t|size_t|_Bool|bool|__?u(8|16|32|64)|u(8|16|32|64)"
    r"|u(char|short|int|long|quad)(_t)?|[A-Z]*(UINT|ULONG|USHORT|UCHAR|DWORD|WORD|BYTE)\w*|gfp_t|dma_addr_t|sector_t)\b"
)
_SIGNED_NAMES = re.compile(r"\bint(8|16|32|64|ptr|max)_t\b")


def is_pointer(ctype: str) -> bool:
    return ctype.rstrip().endswith(("*", "*const", "* const")) or "(*)" in ctype


def is_unsigned(ctype: str) -> bool:
    """By the type's name: the values are for people, nothing is decided by them."""
    return _UNSIGNED.search(ctype) is not None and _SIGNED_NAMES.search(ctype) is None


def value_text(value: int, sort: Sort, ctype: str = "") -> str:
    """The C-like text of a bit pattern."""
    if isinstance(sort, BitVec) and is_pointer(ctype):
        return "NULL" if value == 0 else f"{value:#x}"
    if isinstance(sort, Bool):
        return "1" if value else "0"
    return constant_text(Constant(sort, value), unsigned=is_unsigned(ctype))


def bytes_text(content: bytes) -> str:
    if not any(content):
        return f"{len(content)} zero bytes"
    return f"{len(content)} bytes {content[:_SHOWN_BYTES].hex(' ')}" + (" …" if len(content) > _SHOWN_BYTES else "")


def input_text(entry: Consumed) -> str:
    """The value of an input, as its type in C has it."""
    if isinstance(entry.value, bytes):
        return bytes_text(entry.value)
    return value_text(entry.value, entry.sort, entry.ctype) if entry.sort is not None else str(entry.value)
