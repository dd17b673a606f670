"""A program in which no edge has more than one memory access, so that what a run touches can be told by its edges."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Apply, Expression, Load, Variable, apply, load
from drystone.ir.features import expressions_of
from drystone.ir.operations import Allocate, Assign, Assume, Copy, Fill, Free, Operation, Reallocate, Store


def three_address(program: Program) -> Program:
    """Every load of the single procedure on an edge of its own. (Loads in arms of `ite` are evaluated always.)"""
    procedure = program.procedures[program.entry]
    variables = dict(procedure.variables)
    edges: list[Edge] = []
    locations = procedure.locations
    hoisted: dict[int, list[tuple[int, int]]] = {}
    for location, outgoing in enumerate(procedure.outgoing()):
        source = location
        replaced: dict[Expression, Variable] = {}
        for part in (part for edge in outgoing for part in expressions_of(edge.operation)):
            for found in _loads(part):
                if found not in replaced:
                    temporary = Variable(f"$load{len(variables)}", found.sort)
                    variables[temporary.name] = temporary
                    access = load(found.sort, _substituted(found.address, replaced))
                    edges.append(Edge(source, locations, Assign(temporary, access), outgoing[0].origin))
                    replaced[found] = temporary
                    source, locations = locations, locations + 1
        edges.extend(Edge(source, edge.target, _rebuilt(edge.operation, replaced), edge.origin) for edge in outgoing)
        hoisted[location] = []
    frame_of = [*procedure.frame_of, *[0] * (locations - procedure.locations)] if procedure.frame_of is not None else None
    new = msgspec.structs.replace(procedure, edges=edges, locations=locations, variables=variables, frame_of=frame_of)
    return msgspec.structs.replace(program, procedures={program.entry: new})


def _loads(expression: Expression) -> Iterator[Load]:
    """Inner loads before the loads that use them."""
    if isinstance(expression, Load):
        yield from _loads(expression.address)
        yield expression
    elif isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from _loads(argument)


def _substituted(expression: Expression, replaced: dict[Expression, Variable]) -> Expression:
    if expression in replaced:
        return replaced[expression]
    if isinstance(expression, Load):
        return load(expression.sort, _substituted(expression.address, replaced))
    if isinstance(expression, Apply):
        return apply(expression.operator, expression.sort, *(_substituted(part, replaced) for part in expression.arguments))
    return expression


def _rebuilt(operation: Operation, replaced: dict[Expression, Variable]) -> Operation:
    def new(part: Expression) -> Expression:
        return _substituted(part, replaced)

    match operation:
        case Assume(condition):
            return Assume(new(condition))
        case Assign(target, value):
            return Assign(target, new(value))
        case Store(address, value):
            return Store(new(address), new(value))
        case Copy(target, source, size):
            return Copy(new(target), new(source), size)
        case Fill(target, byte, size):
            return Fill(new(target), new(byte), size)
        case Allocate(_, size_expression):
            return msgspec.structs.replace(operation, size=new(size_expression))
        case Reallocate(target, address, size_expression):
            return Reallocate(target, new(address), new(size_expression))
        case Free(address):
            return Free(new(address))
        case _:
            return operation
