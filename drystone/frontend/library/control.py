"""Assumptions, assertions, ends of the program, and the jumps that are not modelled."""

from __future__ import annotations

from drystone.frontend.builder import ErrorKind
from drystone.frontend.clang import Node
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions import ExpressionLowering
from drystone.frontend.initialisers import string_literal
from drystone.frontend.library.common import NOTHING, Handler, any_result, effects_of_arguments, zero
from drystone.frontend.symbols import FunctionSymbol
from drystone.program.automaton import MarkKind
from drystone.program.expressions import Expression, InputKind
from drystone.program.operations import Assume


def _assume(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    condition = lowering.builder.without_inputs(lowering.condition(node.children[1]))
    lowering.builder.emit(Assume(condition))
    return NOTHING


def _verifier_assert(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    holds, fails = lowering.builder.location(), lowering.builder.location()
    lowering.branch(node.children[1], holds, fails)
    lowering.builder.current = fails
    lowering.builder.error(ErrorKind.ASSERTION, f"assertion {lowering.text(node.children[1])}")
    lowering.builder.current = holds
    return NOTHING


def _assert_fail(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    text = ""
    if len(node.children) > 1:
        literal = string_literal(node.children[1])
        text = lowering.unit.clang.spelling(literal.cursor).strip('"') if literal is not None else ""
    effects_of_arguments(lowering, node)
    lowering.builder.error(ErrorKind.ASSERTION, f"assertion {text}" if text else f"{symbol.name}()")
    return NOTHING


def _end(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _refuse(what: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        raise NotSupported(f"{symbol.name}: {what}")

    return handler


PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(("__VERIFIER_assume", "assume_abort_if_not"), _assume),
    **dict.fromkeys(("__VERIFIER_assert", "assert"), _verifier_assert),
    **dict.fromkeys(("__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn"), _assert_fail),
    **dict.fromkeys(("exit", "_exit", "_Exit", "quick_exit", "abort", "__VERIFIER_silent_exit"), _end),
    **dict.fromkeys(("__builtin_trap", "__builtin_unreachable"), _end),
    **dict.fromkeys(("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"), zero),
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp"), _refuse("jump to another activation")),
    **dict.fromkeys(("signal", "sigaction"), _refuse("signal handler")),
    **dict.fromkeys(("fesetround", "fesetenv", "feupdateenv"), _refuse("rounding mode")),
    **dict.fromkeys(("atexit", "at_quick_exit", "on_exit"), _refuse("exit handler")),
}
