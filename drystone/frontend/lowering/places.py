"""Where values lie: in a variable of the automaton, in memory, or in some bits of it."""

from __future__ import annotations

import msgspec

from drystone.ir.automaton import Origin
from drystone.ir.expressions import FALSE, Determinant, Expression, Variable


class Volatile(msgspec.Struct, frozen=True):
    """The input that each read of an object is."""

    what: str
    determinant: Determinant


class Index(msgspec.Struct, frozen=True):
    """Of an array of its type: `count` elements."""

    value: Expression
    is_signed: bool
    count: int
    text: str


class Derived(msgspec.Struct, frozen=True):
    """Where an access comes from, for checks: `pointer` is what the address was derived from, None for an object with a name."""

    text: str
    origin: Origin
    pointer: Expression | None = None
    wraps: Expression = FALSE  # does the distance from the pointer not fit an address?
    indices: tuple[Index, ...] = ()
    moves: bool = False  # by an index of the pointer itself
    in_library: bool = False  # a function of the library accesses it
    is_checked: bool = False  # checks have looked at an access of this kind: reading and writing are not told apart


class InVariable(msgspec.Struct, frozen=True):
    variable: Variable
    volatile: Volatile | None = None  # None: a read gives what was written
    derived: Derived | None = None


class InMemory(msgspec.Struct, frozen=True):
    address: Expression
    volatile: Volatile | None = None
    in_part: bool = False  # only members of it are volatile
    derived: Derived | None = None  # None: nothing can be wrong with an access


class InBits(msgspec.Struct, frozen=True):
    """A bit-field: `bits` bits at `shift` in the `size` bytes at `address`."""

    address: Expression
    size: int
    shift: int
    bits: int
    signed: bool
    is_bool: bool
    volatile: Volatile | None = None
    derived: Derived | None = None


Place = InVariable | InMemory | InBits
