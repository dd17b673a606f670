"""What a program consists of: the facts that `drystone info` shows and that strategies choose by.

Everything is read from the automata, one walk over all edges.
"""

from __future__ import annotations

import msgspec

from drystone.ir.automaton import MarkKind, Origin, Program
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable
from drystone.ir.loops import loop_heads
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
    Operation,
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
)
from drystone.logic.sorts import Float


class Place(msgspec.Struct, frozen=True):
    function: str
    what: str
    origin: Origin


class Features(msgspec.Struct, frozen=True):
    functions: list[str]
    locations: int
    edges: int
    loops: list[Place]  # loop heads
    recursive: list[str]
    pointers: int  # accesses to memory at an address that is not constant
    allocations: int
    floats: int  # float operations
    pointer_calls: int
    threads: list[Place]
    errors: list[Place]
    unknowns: list[Place]


def features(program: Program) -> Features:
    """Counts over all procedures, before inlining."""
    loops: list[Place] = []
    threads: list[Place] = []
    errors: list[Place] = []
    unknowns: list[Place] = []
    accesses = _Accesses()
    allocations = pointer_calls = 0
    for procedure in program.procedures.values():
        outgoing = procedure.outgoing()
        for head in sorted(loop_heads(procedure)):
            # A loop stands where the first edge that leaves its head stands.
            origin = next((edge.origin for edge in outgoing[head] if edge.origin.file >= 0), procedure.origin)
            loops.append(Place(procedure.name, "loop", origin))
        for mark in procedure.marks.values():
            if mark.kind is MarkKind.ERROR:
                errors.append(Place(procedure.name, mark.what, mark.origin))
            elif mark.kind is MarkKind.UNKNOWN:
                unknowns.append(Place(procedure.name, mark.what, mark.origin))
        for edge in procedure.edges:
            accesses.operation(edge.operation)
            match edge.operation:
                case ThreadOperation(name):
                    threads.append(Place(procedure.name, name, edge.origin))
                case Allocate() | Reallocate():
                    allocations += 1
                case CallPointer():
                    pointer_calls += 1
    return Features(
        functions=list(program.procedures),
        locations=sum(procedure.locations for procedure in program.procedures.values()),
        edges=sum(len(procedure.edges) for procedure in program.procedures.values()),
        loops=_by_place(loops),
        recursive=sorted(call_graph(program).recursive),
        pointers=accesses.pointers,
        allocations=allocations,
        floats=accesses.floats,
        pointer_calls=pointer_calls,
        threads=_by_place(threads),
        errors=_by_place(errors),
        unknowns=_by_place(unknowns),
    )


def expressions_of(operation: Operation) -> tuple[Expression, ...]:
    """The expressions an operation evaluates; assigned variables are not among them."""
    match operation:
        case Skip() | Declare() | Report():  # what is printed is no matter of the program
            return ()
        case Assume(condition):
            return (condition,)
        case Assign(_, value):
            return (value,)
        case Store(address, value):
            return (address, value)
        case Copy(target, source, _):
            return (target, source)
        case Fill(target, byte, _):
            return (target, byte)
        case Allocate(_, size):
            return (size,)
        case Reallocate(_, address, size):
            return (address, size)
        case Free(address):
            return (address,)
        case Call(_, arguments, _) | ThreadOperation(_, arguments, _):
            return arguments
        case CallPointer(pointer, arguments, _):
            return (pointer, *arguments)


def is_constant_address(expression: Expression) -> bool:
    """Is the address the same in every state: an object's, plus a constant offset?"""
    match expression:
        case Constant() | Address():
            return True
        case Apply():
            return all(is_constant_address(argument) for argument in expression.arguments)
        case _:
            return False


class _Accesses:
    """Counts what expressions do."""

    def __init__(self) -> None:
        self.pointers = 0
        self.floats = 0

    def operation(self, operation: Operation) -> None:
        match operation:
            case Store(address, _):
                self._address(address)
            case Copy(target, source, _):
                self._address(target)
                self._address(source)
            case Fill(target, _, _):
                self._address(target)
        stack = list(expressions_of(operation))
        while stack:
            match stack.pop():
                case Load() as read:
                    self._address(read.address)
                    stack.append(read.address)
                case Apply() as node:
                    self.floats += isinstance(node.sort, Float) or any(isinstance(item.sort, Float) for item in node.arguments)
                    stack.extend(node.arguments)
                case Variable() | Constant() | Input() | Address():
                    pass

    def _address(self, address: Expression) -> None:
        self.pointers += not is_constant_address(address)


def _by_place(places: list[Place]) -> list[Place]:
    return sorted(places, key=lambda place: (place.origin.file, place.origin.line, place.origin.column))
