"""Any contents for an object that a function without a body may write."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.frontend.declarations.types import Array, CType, Record, Scalar
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.externals.objects import Object
from drystone.frontend.lowering.places import InMemory
from drystone.frontend.lowering.shadows import give_value
from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind
from drystone.ir.expressions import Address, InputKind, byte_size
from drystone.ir.operations import Copy, Declare, Store
from drystone.logic.sorts import bitvec

_MOST_VALUES, _MOST_BYTES = 64, 1024  # that are written one by one, and looked at


def havoc_object(lowering: ExpressionLowering, object_: Object, name: str) -> None:
    """The function chooses all bytes of an object, also those between and behind the members of its type."""
    where, type_ = object_.where, object_.type
    if not isinstance(where, InMemory):
        assert isinstance(type_, Scalar)
        lowering.memory.write(where, lowering.environment.any_value(type_, InputKind.EXTERNAL, name), type_)
        return
    size, values = type_.size, list(_values(type_, 0, _MOST_VALUES + 1))
    if isinstance(where.address, Address):
        known = lowering.builder.objects.get(where.address.target) or lowering.context.objects.get(where.address.target)
        size = max(size, known.size if known is not None else 0)
    named = {place + index for place, each in values for index in range(byte_size(each.sort))}
    rest = [place for place in range(size) if place not in named] if size <= _MOST_BYTES else []
    if size > _MOST_BYTES or len(values) + len(rest) > _MOST_VALUES or not _is_separate(type_):
        chosen = lowering.builder.fresh_name(names.own("external"))
        origin = lowering.builder.origin
        lowering.builder.objects[chosen] = MemoryObject(chosen, size, type_.align, ObjectKind.LOCAL, str(type_), origin=origin)
        lowering.builder.emit(Declare(chosen))
        give_value(lowering.builder, lowering.builder.shadows, Address(chosen, lowering.context.pointer), size)
        lowering.builder.emit(Copy(where.address, Address(chosen, lowering.context.pointer), size))
        return
    for place, each in values:
        there = InMemory(lowering.memory.offset(where.address, place))
        lowering.memory.write(there, lowering.environment.any_value(each, InputKind.EXTERNAL, name), each)
    for place in rest:
        byte = lowering.builder.input(bitvec(8), InputKind.EXTERNAL, name)
        lowering.builder.emit(Store(lowering.memory.offset(where.address, place), byte))


def _is_separate(type_: CType) -> bool:
    """Has each scalar in it bytes of its own? Not in unions, and not bit-fields."""
    if isinstance(type_, Array):
        return _is_separate(type_.element)
    if isinstance(type_, Record):
        return not type_.is_union and all(field.bits < 0 and _is_separate(field.type) for field in type_.fields)
    return isinstance(type_, Scalar)


def _values(type_: CType, place: int, most: int) -> Iterator[tuple[int, Scalar]]:
    """The scalars in an object and where they are, as far as they are counted."""
    if isinstance(type_, Array):
        for index in range(min(type_.count, most)):
            yield from _values(type_.element, place + index * type_.element.size, most)
    elif isinstance(type_, Record):
        for field in type_.fields:
            yield from _values(field.type, place + field.offset // 8, most)
    elif isinstance(type_, Scalar):
        yield place, type_
