"""Functions without a body that the library does not define.

In verification tasks they return any value and do nothing else; those that are declared `const` or `pure`, the same value for the
same arguments, and nothing else anywhere. In a program of a user they may also write what they are given:
the whole object that an argument points to, unless it is const there, `extern` objects that are defined where they are,
outside of the program, errno, and what the library keeps (`state`). Where nobody can say which objects these are (the argument is
a pointer that the program computes, the object has pointers to others, a function is passed that may be called back, an address
may be in a number), what follows is unknown. They keep no pointer, and change no variable of the program that they are not given:
an assumption.
"""

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
from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Real, Record, Scalar, Void
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.disguises import has_pointers, plain_name
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import any_result
from drystone.frontend.library.control import has_exit_handlers, run_exit_handlers
from drystone.frontend.library.effects import ERRNO, errno_address
from drystone.frontend.library.state import change_state, has_state
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir import names
from drystone.ir.automaton import MarkKind, MemoryObject, ObjectKind
from drystone.ir.expressions import FALSE, TRUE, Address, Constant, Determinant, Expression, InputKind, Variable, byte_size
from drystone.ir.operations import Assume, Copy, Declare, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec, Sort, bitvec

_MOST_VALUES, _MOST_BYTES = 64, 1024  # that are written one by one, and looked at
_POINTER, _RECORD, _NO_PROTO, _PROTO, _ARRAYS = 101, 105, 110, 111, (112, 114, 115)  # kinds of types
_ADVICE = "--external pure: it does neither write nor call back"


class _Object(msgspec.Struct, frozen=True):
    """What an argument points into, or what lies outside."""

    name: str
    where: Place
    type: CType
    is_constant: bool = False


def external(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """A call of an undefined function: any result (a pointer: NULL or fresh memory); in a user's program, more."""
    values = lowering.arguments(node)
    is_pure = not symbol.attributes.isdisjoint(("const", "pure"))
    may_write = lowering.context.external_may_write and not lowering.unit.is_model and not is_pure
    given = [each for each in zip(node.children[1:], values, strict=True) if not _is_null(each[1])]
    if "returns_twice" in symbol.attributes:
        raise NotSupported(f"call of {symbol.name}, which returns twice")
    if symbol.is_noreturn and not (may_write and has_exit_handlers(lowering.context)):
        return _end(lowering, symbol, node, [argument for argument, _ in given] if may_write else [])
    if not may_write:
        lowering.context.note("external function", f"{symbol.name}: any result, no side effect", lowering.builder.origin)
        return _remembered(lowering, symbol, node, values) if is_pure else _result(lowering, symbol, node)
    type_ = lowering.type_of(node)
    returned = []
    if isinstance(type_, Pointer) and not isinstance(type_.target, Function):
        returned = [(each, lowering.builder.keep(value)) for each, value in given if _may_be_returned(lowering, each, node)]
    written = [*_written(lowering, symbol, [argument for argument, _ in given]), *_outside(lowering, symbol)]
    _refuse_disguises(lowering, symbol, given, written)
    if isinstance(type_, Record) and has_pointers(type_) and any(_is_address(lowering, each) for each, _ in given):
        raise _unknown(lowering, symbol, node, "return a pointer into the arguments of")
    for _, value in given:
        lowering.environment.give_away(value)  # a number that it returns or writes may be what it got
    for each in written:
        _havoc(lowering, each, f"{symbol.name} writes {each.name}")
    _set_errno(lowering, symbol)
    change_state(lowering, symbol.name)
    if symbol.is_noreturn:
        _end_in_some_way(lowering, symbol)
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)
    what = f"writes {', '.join(sorted({each.name for each in written}))} at most" if written else "no side effect"
    what += "; keeps no pointer that it gets" if len(node.children) > 1 else ""
    lowering.context.note("external function", f"{symbol.name}: any result, {what}", lowering.builder.origin)
    result = _result(lowering, symbol, node)
    for argument, value in returned:
        assert isinstance(result, Variable) and isinstance(type_, Pointer)
        _or_returns(lowering, symbol, argument, value, result, type_)
    return result


