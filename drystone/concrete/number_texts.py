"""Texts as numbers and other values: what strtod and sscanf read, as glibc does it in the C locale.

Where texts are known before the program runs. What is at the edge of the standard (numbers out of range, NaNs, prefixes of
numbers that lead nowhere) is left to the approximations of these functions: `Unreadable`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from drystone.base.regex import regex
from drystone.logic.floats import arithmetic
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, Float

if TYPE_CHECKING:
    from fractions import Fraction

SPACE = b" \t\n\v\f\r"
_NUMBER = regex(
    rb"([+-]?)(?:0[xX]((?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+))(?:[pP]([+-]?\d+))?"
    rb"|(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?|([iI][nN][fF](?:[iI][nN][iI][tT][yY])?))"
)
_LARGEST_POWER = 20_000  # of a number that fits any format; the text of a larger one would take long to compute
_MOST_DIGITS = 4_000  # Python reads no more at once
_DIRECTIVE = regex(rb"%(\*?)(\d*)(hh|h|ll|l|j|z|t|L|q)?(\[\^?\]?[^]]*\]|[diouxXcsnfFeEgGaA%])")
_INTEGERS = {
    "d": regex(rb"[+-]?\d+"), "u": regex(rb"[+-]?\d+"), "o": regex(rb"[+-]?[0-7]+"),
    "x": regex(rb"[+-]?(?:0[xX])?[0-9a-fA-F]+"),
    "i": regex(rb"[+-]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)"),
}  # fmt: skip
_BASES = {"d": 10, "u": 10, "o": 8, "x": 16}


class Unreadable(Exception):
    """There is no telling what the library reads."""


class Number(NamedTuple):
    is_negative: bool
    magnitude: Fraction | None  # None: infinite
    length: int  # characters


class Read(NamedTuple):
    """What a conversion of scanf has read: a number, or characters with what ends them."""

    letter: str
    width: int  # bits of an integer
    sort: Float | None  # of a floating-point number
    value: int | bytes


def number_at_start(text: bytes) -> Number | None:
    """The longest number that the text begins with; None if there is none."""
    match = _NUMBER.match(text)
    if match is None:
        if re.match(rb"[+-]?[nN]", text):
            raise Unreadable("which NaN it is")
        return None
    sign, hexadecimal, binary_power, decimal, power, infinite = match.groups()
    if infinite:
        return Number(sign == b"-", None, match.end())
    digits, base = (hexadecimal, 16) if hexadecimal else (decimal, 10)
    whole, _, fraction = digits.partition(b".")
    if max(len(digits), len(binary_power or b""), len(power or b"")) > _MOST_DIGITS:
        raise Unreadable("so many digits")
    exponent = int(binary_power or power or 0)
    if abs(exponent) + len(digits) > _LARGEST_POWER:
        raise Unreadable("out of range")
    from fractions import Fraction  # seldom needed

    scale = Fraction(2 if hexadecimal else 10) ** exponent
    return Number(sign == b"-", int(whole + fraction, base) * scale / base ** len(fraction), match.end())


def pattern(number: Number, sort: Float) -> int:
    """The bits of the nearest number of a format; ties to even."""
    numbers = arithmetic(sort)
    sign = numbers.sign_bit if number.is_negative else 0
    if number.magnitude is None:
        return sign | numbers.infinity
    above, below = number.magnitude.as_integer_ratio()
    shift = numbers.precision + 4 + below.bit_length() - above.bit_length()
    mantissa, rest = divmod(above << max(shift, 0), below << max(-shift, 0))
    result = numbers.pack(0, mantissa, -shift, rest != 0)
    if above and not (2 << numbers.fraction_width) <= result < numbers.infinity:
        raise Unreadable("out of range, or nearly: errno may be set")
    return sign | result


def scanned(text: bytes, template: bytes, pointer_width: int) -> tuple[list[Read], int]:
    """What sscanf stores, one after the other, and its result."""
    return _Scanner(text, template, pointer_width).run()


class _Stopped(Exception):
    """No more is read; `at_end`: since the text has ended."""

    def __init__(self, at_end: bool) -> None:
        super().__init__(at_end)
        self.at_end = at_end


class _Scanner:
    def __init__(self, text: bytes, template: bytes, pointer_width: int) -> None:
        self.text, self.template = text, template
        self.widths = {"hh": 8, "h": 16, "": 32, "l": pointer_width, "z": pointer_width, "t": pointer_width}
        self.position = 0
        self.read: list[Read] = []
        self.count = 0
        self.has_skipped = False  # what a conversion without an object has read

    def run(self) -> tuple[list[Read], int]:
        try:
            self._follow()
        except _Stopped as stop:
            if stop.at_end and self.count == 0:
                if self.has_skipped:
                    raise Unreadable("standard and library differ") from None
                return self.read, -1
        return self.read, self.count

    def _follow(self) -> None:
        at = 0
        while at < len(self.template):
            if self.template[at] in SPACE:
                self._skip_space()
                at += 1
            elif self.template[at : at + 1] != b"%":
                self._literal(self.template[at])
                at += 1
            else:
                match = _DIRECTIVE.match(self.template, at)
                if match is None:
                    raise Unreadable("a conversion that is not known")
                self._convert(match)
                at = match.end()

    def _skip_space(self) -> None:
        while self.position < len(self.text) and self.text[self.position] in SPACE:
            self.position += 1

    def _literal(self, character: int) -> None:
        self._must_go_on()
        if self.text[self.position] != character:
            raise _Stopped(at_end=False)
        self.position += 1

    def _must_go_on(self) -> None:
        if self.position >= len(self.text):
            raise _Stopped(at_end=True)

    def _convert(self, match: re.Match[bytes]) -> None:
        if len(match[2] or b"") > _MOST_DIGITS:
            raise Unreadable("so large a field")
        suppressed, size, length = bool(match[1]), int(match[2] or 0), (match[3] or b"").decode()
        letter = match[4][:1].decode()
        if letter not in "c[n":
            self._skip_space()
        if letter == "%":
            self._literal(ord("%"))
            return
        if letter == "n":
            if suppressed or size:
                raise Unreadable("%n with something else")
            self.read.append(Read("n", self.widths.get(length, 64), None, self.position))
            return
        self._must_go_on()
        field = self.text[self.position :][: size or None]
        if letter in "diouxX":
            found, used = self._integer(letter.lower(), length, field)
        elif letter in "cs[":
            found, used = self._characters(letter, match[4], size, length, field)
        else:
            found, used = self._floating(length, field)
        self.position += used
        self.has_skipped |= suppressed
        if not suppressed:
            self.read.append(found)
            self.count += 1

    def _integer(self, letter: str, length: str, field: bytes) -> tuple[Read, int]:
        match = _INTEGERS[letter].match(field)
        digits = field.lstrip(b"+-")
        if letter in "ix" and re.match(rb"0[xX](?![0-9a-fA-F])", digits):
            raise Unreadable("0x without digits")
        if match is None:
            if field[:1] in (b"+", b"-"):
                raise Unreadable("a sign without digits")
            raise _Stopped(at_end=False)
        base = _BASES.get(letter, 0)
        text = match[0].decode()
        if len(text) > _MOST_DIGITS:
            raise Unreadable("so many digits")
        if letter == "i" and re.match(r"[+-]?0\d", text):
            base = 8
        value, width = int(text, base), self.widths.get(length, 64)
        is_signed = letter in "di"
        least, most = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
        if not least <= value <= most:
            raise Unreadable("out of range")
        return Read(letter, width, None, value & ((1 << width) - 1)), match.end()

    def _characters(self, letter: str, directive: bytes, size: int, length: str, field: bytes) -> tuple[Read, int]:
        if length:
            raise Unreadable("wide characters")
        if letter == "c":
            if len(field) < (size or 1):
                raise Unreadable("fewer characters than asked for")
            return Read("c", 8, None, field[: size or 1]), size or 1
        wanted = re.compile(rb"[^ \t\n\v\f\r]+") if letter == "s" else _set(directive)
        match = wanted.match(field)
        if match is None:
            raise _Stopped(at_end=False)
        return Read("s", 8, None, match[0] + b"\0"), match.end()

    def _floating(self, length: str, field: bytes) -> tuple[Read, int]:
        sort = {"": FLOAT32, "l": FLOAT64, "L": EXTENDED}.get(length)
        number = number_at_start(field)
        if sort is None or (number is None and field[:1] in b"+-.iI0123456789"):
            raise Unreadable("not clearly a number")
        if number is None:
            raise _Stopped(at_end=False)
        if number.magnitude is None or re.match(rb"[\w.+-]", field[number.length :]):
            raise Unreadable("the library may read more or less")
        return Read("f", 0, sort, pattern(number, sort)), number.length


def _set(directive: bytes) -> re.Pattern[bytes]:
    """`[a-z]` as a pattern. C leaves open what other hyphens mean."""
    inner = directive[1:-1]
    negated = inner.startswith(b"^")
    members: set[int] = set()
    characters = inner[negated:]
    at = 0
    while at < len(characters):
        if characters[at + 1 : at + 2] == b"-" and at + 2 < len(characters):
            if characters[at] > characters[at + 2] or characters[at + 3 : at + 4] == b"-":
                raise Unreadable("a hyphen that may mean several things")
            members.update(range(characters[at], characters[at + 2] + 1))
            at += 3
        else:
            members.add(characters[at])
            at += 1
    escaped = b"".join(b"\\x%02x" % member for member in sorted(members))
    return re.compile((b"[^%s]+" if negated else b"[%s]+") % escaped, re.DOTALL)
