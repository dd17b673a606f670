"""Follows all pointers until nothing changes: each operation again when what it looked at has changed, then a survey of all."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from drystone.ir.automaton import Edge, MemoryObject, Procedure, Program
from drystone.ir.expressions import Address, Apply, Expression, Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Allocate, Assign, Assume, Free, Operation, Reallocate, Skip
from drystone.memory.pointers.constraints import Constraints
from drystone.memory.pointers.exposure import Exposure
from drystone.memory.pointers.pieces import Pieces
from drystone.memory.pointers.values import Values

_Item = tuple[Procedure | None, tuple[int, Edge] | tuple[Variable, Expression]]
"""An edge of a procedure with its index there, or a global variable and its initial value."""


class Solution:
    """Of the constraints of one program."""

    def __init__(self, program: Program, objects: dict[str, MemoryObject]) -> None:
        self.program = program
        self.values = Values(program, objects)
        self.classes = self.values.classes
        self.constraints = Constraints(self.values)
        self.pieces = Pieces(self.values)
        self.exposure = Exposure(self.values, self.pieces)
        if _has_pointers(program):
            self._solve()
        self.values.is_recording = False
        self.values.places.procedure = None

    def _solve(self) -> None:
        for object_ in self.program.objects.values():
            number, base = self.values.places.object(object_.name)
            for offset, value in object_.relocations:
                target = self.values.cell(value)
                if target is not None:
                    self.classes.add_pointer(self.classes.find((number, base + offset)), target)
        items, others = self._items()
        self.classes.woken = set(range(len(items)))
        while True:
            self._settle(items)
            self.classes.changed = False
            self._survey([*items, *others])
            if not self.classes.changed:
                return

    def _items(self) -> tuple[list[_Item], list[_Item]]:
        """Initial values and operations that may move pointers, and those that can only say what pointers are used for.

        A copy of a variable is neither: the two are one from the beginning, as they would be once pointers have been followed.
        """
        items: list[_Item] = [(None, (self.program.variables[name], value)) for name, value in self.program.initial.items()]
        others: list[_Item] = []
        forms, places = self.values.forms, self.values.places
        for procedure in self.program.procedures.values():
            places.procedure = procedure
            for index, edge in enumerate(procedure.edges):
                operation = edge.operation
                if not forms.matters(operation):
                    continue
                if isinstance(operation, Assign) and isinstance(operation.value, Variable) and forms.is_wide(operation.target):
                    places.merge(operation.target, operation.value)
                else:
                    (others if forms.moves_nothing(operation) else items).append((procedure, (index, edge)))
        return items, others

    def _settle(self, items: Sequence[_Item]) -> None:
        """Looks at items until nothing that they have looked at has changed since; in their order, as passes over all would."""
        classes = self.classes
        self.values.is_recording = False
        while classes.woken:
            waiting, later = sorted(classes.woken), set[int]()
            queued = set(waiting)
            classes.woken = set()
            while waiting:
                classes.watcher = number = heappop(waiting)
                queued.discard(number)
                self._look_at(items[number])
                if classes.woken:
                    for other in classes.woken - queued:
                        if other > number:
                            heappush(waiting, other)
                            queued.add(other)
                        else:
                            later.add(other)
                    classes.woken = set()
            classes.woken = later
        classes.watcher = -1

    def _survey(self, items: Sequence[_Item]) -> None:
        """Looks at all items, once, and records what they access and do with addresses; who finds that pointers are moved in
        pieces, or that numbers may be pointers, has to settle again."""
        for node in self.classes.nodes:
            node.accesses, node.ranges = {}, {}
        self.values.is_recording = True
        self.values.numbers.begin_survey()
        for item in items:
            self._look_at(item)
        self.pieces.join()
        if self.classes.changed:
            self.values.numbers.abandon_survey()
        else:
            self.exposure.conclude()

    def _look_at(self, item: _Item) -> None:
        procedure, what = item
        self.values.places.procedure = procedure
        if isinstance(what[0], int):
            self.constraints.add(what[1], what[0])
        else:
            self.values.is_start = True
            self.values.equate(*what)
            self.values.is_start = False


def _has_pointers(program: Program) -> bool:
    """Otherwise there is no access that a pointer could be for, and no address to compute with."""
    edges = [edge for procedure in program.procedures.values() for edge in procedure.edges]
    is_numeric = not any(map(_is_address, program.initial.values())) and not any(map(_mentions_address, edges))
    return not is_numeric or any(_uses_memory(edge.operation) for edge in edges)


def _mentions_address(edge: Edge) -> bool:
    return isinstance(edge.operation, (Allocate, Reallocate)) or any(map(_is_address, expressions_of(edge.operation)))


def _is_address(expression: Expression) -> bool:
    """Is it one, or made of one?"""
    return any(isinstance(part, Address) for part in subexpressions(expression))


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
