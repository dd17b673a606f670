"""What the primitives share."""

from __future__ import annotations

from collections.abc import Callable

from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import CType, Int, Pointer, Record, Scalar, Void
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.conversions import resize
from drystone.ir import names
from drystone.ir.conventions import width_of_any_value
from drystone.ir.expressions import Address, Constant, Determinant, Expression, InputKind, constant
from drystone.ir.operations import Assume, Declare
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec

Handler = Callable[[ExpressionLowering, FunctionSymbol, Node], Expression | None]
"""Lowers a call; None: not in this case (a model or an external function takes over)."""

_APPROXIMATING = "__VERIFIER_nondet_approximate_"
"""Begins the names of the functions that models in C call for such an input; called by a program, they are like others."""

NOTHING = constant(32, 0)
"""The value of a call without a result."""


def any_result(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, kind: InputKind) -> Expression:
    """A result chosen by the environment."""
    type_ = lowering.type_of(node)
    if isinstance(type_, Void):
        return NOTHING
    if isinstance(type_, Scalar):
        return lowering.environment.any_value(type_, kind, *_asked(lowering, symbol))
    if isinstance(type_, Record):
        name = lowering.memory.temporary_object(type_, names.RESULT)
        lowering.builder.emit(Declare(name))
        return Address(name, lowering.context.pointer)
    raise NotSupported(f"result of type {type_} from {symbol.name}")


def in_width_of_name(builder: Builder, name: str, value: Expression, type_: CType) -> Expression:
    """What a function like `__VERIFIER_nondet_bool` returns, also where it is declared with a wider type, or not at all."""
    known = width_of_any_value(name)
    if known is None or not isinstance(type_, Int) or type_.is_bool or type_.width <= known[0]:
        return value
    value = builder.keep(value)
    cut = make("truncate", bitvec(known[0]), value)
    builder.emit(Assume(make("=", BOOL, value, resize(cut, type_.width, known[1]))))
    return value


def _asked(lowering: ExpressionLowering, symbol: FunctionSymbol) -> tuple[str, Determinant]:
    if lowering.unit.is_model and symbol.name.startswith(_APPROXIMATING):
        return symbol.name.removeprefix(_APPROXIMATING), Determinant.IMPLEMENTATION
    return symbol.name, Determinant.FUNCTION


def effects_of_arguments(lowering: ExpressionLowering, node: Node) -> None:
    """Evaluates the arguments of a call whose values nobody looks at."""
    for argument in node.children[1:]:
        lowering.discard(argument)


def nothing(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    return NOTHING


def first_argument(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    return lowering.arguments(node)[0]


def zero(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    type_ = lowering.type_of(node)
    return Constant(type_.sort, 0) if isinstance(type_, Scalar) else NOTHING


def unknown_address(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """An address that depends on where the compiler and the system put things."""
    lowering.arguments(node)
    return lowering.builder.input(lowering.context.pointer, InputKind.APPROXIMATED, symbol.name, Determinant.FRAME)


def before_conversion(node: Node, lowering: ExpressionLowering) -> Node:
    """The argument before it was converted to `void *`."""
    node = strip(node)
    while (
        node.kind == kinds.UNEXPOSED_EXPR and len(node.children) == 1 and isinstance(lowering.type_of(node.children[0]), Pointer)
    ):
        node = strip(node.children[0])
    return node


def is_bool(lowering: ExpressionLowering, node: Node) -> bool:
    type_ = lowering.type_of(node)
    return isinstance(type_, Int) and type_.is_bool
