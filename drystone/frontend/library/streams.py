"""Streams: what else the program may do with them, and calls that may not come back."""

from __future__ import annotations

from drystone.concrete.output import STANDARD_STREAMS
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.expressions import Address, Constant, Determinant, Expression, Variable, constant
from drystone.ir.operations import Assume, Call
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL

_REREADING = frozenset(("ungetc", "fseek", "fseeko", "rewind", "fsetpos", "clearerr", "lseek", "dup", "dup2", "fdopen"))
_CHARACTERS = frozenset(("getchar", "getc", "fgetc", "fgets", "gets", "getline", "getdelim", "fread", "read", "_IO_getc"))
_WRITING = frozenset(("write", "pwrite", "open", "openat", "creat", "system", "mkstemp", "popen", "tmpfile"))
_CLOSING = frozenset(("close", "closefrom", "close_range", "dup2", "dup3", "fcloseall"))
_PIPES = frozenset(("pipe", "pipe2", "socket", "socketpair", "mkfifo", "mkfifoat", "mknod", "mknodat", "popen"))
_SIGNALLING = frozenset(("kill", "killpg", "tgkill", "pthread_kill", "sigqueue", "system", "popen", "syscall"))
_PRINTING_TO_FILES = frozenset(("fwrite", "fputs", "fputc", "putc", "fprintf", "vfprintf", "_IO_putc"))


def _calls(*functions: frozenset[str]) -> Handler:
    """Models ask whether the program has one of these functions; then they look at how it was used."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        return constant(32, int(_has(lowering.context, *functions)))

    return handler


def _has(context: Context, *functions: frozenset[str]) -> bool:
    known = {names.spelled(name) for name in context.symbols.functions}
    return any(not some.isdisjoint(known) for some in functions)


def may_be_known(context: Context, is_standard: bool) -> bool:
    """May the program have determined what is read from a stream, or have read some of it before?"""
    if _has(context, _REREADING, _CHARACTERS, _CLOSING):
        return True
    return not is_standard and _has(context, _WRITING, _PRINTING_TO_FILES)


def has_pipes(context: Context) -> bool:
    return _has(context, _PIPES)


def of_stream(
    lowering: ExpressionLowering, function: str, arguments: tuple[Expression, ...], result: Variable | None
) -> Variable | None:
    """Asks or tells the model of the standard input something; None if the program has nothing else that reads it."""
    symbol = lowering.context.symbols.functions.get(function)
    if symbol is None or symbol.definition is None:
        return None
    lowering.builder.emit(Call(function, arguments, result))
    return result


def may_not_return(lowering: ExpressionLowering) -> None:
    """Who writes to a pipe may wait for ever, or be ended by a signal, and any stream or descriptor may be one, if there is one;
    who reads may wait."""
    if has_pipes(lowering.context):
        _rests_on(lowering, "pipe")


def _rests_on(lowering: ExpressionLowering, what: str) -> None:
    """Who goes on from here does so by an approximation: like MAY_NOT_RETURN in models."""
    lowering.builder.emit(Assume(lowering.builder.choice(what, Determinant.IMPLEMENTATION)))


def needs(lowering: ExpressionLowering, pointer: Expression, name: str) -> None:
    """The function follows a pointer: who passes NULL gets no further."""
    is_stream = isinstance(pointer, Variable) and pointer.name in STANDARD_STREAMS
    if is_stream or isinstance(pointer, Address) or (isinstance(pointer, Constant) and pointer.value != 0):
        return
    builder = lowering.builder
    null, join = builder.location(), builder.location()
    builder.branch(make("=", BOOL, pointer, Constant(pointer.sort, 0)), null, join)
    builder.current = null
    _rests_on(lowering, f"{name} of NULL")
    builder.goto(join)
    builder.current = join


PRIMITIVES: dict[str, Handler] = {
    "__drystone_rereads": _calls(_REREADING),
    "__drystone_writes_files": _calls(_WRITING),
    "__drystone_closes": _calls(_CLOSING),
    "__drystone_has_pipes": _calls(_PIPES),
    "__drystone_sends_signals": _calls(_SIGNALLING),
}
