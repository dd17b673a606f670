"""Objects that are initialised by an expression or a braced list (C11 6.7.9); `declarations.initialisers` has the lists."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import string_literal
from drystone.frontend.declarations.initialisers import Slot, flatten, in_order_of_effects, overlap
from drystone.frontend.declarations.padding import padding
from drystone.frontend.declarations.types import Array, Complex, CType, Lanes, Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.assignments import assign
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.lanes import converted_lanes, write_lanes
from drystone.frontend.expressions.operands import in_both_orders, in_order, is_order_open
from drystone.frontend.lowering.places import InMemory, Place
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir.expressions import Constant, Determinant, Expression, constant
from drystone.ir.operations import Copy, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import bitvec


def initialise(lowering: Evaluation, where: Place, type_: CType, node: Node) -> None:
    """Initialises an object by an expression or a braced list."""
    if isinstance(type_, Scalar) and node.kind != kinds.INIT_LIST:
        assign(lowering, where, node, type_)
        return
    if not isinstance(type_, (Array, Record)):
        item = node.children[0] if node.children else None
        if item is not None:
            initialise(lowering, where, type_, item)
        elif isinstance(type_, Scalar):
            lowering.memory.write(where, Constant(type_.sort, 0), type_)
        return
    base = lowering.memory.address_of(where)
    if isinstance(type_, Complex) and node.kind == kinds.INIT_LIST and len(node.children) == 1:
        node = node.children[0]
    if isinstance(type_, Lanes) and node.kind != kinds.INIT_LIST:
        write_lanes(lowering, InMemory(base), converted_lanes(lowering, node, type_), type_)
        return
    if node.kind != kinds.INIT_LIST and string_literal(node) is None:
        lowering.memory.write(where, lowering.rvalue(node), type_)
        return
    if node.effects == EFFECTS and is_order_open(lowering, node):
        in_both_orders(lowering, node, lowering.types.void, lambda: _initialised(lowering, where, type_, node))
        return
    _initialise_by_list(lowering, base, type_, node)


def _initialise_by_list(lowering: Evaluation, base: Expression, type_: Array | Record, node: Node) -> None:
    """Initialises an aggregate by a braced list or a string."""
    listed = slots = flatten(lowering.unit.clang, lowering.types, type_, node)
    if node.effects == EFFECTS:
        slots = in_order_of_effects(slots)
        slots = slots if overlap(slots) else in_order(lowering, node, slots)
    if not _covers(slots, type_):
        lowering.memory.fill(base, type_.size)
        _forget_padding(lowering, base, type_, listed)
    repeated: tuple[Node, Expression] | None = None  # `[0 ... 9] = f()` evaluates f() once
    for index, slot in enumerate(slots):
        address = lowering.memory.offset(base, slot.offset)
        again = slot.node is not None and index + 1 < len(slots) and slots[index + 1].node is slot.node
        if slot.node is not None and (again or (repeated is not None and repeated[0] is slot.node)):
            if repeated is None or repeated[0] is not slot.node:
                if slot.node.kind == kinds.INIT_LIST or isinstance(slot.type, Array):
                    raise NotSupported("range of positions initialised by an aggregate")
                value = lowering.rvalue(slot.node)
                repeated = (slot.node, lowering.builder.keep(value))
            lowering.memory.write(_slot_place(lowering, base, slot), repeated[1], slot.type)
        elif slot.node is None:
            lowering.memory.fill(address, slot.type.size)
        elif isinstance(slot.type, Array) and (literal := string_literal(slot.node)) is not None:
            _initialise_string(lowering, address, slot.type, literal)
        else:
            initialise(lowering, _slot_place(lowering, base, slot), slot.type, slot.node)


def _initialised(lowering: Evaluation, where: Place, type_: CType, node: Node) -> Expression:
    initialise(lowering, where, type_, node)
    return constant(32, 0)


def _covers(slots: list[Slot], type_: CType) -> bool:
    """Is every byte of the object written by scalar members, in order and without gaps?"""
    position = 0
    for slot in slots:
        if slot.offset != position or not isinstance(slot.type, Scalar) or slot.field is not None:
            return False
        position += slot.type.size
    return position == type_.size


def _forget_padding(lowering: Evaluation, base: Expression, type_: CType, slots: list[Slot]) -> None:
    """Bytes and bits that no member has are not initialised, whatever a compiler writes there."""
    for offset, size, mask in padding(type_, slots):
        width = size * 8
        chosen = lowering.environment.approximated(bitvec(width), "padding", Determinant.PADDING)
        if mask != (1 << width) - 1:
            chosen = make("bvand", chosen.sort, chosen, constant(width, mask))
        lowering.builder.emit(Store(lowering.memory.offset(base, offset), chosen))


def _slot_place(lowering: Evaluation, base: Expression, slot: Slot) -> Place:
    if slot.field is None:
        return InMemory(lowering.memory.offset(base, slot.offset))
    return lowering.memory.field_place(lowering.memory.offset(base, slot.offset - slot.field.offset // 8), slot.field)


def _initialise_string(lowering: Evaluation, address: Expression, type_: Array, literal: Node) -> None:
    content = string_bytes(spelling(literal.cursor), type_.element.size, -1)
    size = type_.size
    content = content[:size]
    if content:
        source = lowering.context.literal(content, type_.element.align, str(type_), lowering.builder.origin)
        lowering.builder.emit(Copy(address, source, len(content)))
    lowering.memory.fill(lowering.memory.offset(address, len(content)), size - len(content))
