"""Thread operations: kept as they are for the concurrent engine; sequential engines stop at them."""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler
from drystone.ir.expressions import Expression
from drystone.ir.operations import ThreadOperation

OPERATIONS = regex(
    r"(pthread_|thrd_|mtx_|cnd_|tss_|sem_(init|wait|post|trywait|destroy|getvalue)$|__VERIFIER_atomic_(begin|end)$)"
)
_CREATORS = frozenset({"pthread_create", "thrd_create"})


def operation(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = lowering.arguments(node)
    type_ = lowering.type_of(node)
    result = lowering.builder.temporary(type_.sort) if isinstance(type_, Scalar) else None
    lowering.builder.emit(ThreadOperation(symbol.name, tuple(values), result))
    return result if result is not None else NOTHING


def _section(name: str) -> Handler:
    """The bounds of an atomic builtin (see drystone_prelude.h); without other threads nothing can interrupt it."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        if not _CREATORS.isdisjoint(lowering.context.symbols.functions):
            lowering.builder.emit(ThreadOperation(name, (), None))
        return NOTHING

    return handler


def _call_once(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    """Its model knows no other threads, which would have to wait."""
    if not _CREATORS.isdisjoint(lowering.context.symbols.functions):
        raise NotSupported(f"{symbol.name} in a program with threads")
    return None


MODELLED = frozenset({"call_once"})
"""Primitives where there are other threads."""

PRIMITIVES: dict[str, Handler] = {
    "call_once": _call_once,
    "__drystone_atomic_begin": _section("__VERIFIER_atomic_begin"),
    "__drystone_atomic_end": _section("__VERIFIER_atomic_end"),
}
