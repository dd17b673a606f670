"""What looks like an assertion and is none: a user who thinks that it was proved should hear of it."""

from __future__ import annotations

from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import direct_callee
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.ir import names
from drystone.ir.conventions import ASSERTING, ERROR_FUNCTIONS

_MEANT = {name.strip("_").lower(): name for name in (*sorted(ASSERTING, reverse=True), *ERROR_FUNCTIONS)}
_ALIKE = 0.8  # `asert`, `asssert`, `reach_eror`; not `insert`


def note_near_miss(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> None:
    """For a call of a function without a body that is known to nobody."""
    if lowering.unit.is_model or not lowering.context.all_errors:
        return
    from difflib import get_close_matches  # seldom needed

    name = names.spelled(symbol.name)
    plain = name.strip("_").lower()
    meant = get_close_matches(plain, _MEANT, 1, _ALIKE)
    what = f"{name}(), which is not declared and has no body" if _is_implicit(lowering, node) else f"{name}(), which has no body"
    if "assert" in plain:
        lowering.context.near_miss(f"{what}: --assert {name} makes it an assertion", lowering.builder.origin)
    elif meant:
        lowering.context.near_miss(f"{what}: did you mean {_MEANT[meant[0]]}?", lowering.builder.origin)
    elif _is_implicit(lowering, node):
        lowering.context.near_miss(what, lowering.builder.origin)


def _is_implicit(lowering: ExpressionLowering, node: Node) -> bool:
    """Is the call itself the declaration? Then no text belongs to it."""
    reference = direct_callee(node)
    if reference is None:
        return False
    file, _ = lowering.unit.clang.source.start_offset(library().clang_getCursorReferenced(reference.cursor))
    return not file
