"""Differences whose zero has a sign that compilers do not agree on.

`0.0 - x` is +0 where x is +0 (IEEE 754), and the machine computes that. gcc's folding makes `-x` of it, which is -0, where x
is an expression that cannot be -0: a number converted from an integer, an absolute value, a choice of such (C17 F.9.2 forbids
the change). Other compilers and other versions do otherwise, so the sign is open there.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library, text_of
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import direct_callee, is_implicit, strip
from drystone.frontend.declarations.types import CType

_READS = frozenset(
    (kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT, kinds.COMPOUND_ASSIGN, kinds.COMPOUND_LITERAL)
)
_FOLDED_CALLS = regex(r"(__builtin_)?(fabs|creal|cimag)(f|l|f\d+x?)?")
_LITERALS = frozenset((kinds.INTEGER_LITERAL, kinds.FLOATING_LITERAL, kinds.CHARACTER_LITERAL))


def is_folded_to_negation(right: Node, real: Callable[[Node], CType | None]) -> bool:
    """May a compiler take this right side of `0.0 - x` for one that is never -0? Constants are computed; reads may give it."""
    node = strip(right)
    while (is_implicit(node) or node.kind == kinds.CAST_EXPR) and (inner := real(node.children[-1])) is not None:
        operand = strip(node.children[-1])
        if inner != real(node) and operand.kind not in (kinds.CALL_EXPR, kinds.CONDITIONAL):
            return False
        node = operand
    if node.kind in _READS or _is_literal(node):
        return False
    match node.kind:
        case kinds.UNARY_OPERATOR:
            is_part = node.operator in ("__real", "__imag")
            return is_part or (node.operator == "+" and is_folded_to_negation(node.children[0], real))
        case kinds.BINARY_OPERATOR if node.operator == ",":
            return is_folded_to_negation(node.children[1], real)
        case kinds.BINARY_OPERATOR:  # one operand may be neutral
            a, b = node.children
            return any(_is_literal(one) and is_folded_to_negation(other, real) for one, other in ((a, b), (b, a)))
        case kinds.CALL_EXPR:
            callee = direct_callee(node)
            name = text_of(library().clang_getCursorSpelling(callee.cursor)) if callee is not None else ""
            return _FOLDED_CALLS.fullmatch(name) is not None
        case _:
            return True


def _is_literal(node: Node) -> bool:
    node = strip(node)
    while is_implicit(node) or node.kind == kinds.CAST_EXPR:
        node = strip(node.children[-1])
    return node.kind in _LITERALS
