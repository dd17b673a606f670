"""Comparisons, also of pointers whose order or equality C leaves open."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, PURE, Node
from drystone.frontend.clang.shapes import is_implicit, strip, without_conversions
from drystone.frontend.declarations.types import Int, Lanes, Pointer, Void
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions import addresses
from drystone.frontend.expressions.bitfields import carrier_of
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.lanes import equal_complex
from drystone.frontend.expressions.operands import operand_values
from drystone.frontend.expressions.operators import operand_in
from drystone.frontend.lowering.conversions import compare
from drystone.ir.expressions import Constant, Expression
from drystone.ir.simplify import negate


def comparison(lowering: Evaluation, node: Node) -> Expression:
    left, right = node.children
    if isinstance(lowering.type_of(left), Lanes) or isinstance(lowering.type_of(right), Lanes):
        return equal_complex(lowering, node)
    for side, other in ((left, right), (right, left)):
        if other.effects == PURE and (call := without_conversions(side)).kind == kinds.CALL_EXPR:
            if evaluate(other.cursor) == 0:
                lowering.only_signs.add(call.key)
        lowering.not_accessed.add(strip(side).key)
    own = lowering.bit_fields.common_own_type(left, right)
    if own is not None:
        a = operand_in(lowering, left, own)
        if right.effects == EFFECTS:
            a = lowering.builder.keep(a)
        return lowering.builder.shallow(compare(node.operator, a, operand_in(lowering, right, own), carrier_of(own)))
    a, b = operand_values(lowering, node, left, right)
    type_ = lowering.type_of(left)
    if a.sort != b.sort:
        raise NotSupported(f"comparison {lowering.text(node)}")
    if isinstance(type_, Pointer) and node.operator not in ("==", "!=") and not isinstance(a, Constant):
        lowering.context.note("address order", "allocations lie in the order in which they are made", lowering.builder.origin)
    pointer = _compared_as(lowering, left, right) if node.operator in ("==", "!=") else None
    if pointer is not None and isinstance(pointer.target, Void) and _may_be_labels(lowering, a, b):
        raise NotSupported(f"comparison of addresses of labels, which may be one: {lowering.text(node)}")
    if pointer is not None:
        same = addresses.equal(lowering, a, b, pointer.target, are_numbers=isinstance(type_, Int))
        return lowering.builder.shallow(same if node.operator == "==" else negate(same))
    if isinstance(type_, Pointer):
        a, b = addresses.as_pointers(a, b)
    return lowering.builder.shallow(compare(node.operator, a, b, type_))


def _compared_as(lowering: Evaluation, left: Node, right: Node) -> Pointer | None:
    """The type of two pointers that are compared, also as numbers of their width: `(unsigned long)p == (unsigned long)q`."""
    found: Pointer | None = None
    for node in (left, right):
        node = strip(node)
        while node.kind == kinds.CAST_EXPR or is_implicit(node):
            type_, inner = lowering.type_of(node), strip(node.children[-1])
            if isinstance(type_, Pointer) or not isinstance(type_, Int) or type_.width < lowering.context.pointer_width:
                break
            node = inner
        pointer = lowering.type_of(node)
        if not isinstance(pointer, Pointer):
            return None
        found = pointer if found is None or isinstance(found.target, Void) else found
    return found


def _may_be_labels(lowering: Evaluation, a: Expression, b: Expression) -> bool:
    """Only a function that takes the addresses of several of its labels has different ones to compare."""
    if isinstance(a, Constant) or isinstance(b, Constant):
        return False
    return sum(owner == lowering.owner for _, owner in lowering.context.symbols.labels.values()) > 1
