"""The lives of a variable as objects of their own, where memory is checked: it is allocated each time it begins.

Each life gets a slot (`logic.slots`) that no pointer to an earlier one leads to, as an array of variable length does.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Procedure
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, Variable, load
from drystone.ir.operations import Allocate, Assign, Assume, Declare, Lifetime, Operation, Skip, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def entered(operation: Operation) -> tuple[str, int] | None:
    """The object whose entry in the table of what lives where it changes, and the entry."""
    match operation:
        case Store(
            Apply("bvadd", _, (Address(names.EXTENTS), Apply("scale", _, (Apply("slot", _, (Address(name),)), _)))),
            Constant(_, entry),
        ):
            return name, entry
        case _:
            return None


def allocate_each_life(procedure: Procedure, name: str) -> bool:
    """Puts allocations where the object with this name begins; False if its address may be used where it has not begun, or if
    its contents are forgotten in the middle of a life: then nothing is changed."""
    object_ = procedure.objects[name]
    births = {id(edge): edge.operation for edge in procedure.edges if _is_entered(edge.operation, name, lives=True)}
    if object_.content or object_.relocations or not _begins_first(procedure, name, births.keys()):
        return False
    sort = next(operation.address.sort for operation in births.values() if isinstance(operation, Store))
    holder, nothing = Variable(names.derived(name, "place"), sort), Constant(sort, 0)
    allocation = Allocate(holder, Constant(sort, object_.size), False, Lifetime.FRAME, names.local(name), max(object_.align, 16))
    edges: list[Edge] = []

    def extend(edge: Edge, *operations: Operation) -> None:
        source = edge.source
        for operation in operations[:-1]:
            edges.append(Edge(source, location := _location_like(procedure, source), operation, edge.origin))
            source = location
        edges.append(Edge(source, edge.target, operations[-1], edge.origin))

    for edge in procedure.edges:
        operation = _with_holder(edge.operation, name, holder)
        if id(edge) in births:
            assert isinstance(operation, Store)
            is_free = make("=", BOOL, load(sort, operation.address), nothing)
            extend(edge, allocation, Assume(is_free), operation)
        elif _is_entered(edge.operation, name, lives=False):
            extend(edge, operation, Assign(holder, nothing))
        elif isinstance(edge.operation, Declare) and edge.operation.target == name:
            extend(edge, Skip(f"{names.local(name)} begins"))
        else:
            extend(edge, operation)
    begin = _location_like(procedure, procedure.entry)
    for index, edge in enumerate(edges):
        if edge.source == procedure.entry:
            edges[index] = Edge(begin, edge.target, edge.operation, edge.origin)
    edges.append(Edge(procedure.entry, begin, Assign(holder, nothing), procedure.origin))
    procedure.edges[:] = edges
    procedure.variables[holder.name] = holder
    del procedure.objects[name]
    return True


def _is_entered(operation: Operation, name: str, *, lives: bool) -> bool:
    found = entered(operation)
    return found is not None and found[0] == name and (found[1] > 0) is lives


def _begins_first(procedure: Procedure, name: str, births: Collection[int]) -> bool:
    """Is each edge that mentions the object behind one where it begins, unless it ends the object, and are its contents forgotten
    only where it begins?"""
    if procedure.entry in procedure.marks or any(edge.target == procedure.entry for edge in procedure.edges):
        return False
    outgoing = procedure.outgoing()
    unborn, waiting = {procedure.entry}, [procedure.entry]
    while waiting:
        for edge in outgoing[waiting.pop()]:
            if id(edge) in births:
                continue
            if _mentions(edge.operation, name) and not _is_entered(edge.operation, name, lives=False):
                return False
            if edge.target not in unborn:
                unborn.add(edge.target)
                waiting.append(edge.target)
    fresh = {edge.target for edge in procedure.edges if id(edge) in births}
    declared = [edge for edge in procedure.edges if isinstance(edge.operation, Declare) and edge.operation.target == name]
    fresh |= {edge.target for edge in declared if edge.source in fresh}
    entering: dict[int, int] = {}
    for edge in procedure.edges:
        entering[edge.target] = entering.get(edge.target, 0) + 1
    return all(edge.source in fresh and entering[edge.source] == 1 for edge in declared)


def _location_like(procedure: Procedure, location: int) -> int:
    procedure.locations += 1
    if procedure.frame_of is not None:
        procedure.frame_of.append(procedure.frame_of[location])
    return procedure.locations - 1


def _with_holder(operation: Operation, name: str, holder: Variable) -> Operation:
    changes: dict[str, object] = {}
    for field in msgspec.structs.fields(operation):
        value = getattr(operation, field.name)
        if isinstance(value, tuple):
            parts = tuple(_replaced(part, name, holder) for part in value)
            if any(map(_differ, value, parts)):
                changes[field.name] = parts
        elif (replaced := _replaced(value, name, holder)) is not value:
            changes[field.name] = replaced
    return msgspec.structs.replace(operation, **changes) if changes else operation


def _replaced(part: object, name: str, holder: Variable) -> object:
    match part:
        case Address(target) if target == name:
            return holder
        case Load(sort, address):
            changed = _replaced(address, name, holder)
            return part if changed is address else load(sort, cast(Expression, changed))
        case Apply(operator, sort, arguments):
            replaced = tuple(_replaced(argument, name, holder) for argument in arguments)
            if not any(map(_differ, arguments, replaced)):
                return part
            return make(operator, sort, *cast(tuple[Expression, ...], replaced))
        case _:
            return part


def _differ(before: object, after: object) -> bool:
    return before is not after


def _mentions(operation: Operation, name: str) -> bool:
    if isinstance(operation, Declare):
        return operation.target == name
    return _with_holder(operation, name, _NOBODY) is not operation


_NOBODY = Variable(names.own("nobody"), BOOL)
