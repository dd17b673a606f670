"""IEEE 754 binary arithmetic on bit patterns, for any format, rounding to nearest, ties to even.

`Arithmetic` works with exact integers and is the definition. `Single` and `Double` compute with the
machine's doubles where that gives the same result, and fall back to the definition for NaNs and other
special cases. NaNs are those of x86 SSE: an invalid operation gives the quiet NaN with the sign bit
set, a NaN operand is passed on quieted, the first one first.

The exact path represents a finite value as `(-1)^sign * mantissa * 2^exponent`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache

from drystone.logic.sorts import FLOAT32, FLOAT64, Float

_BITS64, _VALUE64 = struct.Struct("<Q"), struct.Struct("<d")
_BITS32, _VALUE32 = struct.Struct("<I"), struct.Struct("<f")

_Choice = Callable[[int, int, int], int]
"""Given the whole part, the rest below it and half a unit: the integral magnitude to take."""


class Arithmetic:
    """The operations of one format. Every argument and result called `a`, `b` is a bit pattern of that format.

    It has many methods because there is one for each operation of the standard, and `Single` and `Double` replace some.
    """

    def __init__(self, sort: Float) -> None:
        self.sort = sort
        self.precision = sort.significand
        self.fraction_width = sort.significand - 1
        self.fraction_mask = (1 << self.fraction_width) - 1
        self.sign_bit = 1 << (sort.width - 1)
        self.magnitude_mask = self.sign_bit - 1
        self.infinity = ((1 << sort.exponent) - 1) << self.fraction_width
        self.quiet_bit = 1 << (self.fraction_width - 1)
        self.default_nan = self.sign_bit | self.infinity | self.quiet_bit
        self.bias = (1 << (sort.exponent - 1)) - 1
        self.least_exponent = 1 - self.bias - self.fraction_width  # of the last bit of a subnormal number

    # Classification and sign

    def is_nan(self, a: int) -> bool:
        return a & self.magnitude_mask > self.infinity

    def is_infinite(self, a: int) -> bool:
        return a & self.magnitude_mask == self.infinity

    def neg(self, a: int) -> int:
        return a ^ self.sign_bit

    def abs(self, a: int) -> int:
        return a & self.magnitude_mask

    # Between patterns and exact values

    def unpack(self, a: int) -> tuple[int, int, int]:
        """Sign, mantissa, exponent of a finite pattern."""
        biased = (a & self.magnitude_mask) >> self.fraction_width
        fraction = a & self.fraction_mask
        sign = 1 if a & self.sign_bit else 0
        if biased == 0:
            return sign, fraction, self.least_exponent
        return sign, fraction | 1 << self.fraction_width, self.least_exponent + biased - 1

    def pack(self, sign: int, mantissa: int, exponent: int, inexact: bool = False) -> int:
        """The pattern nearest to `mantissa * 2^exponent`.

        With `inexact`, the true value lies strictly between `mantissa` and `mantissa + 1`; the mantissa must then have at
        least two bits more than the precision (or lie below the least subnormal number by as much).
        """
        high = self.sign_bit if sign else 0
        if mantissa == 0:
            return high
        last = max(exponent + mantissa.bit_length() - self.precision, self.least_exponent)
        drop = last - exponent
        if drop > 0:
            rest = mantissa & ((1 << drop) - 1)
            mantissa >>= drop
            half = 1 << (drop - 1)
            if rest > half or (rest == half and (inexact or mantissa & 1)):
                mantissa += 1
        else:
            mantissa <<= -drop
        # A carry out of the mantissa, or from subnormal to normal, moves into the exponent by itself.
        magnitude = ((last - self.least_exponent) << self.fraction_width) + mantissa
        return high | min(magnitude, self.infinity)

    def quieted(self, *operands: int) -> int:
        """The first NaN among the operands, made quiet; the default NaN if there is none."""
        for a in operands:
            if self.is_nan(a):
                return a | self.quiet_bit
        return self.default_nan

    # Arithmetic

    def add(self, a: int, b: int) -> int:
        x, y = a & self.magnitude_mask, b & self.magnitude_mask
        if x >= self.infinity or y >= self.infinity:
            if x > self.infinity or y > self.infinity or (x == y and a != b):
                return self.quieted(a, b)
            return a if x == self.infinity else b
        sign_a, mantissa_a, exponent_a = self.unpack(a)
        sign_b, mantissa_b, exponent_b = self.unpack(b)
        exponent = min(exponent_a, exponent_b)
        total = (-mantissa_a if sign_a else mantissa_a) << (exponent_a - exponent)
        total += (-mantissa_b if sign_b else mantissa_b) << (exponent_b - exponent)
        if total == 0:
            return a & b & self.sign_bit  # -0 only as the sum of two negative zeros
        return self.pack(1 if total < 0 else 0, abs(total), exponent)

    def sub(self, a: int, b: int) -> int:
        if self.is_nan(a) or self.is_nan(b):
            return self.quieted(a, b)
        return Arithmetic.add(self, a, b ^ self.sign_bit)

    def mul(self, a: int, b: int) -> int:
        x, y = a & self.magnitude_mask, b & self.magnitude_mask
        sign = (a ^ b) & self.sign_bit
        if x >= self.infinity or y >= self.infinity:
            if x > self.infinity or y > self.infinity or x == 0 or y == 0:
                return self.quieted(a, b)
            return sign | self.infinity
        _, mantissa_a, exponent_a = self.unpack(a)
        _, mantissa_b, exponent_b = self.unpack(b)
        return self.pack(sign, mantissa_a * mantissa_b, exponent_a + exponent_b)

    def div(self, a: int, b: int) -> int:
        x, y = a & self.magnitude_mask, b & self.magnitude_mask
        sign = (a ^ b) & self.sign_bit
        if x >= self.infinity or y >= self.infinity:
            if x > self.infinity or y > self.infinity or x == y:
                return self.quieted(a, b)
            return sign | (self.infinity if x == self.infinity else 0)
        if y == 0:
            return sign | self.infinity if x else self.default_nan
        _, mantissa_a, exponent_a = self.unpack(a)
        _, mantissa_b, exponent_b = self.unpack(b)
        shift = max(0, self.precision + 2 + mantissa_b.bit_length() - mantissa_a.bit_length())
        quotient, rest = divmod(mantissa_a << shift, mantissa_b)
        return self.pack(sign, quotient, exponent_a - exponent_b - shift, rest != 0)

    def fmod(self, a: int, b: int) -> int:
        x, y = a & self.magnitude_mask, b & self.magnitude_mask
        if x >= self.infinity or y > self.infinity or y == 0:
            return self.quieted(a, b)
        if y == self.infinity:
            return a
        _, mantissa_a, exponent_a = self.unpack(a)
        _, mantissa_b, exponent_b = self.unpack(b)
        if exponent_a >= exponent_b:
            rest = mantissa_a * pow(2, exponent_a - exponent_b, mantissa_b) % mantissa_b
            return self.pack(a & self.sign_bit, rest, exponent_b)
        return self.pack(a & self.sign_bit, mantissa_a % (mantissa_b << (exponent_b - exponent_a)), exponent_a)

    def sqrt(self, a: int) -> int:
        if self.is_nan(a) or a & self.magnitude_mask == 0:
            return a | self.quiet_bit if self.is_nan(a) else a
        if a & self.sign_bit:
            return self.default_nan
        if a == self.infinity:
            return a
        _, mantissa, exponent = self.unpack(a)
        shift = max(0, 2 * self.precision + 4 - mantissa.bit_length())
        shift += (exponent - shift) & 1
        mantissa <<= shift
        root = math.isqrt(mantissa)
        return self.pack(0, root, (exponent - shift) // 2, root * root != mantissa)

    # Comparison

    def _ordered(self, a: int) -> int:
        """An integer that orders the patterns like their values; both zeros are 0."""
        return -(a & self.magnitude_mask) if a & self.sign_bit else a

    def eq(self, a: int, b: int) -> bool:
        return not (self.is_nan(a) or self.is_nan(b)) and self._ordered(a) == self._ordered(b)

    def lt(self, a: int, b: int) -> bool:
        return not (self.is_nan(a) or self.is_nan(b)) and self._ordered(a) < self._ordered(b)

    def leq(self, a: int, b: int) -> bool:
        return not (self.is_nan(a) or self.is_nan(b)) and self._ordered(a) <= self._ordered(b)

    # To an integral value; the sign is kept, also of a zero

    def floor(self, a: int) -> int:
        return self._integral(a, lambda whole, rest, half: whole + 1 if rest and a & self.sign_bit else whole)

    def ceil(self, a: int) -> int:
        return self._integral(a, lambda whole, rest, half: whole + 1 if rest and not a & self.sign_bit else whole)

    def trunc(self, a: int) -> int:
        return self._integral(a, lambda whole, rest, half: whole)

    def round(self, a: int) -> int:
        return self._integral(a, lambda whole, rest, half: whole + 1 if rest >= half else whole)

    def rint(self, a: int) -> int:
        return self._integral(a, lambda whole, rest, half: whole + 1 if rest > half or (rest == half and whole & 1) else whole)

    def _integral(self, a: int, choose: _Choice) -> int:
        if a & self.magnitude_mask >= self.infinity:
            return self.quieted(a) if self.is_nan(a) else a
        sign, mantissa, exponent = self.unpack(a)
        if exponent >= 0 or mantissa == 0:
            return a
        whole, rest = mantissa >> -exponent, mantissa & ((1 << -exponent) - 1)
        return self.pack(sign, choose(whole, rest, 1 << (-exponent - 1)), 0)

    # Conversion

    def from_format(self, other: Arithmetic, a: int) -> int:
        """The value of `other`'s pattern `a` in this format. Within one format nothing changes."""
        if other.sort == self.sort:
            return a
        sign = self.sign_bit if a & other.sign_bit else 0
        magnitude = a & other.magnitude_mask
        if magnitude > other.infinity:
            payload = a & other.fraction_mask
            shift = self.fraction_width - other.fraction_width
            return sign | self.infinity | self.quiet_bit | (payload << shift if shift >= 0 else payload >> -shift)
        if magnitude == other.infinity:
            return sign | self.infinity
        _, mantissa, exponent = other.unpack(a)
        return self.pack(sign, mantissa, exponent)

    def from_integer(self, value: int) -> int:
        return self.pack(1 if value < 0 else 0, abs(value), 0)

    def to_signed(self, a: int, width: int) -> int:
        """Truncated, as a pattern of `width` bits; what does not fit gives the least number, as on x86."""
        value = self._truncated(a)
        limit = 1 << (width - 1)
        if value is None or not -limit <= value < limit:
            return limit
        return value & ((1 << width) - 1)

    def to_unsigned(self, a: int, width: int) -> int:
        value = self._truncated(a)
        if value is None or not 0 <= value < 1 << width:
            return 1 << (width - 1)
        return value

    def _truncated(self, a: int) -> int | None:
        if a & self.magnitude_mask >= self.infinity:
            return None
        sign, mantissa, exponent = self.unpack(a)
        whole = mantissa << exponent if exponent >= 0 else mantissa >> -exponent
        return -whole if sign else whole

    # Python's floats, for reading and printing

    def from_python(self, value: float) -> int:
        return self.from_format(arithmetic(FLOAT64), _bits64(value))

    def to_python(self, a: int) -> float:
        return _value64(arithmetic(FLOAT64).from_format(self, a))