def _result(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    if isinstance(type_, Pointer) and not isinstance(type_.target, Function):
        is_there = None if "returns_nonnull" in symbol.attributes else (symbol.name, Determinant.NOT_NULL)
        return lowering.environment.fresh_pointer(type_, symbol.name, Determinant.POINTEE, is_there)
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _remembered(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, values: list[Expression]) -> Expression:
    """The result of a function that is declared `const` or `pure`. It is any value the first time. A `const` function gives the
    same again for the same arguments; what an earlier call says about another result is not known, and so approximated."""
    builder, type_ = lowering.builder, lowering.type_of(node)
    if not isinstance(type_, Scalar):
        raise NotSupported(f"{symbol.name}, which has no body and is declared const or pure, returns {type_}")
    types = [lowering.type_of(argument) for argument in node.children[1:]]
    is_comparable = "const" in symbol.attributes and symbol.type.prototyped and not symbol.type.variadic
    is_comparable = is_comparable and all(isinstance(each, Scalar) for each in types)

    def own(what: str, sort: Sort) -> Variable:
        variable = lowering.context.variable(f"{symbol.name} {what}", sort)
        if variable.sort != sort:
            raise NotSupported(f"{symbol.name}, which has no body and is declared const or pure, has several types")
        return variable

    given = [builder.keep(_as_number(value)) for value in values] if is_comparable else []
    before = [own(f"argument {index}", value.sort) for index, value in enumerate(given)]
    called, last, result = own("called", BOOL), own("result", type_.sort), builder.temporary(type_.sort)
    first, again, same, other, join = (builder.location() for _ in range(5))
    builder.branch(called, again, first)
    builder.current = again
    is_same: Expression = TRUE if is_comparable else FALSE
    for old, value in zip(before, given, strict=True):
        is_same = make("and", BOOL, is_same, make("=", BOOL, old, value))
    builder.branch(is_same, same, other)
    if is_comparable:
        builder.current = same
        builder.assign(result, last)
        builder.goto(join)
    for place in (other, first):
        builder.current = place
        if place == first or isinstance(type_, Pointer):  # to fresh memory, as for any function
            builder.assign(result, _result(lowering, symbol, node))
        else:
            made_up = lowering.environment.any_value(type_, InputKind.EXTERNAL, f"result of {symbol.name}", Determinant.EXTERNAL)
            builder.assign(result, made_up)
        builder.assign(last, result)
        for old, value in zip(before, given, strict=True):
            builder.assign(old, value)
        builder.assign(called, TRUE)
        builder.goto(join)
    builder.current = join
    return result


def _as_number(value: Expression) -> Expression:
    """To be compared with another argument: that gives nothing away (`memory/pointsto.py`)."""
    return make("position", value.sort, value) if isinstance(value.sort, BitVec) else value


def _end(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, given: list[Node]) -> Expression:
    """A function that does not return, and calls none that it gets before: then nobody sees what it writes."""
    for argument in given:
        raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(argument.cursor))
        inner = without_casts(argument)
        if isinstance(lowering.type_of(inner), Function) or _is_function_pointer(lowering, raw):
            raise _unknown(lowering, symbol, argument, "call")
    lowering.context.note("external function", f"{symbol.name}: does not return", lowering.builder.origin)
    lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _end_in_some_way(lowering: ExpressionLowering, symbol: FunctionSymbol) -> None:
    """A function that does not return may end the program by `exit`, which calls what the program has left for that, or not."""
    builder = lowering.builder
    lowering.context.note("external function", f"{symbol.name}: does not return", builder.origin)
    orderly, other = builder.location(), builder.location()
    builder.branch(builder.choice(f"{symbol.name}() calls exit"), orderly, other)
    builder.current = orderly
    run_exit_handlers(lowering.context, builder)
    builder.goto(other)
    builder.current = other
    builder.end(MarkKind.HALT, f"{symbol.name}()")


# what is written


def _set_errno(lowering: ExpressionLowering, symbol: FunctionSymbol) -> None:
    """It may leave any number in errno."""
    address = errno_address(lowering.context, lowering.builder)
    if address is not None:
        lowering.builder.emit(Store(address, lowering.builder.input(bitvec(32), InputKind.EXTERNAL, f"{symbol.name} sets errno")))


def _refuse_disguises(
    lowering: ExpressionLowering, symbol: FunctionSymbol, given: list[tuple[Node, Expression]], written: list[_Object]
) -> None:
    """Where the program makes numbers of addresses, whatever is not known before may be one, or have some in it."""
    disguise = lowering.context.disguise
    if disguise and (written or any(not _is_known(lowering, *each) for each in given)):
        raise NotSupported(f"{symbol.name}, which has no body, may write through a number: {disguise}; {_ADVICE}")


def _is_known(lowering: ExpressionLowering, argument: Node, value: Expression) -> bool:
    return isinstance(value, Constant) or without_casts(argument).kind == kinds.STRING_LITERAL


def may_do_more(context: Context, type_: Function) -> bool:
    """Can a function without a body do more than return a value, in a call that does not show its arguments?"""
    if type_.variadic or not type_.prototyped or any(not isinstance(each, Int | Real) for each in type_.parameters):
        return True
    if context.symbols.functions.keys() & {ERRNO} or has_state(context) or (context.disguise and type_.parameters):
        return True
    return any(_is_outside(each) for each in context.symbols.globals.values())


