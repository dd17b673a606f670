"""Builtins that say something about an expression or pass it on."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler, first_argument, nothing, unknown_address
from drystone.ir.expressions import Expression, constant
from drystone.ir.simplify import as_bits, make
from drystone.logic.sorts import BOOL


def _constant_p(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """The answer of gcc's unoptimised code where it is clear; it folds more than that. The operand is not evaluated."""
    answer = _is_constant(lowering, node.children[1])
    if answer is None:
        return as_bits(lowering.environment.approximated(BOOL, symbol.name), 32)
    return constant(32, int(answer))


def _is_constant(lowering: ExpressionLowering, node: Node) -> bool | None:
    """Whether an expression is constant for gcc: made of literals, or something that is read; None: there is no telling."""
    node = strip(node)
    if node.kind in _LITERALS:
        return True
    if node.kind == kinds.DECL_REF_EXPR:
        return _is_enumerator(node)
    if node.kind in _READ or (node.kind == kinds.UNARY_OPERATOR and node.operator == "*"):
        return False
    if node.kind == kinds.SIZEOF_EXPR:
        return True if evaluate(node.cursor) is not None else None
    if node.kind in _PASSED_ON or (node.kind == kinds.UNARY_OPERATOR and node.operator in ("-", "+", "~")):
        return _is_constant(lowering, node.children[-1])
    if node.kind == kinds.BINARY_OPERATOR and node.operator not in (",", "&&", "||"):
        is_known = evaluate(node.cursor) is not None
        return True if is_known and all(_is_constant(lowering, child) for child in node.children) else None
    return None


_LITERALS = frozenset((kinds.INTEGER_LITERAL, kinds.CHARACTER_LITERAL, kinds.FLOATING_LITERAL, kinds.STRING_LITERAL))
_READ = frozenset((kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT, kinds.COMPOUND_LITERAL))
_PASSED_ON = frozenset((kinds.UNEXPOSED_EXPR, kinds.CAST_EXPR))


def _is_enumerator(node: Node) -> bool:
    return bool(library().clang_getCursorReferenced(node.cursor).kind == kinds.ENUM_CONSTANT)


def _object_size(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Unknown, in the words of the builtin; or what clang knows, which gcc may know or not."""
    kind = evaluate(node.children[2].cursor)
    unknown = lowering.pointer_constant(0 if isinstance(kind, int) and kind & 2 else -1)
    known = evaluate(node.cursor)
    if not isinstance(known, int):
        return unknown
    return make(
        "ite", unknown.sort, lowering.environment.approximated(BOOL, symbol.name), lowering.pointer_constant(known), unknown
    )


UNEVALUATED = frozenset(
    ("__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size")
    + ("__builtin_classify_type", "__builtin_types_compatible_p")
)
"""Builtins that do not evaluate their arguments."""

PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(("__builtin_expect", "__builtin_expect_with_probability", "__builtin_unpredictable"), first_argument),
    **dict.fromkeys(("__builtin_assume_aligned", "__builtin_launder", "__builtin_extract_return_addr"), first_argument),
    **dict.fromkeys(("__builtin_prefetch", "__builtin___clear_cache"), nothing),
    "__builtin_constant_p": _constant_p,
    **dict.fromkeys(("__builtin_object_size", "__builtin_dynamic_object_size"), _object_size),
    **dict.fromkeys(("__builtin_return_address", "__builtin_frame_address"), unknown_address),
}
