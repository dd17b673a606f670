"""Procedures for library functions whose address is taken, so that a call through a pointer means the same as another one."""

from __future__ import annotations

from collections.abc import Callable

from drystone.concrete.inputs import bit_width
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Function, Pointer, Scalar, Void
from drystone.frontend.library import PRIMITIVES, is_library_function, plain_name, threads
from drystone.frontend.library.common import in_width_of_name
from drystone.frontend.library.control import has_exit_handlers, run_exit_handlers
from drystone.frontend.library.externals.calls import may_do_more
from drystone.frontend.library.magnitudes import has_open_magnitude, with_any_magnitude
from drystone.frontend.library.memory import set_errno
from drystone.frontend.library.printing import is_plain
from drystone.frontend.lowering.abrupt_ends import check_abrupt_end, check_failure, refuse_unknown_end
from drystone.frontend.lowering.builder import Builder, Candidate
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, ErrorKind, MarkKind, Procedure, Unmodelled
from drystone.ir.expressions import Constant, Determinant, InputKind, Variable
from drystone.ir.operations import Allocate, Call, Free, Lifetime, Report
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL

_ENDS = frozenset({"exit", "_exit", "_Exit", "quick_exit", "abort"})
_PRINTED = {"printf": "vprintf", "fprintf": "vfprintf", "puts": "puts", "fputs": "fputs"}
_PRINTED |= {"putchar": "putchar", "putc": "putc", "fputc": "fputc"}
"""Functions that print, and what the interpreter is told."""


def _shows_all(context: Context, name: str) -> bool:
    """Is there nobody who asks for accesses that printing hides?"""
    return not context.shows_accesses and (context.extents is None or name in ("putchar", "putc", "fputc"))


def wrap(context: Context, symbol: FunctionSymbol, chosen: Callable[[Candidate], bool | None]) -> Procedure | None:
    """None for what is no library function: an external function, in calls through pointers as in others."""
    spelled = names.spelled(symbol.name)
    name = plain_name(spelled)
    is_error = symbol.name in context.error_functions
    is_nondet = symbol.gives_any_value and symbol.type.prototyped
    is_known = (
        spelled in context.asserting
        or name in PRIMITIVES
        or threads.OPERATIONS.match(name)
        or is_library_function(spelled, symbol.type)
    )
    may_call_exit = context.external_may_write and has_exit_handlers(context)
    is_end = name in _ENDS or (symbol.is_noreturn and not is_known and not may_call_exit)
    if not (is_error or is_nondet or is_end or is_known):
        if not symbol.attributes.isdisjoint(("const", "pure")) and not isinstance(symbol.type.result, Pointer):
            return _pure(context, symbol)
        does_more = context.external_may_write and (symbol.is_noreturn or may_do_more(context, symbol.type))
        return _external(context, symbol) if does_more else None
    builder = Builder(symbol.name, context.is_global, context.word)
    builder.extents = context.extents
    parameters = _parameters(builder, symbol.type)
    result = None
    if isinstance(symbol.type.result, Scalar):
        result = builder.variable(names.RESULT, symbol.type.result.sort, str(symbol.type.result))
    if is_error:
        check_failure(builder, f"{symbol.name}()")
        builder.error(ErrorKind.CALL, f"{symbol.name}()")
    elif builder.extents is not None and (name == "free" or (name == "exit" and builder.extents.blocks is not None)):
        what = f"call of {symbol.name} through a pointer, where memory is checked"
        builder.end(MarkKind.UNKNOWN, what, Unmodelled.LIBRARY, name)
    elif is_end:
        if name == "exit":
            run_exit_handlers(context, builder)
        if name in _ENDS:
            check_abrupt_end(builder, f"{symbol.name}()")
            builder.emit(Report("abort" if name == "abort" else "exit", parameters[:1] if name != "abort" else ()))
        else:
            refuse_unknown_end(builder, f"{symbol.name}()")
        builder.end(MarkKind.HALT, f"{symbol.name}()")
    elif name == "malloc" and result is not None and parameters:
        builder.emit(Allocate(result, parameters[0], False, Lifetime.HEAP, symbol.name))
        set_errno(context, builder, result)
    elif name == "free" and parameters:
        builder.emit(Free(parameters[0]))
    elif is_nondet and not isinstance(symbol.type.result, Void) and result is not None:
        builder.assign(result, builder.input(result.sort, InputKind.NONDET, symbol.name, Determinant.FUNCTION, result.ctype))
        in_width_of_name(builder, names.spelled(symbol.name), result, symbol.type.result)
    elif name in _PRINTED and result is not None and is_plain(context, name) and _shows_all(context, name):
        parameters = _print(context, builder, symbol, parameters, result)
    else:
        builder.end(MarkKind.UNKNOWN, f"call of {symbol.name} through a pointer", Unmodelled.LIBRARY, symbol.name)
    builder.goto(builder.exit)
    builder.choose_errors(chosen)
    return builder.finish(parameters, result, NOWHERE)


