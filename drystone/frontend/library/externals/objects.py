"""The objects that arguments point into, and those outside of the program: which of them a call may write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from drystone.concrete.output import STANDARD_STREAMS
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXType, library
from drystone.frontend.clang.cursors import fields_of
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import strip, without_casts
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Function, Pointer, Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.disguises import has_pointers, plain_name
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir import names
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Variable

POINTER_KIND, _RECORD, _NO_PROTO, _PROTO, _ARRAYS = 101, 105, 110, 111, (112, 114, 115)  # kinds of types


class Object(msgspec.Struct, frozen=True):
    """What an argument points into, or what lies outside."""

    name: str
    where: Place
    type: CType
    is_constant: bool = False


def is_outside(symbol: VariableSymbol) -> bool:
    """Is it an object that may be written where it is defined? The standard streams stay what they are."""
    lib = library()
    raw = lib.clang_getCanonicalType(lib.clang_getCursorType(symbol.cursor))
    is_stream = names.spelled(symbol.name) in STANDARD_STREAMS
    return not (symbol.defined or symbol.unit.is_model or is_stream or _is_constant(lib, raw))


def is_function_pointer(lowering: ExpressionLowering, raw: CXType) -> bool:
    if raw.kind != POINTER_KIND:
        return False
    return lowering.lib.clang_getCanonicalType(lowering.lib.clang_getPointeeType(raw)).kind in (_NO_PROTO, _PROTO)


def written_objects(lowering: ExpressionLowering, symbol: FunctionSymbol, arguments: list[Node]) -> list[Object]:
    """The objects that the call may write. Raises NotSupported where these are not known."""
    found: list[Object] = []
    for argument in arguments:
        raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(argument.cursor))
        if raw.kind != POINTER_KIND:
            hidden = _converted_pointer(lowering, argument)
            if hidden is not None or _leads_to_writable(lowering, raw):
                raise unknown(lowering, symbol, hidden or argument, "write through")
            continue
        pointee = lowering.lib.clang_getPointeeType(raw)
        if is_function_pointer(lowering, raw):
            raise unknown(lowering, symbol, argument, "call")
        inner = without_casts(argument)
        if _is_literal(lowering, inner):
            continue  # nobody else has its address
        if lowering.lib.clang_isConstQualifiedType(pointee) and not any(
            _leads_to_writable(lowering, each) for each in (pointee, _pointee(lowering, inner))
        ):
            continue
        target = lowering.types.convert(pointee)
        is_unknown = isinstance(target, Record) and target.size < 0 and plain_name(target) not in lowering.context.own_records
        if is_unknown and lowering.types.convert(_pointee(lowering, inner)) is target:
            continue  # what it is, only other files know: the program itself reads nothing of it
        object_ = pointed_to(lowering, inner)
        if object_ is not None and object_.is_constant and not has_pointers(object_.type):
            continue  # C leaves it undefined to write it, whatever the pointer says
        if object_ is None or object_.type.size < 0 or has_pointers(object_.type):
            raise unknown(lowering, symbol, argument, "write through")
        found.append(object_)
    return found


def outside_objects(lowering: ExpressionLowering, symbol: FunctionSymbol) -> Iterator[Object]:
    """The objects that the program refers to and does not define. Where their pointers point afterwards, and what becomes of the
    objects there, is not known."""
    for each in lowering.context.symbols.globals.values():
        if not is_outside(each):
            continue
        if each.type.size < 0 or has_pointers(each.type):
            what = "whose size is not known" if each.type.size < 0 else "which has pointers"
            raise NotSupported(f"{symbol.name}, which has no body, may write {each.name}, {what}", Unmodelled.BODY, symbol.name)
        if each.in_memory:
            yield Object(each.name, InMemory(lowering.context.address_of_global(each)), each.type)
        elif isinstance(each.type, Scalar):
            yield Object(each.name, InVariable(Variable(each.name, each.type.sort, each.spelling)), each.type)


def is_constant_pointee(lowering: ExpressionLowering, argument: Node) -> bool:
    """Is it a pointer to what its type calls constant, all that is behind it included?"""
    raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(argument.cursor))
    pointee = lowering.lib.clang_getPointeeType(raw)
    is_constant = bool(lowering.lib.clang_isConstQualifiedType(pointee))
    return is_constant and not _leads_to_writable(lowering, pointee)


def _is_constant(lib: Any, raw: CXType) -> bool:
    while raw.kind in _ARRAYS:
        raw = lib.clang_getCanonicalType(lib.clang_getArrayElementType(raw))
    return bool(lib.clang_isConstQualifiedType(raw))


def unknown(lowering: ExpressionLowering, symbol: FunctionSymbol, argument: Node, does: str) -> NotSupported:
    what = f"{symbol.name}, which has no body, may {does} {lowering.text(argument)}"
    return NotSupported(what, Unmodelled.BODY, symbol.name)


def _leads_to_writable(lowering: ExpressionLowering, raw: CXType, above: frozenset[int] = frozenset()) -> bool:
    """Has an object of this type, constant itself, a pointer to something that may be written, or to a function?"""
    lib = lowering.lib
    raw = lib.clang_getCanonicalType(raw)
    if raw.kind == POINTER_KIND:
        pointee = lib.clang_getCanonicalType(lib.clang_getPointeeType(raw))
        if pointee.kind in (_NO_PROTO, _PROTO):
            return True
        if pointee.kind == _RECORD and lib.clang_Type_getSizeOf(pointee) < 0:
            return False
        return not lib.clang_isConstQualifiedType(pointee) or _leads_to_writable(lowering, pointee, above)
    if raw.kind in _ARRAYS:
        return _leads_to_writable(lowering, lib.clang_getArrayElementType(raw), above)
    if raw.kind == _RECORD:
        declaration = lib.clang_getTypeDeclaration(raw)
        if declaration.d0 in above:
            return False
        inside = above | {declaration.d0}
        fields = fields_of(raw)
        return any(_leads_to_writable(lowering, lib.clang_getCursorType(each), inside) for each in fields)
    return False


def _pointee(lowering: ExpressionLowering, node: Node) -> CXType:
    """What an address is one of, before it is converted to `void *`."""
    raw: CXType = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(node.cursor))
    if raw.kind == POINTER_KIND:
        raw = lowering.lib.clang_getPointeeType(raw)
    return raw


def _converted_pointer(lowering: ExpressionLowering, node: Node) -> Node | None:
    """The pointer of which an argument is the number."""
    inner = without_casts(node)
    return inner if isinstance(lowering.type_of(inner), (Pointer, Array, Function)) else None


def _is_literal(lowering: ExpressionLowering, node: Node) -> bool:
    """A string or compound literal that leads to no other object."""
    if node.kind == kinds.UNARY_OPERATOR and node.operator == "&":
        node = strip(node.children[0])
    return node.kind in (kinds.STRING_LITERAL, kinds.COMPOUND_LITERAL) and not has_pointers(lowering.type_of(node))


def pointed_to(lowering: ExpressionLowering, node: Node) -> Object | None:
    """The variable that an address was made from: `&x`, `a`, `a + i`, `&a[i].b`; None if it comes out of a pointer."""
    node = without_casts(node)
    if isinstance(lowering.type_of(node), Array):
        return _place_in(lowering, node)
    if node.kind == kinds.UNARY_OPERATOR and node.operator == "&":
        return _place_in(lowering, strip(node.children[0]))
    if node.kind == kinds.BINARY_OPERATOR and node.operator in ("+", "-"):
        pointers = [each for each in node.children if isinstance(lowering.type_of(each), (Pointer, Array))]
        return pointed_to(lowering, pointers[0]) if len(pointers) == 1 else None
    return None


def _place_in(lowering: ExpressionLowering, node: Node) -> Object | None:
    """The variable in which this lvalue lies."""
    if node.kind == kinds.DECL_REF_EXPR:
        return _variable(lowering, node)
    if node.kind == kinds.MEMBER_REF_EXPR:
        base = strip(node.children[0])
        is_pointer = isinstance(lowering.type_of(base), Pointer)
        return pointed_to(lowering, base) if is_pointer else _place_in(lowering, base)
    if node.kind == kinds.ARRAY_SUBSCRIPT:
        pointers = [each for each in node.children if isinstance(lowering.type_of(each), (Pointer, Array))]
        return pointed_to(lowering, pointers[0])
    if node.kind == kinds.UNARY_OPERATOR and node.operator == "*":
        return pointed_to(lowering, node.children[0])
    return None


def _variable(lowering: ExpressionLowering, node: Node) -> Object | None:
    symbol = lowering.context.symbols.resolve(lowering.unit, lowering.lib.clang_getCursorReferenced(node.cursor), lowering.owner)
    if not isinstance(symbol, VariableSymbol):
        return None
    where = lowering.place(node)
    raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(symbol.cursor))
    return Object(symbol.name, where, symbol.type, _is_constant(lowering.lib, raw)) if isinstance(where, InMemory) else None
