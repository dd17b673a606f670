"""One element of every array, at an index that nobody knows.

An array that is only accessed as `a[i]` becomes a variable, `a[$index]`: the value of its element at an index that is chosen
once, and arbitrarily. A load at this index gives that value, another load gives any value; a store elsewhere does nothing.
Whatever the index, every execution of the program is one of the new program, with the values that its loads gave as inputs.

An error counts only if the latest load was at the index or outside of the array, or if there was none: for an execution that
gets to an error, choose the index of its latest load. So an assertion about `a[i]` in a loop needs to hold for one element, and
"all elements so far are 42" is `$index >= i || a[$index] == 42`, without quantifiers. (Monniaux and Gonnord, Cell morphing, SAS
2016, is the idea.)

A TRUE carries over, a counterexample does not. Locations keep their numbers; new ones come behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from drystone.logic.sorts import BOOL, BitVec, Sort, bitvec
from drystone.program.automaton import Edge, Mark, MarkKind, MemoryObject, ObjectKind, Program, inputs
from drystone.program.expressions import (
    FALSE,
    TRUE,
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
    constant,
    load,
)
from drystone.program.features import expressions_of
from drystone.program.operations import Allocate, Assign, Assume, Declare, Fill, Operation, Reallocate, Store
from drystone.program.scalarise import pattern
from drystone.program.simplify import make, negate

INDEX = "$index"
WHAT = "an element that is not looked at"
Replace = Callable[[Expression], Expression]
_Loaded = dict[Load, Variable]
"""Loads, and the variables that have what they gave."""
_ONE = bitvec(1)
_EXTENSIONS = ("sign_extend", "zero_extend")


def remember_elements(program: Program) -> Program:
    """`program` has a single procedure."""
    arrays = _Arrays(program)
    return _Remembering(program, arrays).run() if arrays.shapes else program


class _Shape(msgspec.Struct):
    """How an array is accessed: at `stride` times an index, which an operator extends unless it is wide enough."""

    stride: int
    extension: str
    width: int
    elements: dict[int, Sort]  # by their offset within a stride


class _Access(msgspec.Struct, frozen=True):
    """An address: `stride * index + offset` bytes from an object's start; no index: `offset`."""

    target: str
    offset: int
    index: Expression | None = None
    stride: int = 0
    extension: str = ""