class Double(Arithmetic):
    """`double`: Python's own floats are these. A NaN result goes to the definition, which knows which NaN."""

    def add(self, a: int, b: int) -> int:
        value = _value64(a) + _value64(b)
        return _bits64(value) if value == value else Arithmetic.add(self, a, b)

    def sub(self, a: int, b: int) -> int:
        value = _value64(a) - _value64(b)
        return _bits64(value) if value == value else Arithmetic.sub(self, a, b)

    def mul(self, a: int, b: int) -> int:
        value = _value64(a) * _value64(b)
        return _bits64(value) if value == value else Arithmetic.mul(self, a, b)

    def div(self, a: int, b: int) -> int:
        divisor = _value64(b)
        if divisor != 0:
            value = _value64(a) / divisor
            if value == value:
                return _bits64(value)
        return Arithmetic.div(self, a, b)

    def fmod(self, a: int, b: int) -> int:
        x, y = _value64(a), _value64(b)
        if math.isfinite(x) and math.isfinite(y) and y != 0:
            return _bits64(math.fmod(x, y))
        return Arithmetic.fmod(self, a, b)

    def sqrt(self, a: int) -> int:
        value = _value64(a)
        return _bits64(math.sqrt(value)) if value > 0 else Arithmetic.sqrt(self, a)

    def eq(self, a: int, b: int) -> bool:
        return _value64(a) == _value64(b)

    def lt(self, a: int, b: int) -> bool:
        return _value64(a) < _value64(b)

    def leq(self, a: int, b: int) -> bool:
        return _value64(a) <= _value64(b)

    def from_format(self, other: Arithmetic, a: int) -> int:
        if type(other) is Single and a & other.magnitude_mask <= other.infinity:
            return _bits64(_value32(a))
        return Arithmetic.from_format(self, other, a)

    def from_integer(self, value: int) -> int:
        if -_EXACT <= value <= _EXACT:
            return _bits64(float(value))
        return Arithmetic.from_integer(self, value)


