"""Follows all pointers until nothing changes: passes over all operations, then a survey, then passes again."""

from __future__ import annotations

from drystone.ir.automaton import Edge, MemoryObject, Procedure, Program
from drystone.ir.expressions import Address, Apply, Expression, Load
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Allocate, Assign, Assume, Free, Operation, Reallocate, Skip
from drystone.memory.pointers.constraints import Constraints
from drystone.memory.pointers.exposure import Exposure
from drystone.memory.pointers.pieces import Pieces
from drystone.memory.pointers.values import Values

_PASSES = 1000  # a bound that no program reaches: each pass unifies two classes or is the last


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
        matters = self.values.forms.matters
        work = [
            (procedure, [(index, edge) for index, edge in enumerate(procedure.edges) if matters(edge.operation)])
            for procedure in self.program.procedures.values()
        ]
        while self.classes.changed:
            for _ in range(_PASSES):
                self.classes.changed = False
                self._pass(work)
                self.pieces.join()
                if not self.classes.changed:
                    break
            self.exposure.survey(lambda: self._pass(work))

    def _pass(self, work: list[tuple[Procedure, list[tuple[int, Edge]]]]) -> None:
        for node in self.classes.nodes:  # the last pass, which changes nothing, sees every access where it belongs
            node.accesses, node.ranges = {}, {}
        self.values.places.procedure = None
        self.values.is_start = True
        for name, value in self.program.initial.items():
            self.values.equate(self.program.variables[name], value)
        self.values.is_start = False
        for procedure, edges in work:
            self.values.places.procedure = procedure
            for index, edge in edges:
                self.constraints.add(edge, index)


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
