"""What the front end tells checks about an operation of the program, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from drystone.ir.expressions import Constant, Expression, constant
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


Fact = Arithmetic | Conversion


class Violation(msgspec.Struct, frozen=True):
    """The operation is an error where the condition holds. `what` it is, in words; the text of the operation follows."""

    condition: Expression
    what: str


Check = Callable[[Fact], Iterator[Violation]]


def width_of(sort: Sort) -> int:
    assert isinstance(sort, BitVec)
    return sort.width
