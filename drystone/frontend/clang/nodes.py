"""The syntax tree below a declaration or expression.

libclang's own Python cursors are slow (a wrapper object, several foreign calls and a generator per
node). Here a whole declaration is visited by one `clang_visitChildren` with one Python callback per
node; everything else (type, location, operator, referenced declaration) is asked for only where the
lowering needs it, directly through ctypes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from drystone.frontend.clang.bindings import RECURSE, VISITOR, CXCursor, library
from drystone.frontend.clang.kinds import (
    ARRAY_SUBSCRIPT,
    BINARY_OPERATOR,
    BINARY_OPERATORS,
    CALL_EXPR,
    COMPOUND_ASSIGN,
    COMPOUND_LITERAL,
    EXPR_FIRST,
    MEMBER_REF_EXPR,
    STMT_EXPR,
    UNARY_OPERATOR,
    UNARY_OPERATORS,
)

PURE, PARTIAL, EFFECTS = 0, 1, 2

_KIND_EFFECTS = {
    CALL_EXPR: EFFECTS,
    STMT_EXPR: EFFECTS,
    COMPOUND_LITERAL: EFFECTS,
    ARRAY_SUBSCRIPT: PARTIAL,
    MEMBER_REF_EXPR: PARTIAL,
}
_UNARY_EFFECTS = {"++": EFFECTS, "--": EFFECTS, "post++": EFFECTS, "post--": EFFECTS, "*": PARTIAL}


class Node:
    """One node of the syntax tree.

    `effects` says what evaluating it may do: PURE; PARTIAL, it is not safe to evaluate where the program
    would not (dereference); EFFECTS, it may change the state (call, assignment, ++).
    """

    __slots__ = ("kind", "cursor", "children", "operator", "effects", "key")

    def __init__(self, kind: int, cursor: CXCursor) -> None:
        self.kind = kind
        self.cursor = cursor
        self.children: list[Node] = []
        self.operator = ""
        self.effects = PURE
        self.key: int = cursor.d1 if kind >= EXPR_FIRST else cursor.d0


def tree_of(cursor: CXCursor) -> Node:
    """The whole syntax tree below a declaration or expression, in one visitor pass."""
    lib = library()
    root = _node(cursor, lib)
    stack = [root]

    def visit(cursor: CXCursor, parent: CXCursor, _data: object) -> int:
        node = _node(cursor, lib)
        parent_key = parent.d1 if parent.kind >= EXPR_FIRST else parent.d0
        top = stack[-1]
        while top.key != parent_key:
            stack.pop()
            top = stack[-1]
        top.children.append(node)
        effects = node.effects
        if effects:
            for above in reversed(stack):
                if above.effects >= effects:
                    break
                above.effects = effects
        stack.append(node)
        return RECURSE

    lib.clang_visitChildren(cursor, VISITOR(visit), None)
    return root


def _node(cursor: CXCursor, lib: Any) -> Node:
    kind = cursor.kind
    node = Node(kind, cursor)
    if kind == BINARY_OPERATOR or kind == COMPOUND_ASSIGN:
        node.operator = BINARY_OPERATORS[lib.clang_getCursorBinaryOperatorKind(cursor)]
        if kind == COMPOUND_ASSIGN or node.operator == "=":
            node.effects = EFFECTS
    elif kind == UNARY_OPERATOR:
        node.operator = UNARY_OPERATORS[lib.clang_getCursorUnaryOperatorKind(cursor)]
        node.effects = _UNARY_EFFECTS.get(node.operator, PURE)
    else:
        node.effects = _KIND_EFFECTS.get(kind, PURE)
    return node


def preorder(tree: Node) -> Iterator[Node]:
    """The node itself, and all below it."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))
