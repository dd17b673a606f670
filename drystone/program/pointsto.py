"""Points-to analysis: which pieces of memory one pointer expression may mean.

Steensgaard's unification with offsets. A *node* stands for all objects that some pointer cannot tell
apart; it has an origin, and a pointer into it is a *cell* (node, offset). Constant offsets, also negative
ones as in `container_of`, move within the node. A pointer that meets its own node at another offset, or is
moved by a multiple of k, gives the node a *stride*: offsets count modulo the greatest common divisor of all
such distances, so the fields of an array of structs stay apart, and arithmetic in single bytes (stride 1)
collapses the node. Two nodes that are unified keep the offset between their origins.

Values narrower than a pointer are not followed. Where an access overlaps a stored pointer without being one of that
pointer (a pointer copied byte by byte, or two of them at once), or a pointer is cut to a narrower number, what it points to
*leaks*: all leaked pointers are one class. Every field that is accessed in such pieces may hold one of them, and so may every
address of unknown origin.

An address of unknown origin points to something of its own, unless it is compared with another pointer: then it may be that one.

Assumed: a pointer stays within the object it was made for (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd

from drystone.logic.sorts import BOOL, Sort
from drystone.program.automaton import Edge, Procedure, Program
from drystone.program.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, byte_size
from drystone.program.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
)

Cell = tuple[int, int]

_PLACES = frozenset(("bvshl", "bvmul", "bvor", "bvxor"))  # what puts a piece of a number in its place
_PASSES = 1000  # a bound that no program reaches: each pass unifies two classes or is the last


class Access:
    """Loads and stores of one size at one offset of a node. `static`: all of them at an address known in advance."""

    __slots__ = ("count", "sorts", "static")

    def __init__(self) -> None:
        self.count = 0
        self.static = True
        self.sorts: set[Sort] = set()

    def absorb(self, other: Access) -> None:
        self.count += other.count
        self.static = self.static and other.static
        self.sorts |= other.sorts


class Range:
    """Bytes that a bulk operation (copy, fill) touches: from an offset, `size` bytes."""

    __slots__ = ("size", "static")

    def __init__(self, size: int, static: bool) -> None:
        self.size = size
        self.static = static


class Node:
    __slots__ = ("parent", "shift", "stride", "fields", "accesses", "ranges", "members", "why", "is_guessed")

    def __init__(self) -> None:
        self.parent = -1
        self.shift = 0  # where this node's origin lies in its parent
        self.stride = 0
        self.fields: dict[int, Cell] = {}  # what the pointer at an offset points to
        self.accesses: dict[tuple[int, int], Access] = {}  # by (offset, bytes)
        self.ranges: dict[tuple[int, int], Range] = {}  # by (offset, size)
        self.members: list[tuple[str, int]] = []  # objects and where they begin
        self.why = ""  # the reason of the last reduction of the stride
        self.is_guessed = False  # some address of it is of unknown origin


class PointsTo:
    """The solution for one program. Ask it with `cell`, `targets`; `nodes` are for the region analysis."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.pointer_bytes = program.pointer_width // 8
        self._mask = (1 << program.pointer_width) - 1
        self.nodes: list[Node] = []
        self._objects: dict[tuple[str, str], int] = {}  # (procedure or "", object) -> node
        self._variables: dict[tuple[str, str], Cell] = {}
        self._sites: dict[tuple[str, int], int] = {}  # allocation edges
        self._unknown = self._new()
        self.nodes[self._unknown].stride = 1
        self.nodes[self._unknown].why = "addresses of unknown origin"
        self._absolute = self._new()
        self._leak = (self._new(), 0)
        self._has_leaked = False
        self._has_distances = False  # of pointers into different objects
        self._guessed: dict[Cell, None] = {}  # what addresses of unknown origin mean, before something leaks
        self._changed = True
        self._recording = True
        self._procedure: Procedure | None = None
        self._solve()

    # nodes

    def _new(self) -> int:
        self.nodes.append(Node())
        return len(self.nodes) - 1

    def find(self, cell: Cell) -> Cell:
        """The representative node and the offset in it."""
        number, offset = cell
        nodes = self.nodes
        node = nodes[number]
        path = []
        while node.parent >= 0:
            path.append(number)
            offset += node.shift
            number = node.parent
            node = nodes[number]
        if len(path) > 1:  # compress: every node on the path becomes a child of the root
            shift = 0
            for step in reversed(path):
                shift += nodes[step].shift
                nodes[step].parent, nodes[step].shift = number, shift
        return number, offset % node.stride if node.stride else offset

    def _reduce(self, number: int, distance: int, why: str) -> None:
        """Offsets of this node count modulo `distance` from now on."""
        node = self.nodes[number]
        stride = gcd(node.stride, abs(distance))
        if stride == node.stride:
            return
        node.stride = stride
        node.why = why
        self._changed = True
        fields, node.fields = node.fields, {}
        accesses, node.accesses = node.accesses, {}
        ranges, node.ranges = node.ranges, {}
        pending = []
        for offset, target in fields.items():
            known = node.fields.setdefault(offset % stride, target)
            if known is not target:
                pending.append((known, target))
        for (offset, size), access in accesses.items():
            node.accesses.setdefault((offset % stride, size), Access()).absorb(access)
        for (offset, _), extent in ranges.items():
            self._add_range(node, offset % stride, extent)
        for first, second in pending:
            self.unify(first, second)

    @staticmethod
    def _add_range(node: Node, offset: int, extent: Range) -> None:
        known = node.ranges.setdefault((offset, extent.size), extent)
        known.static = known.static and extent.static

    def unify(self, first: Cell, second: Cell) -> None:
        """The two pointers may be the same. A worklist, because the pointers stored behind them may then be, too."""
        pending = [(first, second)]
        while pending:
            (a, offset_a), (b, offset_b) = map(self.find, pending.pop())
            if a == b:
                if offset_a != offset_b:
                    self._reduce(a, offset_a - offset_b, "one pointer means several offsets of an object")
                continue
            self._changed = True
            if len(self.nodes[a].fields) + len(self.nodes[a].accesses) < len(self.nodes[b].fields) + len(self.nodes[b].accesses):
                a, offset_a, b, offset_b = b, offset_b, a, offset_a
            winner, loser = self.nodes[a], self.nodes[b]
            shift = offset_a - offset_b
            loser.parent, loser.shift = a, shift
            stride = winner.stride
            for offset, target in loser.fields.items():
                place = (offset + shift) % stride if stride else offset + shift
                known = winner.fields.setdefault(place, target)
                if known is not target:
                    pending.append((known, target))
            for (offset, size), access in loser.accesses.items():
                place = (offset + shift) % stride if stride else offset + shift
                winner.accesses.setdefault((place, size), Access()).absorb(access)
            for (offset, _), extent in loser.ranges.items():
                self._add_range(winner, (offset + shift) % stride if stride else offset + shift, extent)
            winner.is_guessed = winner.is_guessed or loser.is_guessed
            winner.members.extend((name, base + shift) for name, base in loser.members)
            loser.fields, loser.accesses, loser.ranges, loser.members = {}, {}, {}, []
            if loser.stride:  # at last: it may unify the winner with a third one
                self._reduce(a, loser.stride, loser.why)

    # names

    def object_cell(self, name: str) -> Cell:
        procedure = self._procedure
        owner = procedure.name if procedure is not None and name in procedure.objects else ""
        number = self._objects.get((owner, name))
        if number is None:
            number = self._objects[owner, name] = self._new()
            self.nodes[number].members.append((name, 0))
        return number, 0

    def _variable_key(self, variable: Variable) -> tuple[str, str]:
        procedure = self._procedure
        return (procedure.name if procedure is not None and variable.name in procedure.variables else "", variable.name)

    def _allocation(self, edge: Edge, index: int) -> Cell:
        assert self._procedure is not None
        key = (self._procedure.name, index)
        number = self._sites.get(key)
        if number is None:
            number = self._sites[key] = self._new()
            operation = edge.operation
            what = operation.name if isinstance(operation, Allocate) else "realloc"
            self.nodes[number].members.append((f"{what}@{edge.origin.line}:{edge.origin.column}", 0))
        return number, 0

    # values

    def cell(self, expression: Expression) -> Cell | None:
        """What a pointer expression points to; None if it is not known to hold a pointer. Records the loads in it."""
        match expression:
            case Variable():
                if not self._is_wide(expression):
                    return None
                return self._variables.get(self._variable_key(expression))
            case Address():
                return self.object_cell(expression.target)
            case Load():
                number, offset = self.access(expression.address, expression.sort)
                return self.nodes[number].fields.get(offset) if self._is_wide(expression) else None
            case Apply():
                return self._apply(expression)
            case _:
                return None

    def _is_wide(self, expression: Expression) -> bool:
        width = getattr(expression.sort, "width", 0)
        return bool(width >= self.program.pointer_width)

    def _apply(self, expression: Apply) -> Cell | None:
        arguments = expression.arguments
        cells = [self.cell(argument) for argument in arguments]
        operator = expression.operator
        if operator == "=":
            self._compare(*cells)
            return None
        if not self._is_wide(expression):
            if expression.sort != BOOL and not self._is_distance(operator, cells):
                self._cut(cells)
            return None
        if operator == "ite":
            _, left, right = cells
            if left is not None and right is not None:
                self.unify(left, right)
            elif left is not None:
                self.bind(arguments[2], left)
            elif right is not None:
                self.bind(arguments[1], right)
            return left or right
        if operator == "bvadd" or operator == "bvsub":
            return self._displaced(operator, arguments, cells)
        pointers = [cell for cell in cells if cell is not None]
        if not pointers:
            return None
        if operator in ("zero_extend", "sign_extend", "truncate", "fp.to_bits", "fp.from_bits"):
            return pointers[0]
        for other in pointers[1:]:
            self.unify(pointers[0], other)
        self._reduce(self.find(pointers[0])[0], 1, f"arithmetic on a pointer ({operator})")
        if any(cell is None and not isinstance(argument, Constant) for cell, argument in zip(cells, arguments, strict=True)):
            self._guess(pointers[0])  # piece by piece, perhaps
        return self.find(pointers[0])

    def _compare(self, left: Cell | None, right: Cell | None) -> None:
        """An address of unknown origin that is compared with a pointer may be that pointer."""
        if left is not None and right is not None:
            if self.nodes[self.find(left)[0]].is_guessed or self.nodes[self.find(right)[0]].is_guessed:
                self.unify(left, right)

    @staticmethod
    def _is_distance(operator: str, cells: list[Cell | None]) -> bool:
        return operator == "bvsub" and None not in cells

    def _cut(self, cells: Iterable[Cell | None]) -> None:
        """Pointers become narrower numbers, from which pointers can be made again, at any place in the object."""
        for cell in cells:
            if cell is not None:
                self._let_leak(cell)
                self._reduce(self.find(cell)[0], 1, "a pointer is cut to a narrower number")

    def _let_leak(self, cell: Cell) -> None:
        self.unify(cell, self._leak)
        if not self._has_leaked:
            self._has_leaked = self._changed = True
            for guessed in (*self._guessed, (self._unknown, 0)):
                self.unify(guessed, self._leak)

    def _displaced(self, operator: str, arguments: tuple[Expression, ...], cells: list[Cell | None]) -> Cell | None:
        left, right = cells
        if left is not None and right is not None:
            if operator == "bvsub":
                self._has_distances = self._has_distances or self.find(left)[0] != self.find(right)[0]
                self.unify((self.find(left)[0], 0), (self.find(right)[0], 0))  # who adds the distance gets from one to the other
                return None
            self.unify(left, right)
            self._reduce(self.find(left)[0], 1, "sum of two pointers")
            return self.find(left)
        base, offset = (left, arguments[1]) if left is not None else (right, arguments[0])
        if base is None:
            return None
        number, place = self.find(base)
        if right is not None and operator == "bvsub":
            self._reduce(number, 1, "a pointer is subtracted from a number")
            return self.find(base)
        if isinstance(offset, Constant):
            distance = self._distance(offset)
            return number, place - distance if operator == "bvsub" else place + distance
        self._reduce(number, multiple_of(offset), "moved by a variable distance")
        if self._may_be_piece(offset):
            self._guess(base)
        return self.find((number, place))

    def _may_be_piece(self, offset: Expression) -> bool:
        """Is it no index, but may be a piece of a pointer in its place, added to others?"""
        if not isinstance(offset, Apply) or not self._is_wide(offset):
            return False
        return offset.operator in _PLACES or any(map(self._may_be_piece, offset.arguments))

    def _distance(self, constant: Constant) -> int:
        """As a signed number of the width of a pointer; what is wider is cut when it becomes one."""
        distance = constant.value & self._mask
        return distance - (self._mask + 1) if distance > self._mask >> 1 else distance

    def bind(self, expression: Expression, cell: Cell) -> None:
        """The value of the expression may be this pointer."""
        known = self.cell(expression)
        if known is not None:
            self.unify(known, cell)
            return
        match expression:
            case Variable() if self._is_wide(expression):
                self._variables[self._variable_key(expression)] = cell
                self._changed = True
            case Load() if self._is_wide(expression):
                number, offset = self.access(expression.address, expression.sort)
                self.nodes[number].fields[offset] = cell
                self._changed = True
            case Apply("ite", _, (_, first, second)):
                self.bind(first, cell)
                self.bind(second, cell)
            case Apply("bvadd", _, (base, Constant() as constant)):
                self.bind(base, (cell[0], cell[1] - self._distance(constant)))
            case Apply("zero_extend" | "sign_extend", _, (inner,)):
                self.bind(inner, cell)
            case Input():
                self.nodes[self.find(cell)[0]].is_guessed = True
            case Constant() | Address():
                pass
            case _:
                self._guess(cell)

    def equate(self, first: Expression, second: Expression) -> None:
        """The two expressions may have the same value."""
        cell = self.cell(second)
        if cell is not None:
            self.bind(first, cell)
            return
        cell = self.cell(first)
        if cell is not None:
            self.bind(second, cell)

    # memory

    def target(self, address: Expression) -> Cell:
        """The cell that an address means; an address of unknown origin gets one."""
        cell = self.cell(address)
        if cell is None:
            if isinstance(address, Constant):
                cell = (self._absolute, address.value)
            elif self._can_bind(address):
                guessed = (self._new(), 0)
                self._guess(guessed)
                self.bind(address, guessed)
                cell = self.cell(address)
            else:
                cell = (self._unknown, 0)
        assert cell is not None
        return self.find(cell)

    def _guess(self, cell: Cell) -> None:
        """A pointer like this may be an address of unknown origin, made of pieces perhaps."""
        self.nodes[self.find(cell)[0]].is_guessed = True
        if self._has_leaked:
            self.unify(cell, self._leak)
        else:
            self._guessed[cell] = None

    def _can_bind(self, address: Expression) -> bool:
        """Would `bind` make `cell` give an answer?"""
        match address:
            case Variable() | Load():
                return self._is_wide(address)
            case Apply("ite", _, (_, first, second)):
                return self._can_bind(first) or self._can_bind(second)
            case Apply("bvadd", _, (base, Constant())) | Apply("zero_extend" | "sign_extend", _, (base,)):
                return self._can_bind(base)
            case _:
                return False

    def access(self, address: Expression, sort: Sort) -> Cell:
        """The cell that a load or store touches, recorded while solving."""
        number, offset = self.target(address)
        if self._recording:
            access = self.nodes[number].accesses.setdefault((offset, byte_size(sort)), Access())
            access.count += 1
            access.static = access.static and is_static(address)
            access.sorts.add(sort)
        return number, offset

    def _bulk(self, address: Expression, size: int) -> Cell:
        number, offset = self.target(address)
        self._add_range(self.nodes[number], offset, Range(size, is_static(address)))
        return number, offset

    # solving

    def _solve(self) -> None:
        program = self.program
        self._procedure = None
        if not any(_uses_memory(edge.operation) for procedure in program.procedures.values() for edge in procedure.edges):
            self._recording = False
            return  # there is no access that a pointer could be for
        for name, value in program.initial.items():
            self.equate(program.variables[name], value)
        for object_ in program.objects.values():
            number, base = self.object_cell(object_.name)
            for offset, value in object_.relocations:
                self._field(self.find((number, base + offset)), self.cell(value))
        work = [
            (procedure, [(index, edge) for index, edge in enumerate(procedure.edges) if self._matters(edge.operation)])
            for procedure in program.procedures.values()
        ]
        passes = 0
        while self._changed and passes < _PASSES:
            self._changed = False
            passes += 1
            for node in self.nodes:  # the last pass, which changes nothing, sees every access where it belongs
                node.accesses, node.ranges = {}, {}
            for procedure, edges in work:
                self._procedure = procedure
                for index, edge in edges:
                    self._constrain(edge, index)
            self._leaks()
        self._recording = False
        self._procedure = None

    def _matters(self, operation: Operation) -> bool:
        """Can it move a pointer or access memory? Most operations on numbers cannot."""
        if isinstance(operation, Assign):
            value = operation.value
            if self._is_wide(value):
                return not isinstance(value, Constant)
            return _has_load(value) or self._compares(value) or (value.sort != BOOL and self._cuts(value))
        if isinstance(operation, Assume):
            condition = operation.condition
            return _has_load(condition) or self._compares(condition) or self._cuts(condition)
        return not isinstance(operation, (Declare, Skip, Report))

    def _compares(self, expression: Expression) -> bool:
        """Are two wide values compared, neither of them a constant?"""
        if not isinstance(expression, Apply):
            return False
        if expression.operator == "=" and self._is_wide(expression.arguments[0]):
            return not any(isinstance(each, Constant) for each in expression.arguments)
        return any(map(self._compares, expression.arguments))

    def _cuts(self, expression: Expression) -> bool:
        """Is there a narrow number in it that is made of a wide one?"""
        if not isinstance(expression, Apply):
            return False
        is_narrow = not self._is_wide(expression) and expression.sort != BOOL
        return any((is_narrow and self._is_wide(each)) or self._cuts(each) for each in expression.arguments)

    def _field(self, cell: Cell, target: Cell | None) -> None:
        if target is None:
            return
        fields = self.nodes[cell[0]].fields
        known = fields.get(cell[1])
        if known is None:
            fields[cell[1]] = target
            self._changed = True
        else:
            self.unify(known, target)

    def _constrain(self, edge: Edge, index: int) -> None:
        operation = edge.operation
        match operation:
            case Assign(variable, value):
                self.equate(variable, value)
            case Assume(condition):
                self.cell(condition)
            case Store(address, value):
                cell = self.access(address, value.sort)
                pointer = self.cell(value)
                if self._is_wide(value):
                    known = self.nodes[self.find(cell)[0]].fields.get(self.find(cell)[1])
                    if pointer is not None:
                        self._field(self.find(cell), pointer)
                    elif known is not None:
                        self.bind(value, known)
            case Copy(first, second, size):
                self.unify(self._bulk(first, size), self._bulk(second, size))
            case Fill(address, byte, size):
                self._bulk(address, size)
                self.cell(byte)
            case Allocate(variable, size_expression):
                self.cell(size_expression)
                self.bind(variable, self._allocation(edge, index))
            case Reallocate(variable, address, size_expression):
                self.cell(size_expression)
                old = self.target(address)
                fresh = self._allocation(edge, index)
                self.unify(old, fresh)
                self.bind(variable, fresh)
            case Free(address):
                self.cell(address)
            case Call(name, arguments, result):
                self._call(name, arguments, result)
            case CallPointer(pointer_expression, arguments, result):
                self.target(pointer_expression)
                for name in self.targets(pointer_expression):
                    self._call(name, arguments, result)
                for argument in arguments:
                    self.cell(argument)
            case ThreadOperation(_, arguments, _):
                self._thread(arguments)
            case _:
                pass

    def _call(self, name: str, arguments: tuple[Expression, ...], result: Variable | None) -> None:
        callee = self.program.procedures.get(name)
        if callee is None:
            return
        caller = self._procedure
        for parameter, argument in zip(callee.parameters, arguments, strict=False):
            self._flow(caller, argument, callee, parameter)
        if result is not None and callee.result is not None:
            self._flow(caller, result, callee, callee.result)

    def _flow(self, caller: Procedure | None, outside: Expression, callee: Procedure, inside: Variable) -> None:
        """`outside` in the caller and `inside` in the callee may be equal."""
        self._procedure = caller
        cell = self.cell(outside)
        self._procedure = callee
        if cell is not None:
            if self._is_wide(inside):
                self.bind(inside, cell)
            else:
                self._cut([cell])
        known = self.cell(inside)
        self._procedure = caller
        if cell is None and known is not None:
            if self._is_wide(outside):
                self.bind(outside, known)
            else:
                self._cut([known])

    def _thread(self, arguments: tuple[Expression, ...]) -> None:
        """A thread starts in any function among the arguments, with any of the others as its argument."""
        for pointer in arguments:
            self.target(pointer)
            for name in self.targets(pointer):
                for argument in arguments:
                    if argument is not pointer:
                        self._call(name, (argument,), None)

    def targets(self, pointer: Expression) -> list[str]:
        """The procedures that a function pointer may mean."""
        cell = self.cell(pointer)
        if cell is None:
            return []
        functions = self.program.functions
        return [procedure for name, _ in self.nodes[self.find(cell)[0]].members if (procedure := functions.get(name)) is not None]

    @property
    def numbers_may_point(self) -> bool:
        """Are there numbers that are no pointers, from which one gets a pointer: pieces, or distances of objects?"""
        return self._has_leaked or self._has_distances

    def may_point(self, procedure: Procedure, variable: Variable) -> bool:
        """May a variable that the procedure uses hold an address that something is accessed by?"""
        self._procedure = procedure
        return self.cell(variable) is not None

    def targets_in(self, procedure: Procedure, operation: Operation) -> list[str]:
        """As `targets`, for a call in a given procedure."""
        self._procedure = procedure
        return self.targets(operation.pointer) if isinstance(operation, CallPointer) else []

    def _leaks(self) -> None:
        """Pointers that are read or written in pieces, or together with their neighbours."""
        size = self.pointer_bytes
        for node in list(self.nodes):
            if node.parent >= 0 or not node.fields:
                continue
            accesses, stride = list(node.accesses), node.stride
            for offset, target in list(node.fields.items()):
                others = [access for access in accesses if access != (offset, size)]
                if any(_overlap(start, width, offset, size, stride) for start, width in others):
                    self._let_leak(target)

    def roots(self) -> Iterator[tuple[int, Node]]:
        return ((number, node) for number, node in enumerate(self.nodes) if node.parent < 0)

    def in_procedure(self, procedure: Procedure) -> PointsTo:
        """Sets whose locals the next questions mean."""
        self._procedure = procedure
        return self


