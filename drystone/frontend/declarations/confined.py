"""Local structures, unions and arrays whose address nobody has: all that a function does with them is to access their parts."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import is_implicit, strip
from drystone.frontend.declarations.types import Array, Record, Scalar, Types


def aggregate_of(node: Node, types: Types) -> Node | None:
    """The variable of which `x.a[i].b` is a part; None if a pointer leads elsewhere on the way."""
    node = strip(node)
    while node.kind in (kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT) and node.children:
        inner = strip(node.children[0])
        if node.kind == kinds.ARRAY_SUBSCRIPT and is_implicit(inner):
            inner = strip(inner.children[0])
        if not isinstance(types.of(inner.cursor), Array if node.kind == kinds.ARRAY_SUBSCRIPT else Record):
            return None
        node = inner
    return node if node.kind == kinds.DECL_REF_EXPR else None


def confined(function: Node, types: Types) -> frozenset[int]:
    """The declarations (by key) that a function refers to only to access scalars in them. Assembly may get at any address."""
    lib = library()
    fine: set[int] = set()  # references, by key
    addressed: set[int] = set()  # operands of `&`
    seen: set[int] = set()
    escaped: set[int] = set()
    stack = [function]
    while stack:  # an access comes before what it is made of
        node = stack.pop()
        if node.kind == kinds.ASM_STMT:
            return frozenset()
        if node.kind == kinds.UNARY_OPERATOR and node.operator == "&":
            addressed.add(strip(node.children[0]).key)
        elif node.kind in (kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT) and node.key not in addressed:
            variable = aggregate_of(node, types)
            if variable is not None and isinstance(types.of(node.cursor), Scalar):
                fine.add(variable.key)
        elif node.kind == kinds.DECL_REF_EXPR:
            declaration = lib.clang_getCursorReferenced(node.cursor).d0
            (seen if node.key in fine else escaped).add(declaration)
        stack.extend(node.children)
    return frozenset(seen - escaped)
