"""Variable arguments: a va_list keeps the address of its next argument in its first word."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Array, Pointer, Record
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, effects_of_arguments
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir.expressions import Expression, constant
from drystone.ir.operations import Store
from drystone.ir.simplify import make


def _list_place(lowering: ExpressionLowering, node: Node) -> Place:
    """Where a va_list keeps the address of its next argument: at its first word."""
    node = strip(node)
    while node.kind == kinds.UNEXPOSED_EXPR and len(node.children) == 1:
        node = strip(node.children[0])
    type_ = lowering.type_of(node)
    if isinstance(type_, Array):
        return lowering.place(node)
    if isinstance(type_, Pointer) and isinstance(type_.target, Record):
        return InMemory(lowering.rvalue(node))  # a parameter of type va_list, LP64
    return lowering.place(node)


def _read_list(lowering: ExpressionLowering, where: Place) -> Expression:
    return lowering.memory.read(where, lowering.types.size)


def list_address(lowering: ExpressionLowering, node: Node) -> Expression:
    """The address of the next argument of a list."""
    return _read_list(lowering, _list_place(lowering, node))


def _write_list(lowering: ExpressionLowering, where: Place, value: Expression) -> None:
    if isinstance(where, InVariable):
        lowering.builder.assign(where.variable, value)
    else:
        assert isinstance(where, InMemory)
        lowering.builder.emit(Store(where.address, value))


def _va_start(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    area = lowering.varargs
    if area is None:
        raise NotSupported("va_start outside a variadic function")
    where = _list_place(lowering, node.children[1])
    for argument in node.children[2:]:
        lowering.discard(argument)
    _write_list(lowering, where, area)
    return NOTHING


def _va_copy(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    target = _list_place(lowering, node.children[1])
    if node.children[2].effects == EFFECTS:
        target = lowering.memory.keep_place(target)
    _write_list(lowering, target, _read_list(lowering, _list_place(lowering, node.children[2])))
    return NOTHING


def _va_arg(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    builder, width = lowering.builder, lowering.context.pointer_width
    where = lowering.memory.keep_place(_list_place(lowering, node.children[1]))  # it is read, then written
    size, align = (evaluate(child.cursor) for child in node.children[2:4])
    if not isinstance(size, int) or not isinstance(align, int):
        raise NotSupported("va_arg of a type without constant size")
    word = width // 8
    step = max(word, min(align, 16)) if width == 64 else word
    old = _read_list(lowering, where)
    if step > word:  # aligned arguments start at a multiple of 16
        old = make("bvand", old.sort, make("bvadd", old.sort, old, constant(width, step - 1)), constant(width, -step))
    address = builder.keep(old)
    after = make("bvadd", address.sort, address, constant(width, -(-size // word) * word))
    _write_list(lowering, where, after)
    return address


def _va_end(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    effects_of_arguments(lowering, node)
    return NOTHING


PRIMITIVES: dict[str, Handler] = {
    "__builtin_va_start": _va_start,
    "__builtin_va_end": _va_end,
    "__builtin_va_copy": _va_copy,
    "__drystone_va_arg": _va_arg,
}
