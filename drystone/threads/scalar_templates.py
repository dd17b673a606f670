"""Templates of threads without memory: variables, each of which is global or belongs to a role, and where steps begin.

Memory at known addresses becomes variables, the rest is forgotten (`passes.memory_havoc`), and so is what no condition depends
on: all executions of the program remain. A variable of a role with one thread that others touch is a global one; one of a role
with several would have to say whose it is, and is refused.

A step of a thread begins where others may notice it, at an edge that touches what is shared or before an atomic section, and ends
where the next one begins. What is in between touches nothing that is shared, and may as well happen at once (decision 027).
"""

from __future__ import annotations

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Mark, MarkKind, Procedure, Program, Unmodelled
from drystone.ir.expressions import Address, Apply, Expression, Input, InputKind, Variable
from drystone.ir.features import expressions_of
from drystone.ir.loops import loop_heads
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Allocate, Assign, Assume, Copy, Fill, Operation, Reallocate, Skip, assigned
from drystone.memory.regions import Regions
from drystone.passes.memory_havoc import forget_memory
from drystone.passes.reused_places import compare_reused_places, gives_back
from drystone.passes.scalarise import scalarise
from drystone.threads.instances import MAIN
from drystone.threads.templates import Role, Templates

GLOBAL = -1


class Refused(Exception):
    """Why nothing can be said about threads of which there are any number: a message for people."""


class ScalarTemplates(msgspec.Struct, frozen=True):
    program: Program
    regions: Regions
    roles: list[Role]
    owner: dict[str, int]  # of each variable: a role, or GLOBAL
    role_of: list[int]
    starts: frozenset[int]  # where steps begin, and where threads end
    interior: frozenset[int]
    ended: frozenset[int]
    creates: dict[int, int]


def scalar(made: Templates) -> ScalarTemplates:
    """Raises `Refused`."""
    before = made.program
    regions = Regions(before)
    before = compare_reused_places(before, regions.pointers, is_ordered=False)
    program = msgspec.structs.replace(before, exposed=regions.pointers.exposed, frees=gives_back(before))
    program = forget_memory(scalarise(program, regions))
    procedure = program.procedures[program.entry]
    role_of, interior = _extended(procedure, made)
    program = _plain(program, made.roles)
    procedure = program.procedures[program.entry]
    owner = _owners(program, made, role_of)
    shared = _shared(procedure, made.roles, owner, role_of)
    outgoing = procedure.outgoing()
    marks = dict(procedure.marks)
    bulk = {edge.source for edge in before.procedures[before.entry].edges if isinstance(edge.operation, (Copy, Fill))}
    starts = {role.entry for role in made.roles} | made.ended | made.creates.keys()
    for location, edges in enumerate(outgoing):
        if not edges or location in interior:
            continue
        count = max(_accesses(edge.operation, shared) for edge in edges)
        if count or any(edge.target in interior for edge in edges):
            starts.add(location)
        if count > 1 or (location in bulk and _is_bulk(location, outgoing, made.program, shared)):
            what = "an access to shared memory in several steps"
            marks[location] = Mark(MarkKind.UNKNOWN, what, edges[0].origin, unmodelled=Unmodelled.THREADS)
    procedure = msgspec.structs.replace(procedure, marks=marks)
    program = msgspec.structs.replace(program, procedures={program.entry: procedure})
    heads = loop_heads(procedure, frozenset(starts))
    return ScalarTemplates(program, Regions(program), made.roles, owner, role_of, heads, interior, made.ended, made.creates)


def _extended(procedure: Procedure, made: Templates) -> tuple[list[int], frozenset[int]]:
    """Locations that passes have added belong to where the edges to them come from."""
    count = len(made.role_of)
    role_of = [*made.role_of, *[MAIN] * (procedure.locations - count)]
    interior = set(made.interior)
    outgoing = procedure.outgoing()
    waiting = list(range(count))
    while waiting:
        location = waiting.pop()
        for edge in outgoing[location]:
            if edge.target >= count:
                role_of[edge.target] = role_of[location]
                if location in interior:
                    interior.add(edge.target)
                waiting.append(edge.target)
    return role_of, frozenset(interior)


