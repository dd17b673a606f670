"""Where two arms of an expression join: the value of the one that was chosen."""

from __future__ import annotations

from collections.abc import Callable

from drystone.frontend.declarations.types import CType, Record, Scalar, Void
from drystone.frontend.lowering.lowering import Lowering
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.expressions import Address, Expression, Variable, constant


def choose(
    lowering: Lowering,
    split: Callable[[int, int], None],
    first: Callable[[], Expression],
    second: Callable[[], Expression],
    type_: CType,
) -> Expression:
    """The value of one of two arms, each evaluated only if chosen."""
    builder = lowering.builder
    then, otherwise, join = builder.location(), builder.location(), builder.location()
    split(then, otherwise)
    result: Variable | None = None
    copy: Address | None = None
    if isinstance(type_, Record):  # a value of its own: what the arms name may change before it is looked at
        copy = Address(lowering.memory.temporary_object(type_, names.own("value")), lowering.context.pointer)
    elif not isinstance(type_, Void):
        result = builder.temporary(type_.sort if isinstance(type_, Scalar) else lowering.context.pointer)
    for location, arm in ((then, first), (otherwise, second)):
        builder.current = location
        value = arm()
        if copy is not None:
            lowering.memory.write(InMemory(copy), value, type_)
        elif result is not None:
            builder.assign(result, value)
        builder.goto(join)
    builder.current = join
    return result or copy or constant(32, 0)