def _is_outside(symbol: VariableSymbol) -> bool:
    """Is it an object that may be written where it is defined? The standard streams stay what they are."""
    lib = library()
    raw = lib.clang_getCanonicalType(lib.clang_getCursorType(symbol.cursor))
    is_stream = names.spelled(symbol.name) in STANDARD_STREAMS
    return not (symbol.defined or symbol.unit.is_model or is_stream or _is_constant(lib, raw))


def _is_function_pointer(lowering: ExpressionLowering, raw: CXType) -> bool:
    if raw.kind != _POINTER:
        return False
    return lowering.lib.clang_getCanonicalType(lowering.lib.clang_getPointeeType(raw)).kind in (_NO_PROTO, _PROTO)


def _is_address(lowering: ExpressionLowering, argument: Node) -> bool:
    return isinstance(lowering.type_of(argument), (Pointer, Array, Record))


def _is_null(value: Expression) -> bool:
    return isinstance(value, Constant) and value.value == 0


def _written(lowering: ExpressionLowering, symbol: FunctionSymbol, arguments: list[Node]) -> list[_Object]:
    """The objects that the call may write. Raises NotSupported where these are not known."""
    found: list[_Object] = []
    for argument in arguments:
        raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(argument.cursor))
        if raw.kind != _POINTER:
            hidden = _converted_pointer(lowering, argument)
            if hidden is not None or _leads_to_writable(lowering, raw):
                raise _unknown(lowering, symbol, hidden or argument, "write through")
            continue
        pointee = lowering.lib.clang_getPointeeType(raw)
        if _is_function_pointer(lowering, raw):
            raise _unknown(lowering, symbol, argument, "call")
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
        object_ = _pointed_to(lowering, inner)
        if object_ is not None and object_.is_constant and not has_pointers(object_.type):
            continue  # C leaves it undefined to write it, whatever the pointer says
        if object_ is None or object_.type.size < 0 or has_pointers(object_.type):
            raise _unknown(lowering, symbol, argument, "write through")
        found.append(object_)
    return found


def _outside(lowering: ExpressionLowering, symbol: FunctionSymbol) -> Iterator[_Object]:
    """The objects that the program refers to and does not define. Where their pointers point afterwards, and what becomes of the
    objects there, is not known."""
    for each in lowering.context.symbols.globals.values():
        if not _is_outside(each):
            continue
        if each.type.size < 0 or has_pointers(each.type):
            what = "whose size is not known" if each.type.size < 0 else "which has pointers"
            raise NotSupported(f"{symbol.name}, which has no body, may write {each.name}, {what}; {_ADVICE}")
        if each.in_memory:
            yield _Object(each.name, InMemory(lowering.context.address_of_global(each)), each.type)
        elif isinstance(each.type, Scalar):
            yield _Object(each.name, InVariable(Variable(each.name, each.type.sort, each.spelling)), each.type)


def _is_constant(lib: Any, raw: CXType) -> bool:
    while raw.kind in _ARRAYS:
        raw = lib.clang_getCanonicalType(lib.clang_getArrayElementType(raw))
    return bool(lib.clang_isConstQualifiedType(raw))


def _unknown(lowering: ExpressionLowering, symbol: FunctionSymbol, argument: Node, does: str) -> NotSupported:
    return NotSupported(f"{symbol.name}, which has no body, may {does} {lowering.text(argument)}; {_ADVICE}")


def _leads_to_writable(lowering: ExpressionLowering, raw: CXType, above: frozenset[int] = frozenset()) -> bool:
    """Has an object of this type, constant itself, a pointer to something that may be written, or to a function?"""
    lib = lowering.lib
    raw = lib.clang_getCanonicalType(raw)
    if raw.kind == _POINTER:
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
    if raw.kind == _POINTER:
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


def _pointed_to(lowering: ExpressionLowering, node: Node) -> _Object | None:
    """The variable that an address was made from: `&x`, `a`, `a + i`, `&a[i].b`; None if it comes out of a pointer."""
    node = without_casts(node)
    if isinstance(lowering.type_of(node), Array):
        return _place_in(lowering, node)
    if node.kind == kinds.UNARY_OPERATOR and node.operator == "&":
        return _place_in(lowering, strip(node.children[0]))
    if node.kind == kinds.BINARY_OPERATOR and node.operator in ("+", "-"):
        pointers = [each for each in node.children if isinstance(lowering.type_of(each), (Pointer, Array))]
        return _pointed_to(lowering, pointers[0]) if len(pointers) == 1 else None
    return None


