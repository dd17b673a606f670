"""Texts that printf and its kin print: where memory is checked, each of their bytes up to the end is accessed.

Whatever else they may read of what they are given is not shown, and the call is refused (`hidden_accesses`).
"""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import string_literal
from drystone.frontend.declarations.types import Int, Pointer
from drystone.frontend.expressions.accesses import derived_from
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import before_conversion
from drystone.frontend.library.formats import literal_bytes
from drystone.frontend.lowering.places import InMemory
from drystone.ir.expressions import Constant, Expression
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL

_CONVERSION = regex(r"%[-+ #0']*(\*|\d+)?(\.(?:\*|\d+)?)?(hh?|ll?|[jztLq])?([a-zA-Z])")
_NUMBERS = frozenset("diouxXcaAeEfFgGp")
_FORMATS = {"printf": 1, "fprintf": 2, "dprintf": 2}
_TEXTS = {"puts": 1, "fputs": 1, "fputs_unlocked": 1}
"""Where the format, or the text, stands among the children of a call."""


def shown_texts(lowering: ExpressionLowering, name: str, node: Node) -> tuple[int, ...] | None:
    """Which children of the call are texts that are read to their end, if nothing else in memory is; None: that is not known."""
    if name in _TEXTS:
        return (_TEXTS[name],) if _is_text(lowering, node.children[_TEXTS[name]]) else None
    first = _FORMATS.get(name)
    template = literal_bytes(node.children[first]) if first is not None and first < len(node.children) else None
    if first is None or template is None:
        return None
    rest, position, found = template.replace(b"%%", b"").decode("latin-1"), first + 1, list[int]()
    for conversion in _CONVERSION.finditer(rest):
        width, precision, size, letter = conversion.groups()
        position += (width == "*") + (precision == ".*")
        if position >= len(node.children):
            return None
        if letter == "s" and precision is None and size is None and _is_text(lowering, node.children[position]):
            found.append(position)
        elif letter not in _NUMBERS:
            return None
        position += 1
    is_all = position == len(node.children) and rest.count("%") == len(_CONVERSION.findall(rest))
    return tuple(found) if is_all else None


def _is_text(lowering: ExpressionLowering, argument: Node) -> bool:
    type_ = lowering.type_of(before_conversion(argument, lowering))
    return isinstance(type_, Pointer) and isinstance(type_.target, Int) and type_.target.width == 8


def check_texts(lowering: ExpressionLowering, name: str, node: Node, values: list[Expression]) -> list[Expression]:
    """Arguments of the call, whose texts are about to be printed."""
    values = list(values)
    for position in shown_texts(lowering, name, node) or ():
        if string_literal(before_conversion(node.children[position], lowering)) is None:
            values[position - 1] = _checked(lowering, node.children[position], values[position - 1])
    return values


def _checked(lowering: ExpressionLowering, node: Node, text: Expression) -> Expression:
    """The text as it is then: its bytes were looked at one after the other, up to the zero."""
    builder, type_ = lowering.builder, lowering.type_of(before_conversion(node, lowering))
    assert isinstance(type_, Pointer)
    text, derived = derived_from(lowering, node, builder.keep(text))
    place = builder.temporary(text.sort)
    builder.assign(place, text)
    head, further, end = builder.location(), builder.location(), builder.location()
    builder.place(head)
    byte = builder.keep(lowering.memory.read(InMemory(place, derived=derived), type_.target))
    builder.branch(make("=", BOOL, byte, Constant(byte.sort, 0)), end, further)
    builder.place(further)
    builder.assign(place, make("bvadd", place.sort, place, Constant(place.sort, 1)))
    builder.goto(head)
    builder.place(end)
    return text
