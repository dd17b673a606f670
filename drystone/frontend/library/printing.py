"""printf and its kin: output is reported to the interpreter and changes nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Int, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler, any_result
from drystone.frontend.library.formats import (
    ADDRESS,
    COUNT,
    FAILING_FORMAT,
    PRINTING,
    UNBOUNDED,
    format_position,
    has_format,
    is_printed,
    known_text,
    literal_bytes,
)
from drystone.frontend.library.streams import has_pipes, may_not_return, needs
from drystone.frontend.library.variadic import list_address
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import resize
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Constant, Determinant, Expression, InputKind, constant
from drystone.ir.operations import Copy, Report
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL

MODELLED = frozenset({"sprintf", "snprintf"})
"""Primitives for known texts only."""
_FAILING = frozenset(("fprintf", "vfprintf", "dprintf", "vdprintf", "fputs", "fputc", "putc", "fwrite", "write", "fflush"))
_NEEDED = {"puts": (0,), "fputs": (0, 1), "fputc": (1,), "putc": (1,), "fprintf": (0,), "vfprintf": (0,), "fwrite": (3,)}
"""Pointers that functions which print follow, by the positions of their arguments."""


def _report(lowering: ExpressionLowering, name: str, values: Sequence[Expression]) -> None:
    """The interpreter prints; that asks the environment for nothing."""
    if name != "text":
        may_not_return(lowering)
    kept = tuple(lowering.builder.without_inputs(value) for value in values)
    for position in _NEEDED.get(name, ()):
        if position < len(kept):
            needs(lowering, kept[position], name)
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


def _succeeds(lowering: ExpressionLowering, name: str) -> None:
    lowering.context.note("output", f"{name} to the standard output succeeds", lowering.builder.origin)


def _arguments(lowering: ExpressionLowering, name: str, node: Node) -> list[Expression]:
    """Of a call, whose texts are about to be printed."""
    values = lowering.arguments(node)
    if lowering.builder.extents is None:
        return values
    from drystone.frontend.library.shown_texts import check_texts

    return check_texts(lowering, name, node, values)


def _printf(name: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        position = format_position(lowering, symbol, node)
        template = literal_bytes(node.children[position])
        has_list = name.startswith("v")
        values = _arguments(lowering, name, node)
        before = values[:1] if "fprintf" in name or "dprintf" in name else []
        shown = values[position:]
        if has_list:
            shown = [list_address(lowering, node.children[position + 1])]
        elif not all(isinstance(lowering.type_of(each), Scalar) for each in node.children[position + 1 :]):
            shown = []  # a structure among them: nobody knows what is printed
        if name == "printf" and template == b"%s\n" and len(shown) == 1:
            shown = [lowering.builder.without_inputs(shown[0])]
            needs(lowering, shown[0], "puts")  # which gcc makes of it
        _report(lowering, name, [*before, values[position - 1], *shown])
        text = None if has_list else known_text(lowering, template, shown)
        type_ = lowering.type_of(node)
        is_standard = not before or ("fprintf" in name and is_printed(node.children[1]))
        if text is not None and is_standard and isinstance(type_, Int):
            _succeeds(lowering, name)
            return constant(type_.width, len(text))
        return _or_failure(_result(lowering, node, name))

    return handler


def _sprintf(is_bounded: bool) -> Handler:
    """A text that is known is copied; otherwise the model writes any."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        position = format_position(lowering, symbol, node)
        template = literal_bytes(node.children[position])
        if template is None or position != (3 if is_bounded else 2) or any(map(_has_effects, node.children[1:])):
            return None
        if not all(_is_simple(each) for each in node.children[position + 1 :]):
            return None
        size = evaluate(node.children[2].cursor) if is_bounded else len(template) + (1 << 20)
        shown = [lowering.rvalue(each) for each in node.children[position + 1 :]]
        text = known_text(lowering, template, shown)
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
    """A literal, perhaps with a sign or converted, or made of some: evaluating it twice adds nothing to the procedure."""
    node = strip(node)
    if node.kind == kinds.DECL_REF_EXPR:
        return bool(library().clang_getCursorReferenced(node.cursor).kind == kinds.ENUM_CONSTANT)
    if node.kind == kinds.SIZEOF_EXPR or (node.kind == kinds.BINARY_OPERATOR and all(map(_is_simple, node.children))):
        return isinstance(evaluate(node.cursor), int)
    if node.kind in (kinds.INTEGER_LITERAL, kinds.CHARACTER_LITERAL, kinds.FLOATING_LITERAL, kinds.STRING_LITERAL):
        return True
    if node.kind in (kinds.UNEXPOSED_EXPR, kinds.UNARY_OPERATOR, kinds.CAST_EXPR):
        return bool(node.children) and all(map(_is_simple, node.children))
    return False


