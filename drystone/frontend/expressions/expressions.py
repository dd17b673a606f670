"""C expressions: side effects become edges, what remains is a side-effect free expression.

Evaluation is left to right: a value that a later operand might change is kept in a temporary. `&&`, `||`
and `?:` become branches unless both sides are harmless to evaluate; so every memory access stands on an
edge that is taken exactly when C performs it.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.frontend.clang import kinds
from drystone.frontend.clang.kinds import STEPS
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_expression, strip
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.types import CType
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import watch
from drystone.frontend.expressions.assignments import assignment, compound_assignment, step
from drystone.frontend.expressions.branching import branch_on, condition_of, conditional
from drystone.frontend.expressions.casts import cast, unexposed
from drystone.frontend.expressions.constants import floating, imaginary, integer, label_address
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.initialisation import initialise
from drystone.frontend.expressions.lvalues import place_of, read, reference
from drystone.frontend.expressions.operands import in_both_orders, in_order, is_order_open, operand_values
from drystone.frontend.expressions.operators import binary, unary
from drystone.frontend.expressions.type_operands import generic, refuse_evaluated_type, size_expression
from drystone.frontend.lowering.builder import Builder, reads_input
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory, Place
from drystone.ir import names
from drystone.ir.automaton import ErrorKind, Origin, inputs
from drystone.ir.expressions import (
    APPROXIMATED,
    Address,
    Constant,
    Expression,
    Variable,
    constant,
)
from drystone.ir.operations import Lifetime
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


class ExpressionLowering(Evaluation):
    """Lowers expressions; calls and statement expressions are left to those that know procedures."""

    def __init__(self, context: Context, unit: Unit, builder: Builder, owner: str) -> None:
        super().__init__(context, unit, builder, owner)
        if builder.extents is not None:
            watch(self, builder.extents)

    def statement_expression(self, node: Node) -> Expression:
        raise NotSupported("statement expression outside a function")

    def call(self, node: Node) -> Expression:
        raise NotSupported("call outside a function")

    def rvalue(self, node: Node) -> Expression:
        lower = _RVALUES.get(node.kind)
        if lower is None:
            raise NotSupported(f"expression of libclang kind {node.kind}: {self.text(node)}")
        if node.effects == EFFECTS:
            self.evaluated.add(node.key)
            if node.kind != kinds.ARRAY_SUBSCRIPT and is_order_open(self, node):
                return in_both_orders(self, node, self.type_of(node), lambda: self.rvalue(node))
        with self.folding.around(node):
            return self.builder.shallow(lower(self, node))

    def fail(self, condition: Expression, kind: ErrorKind, what: str, origin: Origin) -> None:
        self.builder.error_if(condition, kind, what, origin)

    def place(self, node: Node) -> Place:
        return place_of(self, node)

    def has_open_order(self, node: Node) -> bool:
        return False

    def discard(self, node: Node) -> None:
        node = strip(node)
        if node.effects != EFFECTS:
            if self.folding.may_fail(node):
                self.rvalue(node)
            return
        self.evaluated.add(node.key)
        if node.kind != kinds.ARRAY_SUBSCRIPT and is_order_open(self, node):
            in_both_orders(self, node, self.types.void, lambda: self._discarded(node))
            return
        if node.kind == kinds.UNARY_OPERATOR and node.operator in STEPS:
            step(self, node, is_used=False)
            return
        if node.kind == kinds.COMPOUND_ASSIGN:
            compound_assignment(self, node, is_used=False)
            return
        if node.kind == kinds.BINARY_OPERATOR and node.operator == "=":
            assignment(self, node, is_used=False)
            return
        if node.kind == kinds.BINARY_OPERATOR and node.operator == ",":
            self.discard(node.children[0])
            self.discard(node.children[1])
            return
        if node.kind == kinds.BINARY_OPERATOR and node.operator not in ("=", ",", "&&", "||") and not self.folding.may_fail(node):
            for operand in in_order(self, node, node.children):  # nothing is computed from them, and so nothing traps
                self.discard(operand)
            return
        value = self.rvalue(node)
        if reads_input(value) and not all(each.determinant in APPROXIMATED for each in inputs(value)):
            self.builder.keep(value)  # the environment is asked even if nobody looks at the answer

    def _discarded(self, node: Node) -> Expression:
        self.discard(node)
        return constant(32, 0)

    def condition(self, node: Node) -> Expression:
        node = strip(node)
        with self.folding.around(node):
            return condition_of(self, node)

    def branch(self, node: Node, then: int, otherwise: int) -> None:
        node = strip(node)
        with self.folding.around(node):
            branch_on(self, node, then, otherwise)

    def is_confined(self, node: Node) -> bool:
        return False

    def compound_literal(self, node: Node) -> Expression:
        type_ = self.type_of(node)
        refuse_evaluated_type(self, node, [child for child in node.children[:-1] if is_expression(child)], "a compound literal")
        name = self.memory.temporary_object(type_, names.COMPOUND_LITERAL, self.alignment(node, type_), is_lasting=True)
        address = Address(name, self.context.pointer)
        self.begin_literal(address, type_)
        initialise(self, InMemory(address), type_, node.children[-1])
        return address

    def begin_literal(self, address: Address, type_: CType) -> None:
        """The life of a compound literal begins."""

    def begin_in_frame(self, lifetime: Lifetime) -> None:
        """An allocation is about to be made that may end with the activation."""

    def end_with_frame(self, lifetime: Lifetime, target: Variable) -> None:
        """It has been made."""

    def made_nan(self, operator: str, a: Constant, b: Constant, value: Expression) -> Expression:
        """Constants that give a NaN: its sign depends on who computes it, gcc (it folds some) or the machine."""
        other = make("fp.neg", value.sort, value)
        return self.builder.keep(make("ite", value.sort, self.environment.approximated(BOOL, "sign of a NaN"), other, value))

    def arguments(self, node: Node) -> list[Expression]:
        """The values of a call's arguments."""
        return operand_values(self, node, *node.children[1:])

    def zero_difference(self, b: Expression, value: Expression) -> Expression:
        is_computed = self.environment.approximated(BOOL, "sign of a zero difference")
        return self.builder.keep(make("ite", value.sort, is_computed, value, make("fp.neg", value.sort, b)))


