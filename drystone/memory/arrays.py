"""Which arrays are only accessed as `a[i]`: their elements can be looked at one at a time (passes/one_element.py)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.ir import names
from drystone.ir.automaton import MemoryObject, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.operations import Allocate, Assign, Assume, Fill, Operation, Reallocate, Store
from drystone.logic.sorts import BitVec, Sort

_EXTENSIONS = ("sign_extend", "zero_extend")


class Shape(msgspec.Struct):
    """How an array is accessed: at `stride` times an index, which an operator extends unless it is wide enough."""

    stride: int
    extension: str
    width: int
    elements: dict[int, Sort]  # by their offset within a stride


class Access(msgspec.Struct, frozen=True):
    """An address: `stride * index + offset` bytes from an object's start; no index: `offset`."""

    target: str
    offset: int
    index: Expression | None = None
    stride: int = 0
    extension: str = ""


class Arrays:
    """The objects all of whose uses are accesses of one shape; nobody else has their addresses."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.procedure = program.procedures[program.entry]
        self.objects: dict[str, MemoryObject] = {**program.objects, **self.procedure.objects}
        self.objects |= {names.shadow(name): object_ for name, object_ in self.procedure.objects.items()}
        self.escaped: set[str] = set()
        self.accesses: dict[str, list[tuple[Access, Sort]]] = {}
        self.fills: dict[str, list[int]] = {}
        assigned = self._assigned_once()
        self.saved: dict[str, Access] = {}
        self.aliases = {name: value for name, value in assigned.items() if isinstance(value, (Address, Variable))}
        self._save(assigned)
        for value in program.initial.values():
            self._look(value)
        for each in self.objects.values():
            for _, address in each.relocations:
                self._look(address)
        for edge in self.procedure.edges:
            self._note(edge.operation)
        self.shapes: dict[str, Shape] = {}
        for name in self.accesses:
            shape = self._shape(name) if names.shadowed(name) not in self.escaped else None
            if shape is not None:
                self.shapes[name] = shape

    def _assigned_once(self) -> dict[str, Expression]:
        """Variables that have a single assignment, and what it assigns: temporaries, parameters of inlined functions."""
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
            name: value
            for name, (value, *others) in assigned.items()
            if value is not None and not others and name not in self.program.variables
        }

    def _save(self, assigned: dict[str, Expression]) -> None:
        """Variables that are only ever assigned the address of one array's element: another has the element's index instead.

        What is saved may be saved again, which is no alias: the first one may be something else by then.
        """
        before = -1
        while before < len(self.saved):
            before = len(self.saved)
            for name, value in assigned.items():
                access = self.access(value) if name not in self.saved else None
                if access is not None and access.index is not None:
                    self.saved[name] = msgspec.structs.replace(
                        access, index=Variable(names.derived(name, "index"), access.index.sort)
                    )
        while unclear := [name for name in self.saved if not self._is_moving(assigned[name])]:  # one address more in a sum
            for name in unclear:
                del self.saved[name]

    def _is_moving(self, address: Expression) -> bool:
        access = self.access(address)
        return access is not None and access.index is not None

    def _base(self, expression: Expression) -> Access | None:
        """Where this address is: an object's start, or saved before."""
        if isinstance(expression, Variable) and expression.name in self.saved:
            return self.saved[expression.name]
        for _ in range(len(self.aliases) + 1):
            match expression:
                case Address(target):
                    return Access(target, 0) if target in self.objects else None
                case Variable(name) if name in self.aliases:
                    expression = self.aliases[name]
                case _:
                    return None
        return None

    def access(self, address: Expression) -> Access | None:
        if isinstance(address, Apply) and address.operator == "shadow":
            found = self.access(address.arguments[0])
            return found and msgspec.structs.replace(found, target=names.shadow(found.target))
        bases: list[Access] = []
        indices: list[Expression] = []
        offset = 0
        for addend in _addends(address):
            base = self._base(addend)
            if isinstance(addend, Constant):
                offset += addend.value
            elif base is not None:
                bases.append(base)
            else:
                indices.append(addend)
        if len(bases) != 1 or len(indices) > (bases[0].index is None):
            return None
        base = bases[0]
        width = self.program.pointer_width
        offset = (base.offset + offset + (1 << width - 1)) % (1 << width) - (1 << width - 1)
        if not indices:
            return msgspec.structs.replace(base, offset=offset)
        index = indices[0]
        stride, extension = 1, ""
        match index:
            case Apply("scale" | "bvmul" as operator, _, (scaled, Constant(_, value))):
                if operator == "scale" or _is_extended(scaled) or value & value - 1 == 0:  # a product may wrap to any distance
                    index, stride = scaled, value
        match index:
            case Apply(wider, _, (narrow,)) if wider in _EXTENSIONS:
                index, extension = narrow, wider
        return Access(base.target, offset, index, stride, extension)

    # uses

    def _note(self, operation: Operation) -> None:
        match operation:
            case Assign(target, value) if target.name in self.aliases and self._base(value) is not None:
                return
            case Assign(target, value) if target.name in self.saved:
                access = self.access(value)
                assert access is not None and access.index is not None
                self._look(access.index)
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
                    self.escaped.add(base.target)
            case _:
                pass

    def _shape(self, name: str) -> Shape | None:
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
        return Shape(stride, extension, sort.width, elements)


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
