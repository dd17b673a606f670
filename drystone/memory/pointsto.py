"""Points-to analysis: which pieces of memory one pointer expression may mean.

Unification (Steensgaard 1996) with offsets. A *node* stands for all objects that some pointer cannot tell
apart; it has an origin, and a pointer into it is a *cell* (node, offset). Constant offsets, also negative
ones as in `container_of`, move within the node. A pointer that meets its own node at another offset, or is
moved by a multiple of k, gives the node a *stride*: offsets count modulo the greatest common divisor of all
such distances, so the fields of an array of structs stay apart, and arithmetic in single bytes (stride 1)
collapses the node. Two nodes that are unified keep the offset between their origins.

A pointer is followed through variables, memory, sums with a distance, choices, and the few low bits in which programs keep
flags. Whatever else is done with it makes a *number* of it, and numbers are not followed: neither by data nor by the branches
that depend on them. Instead what the pointer points to is *exposed* from then on, and a number that is used as an address, an
input or a constant as much as one that was computed, may point anywhere into any exposed object, and nowhere else
(docs/decisions/017-exposed-objects.md). Numbers are told from pointers only when all pointers have been followed: then
exposed objects and what such addresses mean become one class, if there are both, and the pointers are followed once more.

Where an access overlaps a stored pointer without being one of that pointer, it moves a piece of it, or two of them at once:
all pointers that this happens to are one class, and each of them may be any other. Pieces that are not only moved are numbers.

An address of unknown origin that is compared with a pointer may be that pointer.

Assumed: a pointer stays within the object it was made for (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import combinations
from math import gcd

from drystone.ir import names
from drystone.ir.automaton import Edge, MemoryObject, ObjectKind, Procedure, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, InputKind, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Free,
    Lifetime,
    Operation,
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
)
from drystone.logic.sorts import BitVec, Sort
from drystone.memory.sharing import distances, is_mergeable, may_be_equal

Cell = tuple[int, int]

_COMPARISONS = frozenset(("=", "bvult", "bvule", "bvslt", "bvsle"))
_SIGNED = frozenset(("bvslt", "bvsle"))  # these look at the first bit
_SAME_BITS = frozenset(("zero_extend", "sign_extend", "truncate", "fp.to_bits", "fp.from_bits"))
_VARARGS = names.own("varargs")
_FLAGS = 16  # objects are aligned to this: numbers below it change where in its object a pointer points, at most
_NOWHERE = 4096  # no object has an address below it, nor one of so many at the other end
_FAR = 1 << 16  # no field is so far from its object's start
_MOST_PAIRS = 400  # of literals that are looked at, where pointers to them are compared
_PASSES = 1000  # a bound that no program reaches: each pass unifies two classes or is the last


class Access:
    """Loads and stores of one size at one offset of a node. `static`: all of them at an address known in advance.

    `is_read`: some loaded value is not just stored elsewhere. `is_written`: some stored value was not just loaded and is not 0.
    """

    __slots__ = ("count", "is_read", "is_written", "sorts", "static")

    def __init__(self) -> None:
        self.count = 0
        self.static = True
        self.is_read = False
        self.is_written = False
        self.sorts: set[Sort] = set()

    def absorb(self, other: Access) -> None:
        self.count += other.count
        self.static = self.static and other.static
        self.is_read = self.is_read or other.is_read
        self.is_written = self.is_written or other.is_written
        self.sorts |= other.sorts


class Range:
    """Bytes that a bulk operation (copy, fill) touches: from an offset, `size` bytes.

    `clears`: nothing but 0 is filled in; `fills`: something is.
    """

    __slots__ = ("clears", "fills", "size", "static")

    def __init__(self, size: int, static: bool, fills: bool = False, clears: bool = False) -> None:
        self.size = size
        self.static = static
        self.fills = fills
        self.clears = clears


class Node:
    __slots__ = (
        "parent",
        "shift",
        "stride",
        "fields",
        "accesses",
        "ranges",
        "members",
        "why",
        "has_distances",
        "has_numbers",
        "has_pieces",
        "is_foreign",
    )

    def __init__(self) -> None:
        self.parent = -1
        self.shift = 0  # where this node's origin lies in its parent
        self.stride = 0
        self.fields: dict[int, Cell] = {}  # what the pointer at an offset points to
        self.accesses: dict[tuple[int, int], Access] = {}  # by (offset, bytes)
        self.ranges: dict[tuple[int, int], Range] = {}  # by (offset, size)
        self.members: list[tuple[str, int]] = []  # objects and where they begin
        self.why = ""  # the reason of the last reduction of the stride
        self.has_distances = False  # from one of its objects to another
        self.has_numbers = False  # that no pointer is tracked for
        self.has_pieces = False  # of pointers that were moved here
        self.is_foreign = False  # some address of it comes from outside, or from nowhere


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
        self._allocated: dict[str, int] = {}  # by the variable that gets it
        self._perhaps_empty: set[str] = set()  # members that may have no bytes, and the address of another one
        self._unknown = self._new()
        self.nodes[self._unknown].stride = 1
        self.nodes[self._unknown].why = "addresses of unknown origin"
        self._absolute = self._new()
        self._pieces = (self._new(), 0)  # what pointers that are moved in pieces mean
        self._has_pieces = False
        self._is_survey = False
        self._is_start = False  # of the program: what is outside then is no number
        self._alignments = {object_.name: object_.align for object_ in self._all_objects()}
        self._exposed: dict[Cell, None] = {}
        self._shown: list[Cell] = []  # of these, what the program itself exposes
        self._guessed: dict[Cell, None] = {}  # what addresses that are numbers mean
        self._compared: dict[tuple[str, Cell, Cell, bool], None] = {}  # and whether as numbers
        self._moved: dict[tuple[Cell, Cell], None] = {}  # what is loaded here is stored there
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
        known.fills = known.fills or extent.fills
        known.clears = known.clears or extent.clears

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
            winner.has_distances = winner.has_distances or loser.has_distances
            winner.has_pieces = winner.has_pieces or loser.has_pieces
            winner.is_foreign = winner.is_foreign or loser.is_foreign
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
            assert isinstance(operation, (Allocate, Reallocate))
            what = operation.name if isinstance(operation, Allocate) else "realloc"
            name = f"{self._procedure.name}: {operation.target.name}"
            self.unify((number, 0), (self._allocated.setdefault(name, number), 0))
            member = f"{what}@{edge.origin.line}:{edge.origin.column}"
            self.nodes[number].members.append((member, 0))
            if isinstance(operation, Allocate) and operation.lifetime is Lifetime.FRAME and not _is_positive(operation.size):
                self._perhaps_empty.add(member)
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
                return self._loaded(expression, self.access(expression.address, expression.sort, reads=True))
            case Apply():
                return self._apply(expression)
            case _:
                return None

    def _loaded(self, expression: Load, place: Cell) -> Cell | None:
        number, offset = self.find(place)
        return self.nodes[number].fields.get(offset) if self._is_wide(expression) else None

    def _is_wide(self, expression: Expression) -> bool:
        width = getattr(expression.sort, "width", 0)
        return bool(width >= self.program.pointer_width)

    def _apply(self, expression: Apply) -> Cell | None:
        arguments = expression.arguments
        operator = expression.operator
        match expression:
            case Apply("bvsub", _, (Apply("truncate", _, (first,)), Apply("truncate", _, (second,)))):
                whole = [self.cell(first), self.cell(second)]
                if None not in whole:  # a distance that is cut to a narrower number tells no more than before
                    return self._displaced("bvsub", (first, second), whole)
        cells = [self.cell(argument) for argument in arguments]
        if operator == "position":
            return None  # a question of our own, which gives nothing away
        if operator == "pointer":
            return cells[0]
        if operator in _COMPARISONS:
            self._compare(operator, arguments, cells)
            return None
        if operator == "ite" and self._is_wide(expression):
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
        if operator in _SAME_BITS and self._is_wide(expression):
            return cells[0]
        for cell in cells:
            if cell is not None:
                self._expose(cell)
        base = cells[0]
        if base is not None and is_flagging(expression):
            number = self.find(base)[0]
            self._reduce(number, 1, f"arithmetic on a pointer ({operator})")
            if any(self._alignments.get(name, _FLAGS) < _reach(expression) for name, _ in self.nodes[number].members):
                self._guess((number, 0))  # without its flags it may be a neighbour's
            return self.find(base)
        return None

    def _compare(self, operator: str, arguments: tuple[Expression, ...], cells: list[Cell | None]) -> None:
        """Who compares a pointer with a number learns something about its bits."""
        left, right = cells
        if left is not None and right is not None:
            if self._is_survey:
                self._compared[operator, left, right, self._are_numbers(operator, arguments)] = None
        else:
            pointer, other = (left, arguments[1]) if left is not None else (right, arguments[0])
            if pointer is not None:
                is_moved = self.nodes[self.find(pointer)[0]].stride != 0  # how far is NULL?
                if not self._is_nowhere(other) or (is_moved and operator != "=") or operator in _SIGNED:
                    self._expose(pointer)

    def _are_numbers(self, operator: str, arguments: tuple[Expression, ...]) -> bool:
        """Not if C says that they are pointers. But one that was made from a number may have the address of an object that has
        ended, and C lets it be compared with another one."""
        if self.program.makes_pointers and operator == "=":
            return True
        return not any(isinstance(each, Apply) and each.operator == "pointer" for each in arguments)

    def _is_nowhere(self, expression: Expression) -> bool:
        """Is it NULL, or another number that is no object's address?"""
        return isinstance(expression, Constant) and abs(self._distance(expression)) < _NOWHERE

    def _expose(self, cell: Cell) -> None:
        if self._is_survey:
            self._exposed[cell] = None

    def _guess(self, cell: Cell) -> None:
        """A pointer like this may be a number."""
        if self._is_survey:
            self._guessed[cell] = None

    def _displaced(self, operator: str, arguments: tuple[Expression, ...], cells: list[Cell | None]) -> Cell | None:
        left, right = cells
        if right is not None and operator == "bvadd" and (left is None or is_scaled(arguments[0])):
            left, right, arguments = right, left, arguments[::-1]
        offset = arguments[1]
        if left is None:
            if right is not None:  # subtracted from a number
                self._expose(right)
            return None
        number, place = self.find(left)
        if isinstance(offset, Constant):
            distance = self._distance(offset)
            if abs(distance) >= _FAR:
                self._expose(left)
                self._guess(left)
            return number, place - distance if operator == "bvsub" else place + distance
        if is_scaled(offset):
            self._reduce(number, multiple_of(offset), "moved by a variable distance")
            return self.find((number, place))
        if right is not None and operator == "bvsub":
            if self._is_survey:
                self._compared[operator, left, right, self._are_numbers(operator, arguments)] = None
            if self.find(left)[0] != self.find(right)[0]:
                self.unify((self.find(left)[0], 0), (self.find(right)[0], 0))  # who adds the distance gets from one to the other
                self.nodes[self.find(left)[0]].has_distances = True
            return None
        self._expose(left)
        self._guess(left)
        if right is not None:
            self._expose(right)
            self.unify(left, right)
            self._reduce(self.find(left)[0], 1, "sum of two pointers")
        else:
            self._reduce(number, multiple_of(offset), "moved by a number")
        return self.find(left)

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
            case Apply("bvadd", _, (base, Constant() as constant)) if abs(self._distance(constant)) < _FAR:
                self.bind(base, (cell[0], cell[1] - self._distance(constant)))
            case Apply("bvadd", _, (base, distance)) if is_scaled(distance):
                self.bind(base, cell)
            case Apply(_, _, (base, Constant())) if is_flagging(expression):
                self.bind(base, cell)
            case Apply("zero_extend" | "sign_extend", _, (inner,)):
                self.bind(inner, cell)
            case Input(_, _, kind) if kind is InputKind.UNINITIALISED or self._is_start:
                self.nodes[self.find(cell)[0]].is_foreign = True
            case Address():
                pass
            case Constant() if self._is_nowhere(expression):
                node = self.nodes[self.find(cell)[0]]
                if node.stride and not node.members:  # NULL and an index
                    self._guess(cell)
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
                if not self._is_nowhere(address):
                    self._guess(cell)
            elif self._can_bind(address):
                own = self._new()
                self.nodes[own].is_foreign = True
                self.bind(address, (own, 0))
                cell = self.cell(address)
            else:
                cell = (self._unknown, 0)
                self._guess(cell)
        assert cell is not None
        return self.find(cell)

    def _can_bind(self, address: Expression) -> bool:
        """Would `bind` make `cell` give an answer?"""
        match address:
            case Variable() | Load():
                return self._is_wide(address)
            case Apply("ite", _, (_, first, second)):
                return self._can_bind(first) or self._can_bind(second)
            case Apply("bvadd", _, (base, Constant() as constant)):
                return abs(self._distance(constant)) < _FAR and self._can_bind(base)
            case Apply("bvadd", _, (base, distance)) if is_scaled(distance):
                return self._can_bind(base)
            case Apply("zero_extend" | "sign_extend", _, (base,)):
                return self._can_bind(base)
            case Apply(_, _, (base, Constant())) if is_flagging(address):
                return self._can_bind(base)
            case _:
                return False

    def access(self, address: Expression, sort: Sort, *, reads: bool = False, writes: bool = False) -> Cell:
        """The cell that a load or store touches, recorded while solving."""
        number, offset = self.target(address)
        if self._recording:
            access = self.nodes[number].accesses.setdefault((offset, byte_size(sort)), Access())
            access.count += 1
            access.static = access.static and is_static(address)
            access.is_read = access.is_read or reads
            access.is_written = access.is_written or writes
            access.sorts.add(sort)
        return number, offset

    def _bulk(self, address: Expression, size: int, *, fills: bool = False, clears: bool = False) -> Cell:
        number, offset = self.target(address)
        self._add_range(self.nodes[number], offset, Range(size, is_static(address), fills, clears))
        return number, offset

    # solving

    def _solve(self) -> None:
        program = self.program
        self._procedure = None
        edges = [edge for procedure in program.procedures.values() for edge in procedure.edges]
        is_numeric = not any(map(_is_address, program.initial.values())) and not any(map(_mentions_address, edges))
        if is_numeric and not any(_uses_memory(edge.operation) for edge in edges):
            self._recording = False
            return  # there is no access that a pointer could be for, and no address to compute with
        for object_ in program.objects.values():
            number, base = self.object_cell(object_.name)
            for offset, value in object_.relocations:
                self._field(self.find((number, base + offset)), self.cell(value))
        work = [
            (procedure, [(index, edge) for index, edge in enumerate(procedure.edges) if self._matters(edge.operation)])
            for procedure in program.procedures.values()
        ]
        while self._changed:
            for _ in range(_PASSES):
                self._changed = False
                self._pass(work)
                self._join_pieces()
                if not self._changed:
                    break
            self._survey(work)
        self._recording = False
        self._procedure = None

    def _pass(self, work: list[tuple[Procedure, list[tuple[int, Edge]]]]) -> None:
        for node in self.nodes:  # the last pass, which changes nothing, sees every access where it belongs
            node.accesses, node.ranges = {}, {}
        self._procedure = None
        self._is_start = True
        for name, value in self.program.initial.items():
            self.equate(self.program.variables[name], value)
        self._is_start = False
        for procedure, edges in work:
            self._procedure = procedure
            for index, edge in edges:
                self._constrain(edge, index)

    def _survey(self, work: list[tuple[Procedure, list[tuple[int, Edge]]]]) -> None:
        """All pointers have been followed: which objects are exposed, and which addresses are numbers?"""
        self._compared.clear()
        self._moved.clear()
        self._is_survey = True
        self._pass(work)
        self._survey_pieces()
        self._survey_contents()
        self._survey_comparisons()
        for number, node in list(self.roots()):
            if node.has_distances:
                self._expose((number, 0))
        shown = list(self._exposed)
        for name, number in self._places():
            if name in self.program.exposed:
                self._expose((number, 0))
        known = len(self._exposed)
        self._survey_arguments()
        self._shown = shown + list(self._exposed)[known:]
        self._is_survey = False
        if self._exposed and self._guessed:
            for cell in (*self._exposed, *self._guessed):
                self.unify((self.find(cell)[0], 0), (self.find((self._unknown, 0))[0], 0))

    def _matters(self, operation: Operation) -> bool:
        """Can it move a pointer, expose something or access memory? Most operations on numbers cannot."""
        match operation:
            case Assign(_, value):
                return self._is_wide(value) or self._has_wide_part(value)
            case Assume(condition):
                return self._has_wide_part(condition)
            case _:
                return not isinstance(operation, (Declare, Skip, Report))

    def _has_wide_part(self, expression: Expression) -> bool:
        """Does it read memory, or make something narrower of what may be a pointer?"""
        match expression:
            case Load():
                return True
            case Apply("=", _, (first, second)) if self._is_nowhere(first) or self._is_nowhere(second):
                return self._has_wide_part(first) or self._has_wide_part(second)
            case Apply():
                return any(self._is_wide(each) or self._has_wide_part(each) for each in expression.arguments)
            case _:
                return False

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
                cell = self.access(address, value.sort, writes=not isinstance(value, Load) and not _is_zero(value))
                if isinstance(value, Load):
                    source = self.access(value.address, value.sort)
                    pointer = self._loaded(value, source)
                    if self._is_survey:
                        self._moved[cell, source] = None
                else:
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
                self._bulk(address, size, fills=not _is_zero(byte), clears=_is_zero(byte))
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
                self._expose(cell)
        known = self.cell(inside)
        self._procedure = caller
        if cell is None and known is not None:
            if self._is_wide(outside):
                self.bind(outside, known)
            else:
                self._expose(known)
                self._guess(known)

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
        functions = self.program.functions
        return [procedure for name in self._functions(pointer) if (procedure := functions[name]) is not None]

    def _functions(self, pointer: Expression) -> list[str]:
        return [name for name, _ in self.nodes[self.target(pointer)[0]].members if name in self.program.functions]

    @property
    def numbers_may_point(self) -> bool:
        """Are there numbers that are no pointers, from which one gets a pointer: bits, pieces, or distances of objects?"""
        return self._has_pieces or any(node.has_distances for _, node in self.roots()) or bool(self._exposed and self._guessed)

    @property
    def exposed(self) -> frozenset[str]:
        """All that is exposed, by the names of objects and of the variables that get allocations. Without the statements that
        expose it, it still is."""
        return self.program.exposed.union(self._named(self._exposed))

    @property
    def shown(self) -> frozenset[str]:
        """Those whose addresses decide something here: this program exposes them, nothing that was sliced away, or compares
        pointers to different ones of them."""
        found = self._named([*self._shown, *self._told_apart()])
        return frozenset(name for name in found if _VARARGS not in name)  # lists of arguments lie where drystone wants them

    def _told_apart(self) -> Iterator[Cell]:
        """Pointers that are ordered, or one of which may be behind the end of an object, where the other one's may begin; numbers
        whose distance is computed; locals that are never there at the same time, or numbers of allocations of which one may have
        been freed before. (A pointer to it is not for comparison, and only numbers of objects from one allocation are ordered.)
        And places in literals that may be one."""
        objects = {object_.name: object_ for object_ in self._all_objects()}
        for operator, left, right, as_numbers in self._compared:
            both = (left, right)
            members = [name for number in {self.find(cell)[0] for cell in both} for name, _ in self.nodes[number].members]
            are_several = len(members) > 1 or (as_numbers and any(name not in objects for name in members))
            if operator == "bvsub":
                is_told = are_several and as_numbers
            else:
                is_told = are_several and (operator != "=" or any(self._may_be_behind(cell, objects) for cell in both))
            is_told = is_told or self._may_be_shared(left, right, objects)
            if is_told or self._may_follow_each_other(members, objects, as_numbers):
                yield from both

    def _may_follow_each_other(self, members: list[str], objects: dict[str, MemoryObject], as_numbers: bool) -> bool:
        """May one of these objects lie where another one lay?"""
        if as_numbers and self.program.frees and any(name not in objects for name in members):
            return True
        if not self._perhaps_empty.isdisjoint(members):
            return True
        local = [objects[name] for name in members if name in objects and objects[name].kind is ObjectKind.LOCAL]
        return any(not one.may_live_with(other) for one, other in combinations(local, 2))

    def _may_be_shared(self, left: Cell, right: Cell, objects: dict[str, MemoryObject]) -> bool:
        """May two places in different objects be one, because these lie on the same bytes?"""
        (first, offset), (second, other_offset) = self.find(left), self.find(right)
        is_moved = bool(self.nodes[first].stride or self.nodes[second].stride)
        ones, others = (
            [
                (objects[name], start)
                for name, start in self.nodes[number].members
                if name in objects and is_mergeable(objects[name])
            ]
            for number in (first, second)
        )
        if len(ones) * len(others) > _MOST_PAIRS:
            return True
        for one, start in ones:
            for other, other_start in others:
                if one is other:
                    continue
                if is_moved and distances(one, other) != []:
                    return True
                if not is_moved and may_be_equal(one, offset - start, other, other_offset - other_start):
                    return True
        return False

    def _may_be_behind(self, cell: Cell, objects: dict[str, MemoryObject]) -> bool:
        number, offset = self.find(cell)
        node = self.nodes[number]
        return bool(node.stride) or any(
            offset - start >= (objects[name].size if name in objects else 1)
            for name, start in node.members
            if name in objects or names.is_argument_string(name)
        )

    def _all_objects(self) -> Iterator[MemoryObject]:
        yield from self.program.objects.values()
        for procedure in self.program.procedures.values():
            yield from procedure.objects.values()

    @property
    def allocations(self) -> Set[str]:
        """The names of the variables that get allocations."""
        return self._allocated.keys()

    def _named(self, cells: Iterable[Cell]) -> Iterator[str]:
        nodes = {self.find(cell)[0] for cell in cells}
        return (name for name, number in self._places() if self.find((number, 0))[0] in nodes)

    def _places(self) -> Iterator[tuple[str, int]]:
        for (_, name), number in self._objects.items():
            yield name, number
        yield from self._allocated.items()

    def may_point(self, procedure: Procedure, variable: Variable) -> bool:
        """May a variable that the procedure uses hold an address that something is accessed by?"""
        self._procedure = procedure
        return self.cell(variable) is not None

    def functions_called(self, procedure: Procedure, operation: CallPointer) -> list[str]:
        """The functions that a call in this procedure may mean; `Program.functions` says which procedure each one is."""
        self._procedure = procedure
        return self._functions(operation.pointer)

    def _pointers_in_pieces(self) -> Iterator[tuple[Node, Cell, Access]]:
        """Fields of a node that an access reads or writes in pieces, or together with their neighbours: what they point to."""
        size = self.pointer_bytes
        for node in list(self.nodes):
            if node.parent >= 0 or not node.fields:
                continue
            accesses, stride = list(node.accesses.items()), node.stride
            for offset, target in list(node.fields.items()):
                for place, access in accesses:
                    if place != (offset, size) and _overlap(*place, offset, size, stride):
                        yield node, target, access

    def _join_pieces(self) -> None:
        """Pointers that are moved in pieces may be each other."""
        for _, target, _ in self._pointers_in_pieces():
            self._has_pieces = True
            self.unify(target, self._pieces)

    def _survey_pieces(self) -> None:
        """Pieces that are computed with are numbers, wherever they were moved before, and so are pieces of numbers."""
        size = self.pointer_bytes
        for _, node in self.roots():
            pointers = {(offset, size) for offset in node.fields}
            node.has_pieces = False
            node.has_numbers = any(each.is_written for place, each in node.accesses.items() if place not in pointers)
            for (start, _), extent in node.ranges.items():
                node.has_numbers = node.has_numbers or extent.fills
                for offset, target in node.fields.items():
                    is_whole = start <= offset and offset + size <= start + extent.size and not node.stride
                    if extent.fills or (extent.clears and not is_whole):
                        if _overlap(start, extent.size, offset, size, node.stride):
                            self._guess(target)
        for object_ in self.program.objects.values():
            if object_.content.strip(b"\0"):
                self.nodes[self.find(self.object_cell(object_.name))[0]].has_numbers = True
        pieces = list(self._pointers_in_pieces())
        for node, _, _ in pieces:
            node.has_pieces = True
        gets_numbers = self._follow_moves()
        for node, target, access in pieces:
            if access.is_read:
                self._expose(target)
            if access.is_written or id(node) in gets_numbers:
                self._guess(target)
        for _, node in self.roots():
            pointers = {(offset, size) for offset in node.fields}
            if node.has_pieces and any(each.is_read for place, each in node.accesses.items() if place not in pointers):
                self._expose(self._pieces)

    def _follow_moves(self) -> set[int]:
        """Pieces and numbers are where they are moved to, too. The nodes that numbers are moved to, by identity."""
        moves = {(self.find(source)[0], self.find(place)[0]) for place, source in self._moved}
        found: set[int] = set()
        is_new = True
        while is_new:
            is_new = False
            for source, holder in ((self.nodes[first], self.nodes[second]) for first, second in moves):
                if source.has_pieces and not holder.has_pieces:
                    holder.has_pieces = is_new = True
                if source.has_numbers and id(holder) not in found:
                    found.add(id(holder))
                    holder.has_numbers = is_new = True
        return found

    def _survey_contents(self) -> None:
        """Numbers that are there from the beginning, where pointers are."""
        size = self.pointer_bytes
        for object_ in self.program.objects.values():
            if not object_.content.strip(b"\0"):
                continue
            number, base = self.find(self.object_cell(object_.name))
            node = self.nodes[number]
            known = {offset for offset, _ in object_.relocations}
            for field, target in node.fields.items():
                first = field - base
                for offset in range(first % node.stride, len(object_.content), node.stride) if node.stride else (first,):
                    word = int.from_bytes(object_.content[max(offset, 0) : max(offset + size, 0)], "little")
                    if offset not in known and not self._is_nowhere(Constant(self.program.pointer, word)):
                        self._guess(target)
                        break

    def _survey_arguments(self) -> None:
        """Who is given a list of arguments is given the arguments."""
        exposed = {self.find(cell)[0] for cell in self._exposed}
        for name, number in self._places():
            root = self.find((number, 0))[0]
            if _VARARGS in name and root in exposed:
                for target in self.nodes[root].fields.values():
                    self._expose(target)

    def _survey_comparisons(self) -> None:
        """An address of unknown origin that is compared with a pointer may be that pointer; one that is moved may come to it."""
        numbers = {self.find(cell)[0] for cell in self._guessed}
        for operator, left, right, _ in self._compared:
            for one, other in ((left, right), (right, left)):
                number = self.find(one)[0]
                if number == self.find(other)[0]:
                    continue
                node = self.nodes[number]
                if node.is_foreign and operator != "=":
                    self._guess(one)
                    self._expose(other)
                elif number in numbers:
                    self._expose(other)
                elif node.is_foreign or node.stride:
                    self.unify(one, other)

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


def _mentions_address(edge: Edge) -> bool:
    return isinstance(edge.operation, (Allocate, Reallocate)) or any(map(_is_address, expressions_of(edge.operation)))


def _is_address(expression: Expression) -> bool:
    """Is it one, or made of one?"""
    return any(isinstance(part, Address) for part in subexpressions(expression))


def _is_positive(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value > 0


def _is_zero(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value == 0


def is_scaled(expression: Expression) -> bool:
    """Is it a distance that C computed from an index?"""
    match expression:
        case Apply("scale"):
            return True
        case Apply("bvneg", _, (inner,)):
            return is_scaled(inner)
        case _:
            return False


def is_flagging(expression: Expression) -> bool:
    """Does it set, change or clear flags in the low bits of a pointer?"""
    return 0 < _reach(expression) <= _FLAGS


def _reach(expression: Expression) -> int:
    """The flags lie in a number below it; 0: there are none."""
    match expression:
        case Apply("bvor" | "bvxor", _, (_, Constant(_, value))):
            return 1 << value.bit_length()
        case Apply("bvand", BitVec(width), (_, Constant(_, value))):
            return (1 << width) - value
        case _:
            return 0


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
