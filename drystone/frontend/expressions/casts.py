"""Conversions that the program or clang writes, and the expressions for which libclang has no kind of their own."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.kinds import TRUTH_VALUES
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_expression, is_implicit, without_conversions
from drystone.frontend.declarations.types import (
    Array,
    CType,
    Function,
    Int,
    Lanes,
    Pointer,
    Record,
    Scalar,
    Void,
)
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.branching import elvis
from drystone.frontend.expressions.checks import checked_conversion
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.function_pointers import note_conversion
from drystone.frontend.expressions.lanes import converted_lanes, materialised, scalar_from_lanes
from drystone.frontend.expressions.type_operands import may_compare_wide_characters, refuse_evaluated_type
from drystone.frontend.lowering.conversions import convert, resize
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.expressions import Address, Constant, Expression, constant
from drystone.ir.simplify import as_bits

_COMPATIBLE = "__builtin_types_compatible_p"


def unexposed(lowering: Evaluation, node: Node) -> Expression:
    """Implicit conversions, and the expressions for which libclang has no kind of their own."""
    if is_implicit(node):
        return _converted(lowering, node.children[0], node)
    operands = [child for child in node.children if is_expression(child)]
    if len(operands) == 4 and len({without_conversions(operand).key for operand in operands[:3]}) == 1:
        return elvis(lowering, operands[0], operands[3], lowering.type_of(node))
    if len(operands) == 3 and len(node.children) == 3 and isinstance(lowering.type_of(operands[0]), Int):
        test = evaluate(operands[0].cursor)
        if isinstance(test, int):  # __builtin_choose_expr; of the others with three operands the first is no constant
            return _converted(lowering, operands[1] if test else operands[2], node)
    value = evaluate(node.cursor) if node.effects != EFFECTS else None
    type_ = lowering.type_of(node)
    if isinstance(value, int) and isinstance(type_, Int):
        if may_compare_wide_characters(lowering) and _COMPATIBLE in lowering.unit.clang.tokens.of(node.cursor):
            raise NotSupported(f"comparison of types {lowering.text(node)}")
        return constant(type_.width, value)
    if not node.children and isinstance(type_, Scalar) and value is None and not lowering.unit.clang.tokens.of(node.cursor):
        return Constant(type_.sort, 0)  # an implicit value initialisation
    raise NotSupported(f"expression {lowering.text(node)}")


def cast(lowering: Evaluation, node: Node) -> Expression:
    *sizes, operand = [child for child in node.children if is_expression(child)]
    refuse_evaluated_type(lowering, node, sizes, "a cast")
    return _converted(lowering, operand, node)


def _converted(lowering: Evaluation, operand: Node, node: Node) -> Expression:
    source, target = lowering.type_of(operand), lowering.type_of(node)
    if node.key not in lowering.not_accessed:
        note_conversion(lowering.context, operand, source, target)
    if isinstance(target, Lanes) and not target.is_same(source):
        return materialised(lowering, converted_lanes(lowering, operand, target), target)
    if isinstance(source, Lanes) and isinstance(target, Scalar):
        return scalar_from_lanes(lowering, operand, source, target)
    if isinstance(target, Record) and not isinstance(source, Record):
        return _cast_to_union(lowering, operand, source, target)
    if isinstance(source, (Array, Function)) or isinstance(target, (Record, Array, Function)):
        return lowering.rvalue(operand)
    if isinstance(target, Void):
        lowering.discard(operand)
        return constant(32, 0)
    if (
        source is not target
        and isinstance(source, Int)
        and source.width >= 32
        and (own := lowering.bit_fields.own_type(operand)) is not None
    ):
        return convert(lowering.builder, resize(lowering.rvalue(operand), own.width, own.signed), own, target)
    if (
        isinstance(target, Int)
        and isinstance(source, Int)
        and operand.kind == kinds.BINARY_OPERATOR
        and operand.operator in TRUTH_VALUES
    ):
        return as_bits(lowering.condition(operand), target.width)
    value = lowering.rvalue(operand)
    if isinstance(source, Pointer) and isinstance(target, Int) and not target.is_bool and not isinstance(value, Constant):
        lowering.context.note("address order", "allocations lie in the order in which they are made", lowering.builder.origin)
    value = checked_conversion(lowering, operand, value, source, target, is_written=node.kind == kinds.CAST_EXPR)
    return convert(lowering.builder, value, source, target)


def _cast_to_union(lowering: Evaluation, operand: Node, source: CType, target: Record) -> Expression:
    """GNU: a value as a union with a member of its type."""
    member = next((field for field in target.fields if field.type is source and field.bits < 0), None)
    if member is None:
        raise NotSupported(f"cast from {source} to {target}")
    value = lowering.rvalue(operand)
    address = Address(lowering.memory.temporary_object(target, names.own("union")), lowering.context.pointer)
    lowering.memory.fill(address, target.size)
    lowering.memory.write(InMemory(address), value, source)
    return address