class _Arrays:
    """The objects all of whose uses are accesses of one shape; nobody else has their addresses."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.procedure = program.procedures[program.entry]
        self.objects: dict[str, MemoryObject] = {**program.objects, **self.procedure.objects}
        self.escaped: set[str] = set()
        self.accesses: dict[str, list[tuple[_Access, Sort]]] = {}
        self.fills: dict[str, list[int]] = {}
        self.aliases = self._aliases()
        for value in program.initial.values():
            self._look(value)
        for each in self.objects.values():
            for _, address in each.relocations:
                self._look(address)
        for edge in self.procedure.edges:
            self._note(edge.operation)
        self.shapes: dict[str, _Shape] = {}
        for name in self.accesses:
            shape = self._shape(name) if name not in self.escaped else None
            if shape is not None:
                self.shapes[name] = shape

    def _aliases(self) -> dict[str, Expression]:
        """Variables that are only ever assigned one object's address: parameters of inlined functions, above all."""
        assigned: dict[str, list[Expression | None]] = {each.name: [None] for each in self.procedure.parameters}
        for edge in self.procedure.edges:
            match edge.operation:
                case Assign(target, value):
                    assigned.setdefault(target.name, []).append(value)
                case Allocate(target) | Reallocate(target):
                    assigned.setdefault(target.name, []).append(None)
                case _:
                    pass
        return {
            name: values[0]
            for name, values in assigned.items()
            if len(values) == 1 and isinstance(values[0], (Address, Variable)) and name not in self.program.variables
        }

    def _base(self, expression: Expression) -> str | None:
        """The object whose address this is."""
        for _ in range(len(self.aliases) + 1):
            if isinstance(expression, Address):
                return expression.target if expression.target in self.objects else None
            following = self.aliases.get(expression.name) if isinstance(expression, Variable) else None
            if following is None:
                return None
            expression = following
        return None

    def access(self, address: Expression) -> _Access | None:
        width = self.program.pointer_width
        target, offset, rest = None, 0, []
        for addend in _addends(address):
            base = self._base(addend)
            if isinstance(addend, Constant):
                offset += addend.value
            elif base is None:
                rest.append(addend)
            elif target is None:
                target = base
            else:
                return None
        if target is None or len(rest) > 1:
            return None
        offset = (offset + (1 << width - 1)) % (1 << width) - (1 << width - 1)
        if not rest:
            return _Access(target, offset)
        index: Expression = rest[0]
        stride, extension = 1, ""
        match index:
            case Apply("scale" | "bvmul" as operator, _, (scaled, Constant(_, value))):
                if operator == "scale" or _is_extended(scaled) or value & value - 1 == 0:  # a product may wrap to any distance
                    index, stride = scaled, value
        match index:
            case Apply(wider, _, (narrow,)) if wider in _EXTENSIONS:
                index, extension = narrow, wider
        return _Access(target, offset, index, stride, extension)

    # uses

    def _note(self, operation: Operation) -> None:
        match operation:
            case Assign(target, value) if target.name in self.aliases and self._base(value) is not None:
                return
            case Store(address, value):
                self._use(address, value.sort)
                self._look(value)
            case Fill(address, Constant(), size):
                found = self.access(address)
                if found is None or found.index is not None or found.offset:
                    self._look(address)
                else:
                    self.fills.setdefault(found.target, []).append(size)
            case Assign() | Assume() | Allocate() | Reallocate():
                for expression in expressions_of(operation):
                    self._look(expression)
            case _:
                for expression in expressions_of(operation):
                    self._give_up(expression)

    def _give_up(self, expression: Expression) -> None:
        match expression:
            case Load(_, inside):
                self._give_up(inside)
            case Apply():
                for argument in expression.arguments:
                    self._give_up(argument)
            case _:
                self._look(expression)

    def _use(self, address: Expression, sort: Sort) -> None:
        found = self.access(address)
        if found is None:
            self._look(address)
            return
        self.accesses.setdefault(found.target, []).append((found, sort))
        if found.index is not None:
            self._look(found.index)

    def _look(self, expression: Expression) -> None:
        match expression:
            case Load(sort, address):
                self._use(address, sort)
            case Apply():
                for argument in expression.arguments:
                    self._look(argument)
            case Address() | Variable():
                base = self._base(expression)
                if base is not None:
                    self.escaped.add(base)
            case _:
                pass

    def _shape(self, name: str) -> _Shape | None:
        """None: the accesses do not fit each other."""
        moving = [access for access, _ in self.accesses[name] if access.index is not None]
        kinds = {(access.stride, access.extension, access.index.sort) for access in moving if access.index is not None}
        if len(kinds) != 1:
            return None
        stride, extension, sort = kinds.pop()
        if not isinstance(sort, BitVec) or stride <= 0 or any(not 0 <= access.offset < stride for access in moving):
            return None
        if extension and stride << sort.width > 1 << self.program.pointer_width:
            return None  # indices that differ would not be addresses that differ
        if extension == "sign_extend" and self.objects[name].size // stride >> sort.width - 1:
            return None
        if any(size % stride or size > self.objects[name].size for size in self.fills.get(name, ())):
            return None
        for access, _ in self.accesses[name]:
            if access.index is None and not _fits(access.offset // stride, extension, sort.width):
                return None
        elements: dict[int, Sort] = {}
        for access, element in self.accesses[name]:
            if elements.setdefault(access.offset % stride, element) != element:
                return None
        ends = [offset + byte_size(element) for offset, element in sorted(elements.items())]
        if any(end > start for end, start in zip(ends, [*sorted(elements)[1:], stride], strict=True)):
            return None
        return _Shape(stride, extension, sort.width, elements)


class _Remembering:
    def __init__(self, program: Program, arrays: _Arrays) -> None:
        self.program, self.arrays = program, arrays
        self.procedure = program.procedures[program.entry]
        self.variables = dict(self.procedure.variables)
        self.shared = dict(program.variables)
        self.initial = dict(program.initial)
        self.locations = self.procedure.locations
        self.frame_of = list(self.procedure.frame_of) if self.procedure.frame_of is not None else None
        self.marks = dict(self.procedure.marks)
        self.edges: list[Edge] = []
        self.cells = {
            (name, offset): self._variable(_named(name, offset, shape), sort, self._first(name, sort))
            for name, shape in arrays.shapes.items()
            for offset, sort in shape.elements.items()
        }
        self.indices = {
            width: self._variable(INDEX if width == 32 else f"{INDEX}{width}", bitvec(width))
            for width in sorted({shape.width for shape in arrays.shapes.values()})
        }
        self.counts = self._variable("$counts", _ONE, constant(1, 1))

    def _variable(self, name: str, sort: Sort, first: Expression | None = None) -> Variable:
        variable = self.shared[name] = Variable(name, sort)
        self.initial[name] = first or Input(1, sort, InputKind.UNDEFINED, name)  # at the start, inputs differ by name only
        return variable

    def _first(self, name: str, sort: Sort) -> Expression | None:
        """What an element is at the start, if that is known."""
        object_ = self.arrays.objects[name]
        is_zero = object_.kind is ObjectKind.GLOBAL and not any(object_.content) and not object_.relocations
        return Constant(sort, 0) if is_zero else None

    def run(self) -> Program:
        outgoing = self.procedure.outgoing()
        entering = Counter(edge.target for edge in self.procedure.edges)
        known: dict[int, _Loaded] = {location: {} for location in range(self.procedure.locations)}
        left: set[int] = set()
        for start in [self.procedure.entry, *range(self.procedure.locations)]:
            waiting = [start]
            while waiting:
                location = waiting.pop()
                if location in left:
                    continue
                left.add(location)
                for target, loaded in self._leave(location, outgoing[location], known[location]):
                    if entering[target] == 1:  # control comes from here only
                        known[target] = loaded
                        waiting.append(target)
        procedure = msgspec.structs.replace(
            self.procedure,
            edges=self.edges,
            locations=self.locations,
            frame_of=self.frame_of,
            marks=self.marks,
            variables=self.variables,
        )
        return msgspec.structs.replace(
            self.program, procedures={self.program.entry: procedure}, variables=self.shared, initial=self.initial
        )

    # edges

    def _location(self, like: int) -> int:
        self.locations += 1
        if self.frame_of is not None:
            self.frame_of.append(self.frame_of[like])
        return self.locations - 1

    def _edge(self, source: int, target: int, operation: Operation, edge: Edge) -> None:
        """An error counts only if the latest load was at the index."""
        mark = self.marks.get(target)
        if mark is not None and mark.kind is MarkKind.ERROR:
            between, end = self._location(target), self._location(target)
            counts = make("=", BOOL, self.counts, constant(1, 1))
            self.marks[end] = Mark(MarkKind.HALT, WHAT, edge.origin)
            self.edges += [
                Edge(source, between, operation, edge.origin),
                Edge(between, target, Assume(counts), edge.origin),
                Edge(between, end, Assume(negate(counts)), edge.origin),
            ]
        else:
            self.edges.append(Edge(source, target, operation, edge.origin))

    def _leave(self, location: int, leaving: list[Edge], known: _Loaded) -> list[tuple[int, _Loaded]]:
        """What the operations load is chosen before them: both sides of a branch must see the same value.

        `known`: what has been loaded on the way here and is still there. Gives the same for the targets.
        """
        loaded = dict(known)
        counted: set[Load] = set()
        here = location

        def before(operation: Operation) -> None:
            nonlocal here
            target = self._location(location)
            self._edge(here, target, operation, leaving[0])
            here = target

        def replaced(expression: Expression) -> Expression:
            match expression:
                case Load(sort, address):
                    access = self._access(address)
                    if access is None:
                        return load(sort, replaced(address))
                    variable = loaded.get(expression)
                    if variable is not None and expression in counted:
                        return variable
                    chosen, counts = self._loaded(access, self._index(access, replaced), sort)
                    if variable is None:
                        name = f"$element.{location}.{len(counted)}"
                        variable = loaded[expression] = self.variables[name] = Variable(name, sort)
                        before(Assign(variable, chosen))
                    counted.add(expression)
                    before(Assign(self.counts, counts))
                    return variable
                case Apply(operator, sort, arguments):
                    new = tuple(map(replaced, arguments))
                    return expression if new == arguments else apply(operator, sort, *new)
                case _:
                    return expression

        operations = [list(self._operations(edge.operation, replaced)) for edge in leaving]
        for edge, steps in zip(leaving, operations, strict=True):
            source = here
            for step in steps[:-1]:
                target = self._location(location)
                self._edge(source, target, step, edge)
                source = target
            self._edge(source, edge.target, steps[-1], edge)
        return [(edge.target, self._still_there(loaded, edge.operation)) for edge in leaving]

    def _still_there(self, loaded: _Loaded, operation: Operation) -> _Loaded:
        """What another load after the operation would give again."""
        written: Variable | None = None
        changed: str | None = None
        match operation:
            case Assign(written) | Allocate(written) | Reallocate(written):
                pass
            case Declare(changed):
                pass
            case Store(address) | Fill(address):
                access = self._access(address)
                changed = access.target if access is not None else None
            case _:
                pass
        kept: _Loaded = {}
        for each, variable in loaded.items():
            access = self._access(each.address)
            assert access is not None
            if access.target != changed and (access.index is None or _is_plain(access.index, written)):
                kept[each] = variable
        return kept

    def _access(self, address: Expression) -> _Access | None:
        """Of an array that is looked at."""
        access = self.arrays.access(address)
        return access if access is not None and access.target in self.arrays.shapes else None

    def _operations(self, operation: Operation, replaced: Replace) -> Iterator[Operation]:
        match operation:
            case Store(address, value):
                access = self._access(address)
                if access is None:
                    yield Store(replaced(address), replaced(value))
                else:
                    yield self._stored(access, self._index(access, replaced), replaced(value))
            case Declare(name):
                for (owner, _), cell in self.cells.items():
                    if owner == name:
                        yield Assign(cell, _any(cell.sort, 0))
                yield operation
            case Fill(address, byte, size):
                access = self._access(address)
                if access is None:
                    yield msgspec.structs.replace(operation, target=replaced(address), byte=replaced(byte))
                else:
                    assert isinstance(byte, Constant)
                    yield from self._filled(access.target, byte.value, size)
            case Assume(condition):
                yield Assume(replaced(condition))
            case Assign(target, value):
                yield Assign(target, replaced(value))
            case Allocate(_, amount):
                yield msgspec.structs.replace(operation, size=replaced(amount))
            case Reallocate(target, address, amount):
                yield Reallocate(target, replaced(address), replaced(amount))
            case _:  # it loads nothing of an array that is looked at
                yield operation

    # the element

    def _index(self, access: _Access, replaced: Replace) -> Expression:
        shape = self.arrays.shapes[access.target]
        if access.index is None:
            return constant(shape.width, access.offset // shape.stride)
        return replaced(access.index)

    def _is_there(self, access: _Access, index: Expression) -> Expression:
        """Is this the element that is looked at? Orders, since invariants are about them."""
        there = self.indices[self.arrays.shapes[access.target].width]
        below, above = make("bvult", BOOL, index, there), make("bvult", BOOL, there, index)
        return make("and", BOOL, negate(below), negate(above))

    def _is_outside(self, access: _Access, index: Expression) -> Expression:
        """Is there no such element?"""
        shape = self.arrays.shapes[access.target]
        count = self.arrays.objects[access.target].size // shape.stride
        if count >> shape.width:
            return FALSE
        return negate(make("bvult", BOOL, index, constant(shape.width, count)))

    def _loaded(self, access: _Access, index: Expression, sort: Sort) -> tuple[Expression, Expression]:
        """What a load gives, and whether an error after it counts."""
        if any(inputs(index)):  # they belong to another edge
            return _any(sort, 0), constant(1, 1)
        is_there, is_outside = self._is_there(access, index), self._is_outside(access, index)
        is_known, counts = make("and", BOOL, negate(is_outside), is_there), make("or", BOOL, is_outside, is_there)
        value = make("ite", sort, is_known, self._cell(access), _any(sort, 0))
        return value, make("ite", _ONE, counts, constant(1, 1), constant(1, 0))

    def _stored(self, access: _Access, index: Expression, value: Expression) -> Operation:
        """Outside, an index as wide as an address may stand for the address of another one."""
        cell = self._cell(access)
        stored = make("ite", cell.sort, self._is_there(access, index), value, cell)
        if self.arrays.shapes[access.target].extension:
            return Assign(cell, stored)
        taken = {each.index for expression in (index, value) for each in inputs(expression)}
        other = _any(cell.sort, next(number for number in range(len(taken) + 1) if number not in taken))
        return Assign(cell, make("ite", cell.sort, self._is_outside(access, index), other, stored))

    def _filled(self, name: str, byte: int, size: int) -> Iterator[Operation]:
        shape = self.arrays.shapes[name]
        count = size // shape.stride
        is_whole = size == self.arrays.objects[name].size or count >> shape.width
        is_filled = TRUE if is_whole else make("bvult", BOOL, self.indices[shape.width], constant(shape.width, count))
        for offset, sort in shape.elements.items():
            cell = self.cells[name, offset]
            value = Constant(sort, pattern(sort, bytes([byte]) * byte_size(sort)))
            yield Assign(cell, make("ite", sort, is_filled, value, cell))

    def _cell(self, access: _Access) -> Variable:
        return self.cells[access.target, access.offset % self.arrays.shapes[access.target].stride]


def _is_plain(index: Expression, written: Variable | None) -> bool:
    """Does it read no memory, no input and not this variable?"""
    match index:
        case Load() | Input():
            return False
        case Apply():
            return all(_is_plain(argument, written) for argument in index.arguments)
        case Variable(name):
            return written is None or name != written.name
        case _:
            return True


def _is_extended(expression: Expression) -> bool:
    return isinstance(expression, Apply) and expression.operator in _EXTENSIONS


def _addends(expression: Expression) -> Iterator[Expression]:
    match expression:
        case Apply("bvadd", _, (left, right)):
            yield from _addends(left)
            yield from _addends(right)
        case Apply("bvsub", sort, (left, Constant(_, value))):
            yield from _addends(left)
            yield Constant(sort, -value)
        case _:
            yield expression


def _fits(index: int, extension: str, width: int) -> bool:
    """Can an index have this value?"""
    match extension:
        case "sign_extend":
            return -(1 << width - 1) <= index < 1 << width - 1
        case "zero_extend":
            return 0 <= index < 1 << width
        case _:
            return True


def _named(name: str, offset: int, shape: _Shape) -> str:
    index = INDEX if shape.width == 32 else f"{INDEX}{shape.width}"
    return f"{name}[{index}]" if len(shape.elements) == 1 else f"{name}[{index}]+{offset}"


def _any(sort: Sort, number: int) -> Input:
    return Input(number, sort, InputKind.UNDEFINED, WHAT)