def _place_in(lowering: ExpressionLowering, node: Node) -> _Object | None:
    """The variable in which this lvalue lies."""
    if node.kind == kinds.DECL_REF_EXPR:
        return _variable(lowering, node)
    if node.kind == kinds.MEMBER_REF_EXPR:
        base = strip(node.children[0])
        is_pointer = isinstance(lowering.type_of(base), Pointer)
        return _pointed_to(lowering, base) if is_pointer else _place_in(lowering, base)
    if node.kind == kinds.ARRAY_SUBSCRIPT:
        pointers = [each for each in node.children if isinstance(lowering.type_of(each), (Pointer, Array))]
        return _pointed_to(lowering, pointers[0])
    if node.kind == kinds.UNARY_OPERATOR and node.operator == "*":
        return _pointed_to(lowering, node.children[0])
    return None


def _variable(lowering: ExpressionLowering, node: Node) -> _Object | None:
    symbol = lowering.context.symbols.resolve(lowering.unit, lowering.lib.clang_getCursorReferenced(node.cursor), lowering.owner)
    if not isinstance(symbol, VariableSymbol):
        return None
    where = lowering.place(node)
    raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(symbol.cursor))
    return _Object(symbol.name, where, symbol.type, _is_constant(lowering.lib, raw)) if isinstance(where, InMemory) else None


def _havoc(lowering: ExpressionLowering, object_: _Object, name: str) -> None:
    """The function chooses all bytes of an object, also those between and behind the members of its type."""
    where, type_ = object_.where, object_.type
    if not isinstance(where, InMemory):
        assert isinstance(type_, Scalar)
        lowering.memory.write(where, lowering.environment.any_value(type_, InputKind.EXTERNAL, name), type_)
        return
    size, values = type_.size, list(_values(type_, 0, _MOST_VALUES + 1))
    if isinstance(where.address, Address):
        known = lowering.builder.objects.get(where.address.target) or lowering.context.objects.get(where.address.target)
        size = max(size, known.size if known is not None else 0)
    named = {place + index for place, each in values for index in range(byte_size(each.sort))}
    rest = [place for place in range(size) if place not in named] if size <= _MOST_BYTES else []
    if size > _MOST_BYTES or len(values) + len(rest) > _MOST_VALUES or not _is_separate(type_):
        chosen = lowering.builder.fresh_name(names.own("external"))
        origin = lowering.builder.origin
        lowering.builder.objects[chosen] = MemoryObject(chosen, size, type_.align, ObjectKind.LOCAL, str(type_), origin=origin)
        lowering.builder.emit(Declare(chosen))
        lowering.builder.emit(Copy(where.address, Address(chosen, lowering.context.pointer), size))
        return
    for place, each in values:
        there = InMemory(lowering.memory.offset(where.address, place))
        lowering.memory.write(there, lowering.environment.any_value(each, InputKind.EXTERNAL, name), each)
    for place in rest:
        byte = lowering.builder.input(bitvec(8), InputKind.EXTERNAL, name)
        lowering.builder.emit(Store(lowering.memory.offset(where.address, place), byte))


def _is_separate(type_: CType) -> bool:
    """Has each scalar in it bytes of its own? Not in unions, and not bit-fields."""
    if isinstance(type_, Array):
        return _is_separate(type_.element)
    if isinstance(type_, Record):
        return not type_.is_union and all(field.bits < 0 and _is_separate(field.type) for field in type_.fields)
    return isinstance(type_, Scalar)


def _values(type_: CType, place: int, most: int) -> Iterator[tuple[int, Scalar]]:
    """The scalars in an object and where they are, as far as they are counted."""
    if isinstance(type_, Array):
        for index in range(min(type_.count, most)):
            yield from _values(type_.element, place + index * type_.element.size, most)
    elif isinstance(type_, Record):
        for field in type_.fields:
            yield from _values(field.type, place + field.offset // 8, most)
    elif isinstance(type_, Scalar):
        yield place, type_


# what is returned


def _may_be_returned(lowering: ExpressionLowering, argument: Node, call: Node) -> bool:
    """Could the result be a pointer into what this argument points to? Not if their types have nothing in common. One to
    something const becomes one to something else only where that has such a part, as for `strchr`."""
    lib = lowering.lib
    raw = lib.clang_getCanonicalType(lib.clang_getCursorType(argument.cursor))
    if raw.kind != _POINTER:
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


def _or_returns(
    lowering: ExpressionLowering, symbol: FunctionSymbol, argument: Node, value: Expression, result: Variable, type_: Pointer
) -> None:
    """The result may also be a pointer into what the argument points to."""
    builder = lowering.builder
    inner = without_casts(argument)
    object_ = _pointed_to(lowering, inner)
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
        builder.end(MarkKind.UNKNOWN, f"unsupported: {_unknown(lowering, symbol, argument, 'return a pointer into').what}")
    builder.place(other)
