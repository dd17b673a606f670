"""Where values lie: in a variable of the automaton, in memory, or in some bits of it."""

from __future__ import annotations

import msgspec

from drystone.ir.expressions import Determinant, Expression, Variable


class Volatile(msgspec.Struct, frozen=True):
    """The input that each read of an object is."""

    what: str
    determinant: Determinant


class InVariable(msgspec.Struct, frozen=True):
    variable: Variable
    volatile: Volatile | None = None  # None: a read gives what was written


class InMemory(msgspec.Struct, frozen=True):
    address: Expression
    volatile: Volatile | None = None
    in_part: bool = False  # only members of it are volatile


class InBits(msgspec.Struct, frozen=True):
    """A bit-field: `bits` bits at `shift` in the `size` bytes at `address`."""

    address: Expression
    size: int
    shift: int
    bits: int
    signed: bool
    is_bool: bool
    volatile: Volatile | None = None


Place = InVariable | InMemory | InBits
