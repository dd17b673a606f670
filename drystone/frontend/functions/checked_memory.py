"""Programs whose memory is checked, once all is lowered: what no check has looked at, and which objects the table has to know.

Only objects that pointers may lead to need an entry in the table. The other ones are accessed by their names, which `accesses`
has looked at already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.lowering.extents import Extents
from drystone.frontend.lowering.shadows import Shadows
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, ErrorKind, Mark, MarkKind, MemoryObject, ObjectKind, Procedure, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Copy, Fill, Free, Operation, Reallocate, Skip, Store, assigned
from drystone.memory.lives import entered
from drystone.memory.pointsto import PointsTo
from drystone.memory.rebirths import separate_rebirths


def refuse_unchecked(lowering: FunctionBody, objects: Mapping[str, MemoryObject]) -> None:
    """Locations from which memory is accessed that no check was told of become unknown ones."""
    builder = lowering.builder
    if builder.extents is None:
        return
    known = {**objects, **builder.objects}

    def is_looked_at(access: Expression | Operation, address: Expression, size: int) -> bool:
        if isinstance(address, Apply) and address.operator == "shadow":
            return True
        if id(access) in builder.checked or (isinstance(access, (Copy, Fill, Free, Reallocate)) and address in builder.approved):
            return True
        found = _located(address)
        if found is None or found[0] == names.EXTENTS:
            return found is not None
        object_ = known.get(found[0])
        return object_ is not None and found[1] is not None and 0 <= found[1] <= object_.size - size

    for source, _, operation, origin in builder.edges:
        if not all(is_looked_at(*access) for access in _accesses(operation)):
            builder.marks[source] = Mark(MarkKind.UNKNOWN, "an access to memory that is not checked", origin)
        elif builder.shadows is not None and not all(_is_told(builder.shadows, each) for each in _read(operation)):
            builder.marks[source] = Mark(MarkKind.UNKNOWN, "a read of which it is not asked whether it has a value", origin)


def _read(operation: Operation) -> Iterator[Load]:
    for expression in expressions_of(operation):
        yield from (part for part in subexpressions(expression) if isinstance(part, Load))


def _is_told(shadows: Shadows, read: Load) -> bool:
    is_ghost = isinstance(read.address, Apply) and read.address.operator == "shadow"
    return is_ghost or id(read) in shadows.reads or shadows.is_static(read.address)


def _accesses(operation: Operation) -> Iterator[tuple[Expression | Operation, Expression, int]]:
    for expression in expressions_of(operation):
        yield from _loads(expression)
    match operation:
        case Store(address, value):
            yield operation, address, byte_size(value.sort)
        case Copy(target, source, size):
            yield operation, target, size
            yield operation, source, size
        case Fill(target, _, size):
            yield operation, target, size
        case Free(address) | Reallocate(_, address):
            yield operation, address, 1


def _loads(expression: Expression) -> Iterator[tuple[Expression | Operation, Expression, int]]:
    if isinstance(expression, Load):
        yield expression, expression.address, byte_size(expression.sort)
        yield from _loads(expression.address)
    elif isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from _loads(argument)


def _located(address: Expression) -> tuple[str, int | None] | None:
    """The object that an address names, and the distance from its begin if that is known."""
    if isinstance(address, Address):
        return address.target, 0
    if isinstance(address, Apply) and address.operator in ("bvadd", "bvsub"):
        base, distance = address.arguments
        found = _located(base)
        if found is None or found[1] is None or not isinstance(distance, Constant):
            return found and (found[0], None)
        width = address.arguments[0].sort.width if isinstance(base, (Address, Apply)) else 64  # type: ignore[union-attr]
        moved = found[1] + distance.value if address.operator == "bvadd" else found[1] - distance.value
        moved &= (1 << width) - 1
        return found[0], moved - (1 << width) if moved >> (width - 1) else moved
    return None


# Objects that pointers may lead to


def escaping(procedure: Procedure) -> set[str]:
    """The objects whose addresses it gives to anything."""
    return {name for edge in procedure.edges for name in _escaping(edge.operation)}


def without_needless_entries(procedure: Procedure) -> Procedure:
    """The table forgets the local objects whose addresses go nowhere."""
    kept = escaping(procedure)
    for index, edge in enumerate(procedure.edges):
        found = entered(edge.operation)
        if found is not None and found[0] in procedure.objects and found[0] not in kept:
            procedure.edges[index] = Edge(edge.source, edge.target, Skip(""), edge.origin)
    return procedure


def with_static_objects(program: Program, extents: Extents) -> str:
    """At the start, the table has the static objects that pointers may lead to. The name of one that it cannot have."""
    escaping = {name for each in program.procedures.values() for edge in each.edges for name in _escaping(edge.operation)}
    for object_ in program.objects.values():
        escaping.update(name for _, value in object_.relocations for name in _mentioned(value))
    escaping.update(name for value in program.initial.values() for name in _mentioned(value))
    program.objects[names.EXTENTS] = extents.table()
    program.has_slots = True
    start = program.procedures[program.entry]
    found = [object_ for name, object_ in program.objects.items() if name in escaping and name != names.EXTENTS]
    unknown = [
        each for each in found if each.size > extents.slots.room or (each.kind is ObjectKind.EXTERNAL and "[]" in each.ctype)
    ]
    first = next(edge for edge in start.edges if edge.source == start.entry)
    location = first.target
    for object_ in found:
        start.edges.append(Edge(start.locations, location, extents.born(object_.name, object_.size), NOWHERE))
        location, start.locations = start.locations, start.locations + 1
    start.edges[start.edges.index(first)] = Edge(first.source, location, first.operation, first.origin)
    known = extents.slots
    if sum(known.following(0, each.size) for each in program.objects.values()) >> known.bits >= known.heap - 1:
        unknown = [*program.objects.values()]
    for object_ in unknown[:1]:
        start.marks[location] = Mark(MarkKind.UNKNOWN, f"how large {object_.name} is, where memory is checked", object_.origin)
        start.edges[:] = [edge for edge in start.edges if edge.source != location]
    return unknown[0].name if unknown else ""


def without_needless_ends(program: Program) -> None:
    """What allocates nothing leaves nothing."""
    edges = [edge for each in program.procedures.values() for edge in each.edges]
    if any((given := assigned(edge.operation)) is not None and given.name == names.BLOCKS for edge in edges):
        return
    for procedure in program.procedures.values():
        for location, mark in procedure.marks.items():
            if mark.kind is MarkKind.ERROR and mark.convention in (ErrorKind.LEAK, ErrorKind.CLEANUP):
                procedure.marks[location] = Mark(MarkKind.HALT, mark.what, mark.origin)


def separate_what_begins_again(program: Program) -> None:
    """In one activation; others have other addresses."""
    pointers = PointsTo(program)
    for procedure in program.procedures.values():
        separate_rebirths(procedure, pointers, program.variables.keys())


def _escaping(operation: Operation) -> Iterator[str]:
    """The objects whose addresses are values in it, not only where something is accessed."""
    if entered(operation) is not None:
        return
    match operation:
        case Store(address, value):
            yield from _beyond_base(address)
            yield from _values(value)
        case Copy(first, second, _) | Fill(first, second, _):
            yield from _beyond_base(first)
            yield from _beyond_base(second)
        case _:
            for expression in expressions_of(operation):
                yield from _values(expression)


def _values(expression: Expression) -> Iterator[str]:
    match expression:
        case Address(name):
            yield name
        case Load(_, address):
            yield from _beyond_base(address)
        case Apply("position", _, (argument,)):
            yield from _beyond_base(argument)
        case Apply(_, _, arguments):
            for argument in arguments:
                yield from _values(argument)


def _beyond_base(address: Expression) -> Iterator[str]:
    """Of an address that something is accessed by, what is added to the object."""
    if isinstance(address, Apply) and address.operator in ("bvadd", "bvsub") and _located(address) is not None:
        base, distance = address.arguments
        yield from _beyond_base(base)
        yield from _values(distance)
    elif isinstance(address, Apply) and address.operator == "shadow":
        yield from _beyond_base(address.arguments[0])
    elif not isinstance(address, Address):
        yield from _values(address)


def _mentioned(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Address):
        yield expression.target
    elif isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from _mentioned(argument)
