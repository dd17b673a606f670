"""String literals: from clang's spelling to the bytes in memory."""

from __future__ import annotations

import re

from drystone.base.regex import regex

_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "\\": 92, '"': 34, "'": 39, "?": 63}
_TOKEN = regex(r'""|' r"\\x([0-9a-fA-F]+)|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-7]{1,3})|\\(.)|(.)", re.DOTALL)


def string_bytes(spelling: str, unit: int, count: int) -> bytes:
    """The elements of a literal, each of `unit` bytes, cut or padded with zeros to `count` elements (-1: plus a final zero)."""
    start = spelling.index('"')
    elements: list[int] = []
    for hexadecimal, short, long, octal, simple, plain in _TOKEN.findall(spelling[start + 1 : spelling.rindex('"')]):
        if hexadecimal:
            elements.append(int(hexadecimal, 16))
        elif short or long:
            elements.extend(_encoded(chr(int(short or long, 16)), unit))
        elif octal:
            elements.append(int(octal, 8))
        elif simple:
            elements.append(_ESCAPES.get(simple, ord(simple)))
        elif plain:  # an inner `""` is where clang closes and reopens the literal after a long \\x escape
            elements.extend(_encoded(plain, unit))
    if count < 0:
        elements.append(0)
    else:
        elements = elements[:count] + [0] * (count - len(elements))
    mask = (1 << 8 * unit) - 1
    return b"".join((element & mask).to_bytes(unit, "little") for element in elements)


def _encoded(character: str, unit: int) -> list[int]:
    """A character beyond ASCII is UTF-8 in a narrow string, a code point in a wide one."""
    if unit == 1:
        return list(character.encode("utf-8", "surrogateescape"))
    if unit == 2:
        encoded = character.encode("utf-16-le", "surrogatepass")
        return [int.from_bytes(encoded[index : index + 2], "little") for index in range(0, len(encoded), 2)]
    return [ord(character)]
