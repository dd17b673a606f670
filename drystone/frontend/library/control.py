"""Ends of the program, and the jumps that are not modelled."""

from __future__ import annotations

from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Function, Pointer, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import check_ending
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, any_result, zero
from drystone.frontend.library.formats import check_format
from drystone.frontend.lowering.abrupt_ends import check_abrupt_end
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.automaton import MarkKind, Unmodelled
from drystone.ir.expressions import Constant, Determinant, Expression, InputKind, constant
from drystone.ir.operations import Call, Report


def has_exit_handlers(context: Context) -> bool:
    return bool(context.destructors or _handlers(context))


def _handlers(context: Context) -> list[str]:
    """What runs the functions that were passed to atexit, if there may be some."""
    return [name for name in context.symbols.functions if names.spelled(name) == "__drystone_run_handlers"]


def run_exit_handlers(context: Context, builder: Builder) -> None:
    """What a program that calls atexit or has destructors does before it ends in an orderly way."""
    handlers = _handlers(context)
    for name in handlers:
        builder.emit(Call(name, (), None))
    for function in context.destructors:
        if function.type.parameters or function.refused or function.definition is None:
            builder.end(MarkKind.UNKNOWN, f"destructor {function.name}")
        else:
            builder.emit(Call(function.name, (), None))
    for name in handlers if context.destructors else ():
        builder.emit(Call(name, (), None))  # those that destructors have added


def _end(report: str, is_orderly: bool = False) -> Handler:
    """The program ends here; the report says with which status, where C says it."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = tuple(lowering.builder.keep(value) for value in lowering.arguments(node))
        if is_orderly:
            run_exit_handlers(lowering.context, lowering.builder)
            check_ending(lowering, lowering.text(node), frames_live=True)
        elif report:
            check_abrupt_end(lowering.builder, lowering.text(node))
        if report:
            lowering.builder.emit(Report(report, values if report == "exit" else ()))
        lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)

    return handler


_SIGABRT, _SIGSEGV, _SIGILL = 6, 11, 4
_ENDING_SIGNALS = frozenset((_SIGILL, _SIGABRT, 8, 9, _SIGSEGV))  # also SIGFPE, SIGKILL
_NO_HANDLER = (0, 1)  # SIG_DFL, SIG_IGN
_TO_NEAREST = 0  # FE_TONEAREST


def _raise(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Some signals end the program: nobody has installed a handler, or the path would have ended there."""
    number = evaluate(node.children[1].cursor)
    if number not in _ENDING_SIGNALS or node.children[1].effects == EFFECTS:
        raise NotSupported(f"{symbol.name} of a signal that may have a handler or be ignored", _kind(symbol), symbol.name)
    check_abrupt_end(lowering.builder, lowering.text(node))
    if number == _SIGABRT:
        lowering.builder.emit(Report("abort", ()))
    lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _signal(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Signals that do not end a program here may be ignored or not: none arrives. Handlers are not modelled."""
    number, action = lowering.arguments(node)[:2]
    if not isinstance(number, Constant) or not isinstance(action, Constant):
        raise NotSupported(f"{symbol.name}: signal handler", _kind(symbol), symbol.name)
    if number.value in _ENDING_SIGNALS or action.value not in _NO_HANDLER:
        raise NotSupported(f"{symbol.name}: signal handler", _kind(symbol), symbol.name)
    type_ = lowering.type_of(node)
    if not isinstance(type_, Scalar):
        raise NotSupported(f"{symbol.name} that is declared otherwise", _kind(symbol), symbol.name)
    return lowering.environment.any_value(type_, InputKind.EXTERNAL, symbol.name, Determinant.IMPLEMENTATION)


def _round(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """To the nearest number, as all arithmetic does from the start."""
    argument = node.children[1]
    if argument.effects == EFFECTS or evaluate(argument.cursor) != _TO_NEAREST:
        raise NotSupported(f"{symbol.name}: rounding mode", _kind(symbol), symbol.name)
    return constant(32, 0)


def _message(ends: bool, has_list: bool) -> Handler:
    """err, warn and their kin print to the standard error; the first ones end the program."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        type_ = lowering.type_of(node.children[0])
        function = type_.target if isinstance(type_, Pointer) else type_
        if not isinstance(function, Function) or function.variadic == has_list or len(function.parameters) != ends + 1 + has_list:
            return None  # not the one of <err.h>
        check_format(lowering, symbol, node)
        values = lowering.arguments(node)
        lowering.builder.emit(Report("perror", ()))
        if ends:
            status = lowering.builder.keep(values[0])
            run_exit_handlers(lowering.context, lowering.builder)
            check_ending(lowering, lowering.text(node), frames_live=True)
            lowering.builder.emit(Report("exit", (status,)))
            lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
        return NOTHING

    return handler


def _kind(symbol: FunctionSymbol) -> Unmodelled:
    return Unmodelled.BUILTIN if symbol.name.startswith("__builtin_") else Unmodelled.LIBRARY


def _refuse(what: str, unmodelled: Unmodelled | None = None) -> Handler:
    """`unmodelled`: where another function in its place would not help."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        raise NotSupported(f"{symbol.name}: {what}", unmodelled or _kind(symbol), symbol.name)

    return handler


PRIMITIVES: dict[str, Handler] = {
    "__drystone_float_exchange": _refuse("compares the bytes of floats"),
    "exit": _end("exit", is_orderly=True),
    **dict.fromkeys(("_exit", "_Exit", "quick_exit", "__VERIFIER_silent_exit"), _end("exit")),
    "abort": _end("abort"),
    "__builtin_trap": _end("trap"),
    "pause": _end(""),
    "__builtin_unreachable": _refuse("control goes on wherever the compiler put the next instruction"),
    "raise": _raise,
    "gsignal": _raise,
    **dict.fromkeys(("kill", "killpg", "tgkill", "pthread_kill", "sigqueue"), _refuse("it may end the program")),
    **dict.fromkeys(("err", "errx"), _message(ends=True, has_list=False)),
    **dict.fromkeys(("verr", "verrx"), _message(ends=True, has_list=True)),
    **dict.fromkeys(("warn", "warnx"), _message(ends=False, has_list=False)),
    **dict.fromkeys(("vwarn", "vwarnx"), _message(ends=False, has_list=True)),
    **dict.fromkeys(("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"), zero),
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp"), _refuse("jump to another activation", Unmodelled.CONSTRUCT)),
    "signal": _signal,
    **dict.fromkeys(("sigaction", "sigset", "bsd_signal", "sysv_signal", "siginterrupt", "sigvec"), _refuse("signal handler")),
    **dict.fromkeys(
        ("sigprocmask", "pthread_sigmask", "sigsuspend", "sigwait", "sigwaitinfo", "sigtimedwait", "sigpending", "sigaltstack"),
        _refuse("signals that are blocked or awaited"),
    ),
    **dict.fromkeys(("sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigismember"), _refuse("set of signals")),
    **dict.fromkeys(("getopt", "getopt_long", "getopt_long_only"), _refuse("it keeps where it was in argv")),
    **dict.fromkeys(("vfork", "execl", "execle", "execlp", "execv", "execve", "execvp"), _refuse("another program runs")),
    "fesetround": _round,
    **dict.fromkeys(("fesetenv", "feupdateenv"), _refuse("rounding mode")),
    **dict.fromkeys(("at_quick_exit", "on_exit", "__cxa_atexit"), _refuse("exit handler")),
}
