"""Expressions about types: sizes, generic selections; and where gcc has another type than clang."""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import text_of
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.generic import chosen_association
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_expression
from drystone.frontend.clang.unit import BUNDLED
from drystone.frontend.declarations.types import Int, is_variably_modified
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.checks import is_unchecked
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.ir.expressions import Expression, constant

_WIDE = regex(rb"(?i:wchar)|(?<![A-Za-z0-9_])L(?:['\"]|\s*##)")


def size_expression(lowering: Evaluation, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    assert isinstance(type_, Int)
    if lowering.bit_fields.has_narrow_statement_expression(node):
        raise NotSupported(f"size {lowering.text(node)}")
    value = evaluate(node.cursor)
    if isinstance(value, int):
        return constant(type_.width, value)
    if [child.kind for child in node.children] == [kinds.TYPE_REF]:  # a typedef's name, and nothing that adds a dimension
        return lowering.size_of(lowering.type_of(node.children[0]))
    operands = [child for child in node.children if is_expression(child)]
    if len(operands) == 1:
        size = lowering.size_of(lowering.type_of(operands[0]))
        if operands[0].effects == EFFECTS or lowering.folding.may_fail(operands[0]):
            lowering.place(operands[0])  # the operand is evaluated where it is a variable length array
        return size
    raise NotSupported(f"size {lowering.text(node)}")


def refuse_evaluated_type(lowering: Evaluation, node: Node, sizes: list[Node], what: str) -> None:
    """A variably modified type that a cast or a compound literal names is evaluated: its sizes, operands of typeof."""
    if not sizes or not is_variably_modified(lowering.type_of(node)):
        return
    if any(size.effects == EFFECTS for size in sizes):
        raise NotSupported(f"side effect in the type of {what}: {lowering.text(node)}")
    if any(is_unchecked(lowering, size) for size in sizes):
        raise NotSupported(f"checks of the type of {what}: {lowering.text(node)}")


def generic(lowering: Evaluation, node: Node) -> Expression:
    return lowering.rvalue(chosen(lowering, node))


def chosen(lowering: Evaluation, node: Node) -> Node:
    """What a generic selection means; nothing else in it is evaluated."""
    chosen = chosen_association(node)
    if chosen is None or _has_other_type_in_gcc(lowering, node.children[0]):
        raise NotSupported(f"generic selection {lowering.text(node)}")
    return chosen


def refuse_selected_callee(lowering: Evaluation, node: Node) -> None:
    """A function that a generic selection names, where it is called: refused where gcc may choose another one."""
    while node.kind in (kinds.UNEXPOSED_EXPR, kinds.PAREN_EXPR, kinds.GENERIC) and node.children:
        node = chosen(lowering, node) if node.kind == kinds.GENERIC else node.children[0]


def _has_other_type_in_gcc(lowering: Evaluation, node: Node) -> bool:
    """gcc has types of their own for bit-fields, and for `_Float32` and its kin; with ILP32, `wchar_t` is `long`."""
    spelled = text_of(lowering.lib.clang_getTypeSpelling(lowering.lib.clang_getCursorType(node.cursor)))
    if "_Float" in spelled or may_compare_wide_characters(lowering):
        return True
    if node.kind == kinds.MEMBER_REF_EXPR and lowering.lib.clang_Cursor_isBitField(
        lowering.lib.clang_getCursorReferenced(node.cursor)
    ):
        return True
    return any(_has_other_type_in_gcc(lowering, child) for child in node.children if is_expression(child))


def may_compare_wide_characters(lowering: Evaluation) -> bool:
    """With ILP32, `wchar_t` is `long` for gcc and `int` for clang, under whatever name: may the program have one?"""
    if lowering.context.pointer_width != 32:
        return False
    return any(_WIDE.search(text) for file, text in lowering.unit.clang.inclusions() if not file.startswith(BUNDLED))
