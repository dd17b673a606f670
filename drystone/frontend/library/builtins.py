"""Builtins that say something about an expression or pass it on."""

from __future__ import annotations

from drystone.frontend import clang
from drystone.frontend.clang import Node
from drystone.frontend.expressions import ExpressionLowering
from drystone.frontend.initialisers import string_literal
from drystone.frontend.library.common import Handler, first_argument, nothing, unknown_address
from drystone.frontend.symbols import FunctionSymbol
from drystone.logic.sorts import BOOL
from drystone.program.expressions import Expression, constant
from drystone.program.simplify import as_bits, make


def _constant_p(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """As gcc decides without optimisation; where a variable is what clang can evaluate, gcc may know it or not."""
    argument = node.children[1]
    if string_literal(argument) is not None:
        return constant(32, 1)
    if lowering.unit.clang.evaluate(argument.cursor) is None:
        return constant(32, 0)
    if _names_variable(argument):
        return as_bits(lowering.approximated(BOOL, symbol.name), 32)
    return constant(32, 1)


def _names_variable(node: Node) -> bool:
    if node.kind == clang.DECL_REF_EXPR:
        return bool(clang.library().clang_getCursorReferenced(node.cursor).kind != clang.ENUM_CONSTANT)
    return any(_names_variable(child) for child in node.children)


def _object_size(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Unknown, in the words of the builtin; or what clang knows, which gcc may know or not."""
    kind = lowering.unit.clang.evaluate(node.children[2].cursor)
    unknown = lowering.pointer_constant(0 if isinstance(kind, int) and kind & 2 else -1)
    known = lowering.unit.clang.evaluate(node.cursor)
    if not isinstance(known, int):
        return unknown
    return make("ite", unknown.sort, lowering.approximated(BOOL, symbol.name), lowering.pointer_constant(known), unknown)


UNEVALUATED = frozenset(
    ("__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size")
    + ("__builtin_classify_type", "__builtin_types_compatible_p")
)
"""Builtins that do not evaluate their arguments."""

PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(("__builtin_expect", "__builtin_expect_with_probability"), first_argument),
    **dict.fromkeys(("__builtin_assume_aligned", "__builtin_launder", "__builtin_extract_return_addr"), first_argument),
    **dict.fromkeys(("__builtin_assume", "__builtin_prefetch", "__builtin___clear_cache"), nothing),
    "__builtin_constant_p": _constant_p,
    **dict.fromkeys(("__builtin_object_size", "__builtin_dynamic_object_size"), _object_size),
    **dict.fromkeys(("__builtin_return_address", "__builtin_frame_address"), unknown_address),
}
