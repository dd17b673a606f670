"""What the front end tells checks about an operation of the program, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from drystone.ir.expressions import Constant, Expression, constant
from drystone.logic.slots import Slots
from drystone.logic.sorts import BitVec, Sort


class Arithmetic(msgspec.Struct, frozen=True):
    """A binary operator on integers, or the unary minus (`operator` "neg", b is a). The amount of a shift has its own type."""

    operator: str
    a: Expression
    b: Expression
    type: str  # of the result, as C says it
    is_signed: bool  # is that?
    is_amount_signed: bool = False

    @property
    def width(self) -> int:
        return width_of(self.a.sort)

    @property
    def least(self) -> Constant:
        return constant(self.width, 1 << (self.width - 1) if self.is_signed else 0)

    @property
    def greatest(self) -> Constant:
        return constant(self.width, (1 << (self.width - 1)) - 1 if self.is_signed else -1)


class Conversion(msgspec.Struct, frozen=True):
    """A conversion of a number to an integer type."""

    value: Expression
    is_source_signed: bool  # of an integer
    width: int
    type: str
    is_signed: bool
    is_written: bool  # by the program, as a cast


class Access(msgspec.Struct, frozen=True):
    """An access of some bytes, not 0, at an address that was derived from a pointer."""

    pointer: Expression
    address: Expression
    size: Expression
    entry: Expression  # of the table of what lives where: 0, or the size of the object and one more
    slot: Expression  # that the pointer lies in
    base: Expression  # where the object there begins
    wraps: Expression  # does the distance not fit an address? The pointer would seem to be near
    is_write: bool
    slots: Slots
    in_library: bool = False  # by a function of the library

    @property
    def how(self) -> str:
        """The expression that is read or written follows, or the call that does it."""
        return f"{'write' if self.is_write else 'read'} {'in' if self.in_library else 'of'}"


class Subscript(msgspec.Struct, frozen=True):
    """An access to an element of an array by an index of its type."""

    index: Expression
    is_signed: bool
    count: int
    is_write: bool
    in_library: bool = False

    @property
    def how(self) -> str:
        return f"{'write' if self.is_write else 'read'} {'in' if self.in_library else 'of'}"

    @property
    def detail(self) -> str:
        if self.in_library:
            return ""
        elements = elements_told(self.count)
        if not isinstance(self.index, Constant):
            return elements
        number = self.index.value
        if self.is_signed and number >> (width_of(self.index.sort) - 1):
            number -= 1 << width_of(self.index.sort)
        return f"index {number}, {elements}"


class ElementAddress(msgspec.Struct, frozen=True):
    """The address of an element of an array, which may be its end, by an index of its type."""

    index: Expression
    is_signed: bool
    count: int

    @property
    def detail(self) -> str:
        return elements_told(self.count)


class Movement(msgspec.Struct, frozen=True):
    """An address is computed from a pointer, and kept."""

    pointer: Expression | None  # None: the one of an object with a name
    address: Expression
    entry: Expression  # as of an access
    base: Expression  # of the object, in the terms of the address
    wraps: Expression
    target_size: int  # of what it is a pointer to

    @property
    def detail(self) -> str:
        """How large the object is, if that is known."""
        if not isinstance(self.entry, Constant):
            return ""
        size = self.entry.value - 1
        return elements_told(size // self.target_size) if self.target_size > 0 else f"{size} bytes"


class Release(msgspec.Struct, frozen=True):
    """A block is given back, where the pointer is not NULL."""

    pointer: Expression
    entry: Expression
    slot: Expression
    base: Expression
    slots: Slots


class Ending(msgspec.Struct, frozen=True):
    """The program ends in an orderly way. A block that is left may be `lost`: no pointer leads to it."""

    blocks: Expression  # how many are left
    lost: Expression | None  # an answer of the environment; None: that is not asked


class PointerCall(msgspec.Struct, frozen=True):
    """A call of the function that a pointer leads to."""

    pointer: Expression


class Read(msgspec.Struct, frozen=True):
    """The value of a variable or of bytes in memory is about to be used."""

    has_value: Expression


Fact = Arithmetic | Conversion | Access | Subscript | ElementAddress | Movement | Release | Ending | PointerCall | Read


class Violation(msgspec.Struct, frozen=True):
    """The operation is an error where the condition holds. `what` it is, in words; the text of the operation follows, and a
    `detail`, or a relative clause."""

    condition: Expression
    what: str
    detail: str = ""
    which: str = ""

    def told(self, text: str) -> str:
        if self.which:
            return f"{self.what} {text}, which {self.which}"
        if self.what.endswith((" of", " in")):
            return f"{self.what} {text}" + (self.detail and f": {self.detail}")
        return f"{self.what}: {text}" + (self.detail and f", {self.detail}")


Check = Callable[[Fact], Iterator[Violation]]


def elements_told(count: int) -> str:
    return "1 element" if count == 1 else f"{count} elements"


def width_of(sort: Sort) -> int:
    assert isinstance(sort, BitVec)
    return sort.width
