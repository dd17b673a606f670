"""Pieces of C text with their types, and how C spells types and numbers."""

from __future__ import annotations

from typing import Protocol

import msgspec

from drystone.logic import semantics
from drystone.logic.terms import Term

ATOM, PREFIX, TIMES, PLUS, SHIFT, ORDER, EQUAL, AND, OR, IF = 20, 13, 12, 11, 10, 9, 8, 4, 3, 2
"""How strongly operators of C bind; the bitwise ones lie between `EQUAL` and `AND`."""
INT = 32
WIDTHS = (8, 16, 32, 64, 128)
"""Of `int`, and of all types of integers."""


class NotC(Exception):
    """There is no C expression for this, or none that is worth reading."""


class Phrase(msgspec.Struct, frozen=True):
    """Text, how strongly it binds, and its type in C."""

    text: str
    level: int = ATOM
    signed: bool | None = None  # of an integer; None: not known, so a cast is needed wherever the sign matters
    is_pointer: bool = False
    is_guess: bool = False  # it may be an integer after all: the source has a name for its type
    pointee: str = ""  # of a pointer: the type of what it points to, if it is known
    enumerators: tuple[tuple[int, str], ...] = ()  # names of its values, if it is of an enumeration

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


class CTypes:
    """The integer types of C, where pointers have so many bits."""

    def __init__(self, pointer_width: int) -> None:
        self.pointer_width = pointer_width

    def name(self, width: int, signed: bool) -> str:
        long = "long" if self.pointer_width == 64 else "long long"
        names = {8: "char", 16: "short", 32: "int", 64: long, 128: "__int128"}
        if width not in names:
            raise NotC
        if width == 8:
            return "signed char" if signed else "unsigned char"
        if width == 32:
            return "int" if signed else "unsigned"
        return names[width] if signed else f"unsigned {names[width]}"

    def cast(self, phrase: Phrase, width: int, signed: bool) -> Phrase:
        """The phrase, converted to this type."""
        return Phrase(f"({self.name(width, signed)}){phrase.within(PREFIX)}", PREFIX, signed)

    def literal(self, value: int, width: int, signed: bool) -> Phrase:
        """Of this type, or of int where that is converted to the same value."""
        value = semantics.signed(value, width) if signed else value & (1 << width) - 1
        if signed and value == -1 << width - 1 and width >= INT:
            names = {32: "INT_MIN", 64: "LONG_MIN" if self.pointer_width == 64 else "LLONG_MIN"}
            if width not in names:
                raise NotC
            return Phrase(names[width], ATOM, True)
        if abs(value) >> 64:
            raise NotC
        suffix = "u" if not signed and width >= INT else ""
        text = hex(value) if not signed and value >> 31 and value & value + 1 != 0 else str(value)
        return Phrase(text + suffix, ATOM if value >= 0 else PREFIX, signed)

    def narrowed(self, phrase: Phrase, width: int, signed: bool | None) -> Phrase:
        """C computes narrow integers as int: back to the width, so that what is lost is lost here, too."""
        if width not in WIDTHS:
            raise NotC
        return phrase if width >= INT else self.cast(phrase, width, signed is True)

    def factor(self, value: int, width: int) -> str:
        """A number that is added or multiplied: signed if it can be."""
        return self.literal(value, width, value >> width - 1 == 0).text

    def beside(self, value: int, width: int, signed: bool | None) -> Phrase:
        """A number beside an operand that gives the type."""
        if width < INT:
            return self.literal(value, width, signed is True)
        plain = value & (1 << width) - 1
        return Phrase(str(plain), ATOM, True) if plain < 1 << 31 else self.literal(value, width, signed is not False)


class Printer(Protocol):
    """Terms as phrases (`logic.cprinting`): for the parts of the printer, and for those who know names."""

    types: CTypes
    names: Names

    def phrase(self, term: Term) -> Phrase:
        """The term as C would compute it: its value, in the type that the phrase says."""

    def as_type(self, term: Term, signed: bool) -> Phrase:
        """The value with this sign."""

    def number(self, term: Term) -> Phrase:
        """A pointer as the number that it is."""

    def cell(self, term: Term, ctype: str | None) -> Phrase:
        """An element of an array, read as this type if one is given."""


class Names(Protocol):
    """What the symbols and cells of memory are called."""

    pointer_width: int

    def variable(self, symbol: Term) -> Phrase: ...

    def cell(self, array: str, address: Term, ctype: str | None, printer: Printer) -> Phrase:
        """An element of an array, read as this type if one is given."""

    def address(self, value: int, pointee: str) -> str | None:
        """The object of this type, or part of one, that has this address: `&x`, `&a[2]`."""
