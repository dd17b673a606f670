"""What threads share: a variable or a region of memory that two of them touch, and that one of them writes.

The threads' edges, one beside the other, are a program to the points-to analysis, which does not ask for their order.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.ir.accesses import WHOLE, Access
from drystone.ir.automaton import NOWHERE, Edge, Procedure, Program
from drystone.ir.expressions import Apply, Expression, Input, InputKind, Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.operations import (
    Allocate,
    Assign,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Store,
    ThreadAction,
    ThreadOperation,
    assigned,
)
from drystone.ir.simplify import coerce
from drystone.logic.sorts import Sort
from drystone.memory.dataflow import array_name
from drystone.memory.regions import Regions
from drystone.threads.instances import Instance, Instances

_NOTICED = frozenset((ThreadAction.CREATE, ThreadAction.JOIN, ThreadAction.BEGIN))


class Sharing:
    """Of the threads of one program."""

    def __init__(self, instances: Instances) -> None:
        self._frees_write = instances.program.data_race is not None
        self._regions = Regions(_beside(instances))
        self._allocations_are_ordered = bool(self._regions.pointers.shown)
        touched: dict[str, set[int]] = {}
        written: set[str] = set()
        for instance in instances.threads:
            for edge in instance.automaton.edges:
                writes = set(self._written(edge.operation))
                written |= writes
                for name in writes.union(self._read(edge.operation)):
                    touched.setdefault(name, set()).add(instance.number)
        self.shared = frozenset(name for name, by in touched.items() if len(by) > 1 and name in written)

    def is_noticed(self, operation: Operation) -> bool:
        """May other threads notice when it happens? If not, it might as well happen together with what the thread did before."""
        if isinstance(operation, ThreadOperation) and (operation.action is None or operation.action in _NOTICED):
            return True
        if isinstance(operation, (Free, Reallocate)):
            return True  # what was there is not there any more
        if isinstance(operation, Allocate) and self._allocations_are_ordered:
            return True  # who allocates later gets a higher address, and the program computes with addresses
        return any(name in self.shared for name in (*self._written(operation), *self._read(operation)))

    def is_one_access(self, operation: Operation) -> bool:
        """Does it touch what is shared once at most, so that nothing can come in between?"""
        if isinstance(operation, (ThreadOperation, Copy, Fill, Reallocate)):  # more than that, or byte after byte
            return not any(name in self.shared for name in (*self._written(operation), *self._read(operation)))
        return sum(name in self.shared for name in (*self._written(operation), *self._read(operation))) <= 1

    def writes(self, operation: Operation) -> set[str]:
        """The variables and the cells of memory that it may change."""
        return set(self._written(operation))

    def cell(self, address: Expression, sort: Sort) -> str:
        """What is accessed there, as `writes` calls it."""
        return array_name(self._regions.of(address, sort))

    def touched(self, access: Access) -> frozenset[str]:
        """The variable or the regions of memory."""
        if access.address is None:
            return frozenset((access.name,))
        if access.sort is not None:
            return frozenset((array_name(self._regions.of(access.address, access.sort)),))
        if access.size == WHOLE:
            return frozenset(map(array_name, self._regions.of_pointer(access.address)))
        return frozenset(array_name(region) for _, region in self._regions.cells(access.address, access.size))

    def _written(self, operation: Operation) -> Iterator[str]:
        target = assigned(operation)
        if target is not None:
            yield target.name
        match operation:
            case Store(address, value):
                yield array_name(self._regions.of(address, value.sort))
            case Copy(address, _, size) | Fill(address, _, size):
                yield from (array_name(region) for _, region in self._regions.cells(address, size))
            case Declare(name):
                yield from map(array_name, self._regions.of_object(name))
            case Reallocate(variable):
                yield from map(array_name, self._regions.of_pointer(variable))
            case Free(address) if self._frees_write:
                yield from map(array_name, self._regions.of_pointer(address))
            case Allocate():
                pass  # an object that nobody knows yet

    def _read(self, operation: Operation) -> Iterator[str]:
        """One name for each read."""
        if isinstance(operation, Copy):
            yield from (array_name(region) for _, region in self._regions.cells(operation.source, operation.size))
        stack: list[Expression] = list(expressions_of(operation))
        while stack:
            part = stack.pop()
            if isinstance(part, Variable):
                yield part.name
            elif isinstance(part, Load):
                yield array_name(self._regions.of(part.address, part.sort))
                stack.append(part.address)
            elif isinstance(part, Apply):
                stack.extend(part.arguments)


def _beside(instances: Instances) -> Program:
    """All edges of all threads in one procedure, and what flows between them."""
    flat = instances.flat
    main = flat.procedures[flat.entry]
    edges: list[Edge] = []
    variables, objects, offset = dict(main.variables), dict(main.objects), 0
    for instance in instances.threads:
        automaton = instance.automaton
        variables |= automaton.variables
        objects |= automaton.objects
        for edge in automaton.edges:
            for operation in _flows(instances, instance, edge):
                edges.append(Edge(offset + edge.source, offset + edge.target, operation, edge.origin))
        offset += automaton.locations
    together = Procedure(
        name=main.name,
        parameters=main.parameters,
        result=main.result,
        variables=variables,
        objects=objects,
        entry=main.entry,
        exit=main.exit,
        edges=edges,
        marks={},
        locations=offset,
        frames=main.frames,
        origin=NOWHERE,
    )
    return msgspec.structs.replace(flat, procedures={flat.entry: together})


def _flows(instances: Instances, instance: Instance, edge: Edge) -> list[Operation]:
    """The operation; of one on threads, which values it moves."""
    operation = edge.operation
    if not isinstance(operation, ThreadOperation):
        return [operation]
    threads = instances.threads
    if operation.action is ThreadAction.CREATE:
        return [each for number in instance.creates[edge.source] for each in begun(threads[number], operation)]
    if operation.action is ThreadAction.JOIN:
        return [given for each in threads if (given := returned(each, operation.result)) is not None]
    if operation.action is ThreadAction.EXIT and (left := leaving(instance, operation)) is not None:
        return [left]
    return []


def begun(created: Instance, operation: ThreadOperation) -> list[Operation]:
    """The parameters and the thread-local variables of a new thread get their values."""
    steps: list[Operation] = list(created.own)
    for position, parameter in enumerate(created.automaton.parameters):
        what = f"argument {position + 1} of {created.ancestors[-1]}"
        value = operation.arguments[1] if position == 0 else None
        steps.append(Assign(parameter, _passed(value, parameter.sort, what)))
    return steps


def returned(ended: Instance, target: Variable | None) -> Operation | None:
    """Who waits for a thread gets what it has returned."""
    if target is None:
        return None
    return Assign(target, _passed(ended.automaton.result, target.sort, f"result of {ended.ancestors[-1]}"))


def leaving(instance: Instance, operation: ThreadOperation) -> Operation | None:
    """What a thread that ends by itself returns."""
    result = instance.automaton.result
    return Assign(result, _passed(operation.arguments[0], result.sort, "result of the thread")) if result is not None else None


def _passed(value: Expression | None, sort: Sort, what: str) -> Expression:
    coerced = coerce(value, sort) if value is not None else None
    return coerced if coerced is not None else Input(0, sort, InputKind.UNDEFINED, what)
