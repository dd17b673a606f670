"""Pointers that a function without a body returns into what it was given."""

from __future__ import annotations

from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import without_casts
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Record, Scalar, Void
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.externals.objects import POINTER_KIND, pointed_to, unknown
from drystone.frontend.lowering.places import InMemory
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import Constant, Expression, InputKind, Variable
from drystone.ir.operations import Assume
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def may_be_returned(lowering: ExpressionLowering, argument: Node, call: Node) -> bool:
    """Could the result be a pointer into what this argument points to? Not if their types have nothing in common. One to
    something const becomes one to something else only where that has such a part, as for `strchr`."""
    lib = lowering.lib
    raw = lib.clang_getCanonicalType(lib.clang_getCursorType(argument.cursor))
    if raw.kind != POINTER_KIND:
        return False
    given = lib.clang_getPointeeType(raw)
    result = lib.clang_getPointeeType(lib.clang_getCanonicalType(lib.clang_getCursorType(call.cursor)))
    first, second = lowering.types.convert(given), lowering.types.convert(result)
    if isinstance(first, Function):
        return False
    if lib.clang_isConstQualifiedType(given) and not lib.clang_isConstQualifiedType(result):
        return isinstance(first, Void) or _has_part(first, second)
    if isinstance(first, Scalar) and not _is_bytes(first) and not _is_bytes(second):
        return _has_part(first, second)
    return True


def _has_part(whole: CType, part: CType) -> bool:
    """Is an object of the one type a part of one of the other, or all of it?"""
    if isinstance(whole, Record):
        same = whole.is_same(part)
        return same or (whole.size >= 0 and any(_has_part(field.type, part) for field in whole.fields))
    if isinstance(whole, Array):
        return isinstance(part, Array) or _has_part(whole.element, part)
    if _is_bytes(whole):
        return _is_bytes(part)
    return whole is part or isinstance(part, Void) or (type(whole) is type(part) and whole.size == part.size)


def _is_bytes(type_: CType) -> bool:
    return isinstance(type_, Void) or (isinstance(type_, Int) and type_.width == 8)


def or_returns(
    lowering: ExpressionLowering, symbol: FunctionSymbol, argument: Node, value: Expression, result: Variable, type_: Pointer
) -> None:
    """The result may also be a pointer into what the argument points to."""
    builder = lowering.builder
    inner = without_casts(argument)
    object_ = pointed_to(lowering, inner)
    into, other = builder.location(), builder.location()
    builder.branch(builder.choice(f"{symbol.name}() points into {lowering.text(argument)}"), into, other)
    builder.current = into
    is_opaque = isinstance(type_.target, Record) and type_.target.size < 0
    if is_opaque:
        builder.assign(result, value)
    elif object_ is not None and isinstance(object_.where, InMemory) and object_.type.size >= 0:
        distance = builder.keep(builder.input(result.sort, InputKind.EXTERNAL, f"offset of {symbol.name}() in {object_.name}"))
        builder.emit(Assume(make("bvult", BOOL, distance, lowering.pointer_constant(max(object_.type.size, 1)))))
        align = lowering.pointer_constant(max(type_.target.align, 1) - 1)
        builder.emit(Assume(make("=", BOOL, make("bvand", result.sort, distance, align), Constant(result.sort, 0))))
        builder.assign(result, make("bvadd", result.sort, object_.where.address, distance))
    else:
        refused = unknown(lowering, symbol, argument, "return a pointer into")
        builder.end(MarkKind.UNKNOWN, f"{refused.what}", refused.unmodelled, refused.name)
    builder.place(other)