def _overlap(a: int, width_a: int, b: int, width_b: int, stride: int) -> bool:
    """Have the two pieces of memory bytes in common? With a stride, in any of the elements."""
    if stride:
        return (b - a) % stride < width_a or (a - b) % stride < width_b
    return a < b + width_b and b < a + width_a


def _has_load(expression: Expression) -> bool:
    if isinstance(expression, Apply):
        return any(_has_load(argument) for argument in expression.arguments)
    return isinstance(expression, Load)


def _uses_memory(operation: Operation) -> bool:
    match operation:
        case Assign(_, value) | Assume(value) | Allocate(_, value) | Free(value):
            return _has_load(value)
        case Skip():
            return False
        case _:
            return True


def is_static(address: Expression) -> bool:
    """Is it the address of a named object, plus a constant?"""
    if isinstance(address, Address):
        return True
    return (
        isinstance(address, Apply)
        and address.operator == "bvadd"
        and isinstance(address.arguments[0], Address)
        and isinstance(address.arguments[1], Constant)
    )


def multiple_of(expression: Expression) -> int:
    """A number that divides the expression's value (0: it is 0).

    Products may wrap around, after which only powers of two are sure to divide them; scaled indices do not wrap.
    """
    match expression:
        case Constant(_, value):
            return value & -value
        case Apply("scale", _, (index, Constant(_, size))):
            return multiple_of(index) * size
        case Apply("bvmul" | "scale", _, (first, second)):
            return multiple_of(first) * multiple_of(second)
        case Apply("bvshl", _, (first, Constant(_, amount))):
            return multiple_of(first) << amount
        case Apply("bvadd" | "bvsub", _, (first, second)):
            return gcd(multiple_of(first), multiple_of(second))
        case Apply("bvneg", _, (inner,)):
            return multiple_of(inner)
        case Apply("ite", _, (_, first, second)):
            return gcd(multiple_of(first), multiple_of(second))
        case Input():
            return 1
        case _:
            return 1
