"""printf and scanf: output has no effect, input is arbitrary."""

from __future__ import annotations

import re

from drystone.frontend.clang import Node
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions import ExpressionLowering
from drystone.frontend.initialisers import string_literal
from drystone.frontend.library.common import APPROXIMATED, NOTHING, Handler, any_result, before_conversion
from drystone.frontend.lowering import InMemory
from drystone.frontend.symbols import FunctionSymbol
from drystone.frontend.types import Function, Int, Pointer, Scalar
from drystone.logic.sorts import BOOL, bitvec
from drystone.program import names
from drystone.program.expressions import TRUE, Expression, InputKind, constant, load
from drystone.program.operations import Store
from drystone.program.simplify import make


def _print(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Output has no effect on the program; how many characters were written is not modelled."""
    lowering.arguments(node)
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def check_format(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> None:
    """Refuses what stores how many characters were written: `%n`, or a format that may have one.

    The format is the last argument that is declared, but for a list of the others.
    """
    type_ = lowering.type_of(node.children[0])
    function = type_.target if isinstance(type_, Pointer) else type_
    if not isinstance(function, Function):
        raise NotSupported(f"{symbol.name} that is declared as {function}")
    position = len(function.parameters) - (not function.variadic)
    if not 1 <= position < len(node.children):
        raise NotSupported(f"{symbol.name} without a format")
    literal = string_literal(node.children[position])
    if literal is not None:
        if _COUNT.search(lowering.unit.clang.spelling(literal.cursor).replace("%%", "")):
            raise NotSupported(f"%n in {symbol.name}")
        return
    for argument in node.children[position + 1 :]:
        passed = lowering.type_of(before_conversion(argument, lowering))
        if isinstance(passed, Pointer) and isinstance(passed.target, Int) and passed.target.width > 8:
            raise NotSupported(f"{symbol.name} whose format is no literal, with a pointer to {passed.target}")


PRINTING = frozenset(
    ("printf", "fprintf", "dprintf", "vprintf", "vfprintf", "sprintf", "snprintf", "vsprintf", "vsnprintf")
)  # fmt: skip
_COUNT = re.compile(r"%[-+ #0-9.*$']*(?:hh?|ll?|[jztLq])?n")


_CONVERSION = re.compile(r"%(?:%|(\*)?\d*(?:hh?|ll?|[jztLq])?([a-zA-Z\[]))")


def _scan(format_index: int) -> Handler:
    """scanf and its kin: conversions give their objects any values of their types, until one fails. The result is how many did
    not; -1 if the input ended before."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        name = f"{APPROXIMATED}{symbol.name}" if "sscanf" in symbol.name else symbol.name  # its text may be known
        literal = string_literal(node.children[1 + format_index])
        if literal is None:
            raise NotSupported(f"{symbol.name} whose format is no literal")
        conversions = _CONVERSION.findall(lowering.unit.clang.spelling(literal.cursor))
        letters = [letter for suppressed, letter in conversions if letter and not suppressed]
        builder = lowering.builder
        values = lowering.arguments(node)
        targets = list(zip(node.children[1:], values, strict=True))[format_index + 1 :]
        going: Expression = TRUE
        counts: list[Expression] = []
        for letter, (argument, value) in zip(letters, targets, strict=False):
            type_ = lowering.type_of(before_conversion(argument, lowering))
            target = type_.target if isinstance(type_, Pointer) else None
            is_string = letter in "s[" and isinstance(target, Int) and target.width == 8
            if not is_string and (letter in "sSC[n" or not isinstance(target, Scalar)):
                raise NotSupported(f"{symbol.name} with %{letter}")
            address = builder.keep(value)
            going = builder.keep(make("and", BOOL, going, builder.choice(f"{name} converts")))
            counts.append(going)
            if is_string:
                _any_string(lowering, going, address, name)
            else:
                assert isinstance(target, Scalar)
                new = lowering.any_value(target, InputKind.EXTERNAL, name)
                lowering.write(InMemory(address), make("ite", target.sort, going, new, load(target.sort, address)), target)
        result = lowering.type_of(node)
        if not isinstance(result, Int):
            return NOTHING
        zero, one = constant(result.width, 0), constant(result.width, 1)
        total: Expression = zero
        for converted in counts:
            total = make("bvadd", zero.sort, total, make("ite", zero.sort, converted, one, zero))
        total = builder.keep(total)
        ended = make("and", BOOL, make("=", BOOL, total, zero), builder.choice(f"{name} has no more input"))
        return make("ite", zero.sort, ended, constant(result.width, -1), total)

    return handler


def _any_string(lowering: ExpressionLowering, condition: Expression, address: Expression, name: str) -> None:
    """Any characters and a final zero, or nothing at all; how many is not bounded."""
    builder, width = lowering.builder, lowering.context.pointer_width
    position = builder.variable(names.own("position"), bitvec(width))
    head, body, end, after = builder.location(), builder.location(), builder.location(), builder.location()
    converted = builder.location()
    builder.branch(condition, converted, after)
    builder.current = converted
    builder.assign(position, constant(width, 0))
    builder.place(head)
    builder.branch(builder.choice(f"{name} reads a character"), body, end)
    builder.current = body
    place = make("bvadd", address.sort, address, position)
    builder.emit(Store(place, builder.input(bitvec(8), InputKind.EXTERNAL, name)))
    builder.assign(position, make("bvadd", position.sort, position, constant(width, 1)))
    builder.goto(head)
    builder.current = end
    builder.emit(Store(place, constant(8, 0)))
    builder.place(after)


def _writes(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    raise NotSupported(f"{symbol.name}: it writes through its arguments")


_WRITERS = (
    "vscanf", "vfscanf", "vsscanf", "recv", "recvfrom", "recvmsg", "getline", "getdelim", "asprintf", "vasprintf", "strftime",
    "gmtime_r", "localtime_r", "ctime_r", "asctime_r", "stat", "fstat", "lstat", "pipe", "gettimeofday", "clock_gettime",
    "getcwd",
    "readlink", "select", "poll", "wait", "waitpid", "getaddrinfo", "accept", "getsockopt", "getrusage", "getrlimit", "ioctl",
    "mbstowcs", "wcstombs", "swprintf", "fgetpos", "pread", "readv",
)  # fmt: skip
"""Library functions without a model that change objects of the program."""

OUTPUT = (
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "dprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "_IO_putc",
    "perror",
    "fflush",
)

PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(OUTPUT, _print),
    **dict.fromkeys(("scanf", "__isoc99_scanf"), _scan(0)),
    **dict.fromkeys(("fscanf", "sscanf", "__isoc99_fscanf", "__isoc99_sscanf"), _scan(1)),
    **dict.fromkeys(_WRITERS, _writes),
}
