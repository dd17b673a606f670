"""What has a value: ghost state that a program carries along, where reads of what was never written are errors.

A local variable has a flag. Memory has a shadow: at `shadow(address)` lie as many bits as at the address, which are ones where
the program has written something. Writing anything writes ones, a copy takes the bits along, a new life begins with zeros. So
what is asked about a read is an expression like others, and no engine knows of it.

Static objects and what the environment gives have values from the start: nobody asks for their bits. A copy from where everything
has a value, and blocks that begin with values, take more than one edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from drystone.frontend.lowering.copies import Piece
from drystone.ir import names
from drystone.ir.automaton import MarkKind, MemoryObject
from drystone.ir.expressions import (
    FALSE,
    TRUE,
    Address,
    Apply,
    Constant,
    Determinant,
    Expression,
    Input,
    InputKind,
    Variable,
    byte_size,
    constant,
    load,
)
from drystone.ir.operations import Allocate, Assign, Copy, Declare, Fill, Operation, Reallocate, Store, assigned
from drystone.ir.simplify import make, negate
from drystone.logic.slots import slots
from drystone.logic.sorts import BOOL, BitVec, Sort, bitvec


class Shadows:
    """Of the variables and objects of one procedure."""

    def __init__(self, pointer: BitVec, objects: dict[str, MemoryObject]) -> None:
        """`objects`: the local ones, also those that are yet to come."""
        self.pointer = pointer
        self._objects = objects
        self.flags: dict[str, Variable] = {}  # of the variables that are followed
        self.reads: dict[int, Expression] = {}  # loads that checks were told of, by identity
        self.results: set[Expression] = set()  # pointers to where callers want their results: local objects of theirs

    def follow(self, variable: Variable) -> Variable:
        """From now on the variable has a flag, which is returned."""
        return self.flags.setdefault(variable.name, Variable(names.shadow(variable.name), BOOL))

    def is_static(self, address: Expression) -> bool:
        """Is it in an object that is known to have values from the start?"""
        root = base_of(address)
        return isinstance(root, Constant) or (isinstance(root, Address) and root.target not in self._objects)

    def bits(self, address: Expression, size: int) -> Expression:
        """Of so many bytes."""
        return load(bitvec(8 * size), self.of(address))

    def of(self, address: Expression) -> Expression:
        return make("shadow", self.pointer, address)

    def are_set(self, address: Expression, size: int) -> Expression:
        """Have all of these bytes a value?"""
        if self.is_static(address):
            return TRUE
        are_ones = is_all(self.bits(address, size))
        return are_ones if isinstance(base_of(address), Address) else make("or", BOOL, self.is_outside(address), are_ones)

    def is_outside(self, address: Expression) -> Expression:
        """Is it in a slot of an object that has values from the start?"""
        if isinstance(base_of(address), (Address, Constant)):
            return TRUE if self.is_static(address) else FALSE
        if address in self.results:
            return FALSE
        known = slots(self.pointer.width)
        slot = make("slot", self.pointer, address)
        before, outside, behind = (constant(self.pointer.width, number) for number in (known.heap, known.external, known.stack))
        is_external = make("and", BOOL, make("bvule", BOOL, outside, slot), make("bvult", BOOL, slot, behind))
        return make("or", BOOL, make("bvult", BOOL, slot, before), is_external)

    def before(self, operation: Operation, bits: Expression | None) -> Iterator[Operation]:
        """What goes before it. `bits`: those of the value that is stored; None: it has all that it can have."""
        match operation:
            case Store(address, value) if not self.is_static(address):
                width = 8 * byte_size(value.sort)
                known = constant(width, 0) if _is_unwritten(value) else ones(width)
                yield Store(self.of(address), known if bits is None else bits)
            case Fill(address, _, size) if not self.is_static(address):
                yield Fill(self.of(address), ones(8), size)

    def after(self, operation: Operation, bits: Expression | None) -> Iterator[Operation]:
        """And what follows."""
        if isinstance(operation, Declare):
            address = Address(operation.target, self.pointer)
            yield Fill(self.of(address), constant(8, 0), self._objects[operation.target].size)
        target = assigned(operation)
        if target is not None and (flag := self.flags.get(target.name)) is not None:
            is_begin = isinstance(operation, Assign) and _is_unwritten(operation.value)
            yield Assign(flag, is_all(bits) if bits is not None else FALSE if is_begin else TRUE)


def ones(width: int) -> Constant:
    return constant(width, -1)


def is_all(bits: Expression) -> Expression:
    return make("=", BOOL, bits, Constant(bits.sort, ones(bits.sort.width if isinstance(bits.sort, BitVec) else 1).value))


def base_of(address: Expression) -> Expression:
    """What an address is computed from."""
    while isinstance(address, Apply) and address.operator in ("bvadd", "bvsub"):
        address = address.arguments[0]
    return address


def _is_unwritten(value: Expression) -> bool:
    if isinstance(value, Apply):  # of a Boolean
        return any(map(_is_unwritten, value.arguments))
    return isinstance(value, Input) and value.kind is InputKind.UNINITIALISED


# What takes several edges


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
