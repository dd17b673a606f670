"""Local variables that have one value where they are read, in the places where it tells what memory is meant.

`n = sizeof *p; if (n > 63) f(p, q, n); else memcpy(p, q, n);` is how kernels write a structure's copy, and where CIL has
rewritten a program, `k = 0 * 1UL; q = (unsigned long)a + k;` is how it gets at an element. Neither is a constant expression. So
the copy would be a call of the library's model, a loop over bytes, and who moves bytes one by one takes all pointers among them
to pieces; and the sum would make a number of the pointer (`memory/pointsto.py`). Here the values of local variables are
followed along the edges. Where all paths agree on the size of a copy, it becomes a `Copy` or a `Fill`, and where they agree on
a distance, that is a constant. Nobody but its procedure changes a local variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from drystone.ir.automaton import Edge, Procedure
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, load
from drystone.ir.features import expressions_of
from drystone.ir.operations import Assign, Call, Copy, Fill, Operation, Skip, assigned
from drystone.ir.simplify import coerce, make
from drystone.logic.sorts import BitVec, Sort, bitvec

LARGEST = 1 << 24  # bytes of a single operation
_Known = dict[str, Constant]


def with_known_values(procedure: Procedure, moving: Mapping[str, str], pointer_width: int) -> Procedure:
    """`moving`: which procedures are the library's `memcpy`, `memmove` and `memset`."""
    pointer = bitvec(pointer_width)
    wanted = [part for edge in procedure.edges for part in _wanted(edge.operation, moving, pointer)]
    followed = _followed(procedure, wanted)
    if not followed and not wanted:
        return procedure
    known = _values(procedure, followed)
    edges: list[Edge] = []
    locations = procedure.locations
    for edge in procedure.edges:
        operations = _replaced(edge.operation, moving, known[edge.source] or {}, pointer)
        for index, operation in enumerate(operations):
            source = edge.source if index == 0 else locations - 1
            if index < len(operations) - 1:
                locations += 1
            target = edge.target if index == len(operations) - 1 else locations - 1
            edges.append(Edge(source, target, operation, edge.origin))
    return msgspec.structs.replace(procedure, edges=edges, locations=locations)


def _wanted(operation: Operation, moving: Mapping[str, str], pointer: Sort) -> Iterator[Expression]:
    """Sizes of copies, and distances by which a pointer may be moved."""
    if isinstance(operation, Call) and operation.procedure in moving:
        yield from operation.arguments[2:3]
    stack = list(expressions_of(operation))
    while stack:
        part = stack.pop()
        if isinstance(part, Load):
            stack.append(part.address)
        elif isinstance(part, Apply):
            stack.extend(part.arguments)
            if _is_sum(part, pointer):
                yield from part.arguments


def _is_sum(expression: Apply, pointer: Sort) -> bool:
    return expression.operator in ("bvadd", "bvsub") and expression.sort == pointer


def _replaced(operation: Operation, moving: Mapping[str, str], known: _Known, pointer: Sort) -> list[Operation]:
    if isinstance(operation, Call) and operation.procedure in moving and len(operation.arguments) >= 3:
        return _moved(operation, moving[operation.procedure], known, pointer)
    if not known:
        return [operation]
    changed: dict[str, object] = {}
    for name in operation.__struct_fields__:
        value = getattr(operation, name)
        if isinstance(value, (Apply, Load)):
            changed[name] = _with_distances(value, known, pointer)
        elif isinstance(value, tuple):  # the arguments of a call
            changed[name] = tuple(_with_distances(each, known, pointer) for each in value)
    return [msgspec.structs.replace(operation, **changed)] if changed else [operation]


