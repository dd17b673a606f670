"""Calls of functions without a body: their results, and what else they may do."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import without_casts
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Real, Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.disguises import has_pointers
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import any_result
from drystone.frontend.library.control import has_exit_handlers, run_exit_handlers
from drystone.frontend.library.effects import ERRNO, errno_address
from drystone.frontend.library.externals.havoc import havoc_object
from drystone.frontend.library.externals.objects import (
    Object,
    is_function_pointer,
    is_outside,
    outside_objects,
    unknown,
    written_objects,
)
from drystone.frontend.library.externals.returned import may_be_returned, or_returns
from drystone.frontend.library.hidden_accesses import refuse_external_accesses
from drystone.frontend.library.state import change_state, has_state
from drystone.frontend.lowering.abrupt_ends import refuse_unknown_end
from drystone.frontend.lowering.context import Context
from drystone.ir.automaton import MarkKind, Unmodelled
from drystone.ir.expressions import FALSE, TRUE, Constant, Determinant, Expression, InputKind, Variable
from drystone.ir.operations import Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec, Sort, bitvec


def external(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """A call of an undefined function: any result (a pointer: NULL or fresh memory); in a user's program, more."""
    values = lowering.arguments(node)
    is_pure = not symbol.attributes.isdisjoint(("const", "pure"))
    may_write = lowering.context.external_may_write and not lowering.unit.is_model and not is_pure
    given = [each for each in zip(node.children[1:], values, strict=True) if not _is_null(each[1])]
    if "returns_twice" in symbol.attributes:
        raise NotSupported(f"call of {symbol.name}, which returns twice", Unmodelled.BODY, symbol.name)
    if symbol.is_noreturn and not (may_write and has_exit_handlers(lowering.context)):
        return _end(lowering, symbol, node, [argument for argument, _ in given] if may_write else [])
    if not may_write:
        told = f"{_told_result(lowering, node)}, no side effect"
        lowering.context.note("external function", told, lowering.builder.origin, symbol.name)
        return _remembered(lowering, symbol, node, values) if is_pure else _result(lowering, symbol, node)
    type_ = lowering.type_of(node)
    returned = []
    if isinstance(type_, Pointer) and not isinstance(type_.target, Function):
        returned = [(each, lowering.builder.keep(value)) for each, value in given if may_be_returned(lowering, each, node)]
    written = [*written_objects(lowering, symbol, [argument for argument, _ in given]), *outside_objects(lowering, symbol)]
    _refuse_disguises(lowering, symbol, given, written)
    refuse_external_accesses(lowering, symbol, node, bool(written))
    if isinstance(type_, Record) and has_pointers(type_) and any(_is_address(lowering, each) for each, _ in given):
        raise unknown(lowering, symbol, node, "return a pointer into the arguments of")
    for _, value in given:
        lowering.environment.give_away(value)  # a number that it returns or writes may be what it got
    for each in written:
        havoc_object(lowering, each, f"{symbol.name} writes {each.name}")
    _set_errno(lowering, symbol)
    change_state(lowering, symbol.name)
    if symbol.is_noreturn:
        _end_in_some_way(lowering, symbol)
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)
    what = f"writes {', '.join(sorted({each.name for each in written}))} at most" if written else "no side effect"
    what += "; keeps no pointer that it gets" if len(node.children) > 1 else ""
    lowering.context.note(
        "external function", f"{_told_result(lowering, node, bool(returned))}, {what}", lowering.builder.origin, symbol.name
    )
    result = _result(lowering, symbol, node)
    for argument, value in returned:
        assert isinstance(result, Variable) and isinstance(type_, Pointer)
        or_returns(lowering, symbol, argument, value, result, type_)
    return result


def _told_result(lowering: ExpressionLowering, node: Node, may_be_given: bool = False) -> str:
    """What is assumed of it. `may_be_given`: it may be an argument."""
    if not _gives_object(lowering.type_of(node)):
        return "any result"
    return "a new object, NULL or what it is given as its result" if may_be_given else "a new object or NULL as its result"


def _gives_object(type_: CType) -> bool:
    return isinstance(type_, Pointer) and not isinstance(type_.target, Function)


