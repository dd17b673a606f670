"""Formats of printf and its kin: which of them are refused, which may fail, and what they print where all is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from drystone.base.regex import regex
from drystone.concrete.formatting import Unprintable, formatted
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library, text_of
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import string_literal, strip
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Function, Int, Pointer
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import before_conversion
from drystone.frontend.lowering.context import Context
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir.automaton import MemoryObject, Unmodelled
from drystone.ir.expressions import Address, Constant, Expression
from drystone.logic.sorts import EXTENDED, FLOAT64, Float, bitvec

PRINTING = frozenset(
    ("printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "sprintf", "snprintf", "vsprintf", "vsnprintf")
)  # fmt: skip
COUNT, ADDRESS = (regex(r"%[-+ #0-9.*$']*(?:hh?|ll?|[jztLq])?" + letter) for letter in "np")
FAILING_FORMAT = regex(r"%[-+ #0-9.$']*(?:\*|\d{7})|%[-+ #0-9.*$']*(?:l[sc]|[SC])")
"""Conversions that may fail: of wide characters that have no bytes, and to more characters than an `int` can count."""
UNBOUNDED = regex(r"%[-+ #0-9$']*s")


def _function_type(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Function:
    type_ = lowering.type_of(node.children[0])
    function = type_.target if isinstance(type_, Pointer) else type_
    if not isinstance(function, Function):
        raise NotSupported(f"{symbol.name} that is declared as {function}", Unmodelled.LIBRARY, symbol.name)
    return function


def format_position(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> int:
    """The format is the last argument that is declared, but for a list of the others; among the children of the call."""
    function = _function_type(lowering, symbol, node)
    position = len(function.parameters) - (not function.variadic)
    if not 1 <= position < len(node.children):
        raise NotSupported(f"{symbol.name} without a format", Unmodelled.LIBRARY, symbol.name)
    return position


def literal_bytes(node: Node) -> bytes | None:
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
    position = format_position(lowering, symbol, node)
    template = literal_bytes(node.children[position])
    is_for_people = _is_for_people(symbol, node)
    if template is not None:
        plain = template.replace(b"%%", b"").decode("latin-1")
        if COUNT.search(plain):
            raise NotSupported(f"%n in {symbol.name}", Unmodelled.LIBRARY, symbol.name)
        if ADDRESS.search(plain) and not is_for_people:
            raise NotSupported(f"%p in {symbol.name}", Unmodelled.LIBRARY, symbol.name)
        return
    if has_format(lowering.context, COUNT, *(() if is_for_people else (ADDRESS,))):
        raise NotSupported(
            f"{symbol.name} whose format is no literal, where another one has %n or %p", Unmodelled.LIBRARY, symbol.name
        )
    for argument in node.children[position + 1 :] if _function_type(lowering, symbol, node).variadic else ():
        passed = lowering.type_of(before_conversion(argument, lowering))
        target = passed.target if isinstance(passed, Pointer) else None
        is_number = isinstance(target, Int) and target.width > 8
        if is_number or (target is not None and not is_for_people and not isinstance(target, Int)):
            raise NotSupported(
                f"{symbol.name} whose format is no literal, with a pointer to {target}", Unmodelled.LIBRARY, symbol.name
            )


def has_format(context: Context, *patterns: re.Pattern[str]) -> bool:
    """Is there such a conversion in a string literal of the program? Formats that are passed on are one of these."""
    return any(pattern.search(literal) for literal in context.symbols.literals for pattern in patterns)


def _is_for_people(symbol: FunctionSymbol, node: Node) -> bool:
    """Does it print to a stream that the program cannot read?"""
    name = symbol.name.lstrip("_")
    if "fprintf" in name:
        return is_printed(node.children[1])
    return "sn" not in name and "spr" not in name


def variable_name(node: Node) -> str:
    """Of an argument that is just a variable."""
    node = strip(node)
    while node.kind == kinds.UNEXPOSED_EXPR and len(node.children) == 1:
        node = strip(node.children[0])
    return text_of(library().clang_getCursorSpelling(node.cursor)) if node.kind == kinds.DECL_REF_EXPR else ""


def is_printed(node: Node) -> bool:
    """Is the stream one of those that a person reads, and not the program?"""
    return variable_name(node) in ("stdout", "stderr")


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
        sort = EXTENDED if is_long else FLOAT64
        if not isinstance(value, Constant) or value.sort != sort:
            raise Unprintable("not a constant of this type")
        return sort, value.value

    def string(self, most: int | None) -> bytes:
        value = self._next()
        known = self.objects.get(value.target) if isinstance(value, Address) and value.target.startswith('"') else None
        if known is None:
            raise Unprintable("no literal")
        text = known.content.ljust(known.size, b"\0").partition(b"\0")[0]
        return text if most is None else text[:most]


def known_text(lowering: ExpressionLowering, template: bytes | None, values: Sequence[Expression]) -> bytes | None:
    """What is printed, where the format and all that it shows are constants."""
    if template is None:
        return None
    try:
        return formatted(template, _Constants(values, lowering.context.objects), lowering.context.pointer_width)
    except Unprintable:
        return None
