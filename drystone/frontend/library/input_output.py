"""printf and scanf: output is reported to the interpreter and changes nothing else, input is arbitrary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from drystone.concrete.formatting import Unprintable, formatted
from drystone.concrete.output import STANDARD_STREAMS
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library, text_of
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.declarations.initialisers import string_literal, strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Function, Int, Pointer, Real, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, any_result, before_conversion
from drystone.frontend.library.state import SCAN_FAILED
from drystone.frontend.library.variadic import list_address
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import resize
from drystone.frontend.lowering.places import InMemory
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir import names
from drystone.ir.automaton import MemoryObject
from drystone.ir.expressions import FALSE, TRUE, Address, Constant, Determinant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Assume, Call, Copy, Report, Store
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, FLOAT64, Float, bitvec

# Formats


def _function_type(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Function:
    type_ = lowering.type_of(node.children[0])
    function = type_.target if isinstance(type_, Pointer) else type_
    if not isinstance(function, Function):
        raise NotSupported(f"{symbol.name} that is declared as {function}")
    return function


def _format_position(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> int:
    """The format is the last argument that is declared, but for a list of the others; among the children of the call."""
    function = _function_type(lowering, symbol, node)
    position = len(function.parameters) - (not function.variadic)
    if not 1 <= position < len(node.children):
        raise NotSupported(f"{symbol.name} without a format")
    return position


def _literal_bytes(node: Node) -> bytes | None:
    """The characters of a string literal, up to its first null character."""
    literal = string_literal(node)
    if literal is None:
        return None
    return string_bytes(spelling(literal.cursor), 1, -1).partition(b"\0")[0]


def check_format(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> None:
    """Refuses what stores how many characters were written: `%n`, or a format that may have one.

    An address that is printed where the program can read it again, into memory or a file, is refused as well: the text
    would have to mean the same object when it becomes a pointer.
    """
    position = _format_position(lowering, symbol, node)
    template = _literal_bytes(node.children[position])
    is_for_people = _is_for_people(symbol, node)
    if template is not None:
        plain = template.replace(b"%%", b"").decode("latin-1")
        if COUNT.search(plain):
            raise NotSupported(f"%n in {symbol.name}")
        if _ADDRESS.search(plain) and not is_for_people:
            raise NotSupported(f"%p in {symbol.name}")
        return
    if has_format(lowering.context, COUNT, *(() if is_for_people else (_ADDRESS,))):
        raise NotSupported(f"{symbol.name} whose format is no literal, where another one has %n or %p")
    for argument in node.children[position + 1 :] if _function_type(lowering, symbol, node).variadic else ():
        passed = lowering.type_of(before_conversion(argument, lowering))
        target = passed.target if isinstance(passed, Pointer) else None
        is_number = isinstance(target, Int) and target.width > 8
        if is_number or (target is not None and not is_for_people and not isinstance(target, Int)):
            raise NotSupported(f"{symbol.name} whose format is no literal, with a pointer to {target}")


COUNT, _ADDRESS = (re.compile(r"%[-+ #0-9.*$']*(?:hh?|ll?|[jztLq])?" + letter) for letter in "np")


_FAILING_FORMAT = re.compile(r"%[-+ #0-9.$']*(?:\*|\d{7})|%[-+ #0-9.*$']*(?:l[sc]|[SC])")
"""Conversions that may fail: of wide characters that have no bytes, and to more characters than an `int` can count."""
_UNBOUNDED = re.compile(r"%[-+ #0-9$']*s")


def has_format(context: Context, *patterns: re.Pattern[str]) -> bool:
    """Is there such a conversion in a string literal of the program? Formats that are passed on are one of these."""
    return any(pattern.search(literal) for literal in context.symbols.literals for pattern in patterns)


def _is_for_people(symbol: FunctionSymbol, node: Node) -> bool:
    """Does it print to a stream that the program cannot read?"""
    name = symbol.name.lstrip("_")
    if "fprintf" in name:
        return _is_printed(node.children[1])
    return "sn" not in name and "spr" not in name


def _variable_name(node: Node) -> str:
    """Of an argument that is just a variable."""
    node = strip(node)
    while node.kind == kinds.UNEXPOSED_EXPR and len(node.children) == 1:
        node = strip(node.children[0])
    return text_of(library().clang_getCursorSpelling(node.cursor)) if node.kind == kinds.DECL_REF_EXPR else ""


def _is_printed(node: Node) -> bool:
    """Is the stream one of those that a person reads, and not the program?"""
    return _variable_name(node) in ("stdout", "stderr")


PRINTING = frozenset(
    ("printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "sprintf", "snprintf", "vsprintf", "vsnprintf")
)  # fmt: skip


class _Constants:
    """Arguments that the front end knows."""

    def __init__(self, values: Sequence[Expression], objects: Mapping[str, MemoryObject]) -> None:
        self.rest = list(values)[::-1]
        self.objects = objects

    def _next(self) -> Expression:
        if not self.rest:
            raise Unprintable("too few arguments")
        return self.rest.pop()

    def integer(self, width: int) -> int:
        value = self._next()
        if not isinstance(value, Constant) or value.sort != bitvec(width):
            raise Unprintable("not a constant of this type")
        return value.value

    def floating(self, is_long: bool) -> tuple[Float, int]:
        value = self._next()
        if not isinstance(value, Constant) or value.sort != FLOAT64 or is_long:
            raise Unprintable("not a constant of this type")
        return FLOAT64, value.value

    def string(self, most: int | None) -> bytes:
        value = self._next()
        known = self.objects.get(value.target) if isinstance(value, Address) and value.target.startswith('"') else None
        if known is None:
            raise Unprintable("no literal")
        text = known.content.ljust(known.size, b"\0").partition(b"\0")[0]
        return text if most is None else text[:most]


def _known_text(lowering: ExpressionLowering, template: bytes | None, values: Sequence[Expression]) -> bytes | None:
    """What is printed, where the format and all that it shows are constants."""
    if template is None:
        return None
    try:
        return formatted(template, _Constants(values, lowering.context.objects), lowering.context.pointer_width)
    except Unprintable:
        return None


# Output


def _report(lowering: ExpressionLowering, name: str, values: Sequence[Expression]) -> None:
    """The interpreter prints; that asks the environment for nothing."""
    if name != "text":
        _may_not_return(lowering)
    kept = tuple(lowering.builder.without_inputs(value) for value in values)
    for position in _NEEDED.get(name, ()):
        if position < len(kept):
            _needs(lowering, kept[position], name)
    lowering.builder.emit(Report(name, kept))
    for value in kept:
        lowering.environment.give_away(value)


def _result(lowering: ExpressionLowering, node: Node, name: str) -> Expression:
    """An input for the result; the interpreter knows it by the name of the report."""
    type_ = lowering.type_of(node)
    if not isinstance(type_, Int):
        return NOTHING
    return lowering.environment.any_value(type_, InputKind.EXTERNAL, name, Determinant.IMPLEMENTATION)


def _or_failure(result: Expression) -> Expression:
    """-1 where the input is less."""
    if result is NOTHING:
        return result
    failure = Constant(result.sort, (1 << result.sort.width) - 1)  # type: ignore[union-attr]
    return make("ite", result.sort, make("bvslt", BOOL, result, failure), failure, result)


def _may_not_return(lowering: ExpressionLowering) -> None:
    """Who writes to a pipe may wait for ever, or be ended by a signal, and any stream or descriptor may be one, if there is one;
    who reads may wait."""
    if _has(lowering.context, _PIPES):
        _rests_on(lowering, "pipe")


def _rests_on(lowering: ExpressionLowering, what: str) -> None:
    """Who goes on from here does so by an approximation: like MAY_NOT_RETURN in models."""
    lowering.builder.emit(Assume(lowering.builder.choice(what, Determinant.IMPLEMENTATION)))


def _needs(lowering: ExpressionLowering, pointer: Expression, name: str) -> None:
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


_NEEDED = {"puts": (0,), "fputs": (0, 1), "fputc": (1,), "putc": (1,), "fprintf": (0,), "vfprintf": (0,), "fwrite": (3,)}
"""Pointers that functions which print follow, by the positions of their arguments."""


def _succeeds(lowering: ExpressionLowering, name: str) -> None:
    lowering.context.note("output", f"{name} to the standard output succeeds", lowering.builder.origin)


def _printf(name: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        position = _format_position(lowering, symbol, node)
        template = _literal_bytes(node.children[position])
        has_list = name.startswith("v")
        values = lowering.arguments(node)
        before = values[:1] if "fprintf" in name or "dprintf" in name else []
        shown = values[position:]
        if has_list:
            shown = [list_address(lowering, node.children[position + 1])]
        elif not all(isinstance(lowering.type_of(each), Scalar) for each in node.children[position + 1 :]):
            shown = []  # a structure among them: nobody knows what is printed
        if name == "printf" and template == b"%s\n" and len(shown) == 1:
            shown = [lowering.builder.without_inputs(shown[0])]
            _needs(lowering, shown[0], "puts")  # which gcc makes of it
        _report(lowering, name, [*before, values[position - 1], *shown])
        text = None if has_list else _known_text(lowering, template, shown)
        type_ = lowering.type_of(node)
        is_standard = not before or ("fprintf" in name and _is_printed(node.children[1]))
        if text is not None and is_standard and isinstance(type_, Int):
            _succeeds(lowering, name)
            return constant(type_.width, len(text))
        return _or_failure(_result(lowering, node, name))

    return handler


def _sprintf(is_bounded: bool) -> Handler:
    """A text that is known is copied; otherwise the model writes any."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        position = _format_position(lowering, symbol, node)
        template = _literal_bytes(node.children[position])
        if template is None or position != (3 if is_bounded else 2) or any(map(_has_effects, node.children[1:])):
            return None
        if not all(_is_simple(each) for each in node.children[position + 1 :]):
            return None
        size = evaluate(node.children[2].cursor) if is_bounded else len(template) + (1 << 20)
        shown = [lowering.rvalue(each) for each in node.children[position + 1 :]]
        text = _known_text(lowering, template, shown)
        type_ = lowering.type_of(node)
        if text is None or not isinstance(size, int) or not isinstance(type_, Int):
            return None
        target = lowering.rvalue(node.children[1])
        if size > 0:
            held = text[: size - 1] + b"\0"
            source = lowering.context.literal(held, 1, f"char[{len(held)}]", lowering.builder.origin)
            lowering.builder.emit(Copy(target, source, len(held)))
        return constant(type_.width, len(text))

    return handler