class Single(Arithmetic):
    """`float`. A sum, difference, product, quotient or root of floats, computed in doubles and then rounded, is correctly
    rounded, since a double has more than twice the precision and two bits (Figueroa 1995)."""

    def add(self, a: int, b: int) -> int:
        value = _value32(a) + _value32(b)
        return self._rounded(value) if value == value else Arithmetic.add(self, a, b)

    def sub(self, a: int, b: int) -> int:
        value = _value32(a) - _value32(b)
        return self._rounded(value) if value == value else Arithmetic.sub(self, a, b)

    def mul(self, a: int, b: int) -> int:
        value = _value32(a) * _value32(b)
        return self._rounded(value) if value == value else Arithmetic.mul(self, a, b)

    def div(self, a: int, b: int) -> int:
        divisor = _value32(b)
        if divisor != 0:
            value = _value32(a) / divisor
            if value == value:
                return self._rounded(value)
        return Arithmetic.div(self, a, b)

    def sqrt(self, a: int) -> int:
        value = _value32(a)
        return self._rounded(math.sqrt(value)) if value > 0 else Arithmetic.sqrt(self, a)

    def eq(self, a: int, b: int) -> bool:
        return _value32(a) == _value32(b)

    def lt(self, a: int, b: int) -> bool:
        return _value32(a) < _value32(b)

    def leq(self, a: int, b: int) -> bool:
        return _value32(a) <= _value32(b)

    def from_format(self, other: Arithmetic, a: int) -> int:
        if type(other) is Double and a & other.magnitude_mask <= other.infinity:
            return self._rounded(_value64(a))
        return Arithmetic.from_format(self, other, a)

    def from_integer(self, value: int) -> int:
        if -_EXACT <= value <= _EXACT:
            return self._rounded(float(value))
        return Arithmetic.from_integer(self, value)

    def _rounded(self, value: float) -> int:
        """The pattern of a double that is no NaN, rounded once."""
        try:
            bits: int = _BITS32.unpack(_VALUE32.pack(value))[0]
        except OverflowError:
            bits = self.infinity | (self.sign_bit if value < 0 else 0)
        return bits


