"""Texts that the program gives to the library as literals: strtod and sscanf read them when the program is lowered."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.concrete.number_texts import SPACE, Read, Unreadable, number_at_start, pattern, scanned
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import CType, Int, Pointer, Real
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler, before_conversion
from drystone.frontend.library.formats import literal_bytes
from drystone.frontend.lowering.places import InMemory
from drystone.ir.expressions import Constant, Expression, constant
from drystone.ir.operations import Copy, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, Float

MODELLED = frozenset(("strtod", "strtof", "strtold", "atof"))
"""Primitives for known texts only."""


def _number(sort: Float, has_end: bool) -> Handler:
    """Of a literal, where it is clear whether there is a place for its end; otherwise the model gives any number."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        text, type_ = literal_bytes(node.children[1]), lowering.type_of(node)
        if text is None or not isinstance(type_, Real) or type_.sort != sort or (has_end and _is_null(node.children[2]) is None):
            return None
        spaces = len(text) - len(text.lstrip(SPACE))
        try:
            number = number_at_start(text[spaces:])
            value = pattern(number, sort) if number is not None else 0
        except Unreadable:
            return None
        if has_end and not _is_null(node.children[2]):
            place = lowering.rvalue(node.children[2])
            start = lowering.rvalue(node.children[1])
            used = spaces + number.length if number is not None else 0
            end = make("bvadd", start.sort, start, lowering.pointer_constant(used))
            lowering.builder.emit(Store(place, end))
        return Constant(sort, value)

    return handler


def _is_null(node: Node) -> bool | None:
    """Of a pointer: a null pointer constant, the address of a variable, or (None) there is no telling."""
    inner = strip(node)
    while inner.kind in (kinds.UNEXPOSED_EXPR, kinds.CAST_EXPR) and inner.children:
        inner = strip(inner.children[-1])
    if inner.kind == kinds.UNARY_OPERATOR and inner.operator == "&":
        return False if strip(inner.children[0]).kind == kinds.DECL_REF_EXPR else None
    return True if evaluate(inner.cursor) == 0 and inner.kind == kinds.INTEGER_LITERAL else None


def scanned_text(lowering: ExpressionLowering, node: Node, template: bytes) -> Expression | None:
    """sscanf of a literal: stores what it reads, and gives its result; None where that is not known."""
    text = literal_bytes(node.children[1])
    arguments = node.children[3:]
    if text is None:
        return None
    try:
        read, result = scanned(text, template, lowering.context.pointer_width)
    except Unreadable:
        return None
    type_ = lowering.type_of(node)
    if len(read) > len(arguments) or not isinstance(type_, Int) or type_.width != 32:
        return None
    targets = [_target(lowering, argument) for argument in arguments]
    if not all(_fits(each, target) for each, target in zip(read, targets, strict=False)):
        return None
    values = lowering.arguments(node)[2:]
    _store(lowering, read, targets, values)
    return constant(32, result)


def _target(lowering: ExpressionLowering, argument: Node) -> CType | None:
    type_ = lowering.type_of(before_conversion(argument, lowering))
    return type_.target if isinstance(type_, Pointer) else None


def _fits(read: Read, target: CType | None) -> bool:
    """Is this what the object is made for?"""
    if read.sort is not None:
        return isinstance(target, Real) and target.sort == read.sort
    return isinstance(target, Int) and target.width == read.width and not target.is_bool


def _store(
    lowering: ExpressionLowering, read: Sequence[Read], targets: Sequence[CType | None], values: Sequence[Expression]
) -> None:
    for each, target, address in zip(read, targets, values, strict=False):
        if isinstance(each.value, bytes):
            source = lowering.context.literal(each.value, 1, f"char[{len(each.value)}]", lowering.builder.origin)
            lowering.builder.emit(Copy(address, source, len(each.value)))
        else:
            assert isinstance(target, (Int, Real))
            lowering.memory.write(InMemory(lowering.builder.keep(address)), Constant(target.sort, each.value), target)


PRIMITIVES: dict[str, Handler] = {
    "strtod": _number(FLOAT64, has_end=True),
    "strtof": _number(FLOAT32, has_end=True),
    "strtold": _number(EXTENDED, has_end=True),
    "atof": _number(FLOAT64, has_end=False),
}