def _text(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    """Models of sprintf say which format and list they are about to print. Calls through pointers have not been checked."""
    if lowering.context.symbols.functions[lowering.owner].address_taken and has_format(lowering.context, COUNT, ADDRESS):
        raise NotSupported(f"{lowering.owner} through a pointer, where a format has %n or %p")
    template = lowering.arguments(node)[0]
    _report(lowering, "text", [template, list_address(lowering, node.children[2])])
    return NOTHING


def _may_fail_to_print(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Models of sprintf ask, which do not look at their formats."""
    return constant(32, int(has_format(lowering.context, FAILING_FORMAT, UNBOUNDED)))


def _put_string(name: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        _report(lowering, name, _arguments(lowering, name, node))
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
        if len(values) == 1 or is_printed(node.children[2]):
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
        raise NotSupported(f"{symbol.name} that is declared otherwise", Unmodelled.LIBRARY, symbol.name)
    nothing = Constant(count.sort, 0)
    least = make("ite", count.sort, make("bvult", BOOL, result, count), result, count)
    return make("ite", count.sort, make("=", BOOL, values[1], Constant(values[1].sort, 0)), nothing, least)


def _write(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = [lowering.builder.keep(value) for value in lowering.arguments(node)[:3]]
    _report(lowering, "write", values)
    size, result = values[2], _or_failure(_result(lowering, node, "write"))
    if result is NOTHING or result.sort != size.sort:
        raise NotSupported(f"{symbol.name} that is declared otherwise", Unmodelled.LIBRARY, symbol.name)
    return make("ite", size.sort, make("bvslt", BOOL, size, result), size, result)


def _perror(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    _report(lowering, "perror", lowering.arguments(node))
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _fflush(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """0 or -1; what was printed is out already."""
    lowering.arguments(node)
    may_not_return(lowering)
    result = _result(lowering, node, "fflush")
    if result is NOTHING:
        return result
    zero = Constant(result.sort, 0)
    return make("ite", result.sort, make("=", BOOL, result, zero), zero, make("bvnot", result.sort, zero))


def may_set_errno(lowering: ExpressionLowering, symbol: FunctionSymbol, name: str, node: Node) -> bool:
    """Printing to the standard output and standard error succeeds, unless the format itself may fail; files may fail, and numbers
    that are read be out of range. perror has a stream of its own, and errno as that left it."""
    if "scanf" in name or name == "perror" or (name in _FAILING and not any(map(is_printed, node.children[1:]))):
        return True
    if name not in PRINTING or name in MODELLED:  # those say it themselves, or have a known text
        return False
    template = literal_bytes(node.children[format_position(lowering, symbol, node)])
    if template is None:
        return has_format(lowering.context, FAILING_FORMAT)
    return FAILING_FORMAT.search(template.decode("latin-1")) is not None


def is_plain(context: Context, name: str) -> bool:
    """Does this function, which prints, do nothing else? A call through a pointer does not show its format or stream."""
    if has_format(context, COUNT) or has_pipes(context):
        return False
    is_errno_seen = "__errno_location" in context.symbols.functions
    return not is_errno_seen or (name not in _FAILING and not has_format(context, FAILING_FORMAT))


PRIMITIVES: dict[str, Handler] = {
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
    "sprintf": _sprintf(is_bounded=False),
    "snprintf": _sprintf(is_bounded=True),
    "__drystone_text": _text,
    "__drystone_may_fail_to_print": _may_fail_to_print,
}
