"""What must hold, and what is assumed: assertions and assumptions of C libraries and of other tools."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import direct_callee, string_literal
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Int, Pointer, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, effects_of_arguments
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, ErrorKind
from drystone.ir.conventions import ASSERTING, ASSUMING, FAILED
from drystone.ir.expressions import Expression
from drystone.ir.operations import Assume, Report
from drystone.ir.simplify import truth

REMOVED = "__drystone_removed_assert"
"""What `assert` becomes where NDEBUG is defined."""


def _assume(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    condition = lowering.builder.without_inputs(lowering.condition(node.children[1]))
    lowering.builder.emit(Assume(condition))
    return NOTHING


def _assume_unevaluated(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Compilers do not evaluate an argument of `__builtin_assume` that has side effects."""
    if node.children[1].effects == EFFECTS:
        raise NotSupported(f"{symbol.name}: side effect of its argument {lowering.text(node.children[1])}")
    return _assume(lowering, symbol, node)


def assert_argument(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """The first argument must hold; the others only have effects."""
    if len(node.children) < 2 or not isinstance(lowering.type_of(node.children[1]), Scalar):
        raise NotSupported(f"{symbol.name} as an assertion: it has no condition as its first argument")
    if any(other.effects == EFFECTS for other in node.children[2:]):
        raise NotSupported(f"{symbol.name} as an assertion: a side effect of an argument beside its condition")
    holds, fails = lowering.builder.location(), lowering.builder.location()
    lowering.branch(node.children[1], holds, fails)
    lowering.builder.current = fails
    _fail(lowering.builder, f"assertion {lowering.text(node.children[1])}")
    lowering.builder.current = holds
    return NOTHING


def assert_value(builder: Builder, value: Expression, text: str) -> None:
    """The same for an argument that is evaluated already, or for a parameter."""
    holds, fails = builder.location(), builder.location()
    builder.branch(truth(value), holds, fails)
    builder.current = fails
    _fail(builder, f"assertion {text}")
    builder.current = holds


def _fail(builder: Builder, what: str) -> None:
    builder.emit(Report("abort", ()))
    builder.error(ErrorKind.ASSERTION, what)


def is_failure(symbol: FunctionSymbol) -> bool:
    """Does the library call it where an assertion does not hold? A function of the program may have such a name and a condition
    as its first argument."""
    name, parameters = names.spelled(symbol.name), symbol.type.parameters
    first = parameters[0] if parameters else None
    is_text = not symbol.type.prototyped or (isinstance(first, Pointer) and isinstance(first.target, Int))
    return name in FAILED and (is_text or name == "__assert_perror_fail")


def _failed(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    if not is_failure(symbol):
        return None
    text = _asserted(lowering, node)
    effects_of_arguments(lowering, node)
    _fail(lowering.builder, f"assertion {text}" if text else f"{symbol.name}()")
    return NOTHING


def _asserted(lowering: ExpressionLowering, node: Node) -> str:
    """What the assertion says. Libraries pass it at different places, beside names of the file and of the function."""
    for argument in node.children[1:]:
        literal = string_literal(argument)
        text = spelling(literal.cursor).strip('"') if literal is not None else ""
        if text and text != lowering.unit.clang.path:
            return text
    return ""


def _removed(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    lowering.context.near_miss("assert, which NDEBUG removes", lowering.builder.origin)
    return NOTHING


def find_unchecked(context: Context) -> None:
    """Functions of the program that have the name of an assertion, and no error in their bodies: where they are called, their
    first argument must hold. A name that is asked for and is that of nothing is a near miss."""
    for name in sorted(context.asserting - ASSERTING - context.symbols.functions.keys()):
        context.near_miss(f"--assert {name}: no function of this name is called", NOWHERE)
    for name, symbol in context.symbols.functions.items():
        if context.all_errors and name in context.asserting and symbol.tree is not None:
            if not _calls(symbol.tree, context.error_functions | context.asserting | FAILED):
                context.unchecked.add(name)


def _calls(node: Node, functions: frozenset[str]) -> bool:
    if node.kind == kinds.CALL_EXPR and (callee := direct_callee(node)) is not None and spelling(callee.cursor) in functions:
        return True
    return any(_calls(child, functions) for child in node.children)


PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(ASSUMING, _assume),
    "__builtin_assume": _assume_unevaluated,
    **dict.fromkeys(ASSERTING, assert_argument),
    **dict.fromkeys(FAILED, _failed),
    REMOVED: _removed,
}