def _print(
    context: Context, builder: Builder, symbol: FunctionSymbol, parameters: tuple[Variable, ...], result: Variable
) -> tuple[Variable, ...]:
    """With the hidden parameter of a function that takes any number of arguments."""
    name = _PRINTED[plain_name(names.spelled(symbol.name))]
    if symbol.type.variadic:  # the other arguments lie where a hidden one says
        parameters = (*parameters, builder.variable(names.own("arguments"), context.pointer))
    builder.emit(Report(name, parameters))
    given = builder.input(result.sort, InputKind.EXTERNAL, name, Determinant.IMPLEMENTATION)
    failure = Constant(result.sort, (1 << bit_width(result.sort)) - 1)
    builder.assign(result, make("ite", result.sort, make("bvslt", BOOL, given, failure), failure, given))
    return parameters


def with_any_number(context: Context, symbol: FunctionSymbol) -> Procedure | None:
    """For models of functions like `strcmp`: what the model returns, or another number of this sign or truth. None for others."""
    name, type_ = plain_name(names.spelled(symbol.name)), symbol.type
    if not symbol.unit.is_model or not has_open_magnitude(name) or not isinstance(type_.result, Scalar):
        return None
    builder = Builder(names.derived(symbol.name, "any"), context.is_global, context.word)
    parameters = _parameters(builder, type_)
    result = builder.variable(names.RESULT, type_.result.sort, str(type_.result))
    builder.emit(Call(symbol.name, parameters, result))
    builder.assign(result, with_any_magnitude(builder, name, result))
    builder.goto(builder.exit)
    return builder.finish(parameters, result, NOWHERE)


def _external(context: Context, symbol: FunctionSymbol) -> Procedure:
    """What a function without a body does to its arguments, a call through a pointer does not show."""
    builder = Builder(symbol.name, context.is_global, context.word)
    builder.end(
        MarkKind.UNKNOWN,
        f"call of {symbol.name}, which has no body, through a pointer",
        Unmodelled.BODY,
        symbol.name,
    )
    return builder.finish(_parameters(builder, symbol.type), None, NOWHERE)


def _pure(context: Context, symbol: FunctionSymbol) -> Procedure | None:
    """Its result has to do with that of other calls, of which a call through a pointer does not know."""
    if not isinstance(symbol.type.result, Scalar):
        return None
    builder = Builder(symbol.name, context.is_global, context.word)
    result = builder.variable(names.RESULT, symbol.type.result.sort, str(symbol.type.result))
    made_up = builder.input(result.sort, InputKind.EXTERNAL, f"result of {symbol.name}", Determinant.EXTERNAL, result.ctype)
    builder.assign(result, made_up)
    builder.goto(builder.exit)
    return builder.finish(_parameters(builder, symbol.type), result, NOWHERE)


def _parameters(builder: Builder, type_: Function) -> tuple[Variable, ...]:
    return tuple(
        builder.variable(f"parameter{index}", parameter.sort, str(parameter))
        for index, parameter in enumerate(type_.parameters)
        if isinstance(parameter, Scalar)
    )