def _parenthesised(lowering: ExpressionLowering, node: Node) -> Expression:
    return lowering.rvalue(node.children[0])


def _unary(lowering: ExpressionLowering, node: Node) -> Expression:
    if node.operator in STEPS:
        return step(lowering, node)
    return unary(lowering, node)


def _binary(lowering: ExpressionLowering, node: Node) -> Expression:
    if node.operator == "=":
        return assignment(lowering, node, is_used=True)
    if node.operator == ",":
        lowering.discard(node.children[0])
        return lowering.rvalue(node.children[1])
    return binary(lowering, node)


_RVALUES: dict[int, Callable[[ExpressionLowering, Node], Expression]] = {
    kinds.UNEXPOSED_EXPR: unexposed,
    kinds.DECL_REF_EXPR: reference,
    kinds.MEMBER_REF_EXPR: read,
    kinds.ARRAY_SUBSCRIPT: read,
    kinds.COMPOUND_LITERAL: read,
    kinds.STRING_LITERAL: read,
    kinds.CALL_EXPR: lambda lowering, node: lowering.call(node),
    kinds.INTEGER_LITERAL: integer,
    kinds.CHARACTER_LITERAL: integer,
    kinds.FLOATING_LITERAL: floating,
    kinds.IMAGINARY_LITERAL: imaginary,
    kinds.PAREN_EXPR: _parenthesised,
    kinds.UNARY_OPERATOR: _unary,
    kinds.BINARY_OPERATOR: _binary,
    kinds.COMPOUND_ASSIGN: compound_assignment,
    kinds.CONDITIONAL: conditional,
    kinds.CAST_EXPR: cast,
    kinds.STMT_EXPR: lambda lowering, node: lowering.statement_expression(node),
    kinds.SIZEOF_EXPR: size_expression,
    kinds.GENERIC: generic,
    kinds.ADDR_LABEL: label_address,
}
"""Lowers an expression of a kind to its value."""
