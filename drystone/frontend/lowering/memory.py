"""Accesses: how values are read from places and written to them; objects that hold intermediate values."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.frontend.declarations.types import Array, CType, Field, Int, Pointer, Record, Scalar, Unsupported
from drystone.frontend.errors import NotSupported
from drystone.frontend.lowering.builder import Builder, reads_input
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import is_signed, resize
from drystone.frontend.lowering.copies import members, pieces
from drystone.frontend.lowering.environment import Environment
from drystone.frontend.lowering.places import Derived, InBits, InMemory, InVariable, Place, Volatile
from drystone.frontend.lowering.shadows import follow_copy
from drystone.ir import names
from drystone.ir.automaton import MarkKind, MemoryObject, ObjectKind, Unmodelled
from drystone.ir.expressions import Address, Determinant, Expression, InputKind, constant, load
from drystone.ir.operations import Assign, Copy, Declare, Fill, Operation, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import Sort, bitvec

_VALUES = (names.own("value"), names.RESULT, names.own("union"), names.own("lanes"))
"""Begin the names of objects that hold the value of an expression and are written once each time it is evaluated."""


class Memory:
    """The memory that one procedure accesses."""

    def __init__(
        self, context: Context, builder: Builder, environment: Environment, block: Callable[[], tuple[int, ...]]
    ) -> None:
        """`block` gives the blocks of the function that are open, by number."""
        self._context = context
        self._builder = builder
        self._environment = environment
        self._block = block
        self.on_access: Callable[[Expression, Derived | None, int, bool], None] = lambda address, derived, size, is_write: None
        """Is told of accesses to memory: where, from where, how many bytes, and whether they are written."""
        self.on_read: Callable[[Place, Scalar], None] = lambda where, type_: None
        """Is told of scalar values that are about to be used."""

    def field_place(self, address: Expression, field: Field) -> Place:
        if field.bits >= 0:
            return InBits(
                self.offset(address, field.cell),
                field.cell_size,
                field.offset - field.cell * 8,
                field.bits,
                is_signed(field.type),
                isinstance(field.type, Int) and field.type.is_bool,
            )
        return InMemory(self.offset(address, field.offset // 8))

    def offset(self, address: Expression, bytes_: int) -> Expression:
        return make("bvadd", address.sort, address, constant(self._context.pointer_width, bytes_))

    def address_of(self, where: Place) -> Expression:
        if not isinstance(where, InMemory):
            raise NotSupported("address of a bit-field or register variable")
        return where.address

    def read(self, where: Place, type_: CType) -> Expression:
        """The value at a place; for aggregates its address."""
        value = self.copied(where, type_)
        if isinstance(type_, Scalar):
            self.on_read(where, type_)
        return value

    def copied(self, where: Place, type_: CType) -> Expression:
        """The same, if it is only copied to another place: nobody has to have written it."""
        if not isinstance(where, InVariable) and where.volatile is not None and not isinstance(type_, Array):
            self.on_access(where.address, where.derived, max(type_.size, 0), False)
        if where.volatile is not None:
            return self._volatile_value(where, where.volatile, type_)
        if isinstance(where, InVariable):
            return self._alone(where.variable) if self._is_global(where) else where.variable
        if isinstance(where, InMemory):
            if isinstance(type_, (Scalar, Record)):
                self.on_access(where.address, where.derived, type_.size, False)
            if isinstance(type_, Scalar):
                return self._alone(self._loaded(type_.sort, where))
            if isinstance(type_, Record) and where.derived is not None:
                self._builder.approved.add(where.address)  # of what is copied
            if isinstance(type_, Unsupported):
                raise NotSupported(f"type {type_}")
            return where.address
        assert isinstance(type_, Int)
        self.on_access(where.address, where.derived, where.size, False)
        cell = self._alone(self._loaded(bitvec(where.size * 8), where))
        return resize(_bits_of(where, cell), type_.width, where.signed)

    def _loaded(self, sort: Sort, where: InMemory | InBits) -> Expression:
        value = load(sort, where.address)
        if where.derived is not None:
            self._builder.checked[id(value)] = value
        if self._builder.shadows is not None:
            self._builder.shadows.reads[id(value)] = value
        return value

    def _emit(self, access: Operation, where: InMemory | InBits, bits: Expression | None = None) -> None:
        if where.derived is not None:
            self._builder.checked[id(access)] = access
        self._builder.emit(access, bits)

    def _alone(self, value: Expression) -> Expression:
        """What is read where other threads may write is read by an edge of its own: they may run before the next read."""
        return self._builder.keep(value) if self._context.has_threads else value

    def _is_global(self, where: InVariable) -> bool:
        return where.variable.name not in self._builder.variables

    def _volatile_value(self, where: Place, volatile: Volatile, type_: CType) -> Expression:
        """Any value. Where a pointer points that the program has not put there, is unknown."""
        builder = self._builder
        if isinstance(type_, Pointer):
            changed, same = builder.location(), builder.location()
            builder.branch(builder.choice(f"{volatile.what} was changed"), changed, same)
            builder.current = changed
            builder.end(MarkKind.UNKNOWN, f"another pointer in {volatile.what}", Unmodelled.VOLATILE, volatile.what)
            builder.place(same)
            return builder.keep(self.read(msgspec.structs.replace(where, volatile=None), type_))
        if isinstance(where, InBits) and isinstance(type_, Int):
            bits = builder.input(bitvec(where.bits), InputKind.EXTERNAL, volatile.what, volatile.determinant, str(type_))
            return builder.keep(resize(bits, type_.width, where.signed))
        if isinstance(type_, Scalar):
            return builder.keep(self._environment.any_value(type_, InputKind.EXTERNAL, volatile.what, volatile.determinant))
        if isinstance(type_, Record) and isinstance(where, InMemory) and where.in_part:
            copy = Address(self.temporary_object(type_, names.own("value")), self._context.pointer)
            self.write(InMemory(copy), where.address, type_)
            self._read_volatile_members(copy, type_, volatile)
            return copy
        raise NotSupported(f"value of {type_}, which is volatile", Unmodelled.VOLATILE, volatile.what)

    def _read_volatile_members(self, copy: Expression, type_: Record, volatile: Volatile) -> None:
        """In a copy of a structure: what was read from its volatile members."""
        for field in type_.fields:
            if not field.volatile:
                continue
            if type_.is_union or not isinstance(field.type, Scalar):
                raise NotSupported(f"value of {type_}, which is volatile", Unmodelled.VOLATILE, volatile.what)
            place = self.field_place(copy, field)
            self.write(place, self._volatile_value(place, volatile, field.type), field.type)

    def write(self, where: Place, value: Expression, type_: CType, bits: Expression | None = None) -> None:
        """Assigns a value of the place's type; for records, copies from the address that `value` is. `bits` of it may have no
        value (`lowering.shadows`)."""
        builder = self._builder
        if isinstance(where, InVariable):
            builder.emit(Assign(where.variable, value), bits)
        elif isinstance(where, InMemory):
            self.on_access(where.address, where.derived, max(type_.size, 0), True)
            if isinstance(type_, Scalar):
                self._emit(Store(where.address, value), where, bits)
            elif isinstance(type_, (Record, Array)) and type_.size >= 0:
                if where.derived is not None:
                    builder.approved.add(where.address)
                self._copy(where.address, value, type_)
            else:
                raise NotSupported(f"assignment of {type_}")
        else:
            self.on_access(where.address, where.derived, where.size, True)
            width = where.size * 8
            cell = self._alone(self._loaded(bitvec(width), where))
            mask = ((1 << where.bits) - 1) << where.shift
            kept = make("bvand", cell.sort, cell, constant(width, ~mask))
            moved = make("bvshl", cell.sort, resize(value, width, False), constant(width, where.shift))
            new = make("bvand", cell.sort, moved, constant(width, mask))
            shadows = builder.shadows
            known = make("bvor", cell.sort, shadows.bits(where.address, where.size), constant(width, mask)) if shadows else None
            self._emit(Store(where.address, make("bvor", cell.sort, kept, new)), where, known)

    def _copy(self, target: Expression, source: Expression, type_: CType) -> None:
        parts = pieces(type_) if self._context.has_threads else None
        if parts is None:
            if type_.size:
                follow_copy(self._builder, self._builder.shadows, target, source, members(type_))
                self._builder.emit(Copy(target, source, type_.size))
            return
        target, source = self._builder.keep(target), self._builder.keep(source)
        for distance, sort in parts:
            value = self._builder.keep(load(sort, self.offset(source, distance)))
            self._builder.emit(Store(self.offset(target, distance), value))

    def store(self, where: Place, value: Expression, type_: CType, is_used: bool) -> Expression:
        """Assigns a value of the place's type. If it is used, returns the value that the place has now, without reading it again:
        what its address was computed from may be what was written."""
        if not is_used:
            self.write(where, value, type_)
            return constant(32, 0)
        if isinstance(where, InVariable):
            value = self._alone(value) if self._is_global(where) else value
            self.write(where, value, type_)
            return value if self._context.has_threads and self._is_global(where) else where.variable
        value = self.own_copy(value, type_) if isinstance(type_, Record) else self._builder.keep(value)
        self.write(where, value, type_)
        if isinstance(where, InMemory):
            return value
        assert isinstance(type_, Int)
        width = where.size * 8
        cell = make("bvshl", bitvec(width), resize(value, width, False), constant(width, where.shift))
        return resize(_bits_of(where, cell), type_.width, where.signed)

    def own_copy(self, address: Expression, type_: CType) -> Expression:
        """The record at an address as a value that nothing can change: in an object that has no name in C."""
        if isinstance(address, Address) and address.target.startswith(_VALUES):
            return address
        copy = Address(self.temporary_object(type_, names.own("value")), self._context.pointer)
        self.write(InMemory(copy), address, type_)
        return copy

    def kept(self, value: Expression, type_: CType) -> Expression:
        """The value as it is now, whatever is assigned later."""
        return self.own_copy(value, type_) if isinstance(type_, Record) else self._builder.keep(value)

    def keep_place(self, where: Place) -> Place:
        """The same place, whatever its address expression reads is changed to."""
        match where:
            case InMemory(address) | InBits(address):
                derived = where.derived
                if derived is not None:
                    pointer = self._builder.keep(derived.pointer) if derived.pointer is not None else None
                    kept = tuple(msgspec.structs.replace(each, value=self._builder.keep(each.value)) for each in derived.indices)
                    derived = msgspec.structs.replace(
                        derived, pointer=pointer, wraps=self._builder.keep(derived.wraps), indices=kept
                    )
                return msgspec.structs.replace(where, address=self._builder.keep(address), derived=derived)
            case _:
                return where

    def reads_input(self, where: Place) -> bool:
        """Would naming the place on two edges ask the environment twice?"""
        return not isinstance(where, InVariable) and reads_input(where.address)

    def temporary_object(self, type_: CType, name: str, align: int = 0, is_lasting: bool = False) -> str:
        """A fresh object of the procedure for an intermediate value, with its type's alignment unless another one is given. Where
        it lies, others may lie afterwards, unless it lasts to the end of its block."""
        if type_.size < 0:
            raise NotSupported(f"object of {type_}")
        unique = self._builder.fresh_name(name)
        block = self._block() if is_lasting else (*self._block(), -len(self._builder.objects) - 1)
        self._builder.objects[unique] = MemoryObject(
            unique, type_.size, align or type_.align, ObjectKind.LOCAL, str(type_), origin=self._builder.origin, block=block
        )
        return unique

    def fill(self, address: Expression, size: int) -> None:
        if size > 0:
            self._builder.emit(Fill(address, constant(8, 0), size))

    def havoc(
        self, where: Place, type_: CType, kind: InputKind, what: str, determinant: Determinant = Determinant.NOTHING
    ) -> None:
        """The environment chooses the value at a place."""
        if isinstance(type_, Scalar):
            self.write(where, self._environment.any_value(type_, kind, what, determinant), type_)
        elif kind is InputKind.UNINITIALISED and isinstance(where, InMemory) and self._is_own_object(where.address):
            assert isinstance(where.address, Address)
            self._builder.emit(Declare(where.address.target))
        elif isinstance(type_, Record) and isinstance(where, InMemory):
            for field in type_.fields:
                self.havoc(self.field_place(where.address, field), field.type, kind, what, determinant)
        elif isinstance(type_, Array) and isinstance(where, InMemory) and 0 <= type_.count <= 64:
            for index in range(type_.count):
                element = InMemory(self.offset(where.address, index * type_.element.size))
                self.havoc(element, type_.element, kind, what, determinant)
        else:
            raise NotSupported(f"arbitrary value of {type_}")

    def _is_own_object(self, address: Expression) -> bool:
        return isinstance(address, Address) and address.target in self._builder.objects


def _bits_of(where: InBits, cell: Expression) -> Expression:
    """The value of a bit-field, as wide as the cell that it lies in."""
    width = where.size * 8
    if where.signed:
        high = make("bvshl", cell.sort, cell, constant(width, width - where.shift - where.bits))
        return make("bvashr", cell.sort, high, constant(width, width - where.bits))
    low = make("bvlshr", cell.sort, cell, constant(width, where.shift))
    return make("bvand", cell.sort, low, constant(width, (1 << where.bits) - 1))
