"""What takes more than one edge to keep the shadow of memory (`lowering.shadows`): a copy from where everything has a value,
blocks that begin with values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from drystone.frontend.lowering.copies import Piece
from drystone.frontend.lowering.shadows import Shadows, ones
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import FALSE, TRUE, Constant, Determinant, Expression, Variable, byte_size
from drystone.ir.operations import Allocate, Assign, Copy, Fill, Operation, Reallocate, Store
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, Sort


class Steps(Protocol):
    """A builder, as far as it takes part."""

    current: int

    def location(self) -> int: ...

    def append(self, operation: Operation) -> None: ...

    def goto(self, target: int) -> None: ...

    def place(self, location: int) -> None: ...

    def branch(self, condition: Expression, then: int, otherwise: int) -> None: ...

    def end(self, kind: MarkKind, what: str) -> None: ...

    def temporary(self, sort: Sort) -> Variable: ...


LOST = "a copy of what has no value to where values are not followed"


def copy_shadow(steps: Steps, shadows: Shadows, operation: Copy) -> None:
    """What is copied from objects that have values from the start, has one."""
    target, source, size = operation.target, operation.source, operation.size
    if shadows.is_static(target):
        return
    if shadows.is_static(source):
        steps.append(Fill(shadows.of(target), ones(8), size))
        return
    valued, other, join = steps.location(), steps.location(), steps.location()
    steps.branch(shadows.is_outside(source), valued, other)
    steps.current = valued
    steps.append(Fill(shadows.of(target), ones(8), size))
    steps.goto(join)
    steps.current = other
    steps.append(Copy(shadows.of(target), shadows.of(source), size))
    steps.place(join)


def begin_shadow(steps: Steps, shadows: Shadows, operation: Allocate | Reallocate) -> None:
    """The zeros of calloc are values; what realloc takes along has one if it had one before. Other blocks have none."""
    target, size = operation.target, operation.size
    if isinstance(operation, Allocate) and (not operation.zeroed or operation.determinant is not Determinant.NOTHING):
        return
    source = operation.address if isinstance(operation, Reallocate) else None
    if isinstance(source, Constant):
        return  # NULL: nothing is taken along
    there, join = steps.location(), steps.location()
    steps.branch(make("=", BOOL, target, Constant(target.sort, 0)), join, there)
    steps.current = there
    if not isinstance(size, Constant):
        _copy_by_bytes(steps, shadows, target, source, size)
    elif size.value and source is None:
        steps.append(Fill(shadows.of(target), ones(8), size.value))
    elif size.value and source is not None:
        steps.append(Copy(shadows.of(target), shadows.of(source), size.value))
    steps.place(join)


def _copy_by_bytes(steps: Steps, shadows: Shadows, target: Expression, source: Expression | None, size: Expression) -> None:
    """In a loop of the program."""
    index = steps.temporary(size.sort)
    head, body, end = steps.location(), steps.location(), steps.location()
    steps.append(Assign(index, Constant(size.sort, 0)))
    steps.place(head)
    steps.branch(make("bvult", BOOL, index, size), body, end)
    steps.current = body
    distance = make("scale", index.sort, index, Constant(index.sort, 1))
    bits: Expression = ones(8)
    if source is not None:
        bits = shadows.bits(make("bvadd", target.sort, source, distance), 1)
    steps.append(Store(shadows.of(make("bvadd", target.sort, target, distance)), bits))
    steps.append(Assign(index, make("bvadd", size.sort, index, Constant(size.sort, 1))))
    steps.goto(head)
    steps.current = end


def follow_copy(
    steps: Steps, shadows: Shadows | None, target: Expression, source: Expression, parts: Sequence[Piece] | None
) -> None:
    """These parts are about to be copied. Where the target lies, nobody may ask what has a value: then all of them must."""
    if shadows is None or shadows.is_outside(target) == FALSE or shadows.is_static(source):
        return
    are_set: Expression = FALSE if parts is None else TRUE
    for distance, sort in parts or ():
        there = make("bvadd", source.sort, source, Constant(source.sort, distance))
        are_set = make("and", BOOL, are_set, shadows.are_set(there, byte_size(sort)))
    lost, kept = steps.location(), steps.location()
    steps.branch(make("and", BOOL, shadows.is_outside(target), negate(are_set)), lost, kept)
    steps.current = lost
    steps.end(MarkKind.UNKNOWN, LOST)
    steps.place(kept)


def give_value(steps: Steps, shadows: Shadows | None, address: Expression, size: int) -> None:
    """What lies there has a value from now on, though the program does not show who has written it."""
    if shadows is not None and not shadows.is_static(address) and size > 0:
        steps.append(Fill(shadows.of(address), ones(8), size))
