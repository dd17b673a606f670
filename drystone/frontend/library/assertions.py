"""What must hold, and what is assumed: assertions and assumptions of C libraries and of other tools."""

from __future__ import annotations

import re

from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import direct_callee, string_literal
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, any_result, effects_of_arguments
from drystone.frontend.library.known import shape_of
from drystone.frontend.lowering.abrupt_ends import check_failure
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, ErrorKind
from drystone.ir.conventions import ASSERTING, ASSUMING, FAILED, REMOVED_ASSERT
from drystone.ir.expressions import Expression, InputKind, Variable
from drystone.ir.operations import Assume, Report
from drystone.ir.simplify import truth


def _assume(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    condition = lowering.builder.without_inputs(lowering.condition(node.children[1]))
    lowering.builder.emit(Assume(condition))
    return NOTHING


def _assume_unevaluated(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Compilers do not evaluate an argument of `__builtin_assume` that has side effects."""
    if node.children[1].effects == EFFECTS:
        raise NotSupported(f"{symbol.name}: side effect of its argument {lowering.text(node.children[1])}")
    return _assume(lowering, symbol, node)


# functions whose first argument must hold


def is_asserting(context: Context, node: Node) -> bool:
    """Does the call say so by the name that it uses? The function may have another one: an alias, or one of several of a name."""
    callee = direct_callee(node)
    return callee is not None and spelling(callee.cursor) in context.asserting


def assert_argument(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """The first argument must hold; the others only have effects."""
    condition = _condition(lowering, symbol, node)
    if any(other.effects == EFFECTS for other in node.children[2:]):
        raise NotSupported(f"{symbol.name} as an assertion: a side effect of an argument beside its condition")
    holds, fails = lowering.builder.location(), lowering.builder.location()
    lowering.branch(condition, holds, fails)
    lowering.builder.current = fails
    _fail(lowering.builder, f"assertion {lowering.text(condition)}")
    lowering.builder.current = holds
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def assert_value(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, values: list[Expression]) -> None:
    """The same for a function of the program, with arguments that are evaluated already: its body does the rest."""
    text = lowering.text(_condition(lowering, symbol, node))
    _check(lowering.builder, values[0], text)


def assert_parameter(builder: Builder, symbol: FunctionSymbol, parameters: list[Variable]) -> None:
    """The same where the function begins, for calls that do not show it."""
    given = parameters[isinstance(symbol.type.result, Record) :]
    if given and isinstance(symbol.type.parameters[0], Scalar):
        _check(builder, given[0], f"by {names.spelled(symbol.name)}()")


def _condition(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Node:
    if len(node.children) < 2 or not isinstance(lowering.type_of(node.children[1]), Scalar):
        raise NotSupported(f"{names.spelled(symbol.name)} as an assertion: it has no condition as its first argument")
    return node.children[1]


def _check(builder: Builder, value: Expression, text: str) -> None:
    holds, fails = builder.location(), builder.location()
    builder.branch(truth(value), holds, fails)
    builder.current = fails
    _fail(builder, f"assertion {text}")
    builder.current = holds


def note_missing_assertions(context: Context) -> None:
    """A name that is asked for and is that of nothing is a near miss."""
    known = {names.spelled(name) for name in context.symbols.functions}
    for name in sorted(context.asserting - ASSERTING - known):
        context.near_miss(f"--assert {name}: no function of this name is called", NOWHERE)


# functions that are called where an assertion does not hold


def is_failure(symbol: FunctionSymbol) -> bool:
    """Is it the one of a library? A function of the program whose name is not reserved, and that returns, may be anything."""
    name = names.spelled(symbol.name)
    is_reserved = name.startswith("__") or symbol.definition is None or symbol.is_noreturn
    if name not in FAILED or not is_reserved:
        return False
    return not symbol.type.prototyped or shape_of(symbol.type).rstrip(".")[1:].startswith(FAILED[name])


def fail(builder: Builder, symbol: FunctionSymbol) -> None:
    _fail(builder, f"{names.spelled(symbol.name)}()")


def _failed(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    if not is_failure(symbol):
        return None
    text = _asserted(names.spelled(symbol.name), node)
    effects_of_arguments(lowering, node)
    _fail(lowering.builder, f"assertion {text}" if text else f"{symbol.name}()")
    return NOTHING


def _fail(builder: Builder, what: str) -> None:
    check_failure(builder, what)
    builder.emit(Report("abort", ()))
    builder.error(ErrorKind.ASSERTION, what)


_TEXTS = {"__assert_fail": 0, "__assert": 0, "__assert_c99": 0, "_assert": 0, "_wassert": 0}
_TEXTS |= {"__assert_func": 3, "__assert_rtn": 3, "__assert2": 3, "g_assertion_message_expr": 4}
"""Which argument is the text of the assertion."""


def _asserted(function: str, node: Node) -> str:
    """What the assertion says."""
    position = _TEXTS.get(function, -1)
    if function == "__assert" and len(node.children) == 5 and string_literal(node.children[1]) is None:
        position = 3  # the name of the function comes first
    literal = string_literal(node.children[1 + position]) if 0 <= position < len(node.children) - 1 else None
    return re.sub(r"\\(.)", r"\1", spelling(literal.cursor).strip('"')) if literal is not None else ""


def _removed(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    lowering.context.near_miss("assert, which NDEBUG removes", lowering.builder.origin)
    return NOTHING


PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(ASSUMING, _assume),
    "__builtin_assume": _assume_unevaluated,
    **dict.fromkeys(ASSERTING, assert_argument),
    **dict.fromkeys(FAILED, _failed),
    REMOVED_ASSERT: _removed,
}
