"""What printf writes: a format and its arguments to bytes, as glibc does it in the C locale.

Where the arguments come from is left to an `Arguments`: values of a call, a va_list in memory, constants of the front end.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Protocol

from drystone.base.regex import regex
from drystone.logic.floats import arithmetic
from drystone.logic.semantics import signed
from drystone.logic.sorts import Float

_CONVERSION = regex(rb"%([-+ #0']*)(\*|\d*)(?:(\.)(\*|\d*))?(hh|h|ll|l|j|z|t|L|q)?(.)", re.DOTALL)
_LONGEST = 1 << 20
_MOST_DECIMALS = 10_000
"""Of a field; a longer one is not printed."""
_INT = 32


class Unprintable(Exception):
    """There is no telling what is printed: undefined behaviour, or a conversion that is not known here."""


class Arguments(Protocol):
    def integer(self, width: int) -> int:
        """The next argument, an integer of so many bits, as an unsigned number."""

    def floating(self, is_long: bool) -> tuple[Float, int]:
        """The next one, a double or a long double: its format and its bit pattern."""

    def string(self, most: int | None) -> bytes:
        """The next one: the bytes that it points to, up to a null character or `most`."""


def formatted(template: bytes, arguments: Arguments, pointer_width: int) -> bytes:
    """The text for a format without its final null character."""
    result = bytearray()
    position = 0
    while True:
        start = template.find(b"%", position)
        if start < 0:
            return bytes(result + template[position:])
        result += template[position:start]
        match = _CONVERSION.match(template, start)
        if match is None:
            raise Unprintable("a conversion that is not complete")
        result += _converted(match, arguments, pointer_width)
        position = match.end()


def _converted(match: re.Match[bytes], arguments: Arguments, pointer_width: int) -> bytes:
    flags, width_text, dot, precision_text, length, letter = match.groups()
    if letter == b"%":
        if len(match[0]) > 2:
            raise Unprintable("%% with flags")
        return b"%"
    width = _number(width_text, arguments)
    if width < 0:
        flags, width = flags + b"-", -width
    precision: int | None = _number(precision_text, arguments) if dot else None
    if precision is not None and precision < 0:
        precision = None
    if max(width, precision or 0) > (_LONGEST if letter not in b"fFgG" else _MOST_DECIMALS):
        raise Unprintable("a field that is too long")
    length = (length or b"").decode()
    kind = letter.decode("latin-1")
    is_left = b"-" in flags
    if kind in "diouxX":
        if length == "L":
            length = "ll"
        sign, body = _integer(kind, length, flags, precision, arguments, pointer_width)
        zeros = b"0" in flags and not is_left and precision is None
    elif kind in "fFeEgGaA":
        if length not in ("", "l", "L"):
            raise Unprintable(f"%{length}{kind}")
        sort, pattern = arguments.floating(length == "L")
        sign, body, is_finite = _floating(kind, sort, pattern, flags, precision)
        zeros = b"0" in flags and not is_left and is_finite
    elif kind == "c" and not length:
        sign, body, zeros = b"", bytes((arguments.integer(_INT) & 0xFF,)), False
    elif kind == "s" and not length:
        sign, body, zeros = b"", arguments.string(precision), False
    elif kind == "p" and not length:
        address = arguments.integer(pointer_width)
        sign, body, zeros = b"", b"0x%x" % address if address else b"(nil)", False
    else:
        raise Unprintable(f"%{length}{kind}")
    missing = width - len(sign) - len(body)
    if missing <= 0:
        return sign + body
    if is_left:
        return sign + body + b" " * missing
    return sign + b"0" * missing + body if zeros else b" " * missing + sign + body


def _number(text: bytes, arguments: Arguments) -> int:
    if text == b"*":
        return signed(arguments.integer(_INT), _INT)
    if len(text) > len(str(_LONGEST)):
        raise Unprintable("a field that is too long")
    return int(text or b"0")


def _integer(
    kind: str, length: str, flags: bytes, precision: int | None, arguments: Arguments, pointer_width: int
) -> tuple[bytes, bytes]:
    """Sign or prefix, and digits."""
    width = {"hh": 8, "h": 16, "": _INT, "l": pointer_width, "z": pointer_width, "t": pointer_width}.get(length, 64)
    value = arguments.integer(max(width, _INT)) & ((1 << width) - 1)
    sign = b""
    if kind in "di":
        if value >> width - 1:
            sign, value = b"-", (1 << width) - value
        else:
            sign = b"+" if b"+" in flags else b" " if b" " in flags else b""
    if b"'" in flags and kind in "diu":
        flags = flags.replace(b"'", b"")  # the C locale groups no digits
    digits = {"o": b"%o", "x": b"%x", "X": b"%X"}.get(kind, b"%d") % value
    if precision is not None:
        digits = b"" if value == 0 and precision == 0 else digits.rjust(precision, b"0")
    if b"#" in flags:
        if kind == "o" and not digits.startswith(b"0"):
            digits = b"0" + digits
        elif kind in "xX" and value:
            sign = b"0" + kind.encode()
    return sign, digits


def _floating(kind: str, sort: Float, pattern: int, flags: bytes, precision: int | None) -> tuple[bytes, bytes, bool]:
    """Sign, the rest, and whether the number is finite."""
    numbers = arithmetic(sort)
    is_upper = kind.isupper()
    sign = b"-" if pattern & numbers.sign_bit else b"+" if b"+" in flags else b" " if b" " in flags else b""
    if numbers.is_nan(pattern) or numbers.is_infinite(pattern):
        body = b"nan" if numbers.is_nan(pattern) else b"inf"
        return sign, body.upper() if is_upper else body, False
    _, mantissa, exponent = numbers.unpack(pattern)
    alternate = b"#" in flags
    if kind in "aA":
        prefix, body = _hexadecimal(sort, mantissa, exponent, precision, alternate)
        sign += prefix
    else:
        body = _decimal(kind.lower(), mantissa, exponent, 6 if precision is None else precision, alternate)
    return sign.upper() if is_upper else sign, body.upper() if is_upper else body, True


_EXACT = Context(prec=1 << 15, rounding=ROUND_HALF_EVEN, Emin=-(10**9), Emax=10**9)
"""Enough for every digit of a long double."""


def _decimal(kind: str, mantissa: int, exponent: int, precision: int, alternate: bool) -> bytes:
    value = _EXACT.scaleb(Decimal(mantissa * 5**-exponent), exponent) if exponent < 0 else Decimal(mantissa << exponent)
    if kind == "f":
        return _fixed(value, precision, alternate)
    if kind == "e":
        return _scientific(value, precision, alternate)
    wanted = precision or 1
    leading = _scientific(value, wanted - 1, True)
    power = int(leading.partition(b"e")[2])
    if alternate and value and power != value.adjusted():
        raise Unprintable("%#g of a number that rounds up to a power of ten: versions of the library differ")
    if -4 <= power < wanted:
        text = _fixed(value, wanted - 1 - power, True)
        return text if alternate else text.rstrip(b"0").rstrip(b".")
    digits, _, ending = leading.partition(b"e")
    return (digits if alternate else digits.rstrip(b"0").rstrip(b".")) + b"e" + ending


def _fixed(value: Decimal, precision: int, alternate: bool) -> bytes:
    rounded = value.quantize(Decimal(1).scaleb(-precision, _EXACT), context=_EXACT)
    text = format(rounded, "f").encode()
    return text + b"." if alternate and precision == 0 else text


def _scientific(value: Decimal, precision: int, alternate: bool) -> bytes:
    if value == 0:
        digits, power = "0" * (precision + 1), 0
    else:
        rounded = Context(prec=precision + 1, rounding=ROUND_HALF_EVEN, Emin=-(10**9), Emax=10**9).plus(value)
        digits = "".join(map(str, rounded.as_tuple().digits)).ljust(precision + 1, "0")[: precision + 1]
        power = rounded.adjusted()
    point = "." if precision or alternate else ""
    return f"{digits[0]}{point}{digits[1:]}e{'-' if power < 0 else '+'}{abs(power):02d}".encode()


def _hexadecimal(sort: Float, mantissa: int, exponent: int, precision: int | None, alternate: bool) -> tuple[bytes, bytes]:
    """The prefix and `h.hhhp+d`. A double shows one bit before the point; a long double four, as x87 keeps it."""
    before = 1 if sort.significand == 53 else 4
    fraction_bits = sort.significand - before
    exponent += fraction_bits
    if mantissa == 0:
        exponent = 0
    elif before == 4 and not mantissa >> sort.significand - 1:  # glibc shows subnormal numbers as they are kept
        raise Unprintable("hexadecimal digits of a subnormal number")
    digits = -(-fraction_bits // 4)
    if precision is not None and precision < digits:
        drop = fraction_bits - 4 * precision
        rest, half = mantissa & ((1 << drop) - 1), 1 << drop - 1
        mantissa >>= drop
        if rest > half or (rest == half and mantissa & 1):
            mantissa += 1
        mantissa <<= drop
        if before == 4 and mantissa >> sort.significand:
            mantissa, exponent = mantissa >> 4, exponent + 4
    whole = mantissa >> fraction_bits
    fraction = f"{mantissa & ((1 << fraction_bits) - 1):0{digits}x}"
    fraction = fraction.rstrip("0") if precision is None else fraction[:precision].ljust(precision, "0")
    point = "." if fraction or alternate else ""
    return b"0x", f"{whole:x}{point}{fraction}p{exponent:+d}".encode()
