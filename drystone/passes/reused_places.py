"""Comparisons of pointers to blocks that may have been given back, and whose places other blocks may have got since.

C leaves open whether such a pointer equals one to a later block (C17 6.2.4), and where they run, they often do: `free(p); q =
malloc(n); p == q`. Drystone's allocations are fresh. So these comparisons become ones of numbers, which proofs have to answer
wherever blocks come to lie (docs/decisions/019-any-addresses.md). All other pointers to different blocks differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from drystone.ir.automaton import Edge, Procedure, Program
from drystone.ir.expressions import Apply, Determinant, Expression, Load, load
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Allocate, Free, Lifetime, Operation, Reallocate
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL
from drystone.memory.pointsto import PointsTo


class _Blocks(msgspec.Struct, frozen=True):
    """Classes of blocks: those of which one was `freed`, and those of which one was `followed` by an allocation then."""

    freed: frozenset[int] = frozenset()
    followed: frozenset[int] = frozenset()


def compare_reused_places(program: Program, pointers: PointsTo, is_ordered: bool = True) -> Program:
    """`program` has one procedure. `is_ordered`: only what is on a path before a comparison happens before it, no other thread
    does anything in between."""
    procedure = program.procedures[program.entry]
    compared = [edge for edge in procedure.edges if any(_comparisons(edge))]
    if not compared or not any(isinstance(edge.operation, (Free, Reallocate)) for edge in procedure.edges):
        return program
    pointers.in_procedure(procedure)
    blocks = _before(procedure, pointers) if is_ordered else [_ever(procedure, pointers)] * procedure.locations
    changed = {
        id(edge): msgspec.structs.replace(edge, operation=_as_numbers(edge.operation))
        for edge in compared
        if any(_is_one_of(pointers, comparison, blocks[edge.source].followed) for comparison in _comparisons(edge))
    }
    if not changed:
        return program
    edges = [changed.get(id(edge), edge) for edge in procedure.edges]
    procedures = {**program.procedures, procedure.name: msgspec.structs.replace(procedure, edges=edges)}
    return msgspec.structs.replace(program, procedures=procedures)


def _comparisons(edge: Edge) -> Iterator[Apply]:
    for expression in expressions_of(edge.operation):
        for part in subexpressions(expression):
            match part:
                case Apply("=", _, (Apply("pointer"), Apply("pointer"))):
                    yield part
                case _:
                    pass


def _is_one_of(pointers: PointsTo, comparison: Apply, classes: Collection[int]) -> bool:
    return any(_class(pointers, argument) in classes for argument in comparison.arguments)


def _class(pointers: PointsTo, pointer: Expression) -> int:
    cell = pointers.cell(pointer)
    return pointers.find(cell)[0] if cell is not None else -1


def gives_back(program: Program) -> bool:
    """Does it free allocations, or allocate something that is given back where a block or a function ends; or a string of main's,
    which may be shorter than its object, so that others lie there?"""
    return any(_gives_back(edge.operation) for edge in program.procedures[program.entry].edges)


def _gives_back(operation: Operation) -> bool:
    if isinstance(operation, Allocate):
        return operation.lifetime is Lifetime.FRAME or operation.determinant is Determinant.STRING
    return isinstance(operation, (Free, Reallocate))


def _ever(procedure: Procedure, pointers: PointsTo) -> _Blocks:
    """What may have happened to blocks, anywhere."""
    blocks = _Blocks()
    for edge in procedure.edges:
        blocks = _after(edge.operation, blocks, pointers)
    return _Blocks(blocks.freed, blocks.freed)


def _before(procedure: Procedure, pointers: PointsTo) -> list[_Blocks]:
    """What may have happened to blocks, by location."""
    found = [_Blocks() for _ in range(procedure.locations)]
    outgoing = procedure.outgoing()
    waiting = [procedure.entry]
    seen = {procedure.entry}
    while waiting:
        location = waiting.pop()
        for edge in outgoing[location]:
            behind, known = _after(edge.operation, found[location], pointers), found[edge.target]
            joined = _Blocks(known.freed | behind.freed, known.followed | behind.followed)
            if joined != known or edge.target not in seen:
                found[edge.target] = joined
                seen.add(edge.target)
                waiting.append(edge.target)
    return found


def _after(operation: Operation, blocks: _Blocks, pointers: PointsTo) -> _Blocks:
    match operation:
        case Free(address):
            return msgspec.structs.replace(blocks, freed=blocks.freed | {_class(pointers, address)})
        case Reallocate(_, address):
            freed = blocks.freed | {_class(pointers, address)}
            return _Blocks(freed, blocks.followed | freed)
        case Allocate(lifetime=Lifetime.HEAP):
            return msgspec.structs.replace(blocks, followed=blocks.followed | blocks.freed)
        case _:
            return blocks


def _as_numbers(operation: Operation) -> Operation:
    changed: dict[str, object] = {}
    for name in operation.__struct_fields__:
        value = getattr(operation, name)
        if isinstance(value, (Apply, Load)):
            changed[name] = _plain(value)
    return msgspec.structs.replace(operation, **changed)


def _plain(expression: Expression) -> Expression:
    match expression:
        case Apply("=", _, (Apply("pointer", _, (first,)), Apply("pointer", _, (second,)))):
            return make("=", BOOL, _plain(first), _plain(second))
        case Apply(operator, sort, arguments):
            return make(operator, sort, *(_plain(each) for each in arguments))
        case Load(sort, address):
            return load(sort, _plain(address))
        case _:
            return expression