_EXACT = 1 << 53
"""Integers up to here are doubles without rounding."""


def _value64(a: int) -> float:
    value: float = _VALUE64.unpack(_BITS64.pack(a))[0]
    return value


def _bits64(value: float) -> int:
    bits: int = _BITS64.unpack(_VALUE64.pack(value))[0]
    return bits


def _value32(a: int) -> float:
    value: float = _VALUE32.unpack(_BITS32.pack(a))[0]
    return value


@cache
def arithmetic(sort: Float) -> Arithmetic:
    """The arithmetic of a format."""
    if sort == FLOAT64:
        return Double(sort)
    if sort == FLOAT32:
        return Single(sort)
    return Arithmetic(sort)


def extended_to_memory(a: int) -> int:
    """The 80 bits in which x87 keeps an `EXTENDED` value. Puts in the integer bit: 1 for normal numbers, infinities and NaNs."""
    high = a >> 63
    return high << 64 | (1 << 63 if high & 0x7FFF else 0) | a & (1 << 63) - 1


def is_extended(bits: int) -> bool:
    """Does the integer bit of these 80 agree with the exponent? x87 makes no others (pseudo-denormals, unnormals,
    pseudo-infinities): it moves them as they are, takes some for other numbers, and refuses to compute with the rest."""
    return bits >> 63 & 1 == int(bits >> 64 & 0x7FFF != 0)


def extended_from_memory(bits: int) -> int:
    """Drops the integer bit, which must agree with the exponent."""
    return bits >> 64 << 63 | bits & (1 << 63) - 1