def _plain(program: Program, roles: list[Role]) -> Program:
    """Assignments to what some condition depends on, and conditions. The address of what each thread of a role has is any."""
    procedure = program.procedures[program.entry]
    several = tuple(f"{role.prefix}." for role in roles if not role.is_unique)
    edges = [Edge(edge.source, edge.target, _any_address(edge.operation, several), edge.origin) for edge in procedure.edges]
    relevant: set[str] = set()
    sources: dict[str, set[str]] = {}
    for edge in edges:
        found = {
            part.name for each in expressions_of(edge.operation) for part in subexpressions(each) if isinstance(part, Variable)
        }
        target = assigned(edge.operation)
        if target is not None:
            sources.setdefault(target.name, set()).update(found)
        else:
            relevant |= found
    waiting = list(relevant)
    while waiting:
        for name in sources.get(waiting.pop(), ()):
            if name not in relevant:
                relevant.add(name)
                waiting.append(name)
    kept = [
        msgspec.structs.replace(edge, operation=Skip("does not matter"))
        if (target := assigned(edge.operation)) is not None and target.name not in relevant
        else edge
        for edge in edges
    ]
    variables = {name: each for name, each in procedure.variables.items() if name in relevant}
    procedure = msgspec.structs.replace(procedure, edges=kept, variables=variables)
    return msgspec.structs.replace(
        program,
        procedures={program.entry: procedure},
        variables={name: each for name, each in program.variables.items() if name in relevant},
        initial={name: each for name, each in program.initial.items() if name in relevant},
    )


def _any_address(operation: Operation, several: tuple[str, ...]) -> Operation:
    match operation:
        case Assign(target, value) if several and _is_own_address(value, several):
            return Assign(target, Input(0, target.sort, InputKind.UNDEFINED, "an address"))
        case Allocate(target) | Reallocate(target):
            return Assign(target, Input(0, target.sort, InputKind.UNDEFINED, "an address"))
        case Assume(condition) if several and _is_own_address(condition, several):
            raise Refused("a condition depends on the address of a local variable of a thread of which there are several")
        case _:
            return operation


def _is_own_address(expression: Expression, several: tuple[str, ...]) -> bool:
    return any(isinstance(part, Address) and part.target.startswith(several) for part in subexpressions(expression))


def _owners(program: Program, made: Templates, role_of: list[int]) -> dict[str, int]:
    procedure = program.procedures[program.entry]
    touched: dict[str, set[int]] = {}
    creations = _creations(procedure, made)
    for edge in procedure.edges:
        for name in _touched(edge.operation):
            role = creations.get(edge.source, MAIN)
            is_begun = role != MAIN and name.startswith(f"{made.roles[role].prefix}.")
            is_begun = is_begun and (target := assigned(edge.operation)) is not None and target.name == name
            touched.setdefault(name, set()).add(role if is_begun else role_of[edge.source])
    owner = dict.fromkeys(program.variables, GLOBAL)
    for name, by in touched.items():
        if name not in owner:
            owner[name] = _owner(name, by, made.roles)
    return owner


def _owner(name: str, by: set[int], roles: list[Role]) -> int:
    prefix = names.thread_of(name)
    home = next((role for role in roles if role.prefix == prefix), None)
    if home is None:
        raise Refused(f"{name} belongs to no thread")
    if home.number == MAIN and names.is_own(name):  # of drystone's own, which passes may have added to any thread
        if len(by) > 1:
            raise Refused(f"several threads use {name}")
        return next(iter(by))
    if by <= {home.number}:
        return home.number
    if not home.is_unique:
        raise Refused(f"other threads use {names.local(name)}, which each of several threads has")
    return GLOBAL


def _creations(procedure: Procedure, made: Templates) -> dict[int, int]:
    """Per location: the role of the thread whose variables get their values there."""
    found: dict[int, int] = {}
    outgoing = procedure.outgoing()
    for start, role in made.creates.items():
        location = start
        while len(outgoing[location]) == 1 and location not in found:
            found[location] = role
            edge = outgoing[location][0]
            if edge.target in made.creates:
                break
            location = edge.target
    return found


def _touched(operation: Operation) -> list[str]:
    """A name for each access. There is no memory any more."""
    target = assigned(operation)
    found = [target.name] if target is not None else []
    stack = list(expressions_of(operation))
    while stack:
        part = stack.pop()
        if isinstance(part, Variable):
            found.append(part.name)
        elif isinstance(part, Apply):
            stack.extend(part.arguments)
    return found


def _shared(procedure: Procedure, roles: list[Role], owner: dict[str, int], role_of: list[int]) -> frozenset[str]:
    touched: dict[str, set[int]] = {}
    written: set[str] = set()
    for edge in procedure.edges:
        target = assigned(edge.operation)
        if target is not None:
            written.add(target.name)
        for name in _touched(edge.operation):
            if owner[name] == GLOBAL:
                touched.setdefault(name, set()).add(role_of[edge.source])
    several = {role.number for role in roles if not role.is_unique}
    return frozenset(name for name, by in touched.items() if name in written and (len(by) > 1 or by & several))


def _accesses(operation: Operation, shared: frozenset[str]) -> int:
    return sum(name in shared for name in _touched(operation))


def _is_bulk(location: int, outgoing: list[list[Edge]], before: Program, shared: frozenset[str]) -> bool:
    """Does what has become of a copy or a fill touch what is shared?"""
    known = before.procedures[before.entry].locations
    while True:
        if any(_accesses(edge.operation, shared) for edge in outgoing[location]):
            return True
        if len(outgoing[location]) != 1 or outgoing[location][0].target < known:
            return False
        location = outgoing[location][0].target
