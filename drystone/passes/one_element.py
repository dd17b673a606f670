"""One element of every array, at an index that nobody knows.

An array that is only accessed as `a[i]` becomes a variable, `a[%index]`: the value of its element at an index that is chosen
once, and arbitrarily. A load at this index gives that value, another load gives any value; a store elsewhere does nothing.
Whatever the index, every execution of the program is one of the new program, with the values that its loads gave as inputs.

An error counts only if the latest load was at the index or outside of the array, or if there was none: for an execution that
gets to an error, choose the index of its latest load. So an assertion about `a[i]` in a loop needs to hold for one element, and
"all elements so far are 42" is `%index >= i || a[%index] == 42`, without quantifiers. (Monniaux, Gonnord 2016, is the idea.)

A TRUE carries over, a counterexample does not. Locations keep their numbers; new ones come behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Mark, MarkKind, ObjectKind, Program, inputs
from drystone.ir.expressions import (
    FALSE,
    TRUE,
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
from drystone.ir.operations import Allocate, Assign, Assume, Declare, Fill, Operation, Reallocate, Store
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, Sort, bitvec
from drystone.memory.arrays import Access, Arrays, Shape
from drystone.passes.scalarise import content_value

INDEX = names.own("index")
WHAT = "an element that is not looked at"
Replace = Callable[[Expression], Expression]
_Loaded = dict[Load, Variable]
"""Loads, and the variables that have what they gave."""
_ONE = bitvec(1)


def is_index(name: str) -> bool:
    return name.startswith(INDEX)


def is_element(name: str) -> bool:
    return f"[{INDEX}" in name


def remember_elements(program: Program) -> Program:
    """`program` has a single procedure."""
    arrays = Arrays(program)
    return _Remembering(program, arrays).run() if arrays.shapes else program


class _Remembering:
    def __init__(self, program: Program, arrays: Arrays) -> None:
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
        self.counts = self._variable(names.own("counts"), _ONE, constant(1, 1))

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
                        name = names.own(f"element.{location}.{len(counted)}")
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
                written = self._saved(written) or written
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

    def _saved(self, target: Variable) -> Variable | None:
        """The variable that has the index of the element whose address would be assigned to the target."""
        access = self.arrays.saved.get(target.name)
        if access is None or access.target not in self.arrays.shapes:
            return None
        assert isinstance(access.index, Variable)
        return access.index

    def _access(self, address: Expression) -> Access | None:
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
                saved = self._saved(target)
                access = self.arrays.access(value)
                if saved is None:
                    yield Assign(target, replaced(value))
                else:
                    assert access is not None and access.index is not None
                    self.variables[saved.name] = saved
                    yield Assign(saved, replaced(access.index))
            case Allocate(_, amount):
                yield msgspec.structs.replace(operation, size=replaced(amount))
            case Reallocate(target, address, amount):
                yield Reallocate(target, replaced(address), replaced(amount))
            case _:  # it loads nothing of an array that is looked at
                yield operation

    # the element

    def _index(self, access: Access, replaced: Replace) -> Expression:
        shape = self.arrays.shapes[access.target]
        if access.index is None:
            return constant(shape.width, access.offset // shape.stride)
        return replaced(access.index)

    def _is_there(self, access: Access, index: Expression) -> Expression:
        """Is this the element that is looked at? Orders, since invariants are about them."""
        there = self.indices[self.arrays.shapes[access.target].width]
        below, above = make("bvult", BOOL, index, there), make("bvult", BOOL, there, index)
        return make("and", BOOL, negate(below), negate(above))

    def _is_outside(self, access: Access, index: Expression) -> Expression:
        """Is there no such element?"""
        shape = self.arrays.shapes[access.target]
        count = self.arrays.objects[access.target].size // shape.stride
        if count >> shape.width:
            return FALSE
        return negate(make("bvult", BOOL, index, constant(shape.width, count)))

    def _loaded(self, access: Access, index: Expression, sort: Sort) -> tuple[Expression, Expression]:
        """What a load gives, and whether an error after it counts."""
        if any(inputs(index)):  # they belong to another edge
            return _any(sort, 0), constant(1, 1)
        is_there, is_outside = self._is_there(access, index), self._is_outside(access, index)
        is_known, counts = make("and", BOOL, negate(is_outside), is_there), make("or", BOOL, is_outside, is_there)
        value = make("ite", sort, is_known, self._cell(access), _any(sort, 0))
        return value, make("ite", _ONE, counts, constant(1, 1), constant(1, 0))

    def _stored(self, access: Access, index: Expression, value: Expression) -> Operation:
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
            value = content_value(sort, bytes([byte]) * byte_size(sort), "long double made of bytes")
            yield Assign(cell, make("ite", sort, is_filled, value, cell))

    def _cell(self, access: Access) -> Variable:
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


def _named(name: str, offset: int, shape: Shape) -> str:
    index = INDEX if shape.width == 32 else f"{INDEX}{shape.width}"
    return f"{name}[{index}]" if len(shape.elements) == 1 else f"{name}[{index}]+{offset}"


def _any(sort: Sort, number: int) -> Input:
    return Input(number, sort, InputKind.UNDEFINED, WHAT)
