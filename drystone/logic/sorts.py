"""The sorts of values: Booleans, bit-vectors, IEEE floats, arrays.

Shared by program expressions and by logical terms, so that translating one into the other never has
to guess a width. Values are plain integers everywhere: a bit-vector is its unsigned value, a float is
its bit pattern (as it lies in memory), a Boolean is 0 or 1.
"""

from __future__ import annotations

from functools import cache

import msgspec


class Bool(msgspec.Struct, frozen=True, tag="bool"):
    def __str__(self) -> str:
        return "bool"


class BitVec(msgspec.Struct, frozen=True, tag="bv"):
    width: int

    def __str__(self) -> str:
        return f"bv{self.width}"


class Float(msgspec.Struct, frozen=True, tag="fp"):
    """An IEEE 754 binary format; `significand` counts the hidden bit, as in SMT-LIB."""

    exponent: int
    significand: int

    @property
    def width(self) -> int:
        return self.exponent + self.significand

    def __str__(self) -> str:
        return _FLOAT_NAMES.get((self.exponent, self.significand), f"fp{self.exponent}_{self.significand}")


class Array(msgspec.Struct, frozen=True, tag="array"):
    index: BitVec
    element: BitVec

    def __str__(self) -> str:
        return f"[{self.index}]{self.element}"


Sort = Bool | BitVec | Float | Array

_FLOAT_NAMES = {(5, 11): "half", (8, 24): "float", (11, 53): "double", (15, 64): "extended", (15, 113): "quad"}

BOOL = Bool()
FLOAT32 = Float(8, 24)
FLOAT64 = Float(11, 53)
EXTENDED = Float(15, 64)
"""x87 extended precision. As a bit pattern it has 79 bits (sign, exponent, 63 fraction bits): the explicit
integer bit of the 80-bit memory format is put in by `Store` and taken out by `Load`."""


@cache
def bitvec(width: int) -> BitVec:
    """The one `BitVec` object of this width, so that sorts can be compared with `is` on hot paths."""
    return BitVec(width)