def _with_distances(expression: Expression, known: _Known, pointer: Sort) -> Expression:
    match expression:
        case Apply(operator, sort, arguments):
            parts = [_with_distances(each, known, pointer) for each in arguments]
            if _is_sum(expression, pointer):
                parts = [_value(each, known) or each for each in parts]
            return make(operator, sort, *parts) if any(a is not b for a, b in zip(parts, arguments, strict=True)) else expression
        case Load(sort, address):
            return load(sort, _with_distances(address, known, pointer))
        case _:
            return expression


def _moved(call: Call, name: str, known: _Known, pointer: Sort) -> list[Operation]:
    """Requires three arguments."""
    to, second, amount = (_with_distances(each, known, pointer) for each in call.arguments[:3])
    size, result = _value(amount, known), call.result
    if size is None or size.value >= LARGEST or amount.sort != pointer or to.sort != pointer:
        return [call]
    if result is not None and (result.sort != pointer or not _is_kept(to)):
        return [call]  # the result would be read again, after what it reads may have been overwritten
    moved: Operation | None = None
    if name == "memset":
        byte = coerce(second, bitvec(8))
        moved = Fill(to, byte, size.value) if byte is not None else None
    elif second.sort == pointer:
        moved = Copy(to, second, size.value)
    if moved is None:
        return [call]
    returned: list[Operation] = [Assign(result, to)] if result is not None else []
    return [moved if size.value else Skip("no bytes"), *returned]


def _is_kept(expression: Expression) -> bool:
    """Has it the same value after the operation?"""
    if isinstance(expression, Apply):
        return all(map(_is_kept, expression.arguments))
    return not isinstance(expression, (Load, Input))


def _followed(procedure: Procedure, wanted: list[Expression]) -> set[str]:
    """The local variables that these are computed from, as far as they may have a value that is known."""
    sources: dict[str, list[Expression | None]] = {}
    for edge in procedure.edges:
        if (target := assigned(edge.operation)) is not None:
            sources.setdefault(target.name, []).append(edge.operation.value if isinstance(edge.operation, Assign) else None)
    pending = list(wanted)
    found: set[str] = set()
    while pending:
        expression = pending.pop()
        if isinstance(expression, Apply):
            pending.extend(expression.arguments)
        elif isinstance(expression, Variable) and expression.name in procedure.variables and expression.name not in found:
            values = [each for each in sources.get(expression.name, ()) if each is not None and not _is_never_known(each)]
            if values:
                found.add(expression.name)
                pending.extend(values)
    return found


def _is_never_known(value: Expression) -> bool:
    return isinstance(value, (Input, Load, Address))


def _values(procedure: Procedure, followed: set[str]) -> list[_Known | None]:
    """What these variables are at each location, where all paths agree; None where no path leads."""
    outgoing = procedure.outgoing()
    known: list[_Known | None] = [None] * procedure.locations
    known[procedure.entry] = {}
    pending = [procedure.entry]
    while pending:
        location = pending.pop()
        before = known[location]
        assert before is not None
        for edge in outgoing[location]:
            after, there = _after(edge.operation, before, followed), known[edge.target]
            if there is not None:
                after = {name: value for name, value in there.items() if after.get(name) == value}
            if there is None or len(after) < len(there):
                known[edge.target] = after
                pending.append(edge.target)
    return known


def _after(operation: Operation, known: _Known, followed: set[str]) -> _Known:
    target = assigned(operation)
    if target is None or target.name not in followed:
        return known
    value = _value(operation.value, known) if isinstance(operation, Assign) else None
    rest = {name: held for name, held in known.items() if name != target.name}
    return rest if value is None else {**rest, target.name: value}


def _value(expression: Expression, known: _Known) -> Constant | None:
    match expression:
        case Constant(BitVec()):
            return expression
        case Variable():
            return known.get(expression.name)
        case Apply():
            arguments = [_value(argument, known) for argument in expression.arguments]
            constants = [each for each in arguments if each is not None]
            made = make(expression.operator, expression.sort, *constants) if len(constants) == len(arguments) else None
            return made if isinstance(made, Constant) else None
        case _:
            return None
