"""Turns memory that is only accessed at known addresses into plain variables.

Program to Program, so that the interpreter can check it: a cell (object, offset) of a static region becomes a
variable; loads and stores of it become reads and assignments; declarations, copies and fills assign each cell
on an edge of its own. What other regions need of the same operations stays.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, MemoryObject, ObjectKind, Procedure, Program
from drystone.ir.expressions import (
    Address,
    Apply,
    Constant,
    Expression,
    Input,
    InputKind,
    Load,
    Variable,
    apply,
    byte_size,
    load,
)
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Skip,
    Store,
)
from drystone.ir.simplify import make
from drystone.logic.floats import extended_from_memory, is_extended
from drystone.logic.semantics import signed
from drystone.logic.sorts import EXTENDED, BitVec, Float, Sort, bitvec
from drystone.memory.regions import Region, Regions

_MADE_OF_BYTES = "long double made of bytes"

Cell = tuple[str, int]


def scalarise(program: Program, regions: Regions) -> Program:
    """The program with its static regions as variables; itself, if there is nothing to change. `program` has a single procedure,
    the one `regions` was made for."""
    return _Scalarisation(program, regions).run()


def scalarise_with_regions(program: Program, regions: Regions) -> tuple[Program, Regions]:
    """The same, and its regions as far as those of `program`, which must not be asked any more, tell them.

    They are right, but not the finest: where the cells of two objects were copied into each other, their other regions stay one.
    """
    scalarisation = _Scalarisation(program, regions)
    scalar = scalarisation.run()
    return (program, regions) if scalar is program else (scalar, regions.of_scalarised(scalar, scalarisation.cells))


class _Scalarisation:
    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.procedure = program.procedures[program.entry]
        self.cells: dict[Cell, Variable] = {}  # the cells that matter, and their variables
        self.cells_of: dict[str, list[tuple[int, Variable]]] = {}  # the same by object
        self._taken = set(program.variables) | set(self.procedure.variables)
        self._copies: list[tuple[Cell, Cell, Region]] = []

    def run(self) -> Program:
        for edge in self.procedure.edges:
            for address, sort in _accesses(edge.operation):
                self._use(address, sort)
            if isinstance(edge.operation, Copy):
                self._note_copy(edge.operation)
        self._follow_copies()
        for (name, offset), variable in self.cells.items():
            self.cells_of.setdefault(name, []).append((offset, variable))
        procedure = self._rewrite()
        if procedure.edges == self.procedure.edges:
            return self.program
        variables, initial = dict(self.program.variables), dict(self.program.initial)
        for (name, offset), variable in self.cells.items():
            if name in self.program.objects:
                variables[variable.name] = variable
                initial[variable.name] = _initial(self.program.objects[name], offset, variable)
        return msgspec.structs.replace(
            self.program, procedures={self.program.entry: procedure}, variables=variables, initial=initial
        )

    # which cells

    def _static(self, address: Expression) -> Cell | None:
        match address:
            case Apply("shadow", _, (inner,)):
                cell = self._static(inner)
                return cell and (names.shadow(cell[0]), cell[1])
            case Address(target):
                return target, 0
            case Apply("bvadd", _, (Address(target), Constant(sort, value))):
                width = sort.width if isinstance(sort, BitVec) else 0
                return target, signed(value, width)
            case _:
                return None

    def _cell(self, address: Expression, sort: Sort) -> tuple[Cell, Region] | None:
        """The cell of a static region that an access means."""
        cell = self._static(address)
        if cell is None or cell[0] in self.program.functions:  # the code of a function is no object
            return None
        region = self.regions.of(address, sort)
        return (cell, region) if region.is_static else None

    def _use(self, address: Expression, sort: Sort) -> None:
        found = self._cell(address, sort)
        if found is not None:
            self._variable(*found)

    def _variable(self, cell: Cell, region: Region) -> Variable:
        variable = self.cells.get(cell)
        if variable is None:
            name, offset = cell
            owner = names.shadowed(name)
            object_ = self.program.objects.get(owner) or self.procedure.objects[owner]
            whole = offset == 0 and object_.size == region.size
            base = name if whole else f"{name}.{offset}"
            unique, count = base, 1
            while unique in self._taken:
                count += 1
                unique = f"{base}#{count}"
            self._taken.add(unique)
            variable = self.cells[cell] = Variable(unique, region.sort, object_.ctype if whole and owner == name else "")
        return variable

    def _bulk(self, address: Expression, size: int) -> Iterator[tuple[int, Cell, Region]]:
        """The static cells that a copy or fill touches, with their distance from its start."""
        place = self._static(address)
        if place is not None:
            for distance, region in self.regions.cells(address, size):
                if region.is_static:
                    yield distance, (place[0], place[1] + distance), region

    def _note_copy(self, operation: Copy) -> None:
        source = self._static(operation.source)
        if source is not None:
            for distance, cell, region in self._bulk(operation.target, operation.size):
                self._copies.append((cell, (source[0], source[1] + distance), region))

    def _follow_copies(self) -> None:
        """What is copied into a cell that matters, matters."""
        changed = True
        while changed:
            changed = False
            for target, source, region in self._copies:
                if target in self.cells and source not in self.cells:
                    self._variable(source, region)
                    changed = True

    # rewriting

    def _rewrite(self) -> Procedure:
        procedure = self.procedure
        edges: list[Edge] = []
        locations = procedure.locations
        frame_of = list(procedure.frame_of) if procedure.frame_of is not None else None
        for edge in procedure.edges:
            source = edge.source
            steps = list(self._operations(edge.operation)) or [Skip()]
            for index, operation in enumerate(steps):
                if index + 1 < len(steps):
                    target, locations = locations, locations + 1
                    if frame_of is not None:
                        frame_of.append(frame_of[edge.source])
                else:
                    target = edge.target
                edges.append(Edge(source, target, operation, edge.origin))
                source = target
        variables = dict(procedure.variables)
        variables.update(
            (variable.name, variable) for (name, _), variable in self.cells.items() if names.shadowed(name) in procedure.objects
        )
        return msgspec.structs.replace(procedure, edges=edges, locations=locations, frame_of=frame_of, variables=variables)

    def _operations(self, operation: Operation) -> Iterator[Operation]:
        match operation:
            case Assume(condition):
                yield Assume(self._expression(condition))
            case Assign(target, value):
                yield Assign(target, self._expression(value))
            case Store(address, value):
                found = self._cell(address, value.sort)
                new = self._expression(value)
                if found is None:
                    yield Store(self._expression(address), new)
                else:
                    variable = self._variable(*found)
                    yield Assign(variable, _converted(new, variable.sort))
            case Declare(name):
                for offset, variable in self.cells_of.get(name, ()):
                    yield Assign(variable, Input(1, variable.sort, InputKind.UNINITIALISED, names.cell(name, offset)))
                yield operation
            case Fill(address, byte, size):
                new_byte = self._expression(byte)
                if not isinstance(new_byte, Constant):  # it may be read from what is filled
                    held = Variable(names.own("byte"), new_byte.sort)
                    self.procedure.variables.setdefault(held.name, held)
                    yield Assign(held, new_byte)
                    new_byte = held
                for _, cell, _ in self._bulk(address, size):
                    if cell in self.cells:
                        yield Assign(self.cells[cell], _filled(new_byte, self.cells[cell].sort))
                if self._elsewhere(address, size):
                    yield Fill(self._expression(address), new_byte, size)
            case Copy(target, source, size):
                yield from self._copy(operation)
                if self._elsewhere(target, size):
                    yield Copy(self._expression(target), self._expression(source), size)
            case Allocate(target, size_expression):
                yield msgspec.structs.replace(operation, size=self._expression(size_expression))
            case Reallocate(target, address, size_expression):
                yield Reallocate(target, self._expression(address), self._expression(size_expression))
            case Free(address):
                yield Free(self._expression(address))
            case _:
                yield operation

    def _elsewhere(self, address: Expression, size: int) -> bool:
        """Does a bulk operation touch memory that is not static?"""
        return any(not region.is_static for _, region in self.regions.cells(address, size))

    def _copy(self, operation: Copy) -> Iterator[Operation]:
        """Cell by cell; through temporaries where the two ranges may overlap."""
        source = self._static(operation.source)
        pairs = []
        for distance, cell, _ in self._bulk(operation.target, operation.size):
            if source is not None and cell in self.cells:
                other = (source[0], source[1] + distance)
                if other != cell:
                    pairs.append((self.cells[cell], self.cells[other]))
        targets = {variable.name for variable, _ in pairs}
        saved: dict[str, Variable] = {}
        for _, variable in pairs:
            if variable.name in targets:
                copy = saved[variable.name] = Variable(names.own(f"copy.{variable.name}"), variable.sort)
                self.procedure.variables.setdefault(copy.name, copy)
                yield Assign(copy, variable)
        for target, variable in pairs:
            yield Assign(target, saved.get(variable.name, variable))

    def _expression(self, expression: Expression) -> Expression:
        match expression:
            case Load(sort, address):
                found = self._cell(address, sort)
                if found is None:
                    return load(sort, self._expression(address))
                return _converted(self._variable(*found), sort)
            case Apply(operator, sort, arguments):
                return apply(operator, sort, *(self._expression(argument) for argument in arguments))
            case _:
                return expression


def _accesses(operation: Operation) -> Iterator[tuple[Expression, Sort]]:
    """Addresses and sorts of all loads and stores."""
    stack: list[Expression] = []
    match operation:
        case Assume(condition):
            stack = [condition]
        case Assign(_, value):
            stack = [value]
        case Store(address, value):
            yield address, value.sort
            stack = [address, value]
        case Fill(address, byte, _):
            stack = [address, byte]
        case Copy(target, source, _):
            stack = [target, source]
        case Allocate(_, size):
            stack = [size]
        case Reallocate(_, address, size):
            stack = [address, size]
        case Free(address):
            stack = [address]
        case _:
            pass
    while stack:
        expression = stack.pop()
        if isinstance(expression, Load):
            yield expression.address, expression.sort
            stack.append(expression.address)
        elif isinstance(expression, Apply):
            stack.extend(expression.arguments)


def _converted(value: Expression, sort: Sort) -> Expression:
    """The same bits as another sort of equal size."""
    if value.sort == sort:
        return value
    if isinstance(sort, Float):
        return apply("fp.from_bits", sort, value)
    return apply("fp.to_bits", sort, value)


def _filled(byte: Expression, sort: Sort) -> Expression:
    """A value all of whose bytes are `byte`."""
    size = byte_size(sort)
    if isinstance(byte, Constant):
        return content_value(sort, bytes([byte.value]) * size, _MADE_OF_BYTES)
    if sort == EXTENDED:
        return Input(0, sort, InputKind.UNDEFINED, _MADE_OF_BYTES)
    wide = bitvec(8 * size)
    repeated = apply("bvmul", wide, apply("zero_extend", wide, byte), Constant(wide, int.from_bytes(b"\1" * size, "little")))
    return _converted(byte if size == 1 else repeated, sort)


def content_value(sort: Sort, content: bytes, what: str) -> Expression:
    """The value of a sort that lies in memory as these bytes; any, which is called so, if they are those of none."""
    value = int.from_bytes(content, "little")
    if sort != EXTENDED:
        return Constant(sort, value)
    return Constant(sort, extended_from_memory(value)) if is_extended(value) else Input(0, sort, InputKind.UNDEFINED, what)


def _initial(object_: MemoryObject, offset: int, variable: Variable) -> Expression:
    """The value of a cell at the start of the program."""
    if object_.kind is ObjectKind.EXTERNAL:
        return Input(1, variable.sort, InputKind.EXTERNAL, names.cell(object_.name, offset))
    size = byte_size(variable.sort)
    content = object_.content[max(offset, 0) : max(offset + size, 0)].ljust(size, b"\0")
    value: Expression = Constant(bitvec(8 * size), int.from_bytes(content, "little"))
    found = False
    for position, address in object_.relocations:
        width = byte_size(address.sort)
        if position == offset and width == size:
            return _converted(address, variable.sort)
        if position < offset + size and offset < position + width:  # an address of which this cell is a part, or the other way
            found = True
            wide = bitvec(8 * (size + width))
            moved = make("zero_extend", wide, address)
            if position >= offset:
                moved = make("bvshl", wide, moved, Constant(wide, 8 * (position - offset)))
            else:
                moved = make("bvlshr", wide, moved, Constant(wide, 8 * (offset - position)))
            value = make("bvor", value.sort, value, make("truncate", value.sort, moved))
    if not found:
        return content_value(variable.sort, content, f"{_MADE_OF_BYTES} in {variable.name}")
    if variable.sort == EXTENDED:
        return Input(1, variable.sort, InputKind.EXTERNAL, f"address in {variable.name}")
    return _converted(value, variable.sort)
