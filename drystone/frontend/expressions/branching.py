"""Expressions that evaluate only some of their operands, and conditions.

`&&`, `||` and `?:` become branches unless both sides are harmless to evaluate; so every memory access stands on an edge that is
taken exactly when C performs it.
"""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.kinds import COMPARISONS
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_implicit
from drystone.frontend.declarations.types import CType, Int, Lanes, Scalar, Void
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.comparisons import comparison
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.lanes import truth_of_lanes
from drystone.frontend.expressions.operands import is_order_open
from drystone.frontend.expressions.operators import operand_in
from drystone.frontend.lowering.conversions import convert, resize
from drystone.frontend.lowering.joins import choose
from drystone.ir.expressions import FALSE, TRUE, Expression, constant
from drystone.ir.simplify import make, negate, truth
from drystone.logic.sorts import BOOL


def condition_of(lowering: Evaluation, node: Node) -> Expression:
    kind = node.kind
    if kind == kinds.BINARY_OPERATOR:
        operator = node.operator
        if operator in COMPARISONS:
            if node.effects == EFFECTS and is_order_open(lowering, node):
                return truth(lowering.rvalue(node))
            return comparison(lowering, node)
        if operator in ("&&", "||") and lowering.folding.is_harmless(node.children[1]):
            left = lowering.condition(node.children[0])
            return lowering.builder.shallow(
                make("and" if operator == "&&" else "or", BOOL, left, lowering.condition(node.children[1]))
            )
        if operator in ("&&", "||"):
            return _short_circuit(lowering, node)
    elif kind == kinds.UNARY_OPERATOR and node.operator == "!":
        return negate(lowering.condition(node.children[0]))
    elif is_implicit(node):
        source, target = lowering.type_of(node.children[0]), lowering.type_of(node)
        if isinstance(source, Int) and isinstance(target, Int) and (target.width >= source.width or target.is_bool):
            return lowering.condition(node.children[0])  # widening keeps zero and non-zero apart
    if isinstance(lowering.type_of(node), Lanes):
        return truth_of_lanes(lowering, node)
    lowering.only_signs.add(node.key)
    return truth(lowering.rvalue(node))


def branch_on(lowering: Evaluation, node: Node, then: int, otherwise: int) -> None:
    if (
        node.kind == kinds.BINARY_OPERATOR
        and node.operator in ("&&", "||")
        and not lowering.folding.is_harmless(node.children[1])
    ):
        middle = lowering.builder.location()
        if node.operator == "&&":
            lowering.branch(node.children[0], middle, otherwise)
        else:
            lowering.branch(node.children[0], then, middle)
        lowering.builder.current = middle
        lowering.branch(node.children[1], then, otherwise)
    elif node.kind == kinds.UNARY_OPERATOR and node.operator == "!":
        lowering.branch(node.children[0], otherwise, then)
    else:
        lowering.builder.branch(lowering.condition(node), then, otherwise)


def _short_circuit(lowering: Evaluation, node: Node) -> Expression:
    """`&&` or `||` whose right side must not be evaluated always."""
    builder = lowering.builder
    result = builder.temporary(BOOL)
    then, otherwise, join = builder.location(), builder.location(), builder.location()
    lowering.branch(node, then, otherwise)
    for location, value in ((then, TRUE), (otherwise, FALSE)):
        builder.current = location
        builder.assign(result, value)
        builder.goto(join)
    builder.current = join
    return result


def conditional(lowering: Evaluation, node: Node) -> Expression:
    test, then_node, else_node = node.children
    type_, own = lowering.type_of(node), lowering.bit_fields.own_type(node)
    if lowering.folding.is_harmless(then_node) and lowering.folding.is_harmless(else_node) and isinstance(type_, Scalar):
        condition = lowering.condition(test)
        return make("ite", type_.sort, condition, _arm(lowering, then_node, type_, own), _arm(lowering, else_node, type_, own))
    return choose(
        lowering,
        lambda then, otherwise: lowering.branch(test, then, otherwise),
        lambda: _arm(lowering, then_node, type_, own),
        lambda: _arm(lowering, else_node, type_, own),
        type_,
    )


def elvis(lowering: Evaluation, left: Node, right: Node, type_: CType) -> Expression:
    """GNU `a ?: b`."""
    builder = lowering.builder
    if isinstance(lowering.type_of(left), Lanes):
        raise NotSupported(f"?: with {lowering.type_of(left)}")
    value = builder.keep(lowering.rvalue(left))
    if lowering.folding.is_harmless(right) and isinstance(type_, Scalar):
        arm = convert(builder, value, lowering.type_of(left), type_)
        other = convert(builder, lowering.rvalue(right), lowering.type_of(right), type_)
        return make("ite", type_.sort, truth(value), arm, other)
    return choose(
        lowering,
        lambda then, otherwise: builder.branch(truth(value), then, otherwise),
        lambda: convert(builder, value, lowering.type_of(left), type_) if not isinstance(type_, Void) else value,
        lambda: _arm(lowering, right, type_),
        type_,
    )


def _arm(lowering: Evaluation, node: Node, type_: CType, own: Int | None = None) -> Expression:
    if own is not None and isinstance(type_, Int):
        return resize(operand_in(lowering, node, own), type_.width, own.signed)
    if isinstance(type_, Void):
        lowering.discard(node)
        return constant(32, 0)
    if isinstance(type_, Scalar) and isinstance(lowering.type_of(node), Scalar):
        return convert(lowering.builder, lowering.rvalue(node), lowering.type_of(node), type_)
    return lowering.rvalue(node)
