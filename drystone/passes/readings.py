"""The same program, read otherwise where drystone does not know what it computes.

`settled`: undefined operations give what the machine gives. `without_approximations`: an execution ends where it would take a
value that drystone only approximates, so that what is left are executions of the real program.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.ir.automaton import Edge, Mark, MarkKind, Procedure, Program, inputs
from drystone.ir.expressions import Apply, Constant, Expression, Input, InputKind, Load, is_approximated, load
from drystone.ir.features import expressions_of
from drystone.ir.operations import Operation, Skip
from drystone.ir.simplify import make
from drystone.logic.sorts import Bool


def settled(program: Program) -> Program:
    """Inputs that are zero in every run are zero for everybody."""
    if not any(_reads(edge, _is_settled) for procedure in program.procedures.values() for edge in procedure.edges):
        return program
    procedures = {name: _with_zeros(procedure) for name, procedure in program.procedures.items()}
    return msgspec.structs.replace(program, procedures=procedures)


def _with_zeros(procedure: Procedure) -> Procedure:
    edges = [
        msgspec.structs.replace(edge, operation=_replaced(edge.operation, _is_settled)) if _reads(edge, _is_settled) else edge
        for edge in procedure.edges
    ]
    return msgspec.structs.replace(procedure, edges=edges)


def _replaced(operation: Operation, is_meant: Callable[[Input], bool]) -> Operation:
    """With zeros for these inputs."""
    changed: dict[str, object] = {}
    for name in operation.__struct_fields__:
        value = getattr(operation, name)
        if isinstance(value, (Apply, Load, Input)):
            changed[name] = _zeroed(value, is_meant)
        elif isinstance(value, tuple):  # the arguments of a call
            changed[name] = tuple(_zeroed(each, is_meant) for each in value)
    return msgspec.structs.replace(operation, **changed)


def _zeroed(expression: Expression, is_meant: Callable[[Input], bool]) -> Expression:
    match expression:
        case Input() if is_meant(expression):
            return Constant(expression.sort, 0)
        case Apply(operator, sort, arguments):
            return make(operator, sort, *(_zeroed(each, is_meant) for each in arguments))
        case Load(sort, address):
            return load(sort, _zeroed(address, is_meant))
        case _:
            return expression


def _is_settled(input: Input) -> bool:
    return input.kind is InputKind.MACHINE


def undefined_operations(program: Program) -> list[tuple[str, Edge]]:
    """What a program may do that the machine determines."""
    return [
        (each.name, edge)
        for procedure in program.procedures.values()
        for edge in procedure.edges
        for expression in expressions_of(edge.operation)
        for each in inputs(expression)
        if each.kind is InputKind.MACHINE
    ]


def without_approximations(program: Program, matters: Callable[[Edge], bool]) -> Program:
    """Executions end where an approximated value is taken, if that `matters`. Where C leaves a yes or no open (are objects that
    touch adjacent?), it is no: the answer is looked at in few executions, and those that look are not confirmed."""
    procedures = {}
    for name, procedure in program.procedures.items():
        edges = [_denied(edge) for edge in procedure.edges]
        ending = [edge for edge in edges if _reads(edge, is_approximated) and matters(edge)]
        denied = msgspec.structs.replace(procedure, edges=edges)
        procedures[name] = _ended(denied, ending) if ending else denied
    return msgspec.structs.replace(program, procedures=procedures)


def _denied(edge: Edge) -> Edge:
    if not _reads(edge, _is_open):
        return edge
    return msgspec.structs.replace(edge, operation=_replaced(edge.operation, _is_open))


def _is_open(input: Input) -> bool:
    return is_approximated(input) and isinstance(input.sort, Bool)


def _ended(procedure: Procedure, ending: list[Edge]) -> Procedure:
    """Each of these edges leads to a location of its own, where the execution ends."""
    numbers = {id(edge): procedure.locations + position for position, edge in enumerate(ending)}
    edges = [
        Edge(edge.source, numbers[id(edge)], Skip("only approximated"), edge.origin) if id(edge) in numbers else edge
        for edge in procedure.edges
    ]
    marks = {numbers[id(edge)]: Mark(MarkKind.HALT, "only approximated", edge.origin) for edge in ending}
    frames = procedure.frame_of
    if frames is not None:
        frames = [*frames, *(frames[edge.source] for edge in ending)]
    return msgspec.structs.replace(
        procedure,
        edges=edges,
        marks={**procedure.marks, **marks},
        locations=procedure.locations + len(ending),
        frame_of=frames,
    )


def _reads(edge: Edge, is_meant: Callable[[Input], bool]) -> bool:
    return any(is_meant(each) for expression in expressions_of(edge.operation) for each in inputs(expression))
