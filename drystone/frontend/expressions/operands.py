"""The values of operands, in every order in which C may evaluate them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import direct_callee
from drystone.frontend.declarations.types import CType
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.lowering.joins import choose
from drystone.ir.expressions import Determinant, Expression
from drystone.logic.sorts import BOOL

T = TypeVar("T")
_MOST_ORDERS = 5  # inside of each other: all that is in them is there twice for each


def is_order_open(lowering: Evaluation, node: Node) -> bool:
    """Not where one of its orders is being looked at. A label can be there only once."""
    if node.key in lowering.orders or not lowering.has_open_order(node):
        return False
    if len(lowering.orders) == _MOST_ORDERS:
        raise NotSupported(f"more than {_MOST_ORDERS} operators whose operands can be evaluated in any order")
    if not _has_label(node):
        return True
    if any(_calls_error(lowering, child) for child in node.children):
        raise NotSupported("whether the error is called before another operand, which may not end, is open")
    lowering.context.note("evaluation order", "operands with side effects are evaluated left to right", lowering.builder.origin)
    return False


def in_both_orders(
    lowering: Evaluation, node: Node, type_: CType, evaluate: Callable[[], Expression], key: int | None = None
) -> Expression:
    """The value, with its operands evaluated from the left to the right or from the right to the left, whatever the order is
    in expressions inside or around it: compilers mix them."""

    key = node.key if key is None else key

    def evaluated(is_reversed: bool) -> Expression:
        lowering.orders[key] = is_reversed
        try:
            return evaluate()
        finally:
            del lowering.orders[key]

    order = lowering.builder.keep(
        lowering.environment.approximated(BOOL, f"the order of the operands of {lowering.text(node)}", Determinant.ORDER)
    )
    return choose(
        lowering,
        lambda then, otherwise: lowering.builder.branch(order, then, otherwise),
        lambda: evaluated(True),
        lambda: evaluated(False),
        type_,
    )


def in_order(lowering: Evaluation, node: Node, operands: list[T]) -> list[T]:
    """The operands of an expression as they are evaluated."""
    return operands[::-1] if lowering.orders.get(node.key) else operands


def operand_values(lowering: Evaluation, node: Node, *nodes: Node) -> list[Expression]:
    """The values of an expression's operands, each safe from the side effects of those that are evaluated after it."""
    values = evaluated_in(lowering, in_order(lowering, node, list(enumerate(nodes))))
    return [values[position] for position in range(len(nodes))]


def evaluated_in(lowering: Evaluation, ordered: list[tuple[int, Node]]) -> dict[int, Expression]:
    """The values of operands that are evaluated in this order."""
    values: dict[int, Expression] = {}
    for count, (position, operand) in enumerate(ordered, 1):
        value = lowering.rvalue(operand)
        if any(later.effects == EFFECTS for _, later in ordered[count:]):
            value = lowering.memory.kept(value, lowering.type_of(operand))
        values[position] = value
    return values


def _calls_error(lowering: Evaluation, node: Node) -> bool:
    if node.kind == kinds.CALL_EXPR and (callee := direct_callee(node)) is not None:
        if spelling(callee.cursor) in lowering.context.error_functions:
            return True
    return node.effects == EFFECTS and any(_calls_error(lowering, child) for child in node.children)


def _has_label(node: Node) -> bool:
    return node.kind == kinds.LABEL_STMT or any(map(_has_label, node.children))
