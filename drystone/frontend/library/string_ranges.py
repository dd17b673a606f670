"""Strings that functions of the library read from their arguments, or write there, where memory is checked."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.base.regex import regex
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.types import Int
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import check_range, refuse_if
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.formats import has_format
from drystone.frontend.lowering.builder import load_checked
from drystone.frontend.lowering.places import Derived, InMemory
from drystone.ir import names
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Constant, Expression, constant
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec

_SHOWN = regex(rb"%([-+ #0']*)(\*|\d*)(?:(\.)(\*|-?\d*))?(hh|h|ll|l|j|z|t|L|q)?(.)")
_CHARACTER = Int("char", 8, 1, True, 1)
_OF_MEMORY = b"snmS"
_OF_STRINGS = regex(r"%[-+ #0-9.*$']*(?:hh?|ll?|[jztLq])?[snmS]")
_WIDTHS = {b"d": 11, b"i": 11, b"u": 10, b"x": 10, b"X": 10, b"o": 12, b"c": 1}  # of int
_WIDTHS_OF_LONG = {b"d": 20, b"i": 20, b"u": 20, b"x": 18, b"X": 18, b"o": 23}


def check_string(lowering: ExpressionLowering, call: Node, argument: int, string: Expression, most: int | None = None) -> None:
    """The characters of this argument are about to be read up to its zero, or as many as there may be."""
    if lowering.builder.extents is None:
        return
    builder, width = lowering.builder, lowering.context.pointer_width
    string, one = builder.keep(string), constant(width, 1)
    position = builder.variable(names.own("position"), bitvec(width))
    builder.assign(position, constant(width, 0))
    body, look, goes_on, end = builder.location(), builder.location(), builder.location(), builder.location()
    builder.place(body)
    if most is not None:
        builder.branch(make("=", BOOL, position, constant(width, most)), end, look)
        builder.current = look
    check_range(lowering, call, argument, string, one, is_write=False, behind=position)
    place = make("bvadd", string.sort, string, make("scale", position.sort, position, one))
    text = f"a character of {lowering.text(call.children[argument])}"
    lowering.memory.on_read(InMemory(place, derived=Derived(text, builder.origin)), _CHARACTER)
    character = load_checked(builder, bitvec(8), place)
    builder.branch(make("=", BOOL, builder.keep(character), constant(8, 0)), end, goes_on)
    builder.current = goes_on
    builder.assign(position, make("bvadd", position.sort, position, one))
    builder.goto(body)
    builder.current = end


def check_shown(
    lowering: ExpressionLowering,
    call: Node,
    position: int,
    template: bytes | None,
    values: list[Expression],
    *,
    is_list: bool = False,
) -> None:
    """The strings that are printed as a format says, which is the child of the call at this position."""
    if lowering.builder.extents is None:
        return
    if template is None and not has_format(lowering.context, _OF_STRINGS):
        return
    if template is None:
        raise NotSupported(
            "printing by a format that is no literal, where another one has %s, where memory is checked",
            Unmodelled.LIBRARY,
            "printf",
        )
    for argument, letter, most in _arguments(template):
        if letter != b"s" or is_list or argument + position + 1 >= len(call.children):
            what = f"printing with %{letter.decode('latin-1')}, where memory is checked"
            raise NotSupported(what, Unmodelled.LIBRARY, "printf")
        string = lowering.builder.keep(values[argument + position])
        refuse_if(lowering, make("=", BOOL, string, Constant(string.sort, 0)), "NULL for %s, where memory is checked")
        check_string(lowering, call, argument + position + 1, string, most)


def _arguments(template: bytes) -> Iterator[tuple[int, bytes, int | None]]:
    """The conversions that follow a pointer: which of the arguments it is, their letter, the most characters."""
    count = 0
    for match in _SHOWN.finditer(template):
        _, width, dot, precision, _, letter = match.groups()
        if letter == b"%":
            continue
        count += (width == b"*") + (precision == b"*")
        if letter in _OF_MEMORY or b"$" in match[0]:
            if precision == b"*" or (precision or b"").startswith(b"-"):
                letter = b"*" + letter
            yield count, letter, int(precision or b"0") if dot and precision != b"*" else None
        count += 1


def most_characters(template: bytes) -> int | None:
    """That a format can make; None: not known here."""
    total, end = 0, 0
    for match in _SHOWN.finditer(template):
        flags, width, dot, precision, length, letter = match.groups()
        total += match.start() - end
        end = match.end()
        if letter == b"%":
            total += 1
            continue
        if dot and letter == b"s" and (precision or b"0").isdigit() and not length:
            size = int(precision or b"0")
        else:
            widths = _WIDTHS_OF_LONG if length in (b"l", b"ll", b"j", b"z", b"t") else _WIDTHS
            if letter not in widths or dot or b"'" in flags or (length == b"l" and letter == b"c"):
                return None
            size = widths[letter]
        if width == b"*":
            return None
        total += max(size, int(width or b"0"))
    rest = template[end:]
    return None if b"%" in rest else total + len(rest)