def _has_effects(node: Node) -> bool:
    return node.effects == EFFECTS


def _is_simple(node: Node) -> bool:
    """A literal, perhaps with a sign or converted: evaluating it twice adds nothing to the procedure."""
    node = strip(node)
    if node.kind in (kinds.INTEGER_LITERAL, kinds.CHARACTER_LITERAL, kinds.FLOATING_LITERAL, kinds.STRING_LITERAL):
        return True
    if node.kind in (kinds.UNEXPOSED_EXPR, kinds.UNARY_OPERATOR, kinds.CAST_EXPR):
        return bool(node.children) and all(map(_is_simple, node.children))
    return False


def _text(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    """Models of sprintf say which format and list they are about to print. Calls through pointers have not been checked."""
    if lowering.context.symbols.functions[lowering.owner].address_taken and has_format(lowering.context, COUNT, _ADDRESS):
        raise NotSupported(f"{lowering.owner} through a pointer, where a format has %n or %p")
    template = lowering.arguments(node)[0]
    _report(lowering, "text", [template, list_address(lowering, node.children[2])])
    return NOTHING


def _may_fail_to_print(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Models of sprintf ask, which do not look at their formats."""
    return constant(32, int(has_format(lowering.context, _FAILING_FORMAT, _UNBOUNDED)))


def _put_string(name: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        _report(lowering, name, lowering.arguments(node))
        return _or_failure(_result(lowering, node, name))

    return handler


def _put_character(name: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = [lowering.builder.keep(value) for value in lowering.arguments(node)]
        _report(lowering, name, values)
        type_ = lowering.type_of(node)
        if not isinstance(type_, Int):
            return NOTHING
        written = resize(resize(values[0], 8, False), type_.width, False)
        if len(values) == 1 or _is_printed(node.children[2]):
            _succeeds(lowering, name)
            return written
        failure = constant(type_.width, -1)
        failed = make("=", BOOL, _result(lowering, node, name), failure)
        return make("ite", written.sort, failed, failure, written)

    return handler


def _fwrite(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = [lowering.builder.keep(value) for value in lowering.arguments(node)[:4]]
    _report(lowering, "fwrite", values)
    count, result = values[2], _result(lowering, node, "fwrite")
    if result is NOTHING or result.sort != count.sort:
        raise NotSupported(f"{symbol.name} that is declared otherwise")
    nothing = Constant(count.sort, 0)
    least = make("ite", count.sort, make("bvult", BOOL, result, count), result, count)
    return make("ite", count.sort, make("=", BOOL, values[1], Constant(values[1].sort, 0)), nothing, least)


def _write(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = [lowering.builder.keep(value) for value in lowering.arguments(node)[:3]]
    _report(lowering, "write", values)
    size, result = values[2], _or_failure(_result(lowering, node, "write"))
    if result is NOTHING or result.sort != size.sort:
        raise NotSupported(f"{symbol.name} that is declared otherwise")
    return make("ite", size.sort, make("bvslt", BOOL, size, result), size, result)


def _perror(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    _report(lowering, "perror", lowering.arguments(node))
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _fflush(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """0 or -1; what was printed is out already."""
    lowering.arguments(node)
    _may_not_return(lowering)
    result = _result(lowering, node, "fflush")
    if result is NOTHING:
        return result
    zero = Constant(result.sort, 0)
    return make("ite", result.sort, make("=", BOOL, result, zero), zero, make("bvnot", result.sort, zero))


# Input

_SPACE = b" \t\n\v\f\r"
_CONVERSION = re.compile(rb"(\s*)((?:[^%\s]|%%)?)%(\*)?(\d*)((?:hh?|ll?|[jztLqm])?)(\[\^?\]?[^]]*\]|[a-zA-Z])")


class _Conversion(NamedTuple):
    """What scanf stores; `after_space` and `after_text`: it begins behind white space, or a character of the format. `fits_any`:
    only the end of the input can stop it, as any character fits, and nothing has to be matched since the one before."""

    letter: str
    size: str
    length: str
    after_space: bool
    after_text: bool
    fits_any: bool


def _conversions(template: bytes) -> list[_Conversion]:
    found = []
    fits_any, end = True, 0
    for match in _CONVERSION.finditer(template):
        space, text, suppressed, size, length, letter = match.groups()
        fits_any &= not text and not template[end : match.start()].strip(_SPACE) and letter in b"cs"
        end = match.end()
        if not suppressed:
            after_space, after_text = bool(space) and not text, bool(text)
            found.append(_Conversion(letter[:1].decode(), size.decode(), length.decode(), after_space, after_text, fits_any))
            fits_any = True
    return found


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


def _of_stream(
    lowering: ExpressionLowering, function: str, arguments: tuple[Expression, ...], result: Variable | None
) -> Variable | None:
    """Asks or tells the model of the standard input something; None if the program has nothing else that reads it."""
    symbol = lowering.context.symbols.functions.get(function)
    if symbol is None or symbol.definition is None:
        return None
    lowering.builder.emit(Call(function, arguments, result))
    return result


def _scan(format_index: int) -> Handler:
    """scanf and its kin: conversions give their objects any values of their types, until one fails. The result is how many did
    not; -1 if the input ended before."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        is_standard = format_index == 0 or _variable_name(node.children[1]) == "stdin"
        is_text = "sscanf" in symbol.name
        is_known = is_text or _has(lowering.context, _REREADING, _CHARACTERS, _CLOSING)  # it may have been read before
        is_known |= not is_standard and _has(lowering.context, _WRITING, _PRINTING_TO_FILES)
        determinant = Determinant.IMPLEMENTATION if is_known else Determinant.NOTHING
        read = Determinant.IMPLEMENTATION if is_known else Determinant.FUNCTION
        template = _literal_bytes(node.children[1 + format_index])
        if template is None:
            raise NotSupported(f"{symbol.name} whose format is no literal")
        stored = _conversions(template)
        builder = lowering.builder
        values = lowering.arguments(node)
        targets = list(zip(node.children[1:], values, strict=True))[format_index + 1 :]
        if not is_text:
            _may_not_return(lowering)
        if format_index and not is_standard:
            values[0] = builder.without_inputs(values[0])
            _needs(lowering, values[0], symbol.name)
        if len(stored) != len(targets):
            raise NotSupported(f"{symbol.name} with {len(targets)} objects for {len(stored)} conversions")
        source = (values[0] if format_index else lowering.pointer_constant(0), constant(32, int(format_index == 0)))
        can_scan = None if is_text else _of_stream(lowering, "__drystone_can_scan", source, builder.temporary(bitvec(32)))
        going: Expression = TRUE if can_scan is None else negate(make("=", BOOL, can_scan, constant(32, 0)))
        failed = None if is_known else lowering.context.variable(SCAN_FAILED, BOOL)
        counts: list[Expression] = []
        ended = _choice(builder, f"{symbol.name} has no more input", determinant, failed)
        is_over: Expression = FALSE  # where a conversion that any character fits fails
        for conversion, (argument, value) in zip(stored, targets, strict=True):
            letter, size, length = conversion.letter, conversion.size, conversion.length
            type_ = lowering.type_of(before_conversion(argument, lowering))
            target = type_.target if isinstance(type_, Pointer) else None
            is_string = letter in "s[" and not length and isinstance(target, Int) and target.width == 8
            is_long = letter == "c" and (length or size not in ("", "1"))  # wide characters, or several
            if not is_string and (letter in "sSC[np" or is_long or not isinstance(target, Scalar)):
                raise NotSupported(f"{symbol.name} with %{size}{length}{letter}")
            address = builder.keep(value)
            before = going
            going = builder.keep(make("and", BOOL, going, _choice(builder, f"{symbol.name} converts", determinant, failed)))
            counts.append(going)
            if conversion.fits_any:
                is_over = builder.keep(make("or", BOOL, is_over, make("and", BOOL, before, negate(going))))
            if is_string:
                by = read if letter == "s" and not size else Determinant.IMPLEMENTATION
                _any_string(lowering, going, address, symbol.name, by, letter == "s")
            else:
                assert isinstance(target, Scalar)
                # a number of so many digits; a character at which an earlier conversion may have stopped
                is_rough = size if letter != "c" else not (conversion.after_space or conversion.after_text)
                by = Determinant.IMPLEMENTATION if is_rough else read
                new = lowering.environment.any_value(target, InputKind.EXTERNAL, symbol.name, by)
                if conversion.after_space and letter == "c":
                    new = _without_space(builder.keep(new))
                if isinstance(target, Real):
                    new = _without_nan(lowering, target, new, symbol.name)
                place = InMemory(address)
                lowering.memory.write(place, make("ite", new.sort, going, new, load(target.sort, address)), target)
        if failed is not None:
            builder.assign(failed, make("or", BOOL, failed, negate(going)))
        result = lowering.type_of(node)
        if not isinstance(result, Int) or result.width != 32:
            raise NotSupported(f"{symbol.name} that is declared otherwise")
        zero, one = constant(result.width, 0), constant(result.width, 1)
        total: Expression = zero
        for converted in counts:
            total = make("bvadd", zero.sort, total, make("ite", zero.sort, converted, one, zero))
        total = builder.keep(total)
        no_input: Expression = make("or", BOOL, ended, is_over)
        if can_scan is not None:
            no_input = make("or", BOOL, no_input, make("=", BOOL, can_scan, constant(32, 0)))
        no_input = (
            make("and", BOOL, make("=", BOOL, total, zero), no_input) if template.strip(_SPACE) else FALSE
        )  # white space is optional
        end = constant(result.width, -1)
        total = builder.keep(make("ite", zero.sort, no_input, end, total))
        if can_scan is not None:
            _of_stream(lowering, "__drystone_scanned", (*source, make("ite", zero.sort, is_over, end, total)), None)
        return total

    return handler


def _choice(builder: Builder, what: str, determinant: Determinant, failed: Variable | None) -> Variable:
    """Does a conversion succeed, has the input ended? Where an earlier one did not, that depends on what stopped it."""
    if failed is None:
        return builder.choice(what, determinant)
    result = builder.temporary(BOOL)
    before, first, join = builder.location(), builder.location(), builder.location()
    builder.branch(failed, before, first)
    for place, by in ((before, Determinant.IMPLEMENTATION), (first, determinant)):
        builder.current = place
        builder.assign(result, builder.input(BOOL, InputKind.CHOICE, what, by))
        builder.goto(join)
    builder.current = join
    return result


def _any_string(
    lowering: ExpressionLowering,
    condition: Expression,
    address: Expression,
    name: str,
    determinant: Determinant,
    is_word: bool,
) -> None:
    """At least one character and a final zero, or nothing at all; how many is not bounded. A word has no white space."""
    builder, width = lowering.builder, lowering.context.pointer_width
    position = builder.variable(names.own("position"), bitvec(width))
    body, end, after = builder.location(), builder.location(), builder.location()
    goes_on = Determinant.NOTHING if determinant is Determinant.FUNCTION else determinant
    builder.branch(condition, converted := builder.location(), after)
    builder.current = converted
    builder.assign(position, constant(width, 0))
    builder.place(body)
    place = make("bvadd", address.sort, address, position)
    character: Expression = builder.input(bitvec(8), InputKind.EXTERNAL, name, determinant)
    if is_word:
        character = _without_space(builder.keep(character))
    builder.emit(Store(place, character))
    builder.assign(position, make("bvadd", position.sort, position, constant(width, 1)))
    builder.branch(builder.choice(f"{name} reads a character", goes_on), body, end)
    builder.current = end
    builder.emit(Store(place, constant(8, 0)))
    builder.place(after)


def _without_nan(lowering: ExpressionLowering, target: Real, number: Expression, name: str) -> Expression:
    """Which NaN it is, the library knows."""
    builder = lowering.builder
    result = builder.temporary(target.sort)
    builder.assign(result, number)
    nan, join = builder.location(), builder.location()
    builder.branch(make("fp.isNaN", BOOL, result), nan, join)
    builder.current = nan
    other = builder.keep(lowering.environment.any_value(target, InputKind.EXTERNAL, name, Determinant.IMPLEMENTATION))
    builder.assign(result, make("ite", target.sort, make("fp.isNaN", BOOL, other), other, result))
    builder.goto(join)
    builder.current = join
    return result


def _without_space(character: Expression) -> Expression:
    """A letter instead of white space."""
    if character.sort != bitvec(8):
        return character
    from_tab = make("bvsub", character.sort, character, constant(8, 9))
    is_space = make("or", BOOL, make("bvult", BOOL, from_tab, constant(8, 5)), make("=", BOOL, character, constant(8, 32)))
    return make("ite", character.sort, is_space, constant(8, ord("x")), character)


OUTPUT: dict[str, Handler] = {
    **{name: _printf(name) for name in ("printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf")},
    **{name: _put_string(name) for name in ("puts", "fputs")},
    **{name: _put_character(name) for name in ("putchar", "fputc", "putc")},
    "putchar_unlocked": _put_character("putchar"),
    "fputs_unlocked": _put_string("fputs"),
    **dict.fromkeys(("putc_unlocked", "fputc_unlocked", "_IO_putc"), _put_character("putc")),
    "fwrite": _fwrite,
    "write": _write,
    "perror": _perror,
    "fflush": _fflush,
}

PRIMITIVES: dict[str, Handler] = {
    **OUTPUT,
    "sprintf": _sprintf(is_bounded=False),
    "snprintf": _sprintf(is_bounded=True),
    "__drystone_text": _text,
    "__drystone_rereads": _calls(_REREADING),
    "__drystone_writes_files": _calls(_WRITING),
    "__drystone_closes": _calls(_CLOSING),
    "__drystone_may_fail_to_print": _may_fail_to_print,
    "__drystone_has_pipes": _calls(_PIPES),
    "__drystone_sends_signals": _calls(_SIGNALLING),
    **dict.fromkeys(("scanf", "__isoc99_scanf"), _scan(0)),
    **dict.fromkeys(("fscanf", "sscanf", "__isoc99_fscanf", "__isoc99_sscanf"), _scan(1)),
}

_FAILING = frozenset(("fprintf", "vfprintf", "dprintf", "vdprintf", "fputs", "fputc", "putc", "fwrite", "write", "fflush"))


def may_set_errno(lowering: ExpressionLowering, symbol: FunctionSymbol, name: str, node: Node) -> bool:
    """Printing to the standard output and standard error succeeds, unless the format itself may fail; files may fail, and numbers
    that are read be out of range. perror has a stream of its own, and errno as that left it."""
    if "scanf" in name or name == "perror" or (name in _FAILING and not any(map(_is_printed, node.children[1:]))):
        return True
    if name not in PRINTING or name in MODELLED:  # those say it themselves, or have a known text
        return False
    template = _literal_bytes(node.children[_format_position(lowering, symbol, node)])
    if template is None:
        return has_format(lowering.context, _FAILING_FORMAT)
    return _FAILING_FORMAT.search(template.decode("latin-1")) is not None


def is_plain(context: Context, name: str) -> bool:
    """Does this function, which prints, do nothing else? A call through a pointer does not show its format or stream."""
    if has_format(context, COUNT) or _has(context, _PIPES):
        return False
    is_errno_seen = "__errno_location" in context.symbols.functions
    return not is_errno_seen or (name not in _FAILING and not has_format(context, _FAILING_FORMAT))


MODELLED = frozenset({"sprintf", "snprintf"})
"""Primitives for known texts only."""
