"""Local structures, unions and arrays whose address nobody has: all that a function does with them is to access their parts."""

from __future__ import annotations

from drystone.frontend.clang import unit as clang
from drystone.frontend.clang.unit import Node, library
from drystone.frontend.declarations.initialisers import is_implicit, strip
from drystone.frontend.declarations.types import Array, Record, Scalar, Types


def aggregate_of(node: Node, types: Types) -> Node | None:
    """The variable of which `x.a[i].b` is a part; None if a pointer leads elsewhere on the way."""
    node = strip(node)
    while node.kind in (clang.MEMBER_REF_EXPR, clang.ARRAY_SUBSCRIPT) and node.children:
        inner = strip(node.children[0])
        if node.kind == clang.ARRAY_SUBSCRIPT and is_implicit(inner):
            inner = strip(inner.children[0])
        if not isinstance(types.of(inner.cursor), Array if node.kind == clang.ARRAY_SUBSCRIPT else Record):
            return None
        node = inner
    return node if node.kind == clang.DECL_REF_EXPR else None


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
        if node.kind == clang.ASM_STMT:
            return frozenset()
        if node.kind == clang.UNARY_OPERATOR and node.operator == "&":
            addressed.add(strip(node.children[0]).key)
        elif node.kind in (clang.MEMBER_REF_EXPR, clang.ARRAY_SUBSCRIPT) and node.key not in addressed:
            variable = aggregate_of(node, types)
            if variable is not None and isinstance(types.of(node.cursor), Scalar):
                fine.add(variable.key)
        elif node.kind == clang.DECL_REF_EXPR:
            declaration = lib.clang_getCursorReferenced(node.cursor).d0
            (seen if node.key in fine else escaped).add(declaration)
        stack.extend(node.children)
    return frozenset(seen - escaped)