def _result(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    if isinstance(type_, Pointer) and _gives_object(type_):
        is_there = None if "returns_nonnull" in symbol.attributes else (symbol.name, Determinant.NOT_NULL)
        return lowering.environment.fresh_pointer(type_, symbol.name, Determinant.POINTEE, is_there)
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _remembered(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, values: list[Expression]) -> Expression:
    """The result of a function that is declared `const` or `pure`. It is any value the first time. A `const` function gives the
    same again for the same arguments; what an earlier call says about another result is not known, and so approximated."""
    builder, type_ = lowering.builder, lowering.type_of(node)
    if not isinstance(type_, Scalar):
        raise NotSupported(
            f"{symbol.name}, which has no body and is declared const or pure, returns {type_}", Unmodelled.BODY, symbol.name
        )
    types = [lowering.type_of(argument) for argument in node.children[1:]]
    is_comparable = "const" in symbol.attributes and symbol.type.prototyped and not symbol.type.variadic
    is_comparable = is_comparable and all(isinstance(each, Scalar) for each in types)

    def own(what: str, sort: Sort) -> Variable:
        variable = lowering.context.variable(f"{symbol.name} {what}", sort)
        if variable.sort != sort:
            raise NotSupported(
                f"{symbol.name}, which has no body and is declared const or pure, has several types", Unmodelled.BODY, symbol.name
            )
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
        if isinstance(lowering.type_of(inner), Function) or is_function_pointer(lowering, raw):
            raise unknown(lowering, symbol, argument, "call")
    lowering.context.note("external function", "does not return", lowering.builder.origin, symbol.name)
    refuse_unknown_end(lowering.builder, f"{symbol.name}()")
    lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _end_in_some_way(lowering: ExpressionLowering, symbol: FunctionSymbol) -> None:
    """A function that does not return may end the program by `exit`, which calls what the program has left for that, or not."""
    builder = lowering.builder
    lowering.context.note("external function", "does not return", builder.origin, symbol.name)
    orderly, other = builder.location(), builder.location()
    builder.branch(builder.choice(f"{symbol.name}() calls exit"), orderly, other)
    builder.current = orderly
    run_exit_handlers(lowering.context, builder)
    builder.goto(other)
    builder.current = other
    refuse_unknown_end(builder, f"{symbol.name}()")
    builder.end(MarkKind.HALT, f"{symbol.name}()")


def _set_errno(lowering: ExpressionLowering, symbol: FunctionSymbol) -> None:
    """It may leave any number in errno."""
    address = errno_address(lowering.context, lowering.builder)
    if address is not None:
        lowering.builder.emit(Store(address, lowering.builder.input(bitvec(32), InputKind.EXTERNAL, f"{symbol.name} sets errno")))


def _refuse_disguises(
    lowering: ExpressionLowering, symbol: FunctionSymbol, given: list[tuple[Node, Expression]], written: list[Object]
) -> None:
    """Where the program makes numbers of addresses, whatever is not known before may be one, or have some in it."""
    disguise = lowering.context.disguise
    if disguise and (written or any(not _is_known(*each) for each in given)):
        raise NotSupported(
            f"{symbol.name}, which has no body, may write through a number: {disguise}", Unmodelled.BODY, symbol.name
        )


def _is_known(argument: Node, value: Expression) -> bool:
    return isinstance(value, Constant) or without_casts(argument).kind == kinds.STRING_LITERAL


def may_do_more(context: Context, type_: Function) -> bool:
    """Can a function without a body do more than return a value, in a call that does not show its arguments?"""
    if type_.variadic or not type_.prototyped or any(not isinstance(each, Int | Real) for each in type_.parameters):
        return True
    if context.symbols.functions.keys() & {ERRNO} or has_state(context) or (context.disguise and type_.parameters):
        return True
    return any(is_outside(each) for each in context.symbols.globals.values())


def _is_address(lowering: ExpressionLowering, argument: Node) -> bool:
    return isinstance(lowering.type_of(argument), (Pointer, Array, Record))


def _is_null(value: Expression) -> bool:
    return isinstance(value, Constant) and value.value == 0
