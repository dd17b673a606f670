"""What the effects of library functions are made of: the primitives behind `models/effects.h`.

An effect says of a library function what it may write, what its result may be, and whether it may set errno, not which of these:
values are inputs that the `IMPLEMENTATION` determines, so that no error is reported that rests on one alone.
"""

from __future__ import annotations

from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import string_literal
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Pointer
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, before_conversion
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Determinant, Expression, InputKind, constant, load
from drystone.ir.operations import Call, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec

ERRNO = "__errno_location"
_LARGEST_ERRNO = 133  # EHWPOISON


def may_set_errno(lowering: ExpressionLowering) -> None:
    """errno stays or becomes the number of some error; nothing where the program never asks for it."""
    address = errno_address(lowering.context, lowering.builder)
    if address is None:
        return
    builder, sort, kind = lowering.builder, bitvec(32), _kind(lowering)
    old = builder.keep(load(sort, address))
    is_set = builder.temporary(BOOL)
    builder.assign(is_set, builder.input(BOOL, kind, "errno", Determinant.IMPLEMENTATION))
    # without a condition on the number: an execution that nothing of this decides does not depend on it
    any_number = builder.input(sort, kind, "errno", Determinant.IMPLEMENTATION)
    rest = make("bvurem", sort, any_number, constant(32, _LARGEST_ERRNO))
    number = builder.keep(make("bvadd", sort, rest, constant(32, 1)))
    builder.emit(Store(address, make("ite", sort, is_set, number, old)))


def _set_errno(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    """To a number that is known; nothing where the program never asks for it."""
    (number,) = lowering.arguments(node)
    address = errno_address(lowering.context, lowering.builder)
    if address is not None:
        lowering.builder.emit(Store(address, number))
    return NOTHING


def _kind(lowering: ExpressionLowering) -> InputKind:
    """Of an approximated value: models, which may branch on it without the program's depending on it, are told apart by it."""
    return InputKind.NONDET if lowering.unit.is_model else InputKind.EXTERNAL


def errno_address(context: Context, builder: Builder) -> Expression | None:
    """Where errno is; None if nothing that is reached reads or writes it."""
    symbol = context.symbols.functions.get(ERRNO)
    if symbol is None or symbol.definition is None or not symbol.unit.is_model:
        return None
    address = builder.temporary(context.pointer)
    builder.emit(Call(ERRNO, (), address))
    return address


def _may_set_errno(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    may_set_errno(lowering)
    return NOTHING


def _any_object(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """The object behind the pointer, member by member: any value of its type."""
    type_ = lowering.type_of(before_conversion(node.children[1], lowering))
    if not isinstance(type_, Pointer):
        raise NotSupported(f"{symbol.name} of {type_}")
    address = lowering.builder.keep(lowering.arguments(node)[0])
    lowering.memory.havoc(InMemory(address), type_.target, _kind(lowering), "object", Determinant.IMPLEMENTATION)
    return NOTHING


def _refuse(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """A use of the function that its model does not know."""
    name = names.spelled(lowering.owner)
    raise NotSupported(f"{name}: {_text(node)}", Unmodelled.LIBRARY, name)


def _changes(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Refuses a call that would change a variable of the library, where the program uses that variable."""
    if (variable := _text(node)) in lowering.context.symbols.globals:
        name = names.spelled(lowering.owner)
        raise NotSupported(f"{name}: it changes {variable}", Unmodelled.LIBRARY, name)
    return NOTHING


def _text(node: Node) -> str:
    literal = string_literal(node.children[1])
    assert literal is not None
    return spelling(literal.cursor).strip('"')


PRIMITIVES: dict[str, Handler] = {
    "__drystone_may_set_errno": _may_set_errno,
    "__drystone_set_errno": _set_errno,
    "__drystone_any_object": _any_object,
    "__drystone_refuse": _refuse,
    "__drystone_changes": _changes,
}
