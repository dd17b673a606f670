"""Terms as text that looks like C.

Unsigned operators are marked with a `u` (`<u`, `/u`), widths are changed by `u8(x)` and `s32(x)`, a slice is
`x[15:8]`, a store `m{i: v}`. Parts that are long or occur often are named `#1`, `#2`, … and follow after `where`.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from drystone.logic.sorts import Array, BitVec, Bool, Float, Sort
from drystone.logic.walks import Node, reachable


class Printable(Node, Protocol):
    """What of a term is printed. Terms show themselves by `c_text`, so this module stands below theirs."""

    @property
    def operator(self) -> str: ...

    @property
    def sort(self) -> Sort: ...

    @property
    def payload(self) -> Any: ...


P = TypeVar("P", bound=Printable)

LONG = 200
"""Parts with more characters than this get a name; ones that occur more than once, from a quarter of this on."""

MAX_DEFINITIONS = 50

_ATOM = 20
_BINARY: dict[str, tuple[str, int]] = {
    "bvmul": ("*", 12),
    "scale": ("*", 12),
    "bvsdiv": ("/", 12),
    "bvudiv": ("/u", 12),
    "bvsrem": ("%", 12),
    "bvurem": ("%u", 12),
    "bvadd": ("+", 11),
    "bvsub": ("-", 11),
    "bvshl": ("<<", 10),
    "bvlshr": (">>u", 10),
    "bvashr": (">>", 10),
    "bvult": ("<u", 9),
    "bvule": ("<=u", 9),
    "bvslt": ("<", 9),
    "bvsle": ("<=", 9),
    "=": ("==", 8),
    "bvand": ("&", 7),
    "bvxor": ("^", 6),
    "bvor": ("|", 5),
    "and": ("&&", 4),
    "or": ("||", 3),
    "fp.add": ("+", 11),
    "fp.sub": ("-", 11),
    "fp.mul": ("*", 12),
    "fp.div": ("/", 12),
    "fp.eq": ("==", 8),
    "fp.lt": ("<", 9),
    "fp.leq": ("<=", 9),
}
_ASSOCIATIVE = frozenset(("bvadd", "bvmul", "bvand", "bvor", "bvxor", "and", "or"))
_NEGATED = {"=": "!=", "bvult": ">=u", "bvslt": ">=", "bvule": ">u", "bvsle": ">"}
_PREFIX = {"not": "!", "bvneg": "-", "bvnot": "~", "fp.neg": "-"}


def c_text(term: P, long: int = LONG, definitions: int = MAX_DEFINITIONS) -> str:
    """The term in one line."""
    uses: dict[P, int] = {}
    order = reachable((term,))
    for node in order:
        for argument in node.arguments:
            uses[argument] = uses.get(argument, 0) + 1
    texts: dict[P, tuple[str, int]] = {}
    named: list[tuple[str, str]] = []
    for node in order:
        text, level = _node(node, texts)
        if node is not term and node.arguments:
            if len(text) > long or (uses[node] > 1 and len(text) > long // 4):
                named.append((f"#{len(named) + 1}", text))
                text, level = named[-1][0], _ATOM
        texts[node] = text, level
    result = texts[term][0]
    if named:
        shown = [f"{name} = {text}" for name, text in reversed(named)][:definitions]
        if len(named) > definitions:
            shown.append(f"… ({len(named) - definitions} more)")
        result += " where " + ", ".join(shown)
    return result


def _node(term: P, texts: dict[P, tuple[str, int]]) -> tuple[str, int]:
    """The text and how strongly it binds."""
    operator, arguments = term.operator, term.arguments
    if operator == "state":
        return term.payload, _ATOM
    if operator == "input":
        return f"?{term.payload}", _ATOM
    if operator == "const":
        return _constant(term), _ATOM

    def inside(argument: P, level: int) -> str:
        text, own = texts[argument]
        return text if own >= level else f"({text})"

    binary = _BINARY.get(operator)
    if binary is not None:
        sign, level = binary
        left, right = level, level if operator in _ASSOCIATIVE and arguments[1].operator == operator else level + 1
        return f"{inside(arguments[0], left)} {sign} {inside(arguments[1], right)}", level
    if operator == "not" and arguments[0].operator in _NEGATED and arguments[0] in texts:
        inner = arguments[0]
        if texts[inner][0][:1] != "#":
            sign, level = _NEGATED[inner.operator], _BINARY[inner.operator][1]
            return f"{inside(inner.arguments[0], level)} {sign} {inside(inner.arguments[1], level + 1)}", level
    if operator in _PREFIX:
        return f"{_PREFIX[operator]}{inside(arguments[0], 14)}", 13
    return _other(term, [texts[argument][0] for argument in arguments], [inside(argument, 15) for argument in arguments])


def _other(term: Printable, bare: list[str], tight: list[str]) -> tuple[str, int]:
    operator = term.operator
    match operator:
        case "ite":
            condition, yes, no = [
                text if argument.operator != "ite" else f"({text})" for text, argument in zip(bare, term.arguments, strict=True)
            ]
            return f"{condition} ? {yes} : {no}", 1
        case "select":
            return f"{tight[0]}[{bare[1]}]", _ATOM
        case "store":
            return f"{tight[0]}{{{bare[1]}: {bare[2]}}}", _ATOM
        case "extract":
            high, low = term.payload
            return f"{tight[0]}[{high}:{low}]", _ATOM
        case "zero_extend" | "truncate":
            return f"u{term.sort.width}({bare[0]})", _ATOM  # type: ignore[union-attr]
        case "sign_extend":
            return f"s{term.sort.width}({bare[0]})", _ATOM  # type: ignore[union-attr]
        case "fp.to_fp" | "fp.from_sbv" | "fp.from_ubv" | "fp.to_sbv" | "fp.to_ubv" | "fp.from_bits":
            return f"{operator[3:]}<{term.sort}>({bare[0]})", _ATOM
    return f"{operator.removeprefix('fp.')}({', '.join(bare)})", _ATOM


def _constant(term: Printable) -> str:
    value: int = term.payload
    match term.sort:
        case Bool():
            return "true" if value else "false"
        case BitVec(width):
            if width < 8 or value < 1 << width - 1:
                return str(value)
            signed = value - (1 << width)
            return str(signed) if signed > -(1 << 16) else hex(value)
        case Float():
            from drystone.logic.floats import arithmetic

            return f"{arithmetic(term.sort).to_python(value)!r}"
        case Array():
            return f"{{{value}…}}"
