"""What expressions point to.

A pointer is followed through variables, memory, sums with a distance, choices, and the few low bits in which programs keep
flags. Whatever else is done with it makes a number of it (`numbers`).
"""

from __future__ import annotations

from drystone.ir.automaton import MemoryObject, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, InputKind, Load, Variable, byte_size
from drystone.logic.sorts import Sort
from drystone.memory.pointers.classes import Access, Cell, Classes, Range
from drystone.memory.pointers.forms import (
    COMPARISONS,
    FAR,
    FLAGS,
    Forms,
    flags_below,
    is_flagging,
    is_scaled,
    is_static,
    multiple_of,
)
from drystone.memory.pointers.numbers import Numbers
from drystone.memory.pointers.places import Places

_SIGNED = frozenset(("bvslt", "bvsle"))  # these look at the first bit
_SAME_BITS = frozenset(("zero_extend", "sign_extend", "truncate", "fp.to_bits", "fp.from_bits"))


class Values:
    """From expressions to cells, and which memory they access. Questions may unify classes: `p - q`, or `c ? p : q`."""

    def __init__(self, program: Program, objects: dict[str, MemoryObject]) -> None:
        self.program = program
        self.forms = Forms(program.pointer_width)
        self.classes = Classes()
        self.places = Places(self.classes)
        self.numbers = Numbers()
        self.alignments = {name: object_.align for name, object_ in objects.items()}
        self.is_recording = True  # of accesses
        self.is_start = False  # of the program: what is outside then is no number
        self.unknown = self.classes.new()
        self.classes.nodes[self.unknown].stride = 1
        self.classes.nodes[self.unknown].why = "addresses of unknown origin"
        self._absolute = self.classes.new()

    def cell(self, expression: Expression) -> Cell | None:
        """What a pointer expression points to; None if it is not known to hold a pointer. Records the loads in it."""
        match expression:
            case Variable():
                if not self.forms.is_wide(expression):
                    return None
                return self.places.variable(expression)
            case Address():
                return self.places.object(expression.target)
            case Load():
                return self.loaded(expression, self.access(expression.address, expression.sort, reads=True))
            case Apply():
                return self._apply(expression)
            case _:
                return None

    def loaded(self, expression: Load, place: Cell) -> Cell | None:
        """What the value that is loaded from this place points to."""
        number, offset = self.classes.find(place)
        return self.classes.nodes[number].fields.get(offset) if self.forms.is_wide(expression) else None

    def _apply(self, expression: Apply) -> Cell | None:
        arguments = expression.arguments
        operator = expression.operator
        match expression:
            case Apply("bvsub", _, (Apply("truncate", _, (first,)), Apply("truncate", _, (second,)))):
                whole = [self.cell(first), self.cell(second)]
                if None not in whole:  # a distance that is cut to a narrower number tells no more than before
                    return self._displaced("bvsub", (first, second), whole)
        cells = [self.cell(argument) for argument in arguments]
        if operator in ("position", "slot", "slot_base"):
            return None  # a question of our own, which gives nothing away
        if operator == "shadow":
            return self.classes.shadow(cells[0]) if cells[0] is not None else None
        if operator == "pointer":
            return cells[0]
        if operator in COMPARISONS:
            self._compare(operator, arguments, cells)
            return None
        if operator == "ite" and self.forms.is_wide(expression):
            _, left, right = cells
            if left is not None and right is not None:
                self.classes.unify(left, right)
            elif left is not None:
                self.bind(arguments[2], left)
            elif right is not None:
                self.bind(arguments[1], right)
            return left or right
        if operator == "bvadd" or operator == "bvsub":
            return self._displaced(operator, arguments, cells)
        if operator in _SAME_BITS and self.forms.is_wide(expression):
            return cells[0]
        for cell in cells:
            if cell is not None:
                self.numbers.expose(cell)
        base = cells[0]
        if base is not None and is_flagging(expression):
            number = self.classes.find(base)[0]
            self.classes.reduce(number, 1, f"arithmetic on a pointer ({operator})")
            if any(self.alignments.get(name, FLAGS) < flags_below(expression) for name, _ in self.classes.nodes[number].members):
                self.numbers.guess((number, 0))  # without its flags it may be a neighbour's
            return self.classes.find(base)
        return None

    def _compare(self, operator: str, arguments: tuple[Expression, ...], cells: list[Cell | None]) -> None:
        """Who compares a pointer with a number learns something about its bits."""
        left, right = cells
        if left is not None and right is not None:
            self.numbers.compare(operator, left, right, self._are_numbers(operator, arguments))
        else:
            pointer, other = (left, arguments[1]) if left is not None else (right, arguments[0])
            if pointer is not None:
                is_moved = self.classes.root(pointer).stride != 0  # how far is NULL?
                if not self.forms.is_nowhere(other) or (is_moved and operator != "=") or operator in _SIGNED:
                    self.numbers.expose(pointer)

    def _are_numbers(self, operator: str, arguments: tuple[Expression, ...]) -> bool:
        """Not if C says that they are pointers. But one that was made from a number may have the address of an object that has
        ended, and C lets it be compared with another one."""
        if self.program.makes_pointers and operator == "=":
            return True
        return not any(isinstance(each, Apply) and each.operator == "pointer" for each in arguments)

    def _displaced(self, operator: str, arguments: tuple[Expression, ...], cells: list[Cell | None]) -> Cell | None:
        """What the sum or difference points to."""
        left, right = cells
        if right is not None and operator == "bvadd" and (left is None or is_scaled(arguments[0])):
            left, right, arguments = right, left, arguments[::-1]
        offset = arguments[1]
        if left is None:
            if right is not None:  # subtracted from a number
                self.numbers.expose(right)
            return None
        number, place = self.classes.find(left)
        if isinstance(offset, Constant):
            distance = self.forms.distance(offset)
            if abs(distance) >= FAR:
                self.numbers.expose(left)
                self.numbers.guess(left)
            return number, place - distance if operator == "bvsub" else place + distance
        if is_scaled(offset):
            self.classes.reduce(number, multiple_of(offset), "moved by a variable distance")
            return self.classes.find((number, place))
        if right is not None and operator == "bvsub":
            self.numbers.compare(operator, left, right, self._are_numbers(operator, arguments))
            other = self.classes.find(right)[0]
            if number != other:  # who adds the distance gets from one to the other
                self.classes.unify((number, 0), (other, 0))
                self.classes.root(left).has_distances = True
            return None
        self.numbers.expose(left)
        self.numbers.guess(left)
        if right is not None:
            self.numbers.expose(right)
            self.classes.unify(left, right)
            self.classes.reduce(self.classes.find(left)[0], 1, "sum of two pointers")
        else:
            self.classes.reduce(number, multiple_of(offset), "moved by a number")
        return self.classes.find(left)

    def bind(self, expression: Expression, cell: Cell) -> None:
        """The value of the expression may be this pointer."""
        known = self.cell(expression)
        if known is not None:
            self.classes.unify(known, cell)
            return
        match expression:
            case Variable() if self.forms.is_wide(expression):
                self.places.bind(expression, cell)
            case Load() if self.forms.is_wide(expression):
                number, offset = self.access(expression.address, expression.sort)
                self.classes.add_pointer((number, offset), cell)
            case Apply("ite", _, (_, first, second)):
                self.bind(first, cell)
                self.bind(second, cell)
            case Apply("bvadd", _, (base, Constant() as constant)) if abs(self.forms.distance(constant)) < FAR:
                self.bind(base, (cell[0], cell[1] - self.forms.distance(constant)))
            case Apply("bvadd", _, (base, distance)) if is_scaled(distance):
                self.bind(base, cell)
            case Apply(_, _, (base, Constant())) if is_flagging(expression):
                self.bind(base, cell)
            case Apply("zero_extend" | "sign_extend", _, (inner,)):
                self.bind(inner, cell)
            case Input(_, _, kind) if kind is InputKind.UNINITIALISED or self.is_start:
                self.classes.root(cell).is_foreign = True
            case Address():
                pass
            case Constant() if self.forms.is_nowhere(expression):
                node = self.classes.root(cell)
                if node.stride and not node.members:  # NULL and an index
                    self.numbers.guess(cell)
            case _:
                self.numbers.guess(cell)

    def equate(self, first: Expression, second: Expression) -> None:
        """The two expressions may have the same value."""
        cell = self.cell(second)
        if cell is not None:
            self.bind(first, cell)
            return
        cell = self.cell(first)
        if cell is not None:
            self.bind(second, cell)

    def target(self, address: Expression) -> Cell:
        """The cell that an address means; an address of unknown origin gets one."""
        if isinstance(address, Apply) and address.operator == "shadow":
            return self.classes.shadow(self.target(address.arguments[0]))
        cell = self.cell(address)
        if cell is None:
            if isinstance(address, Constant):
                cell = (self._absolute, address.value)
                if not self.forms.is_nowhere(address):
                    self.numbers.guess(cell)
            elif self.forms.can_be_bound(address):
                own = self.classes.new()
                self.classes.nodes[own].is_foreign = True
                self.bind(address, (own, 0))
                cell = self.cell(address)
            else:
                cell = (self.unknown, 0)
                self.numbers.guess(cell)
        assert cell is not None
        return self.classes.find(cell)

    def access(self, address: Expression, sort: Sort, *, reads: bool = False, writes: bool = False) -> Cell:
        """The cell that a load or store touches, recorded while solving."""
        number, offset = self.target(address)
        if self.is_recording:
            access = self.classes.nodes[number].accesses.setdefault((offset, byte_size(sort)), Access())
            access.count += 1
            access.static = access.static and is_static(address)
            access.is_read = access.is_read or reads
            access.is_written = access.is_written or writes
            access.sorts.add(sort)
        return number, offset

    def bulk(self, address: Expression, size: int, *, fills: bool = False, clears: bool = False) -> Cell:
        """The cell where a copy or fill begins, recorded."""
        number, offset = self.target(address)
        self.classes.add_range(self.classes.nodes[number], offset, Range(size, is_static(address), fills, clears))
        return number, offset
