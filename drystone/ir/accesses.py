"""What an edge of a program with threads accesses that others may access, too: for data races.

A variable, or bytes of memory; a `Free` writes all of its object. Where a scope begins (`Declare`) is no access in C.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import msgspec

from drystone.ir.expressions import TRUE, Apply, Expression, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.operations import Copy, Fill, Free, Operation, Reallocate, Store, assigned
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, Sort

WHOLE = 0


class Access(msgspec.Struct, frozen=True):
    """Of the variable `name`, or of `size` bytes at `address`; a size of WHOLE means all of the object there."""

    is_write: bool
    name: str = ""
    address: Expression | None = None
    size: int = 1
    sort: Sort | None = None  # of a load or store
    guard: Expression = TRUE  # it happens if this holds


def accesses(operation: Operation, globals_: Container[str]) -> Iterator[Access]:
    """All that it does to memory and to these variables, reads first."""
    for expression in expressions_of(operation):
        yield from _reads(expression, globals_, TRUE)
    match operation:
        case Store(address, value):
            yield Access(True, address=address, size=byte_size(value.sort), sort=value.sort)
        case Copy(target, source, size):
            yield Access(False, address=source, size=size)
            yield Access(True, address=target, size=size)
        case Fill(target, _, size):
            yield Access(True, address=target, size=size)
        case Free(address) | Reallocate(_, address):
            yield Access(True, address=address, size=WHOLE)
    given = assigned(operation)
    if given is not None and given.name in globals_:
        yield Access(True, given.name)


def _reads(expression: Expression, globals_: Container[str], guard: Expression) -> Iterator[Access]:
    match expression:
        case Variable(name) if name in globals_:
            yield Access(False, name, guard=guard)
        case Load(sort, address):
            yield from _reads(address, globals_, guard)
            yield Access(False, address=address, size=byte_size(sort), sort=sort, guard=guard)
        case Apply("ite", _, (condition, first, second)):
            yield from _reads(condition, globals_, guard)
            yield from _reads(first, globals_, make("and", BOOL, guard, condition))
            yield from _reads(second, globals_, make("and", BOOL, guard, negate(condition)))
        case Apply(("and" | "or") as operator, _, (first, second)):
            yield from _reads(first, globals_, guard)
            yield from _reads(second, globals_, make("and", BOOL, guard, first if operator == "and" else negate(first)))
        case Apply(_, _, arguments):
            for argument in arguments:
                yield from _reads(argument, globals_, guard)
