"""Builtins that say something about an expression or pass it on."""

from __future__ import annotations

from drystone.frontend.clang import Node
from drystone.frontend.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler, first_argument, nothing, unknown_address
from drystone.frontend.symbols import FunctionSymbol
from drystone.program.expressions import Expression, constant


def _constant_p(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    return constant(32, 1 if lowering.unit.clang.evaluate(node.children[1].cursor) is not None else 0)


def _object_size(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Unknown, in the words of the builtin."""
    kind = lowering.unit.clang.evaluate(node.children[2].cursor)
    return lowering.pointer_constant(0 if isinstance(kind, int) and kind & 2 else -1)


PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(("__builtin_expect", "__builtin_expect_with_probability"), first_argument),
    **dict.fromkeys(("__builtin_assume_aligned", "__builtin_launder", "__builtin_extract_return_addr"), first_argument),
    **dict.fromkeys(("__builtin_assume", "__builtin_prefetch", "__builtin___clear_cache"), nothing),
    "__builtin_constant_p": _constant_p,
    **dict.fromkeys(("__builtin_object_size", "__builtin_dynamic_object_size"), _object_size),
    **dict.fromkeys(("__builtin_return_address", "__builtin_frame_address"), unknown_address),
}
