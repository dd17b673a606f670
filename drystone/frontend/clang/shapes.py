"""What a node is: without parentheses, without conversions, as a literal, as a call."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.generic import chosen_association
from drystone.frontend.clang.nodes import Node

CASTS = (kinds.UNEXPOSED_EXPR, kinds.CAST_EXPR)


def is_expression(node: Node) -> bool:
    return kinds.EXPR_FIRST <= node.kind <= kinds.EXPR_LAST


def strip(node: Node) -> Node:
    """Without parentheses."""
    while node.kind == kinds.PAREN_EXPR:
        node = node.children[0]
    return node


def is_implicit(node: Node) -> bool:
    """Is it an implicit conversion: written exactly as its one operand? (Other expressions without a kind are longer.)"""
    if node.kind != kinds.UNEXPOSED_EXPR or len(node.children) != 1:
        return False
    lib = library()
    outer, inner = lib.clang_getCursorExtent(node.cursor), lib.clang_getCursorExtent(node.children[0].cursor)
    return bool(outer.begin == inner.begin and outer.end == inner.end)


def without_conversions(node: Node) -> Node:
    """The operand under parentheses and the conversions that clang put around it."""
    node = strip(node)
    while is_implicit(node):
        node = strip(node.children[0])
    return node


def without_casts(node: Node) -> Node:
    """The operand under parentheses and all conversions, those of the program too."""
    node = strip(node)
    while node.kind in CASTS and node.children and is_expression(node.children[-1]):
        node = strip(node.children[-1])
    return node


def string_literal(node: Node) -> Node | None:
    """The string literal that this is, perhaps converted to a pointer."""
    node = strip(node)
    while node.kind == kinds.UNEXPOSED_EXPR and len(node.children) == 1:
        node = strip(node.children[0])
    return node if node.kind == kinds.STRING_LITERAL else None


def direct_callee(call: Node) -> Node | None:
    """The reference to the called function, unless the call goes through a pointer expression."""
    node = call.children[0] if call.children else None
    while node is not None and node.kind in (kinds.UNEXPOSED_EXPR, kinds.PAREN_EXPR, kinds.GENERIC):
        if node.kind == kinds.GENERIC:
            node = chosen_association(node)
        else:
            node = node.children[0] if len(node.children) == 1 else None
    if node is None or node.kind != kinds.DECL_REF_EXPR:
        return None
    referenced = library().clang_getCursorReferenced(node.cursor)
    return node if referenced.kind == kinds.FUNCTION_DECL else None
