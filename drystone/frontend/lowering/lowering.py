"""What all lowering works on: the places where values lie, and the values the environment chooses."""

from __future__ import annotations

import msgspec

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.cursors import printed_attributes
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.initialisers import is_implicit, strip
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import FunctionSymbol, Symbol, VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Field, Function, Int, Pointer, Record, Scalar, Unsupported
from drystone.frontend.errors import NotSupported
from drystone.frontend.lowering.builder import Builder, reads_input
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import is_signed, resize
from drystone.frontend.source_text import alignment
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, MarkKind, MemoryObject, ObjectKind, Origin
from drystone.ir.expressions import Address, Constant, Determinant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Allocate, Copy, Declare, Fill, Lifetime, Store
from drystone.ir.simplify import as_bits, make
from drystone.logic.sorts import BOOL, Sort, bitvec


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

_VALUES = (names.own("value"), names.RESULT, names.own("union"), names.own("lanes"))
"""Begin the names of objects that hold the value of an expression and are written once each time it is evaluated."""

EXTERNAL_MEMORY = 4096
"""Bytes behind a pointer that comes from outside the program, at least."""


class Lowering:
    """The state of lowering one function or initialiser of one unit."""

    def __init__(self, context: Context, unit: Unit, builder: Builder, owner: str) -> None:
        self.context = context
        self.unit = unit
        self.types = unit.types
        self.builder = builder
        self.owner = owner
        self.locals: dict[int, Place] = {}  # by declaration
        self.array_sizes: dict[int, Expression] = {}  # bytes of variable length array types, by identity
        self.varargs: Variable | None = None  # where the variable arguments of this function lie
        self.evaluated: set[int] = set()  # the expressions with side effects that were lowered
        self.lib = library()

    def type_of(self, node: Node) -> CType:
        """The type of an expression. libclang gives a parameter `int a[]` its type as written; here it is a pointer."""
        type_ = self.types.of(node.cursor)
        if isinstance(type_, (Array, Function)):
            inner = strip(node)
            while is_implicit(inner):
                inner = strip(inner.children[0])
            if inner.kind == kinds.DECL_REF_EXPR:
                declaration = self.lib.clang_getCursorReferenced(inner.cursor)
                if declaration.kind == kinds.PARM_DECL:
                    return self.types.decayed(type_)
        return type_

    def origin(self, cursor: CXCursor) -> Origin:
        file, line, column, end_line, end_column = self.unit.clang.source.extent(cursor)
        return Origin(self.context.file(file), line, column, end_line, end_column) if file else NOWHERE

    def denoted(self, reference: Node) -> Symbol | None:
        """What a reference to a declaration denotes."""
        found = self.context.symbols.resolve(self.unit, self.lib.clang_getCursorReferenced(reference.cursor), self.owner)
        if isinstance(found, (FunctionSymbol, VariableSymbol)) and found.refused:
            raise NotSupported(f"{found.name}: {found.refused}")
        if isinstance(found, (FunctionSymbol, VariableSymbol)) and found.is_null:
            self.context.note("weak symbol", f"{found.name} is not defined: its address is 0", self.builder.origin)
        return found

    def size_of(self, type_: CType) -> Expression:
        """The size of a type in bytes, at the width of a pointer."""
        if type_.size >= 0:
            return constant(self.context.pointer_width, type_.size)
        known = self.array_sizes.get(id(type_))
        if known is None:
            raise NotSupported(f"size of {type_}")
        return known

    def alignment(self, declaration: Node, type_: CType) -> int:
        """Of a declared object: its type's (which a typedef may change), or what attributes and _Alignas ask for, more or less.
        A parameter lies where the caller puts it."""
        declared = self.lib.clang_Type_getAlignOf(self.lib.clang_getCursorType(declaration.cursor))
        count = sum(child.kind == kinds.ALIGNED_ATTR for child in declaration.children)
        if declaration.kind == kinds.PARM_DECL:
            return 1 if count else max(min(declared, 4 if self.context.pointer_width == 32 else 16), 1)
        if count == 0:
            return max(declared if declared > 0 else type_.align, 1)
        printed = printed_attributes(declaration.cursor)
        return alignment.asked(printed, count, self.context.pointer_width // 8) or max(declared, 1)

    def pointer_constant(self, value: int) -> Constant:
        return constant(self.context.pointer_width, value)

    def text(self, node: Node) -> str:
        """The expression as written, shortened, for messages."""
        words = " ".join(self.unit.clang.tokens.of(node.cursor))
        return words if len(words) <= 60 else words[:57] + "..."

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
        return make("bvadd", address.sort, address, self.pointer_constant(bytes_))

    def address_of(self, where: Place) -> Expression:
        if not isinstance(where, InMemory):
            raise NotSupported("address of a bit-field or register variable")
        return where.address

    def read(self, where: Place, type_: CType) -> Expression:
        """The value at a place; for aggregates its address."""
        if where.volatile is not None:
            return self._volatile_value(where, where.volatile, type_)
        if isinstance(where, InVariable):
            return where.variable
        if isinstance(where, InMemory):
            if isinstance(type_, Scalar):
                return load(type_.sort, where.address)
            if isinstance(type_, Unsupported):
                raise NotSupported(f"type {type_}")
            return where.address
        assert isinstance(type_, Int)
        return resize(_bits_of(where, load(bitvec(where.size * 8), where.address)), type_.width, where.signed)

    def _volatile_value(self, where: Place, volatile: Volatile, type_: CType) -> Expression:
        """Any value. Where a pointer points that the program has not put there, is unknown."""
        builder = self.builder
        if isinstance(type_, Pointer):
            changed, same = builder.location(), builder.location()
            builder.branch(builder.choice(f"{volatile.what} was changed"), changed, same)
            builder.current = changed
            what = f"unsupported: another pointer in {volatile.what}; --volatile memory: nobody changes it"
            builder.end(MarkKind.UNKNOWN, what)
            builder.place(same)
            return builder.keep(self.read(msgspec.structs.replace(where, volatile=None), type_))
        if isinstance(where, InBits) and isinstance(type_, Int):
            bits = builder.input(bitvec(where.bits), InputKind.EXTERNAL, volatile.what, volatile.determinant, str(type_))
            return builder.keep(resize(bits, type_.width, where.signed))
        if isinstance(type_, Scalar):
            return builder.keep(self.any_value(type_, InputKind.EXTERNAL, volatile.what, volatile.determinant))
        if isinstance(type_, Record) and isinstance(where, InMemory) and where.in_part:
            copy = Address(self.temporary_object(type_, names.own("value")), self.context.pointer)
            self.write(InMemory(copy), where.address, type_)
            self._read_volatile_members(copy, type_, volatile)
            return copy
        raise NotSupported(f"value of {type_}, which is volatile; --volatile memory: nobody changes it")

    def _read_volatile_members(self, copy: Expression, type_: Record, volatile: Volatile) -> None:
        """In a copy of a structure: what was read from its volatile members."""
        for field in type_.fields:
            if not field.volatile:
                continue
            if type_.is_union or not isinstance(field.type, Scalar):
                raise NotSupported(f"value of {type_}, which is volatile; --volatile memory: nobody changes it")
            place = self.field_place(copy, field)
            self.write(place, self._volatile_value(place, volatile, field.type), field.type)

    def write(self, where: Place, value: Expression, type_: CType) -> None:
        """Assigns a value of the place's type; for records, copies from the address that `value` is."""
        builder = self.builder
        if isinstance(where, InVariable):
            builder.assign(where.variable, value)
        elif isinstance(where, InMemory):
            if isinstance(type_, Scalar):
                builder.emit(Store(where.address, value))
            elif isinstance(type_, (Record, Array)) and type_.size >= 0:
                if type_.size:
                    builder.emit(Copy(where.address, value, type_.size))
            else:
                raise NotSupported(f"assignment of {type_}")
        else:
            width = where.size * 8
            cell = load(bitvec(width), where.address)
            mask = ((1 << where.bits) - 1) << where.shift
            kept = make("bvand", cell.sort, cell, constant(width, ~mask))
            moved = make("bvshl", cell.sort, resize(value, width, False), constant(width, where.shift))
            new = make("bvand", cell.sort, moved, constant(width, mask))
            builder.emit(Store(where.address, make("bvor", cell.sort, kept, new)))

    def store(self, where: Place, value: Expression, type_: CType, is_used: bool) -> Expression:
        """Assigns a value of the place's type. If it is used, returns the value that the place has now, without reading it again:
        what its address was computed from may be what was written."""
        if not is_used:
            self.write(where, value, type_)
            return constant(32, 0)
        if isinstance(where, InVariable):
            self.write(where, value, type_)
            return where.variable
        value = self.own_copy(value, type_) if isinstance(type_, Record) else self.builder.keep(value)
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
        copy = Address(self.temporary_object(type_, names.own("value")), self.context.pointer)
        self.write(InMemory(copy), address, type_)
        return copy

    def keep_place(self, where: Place) -> Place:
        """The same place, whatever its address expression reads is changed to."""
        match where:
            case InMemory(address) | InBits(address):
                return msgspec.structs.replace(where, address=self.builder.keep(address))
            case _:
                return where

    def reads_input(self, where: Place) -> bool:
        """Would naming the place on two edges ask the environment twice?"""
        return not isinstance(where, InVariable) and reads_input(where.address)

    def block(self) -> tuple[int, ...]:
        """The blocks of the function that are open, by number."""
        return ()

    def temporary_object(self, type_: CType, name: str, align: int = 0, is_lasting: bool = False) -> str:
        """A fresh object of the procedure for an intermediate value, with its type's alignment unless another one is given. Where
        it lies, others may lie afterwards, unless it lasts to the end of its block."""
        if type_.size < 0:
            raise NotSupported(f"object of {type_}")
        unique = self.builder.fresh_name(name)
        block = self.block() if is_lasting else (*self.block(), -len(self.builder.objects) - 1)
        self.builder.objects[unique] = MemoryObject(
            unique, type_.size, align or type_.align, ObjectKind.LOCAL, str(type_), origin=self.builder.origin, block=block
        )
        return unique

    def fill(self, address: Expression, size: int) -> None:
        if size > 0:
            self.builder.emit(Fill(address, constant(8, 0), size))

    def havoc(
        self, where: Place, type_: CType, kind: InputKind, what: str, determinant: Determinant = Determinant.NOTHING
    ) -> None:
        """The environment chooses the value at a place."""
        if isinstance(type_, Scalar):
            self.write(where, self.any_value(type_, kind, what, determinant), type_)
        elif kind is InputKind.UNINITIALISED and isinstance(where, InMemory) and self._is_own_object(where.address):
            assert isinstance(where.address, Address)
            self.builder.emit(Declare(where.address.target))
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
        return isinstance(address, Address) and address.target in self.builder.objects

    def fresh_pointer(
        self, type_: Pointer, what: str, determinant: Determinant, is_there: tuple[str, Determinant] | None
    ) -> Expression:
        """A pointer from outside: the base of fresh memory with arbitrary contents, or NULL where this input says so."""
        builder = self.builder
        size = max(type_.target.size, EXTERNAL_MEMORY)
        result = builder.temporary(self.context.pointer)
        fresh, null, join = builder.location(), builder.location(), builder.location()
        if is_there is not None:
            builder.branch(builder.choice(*is_there), fresh, null)
            builder.current = null
            builder.assign(result, self.pointer_constant(0))
            builder.goto(join)
            builder.current = fresh
        builder.emit(Allocate(result, self.pointer_constant(size), False, Lifetime.HEAP, what, determinant=determinant))
        builder.place(join)
        return result

    def approximated(self, sort: Sort, what: str, determinant: Determinant = Determinant.IMPLEMENTATION) -> Expression:
        """A value that the implementation chooses: a proof holds for any, a counterexample must not depend on it."""
        return self.builder.input(sort, InputKind.EXTERNAL, what, determinant)

    def zero_difference(self, b: Expression, value: Expression) -> Expression:
        """`0.0 - b` where gcc may make a negation of it (zeros.py): for b = +0 the machine says +0, and gcc -0."""
        is_computed = self.approximated(BOOL, "sign of a zero difference")
        return self.builder.keep(make("ite", value.sort, is_computed, value, make("fp.neg", value.sort, b)))

    def give_away(self, value: Expression) -> None:
        """Who gets an address may bring it back as a number: a piece of it that nobody uses tells the points-to analysis."""
        known = self.context.objects.get(value.target) if isinstance(value, Address) else None
        is_literal = isinstance(value, Constant) or (known is not None and known.kind is ObjectKind.LITERAL)
        if value.sort == self.context.pointer and not is_literal and not reads_input(value):
            self.builder.assign(self.builder.temporary(bitvec(8)), make("truncate", bitvec(8), value))

    def any_value(self, type_: Scalar, kind: InputKind, what: str, determinant: Determinant = Determinant.NOTHING) -> Expression:
        if isinstance(type_, Int) and type_.is_bool:
            return as_bits(self.builder.input(BOOL, kind, what, determinant), type_.width)
        return self.builder.input(type_.sort, kind, what, determinant, str(type_))


def _bits_of(where: InBits, cell: Expression) -> Expression:
    """The value of a bit-field, as wide as the cell that it lies in."""
    width = where.size * 8
    if where.signed:
        high = make("bvshl", cell.sort, cell, constant(width, width - where.shift - where.bits))
        return make("bvashr", cell.sort, high, constant(width, width - where.bits))
    low = make("bvlshr", cell.sort, cell, constant(width, where.shift))
    return make("bvand", cell.sort, low, constant(width, (1 << where.bits) - 1))
