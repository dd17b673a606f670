"""The alignment that a declaration asks for (C11 6.7.5, gcc's attribute `aligned`).

Proofs rely on it, so it is never more than what gcc gives the object. libclang does not evaluate the attribute; clang prints it
with all macros expanded, and what is then more than arithmetic with numbers and sizes of basic types is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from drystone.base.regex import regex
from drystone.frontend.errors import NotSupported

_LARGEST = 16  # `aligned` without a number
_ASKED = regex(r"(?<!\w)(?:(?:__attribute__\(\(|\[\[(?:gnu|__gnu__)::)(?:__)?aligned(?:__)?|(_Alignas|alignas))(?!\w)")
_SUFFIX = regex(r"\b(\d+)[uUlL]+\b")
_SIZEOF = regex(r"\bsizeof ?\(([\w *]+)\)")
_ALIGNOF = regex(r"\b(?:_Alignof|alignof|__alignof(?:__)?) ?\(([\w *]+)\)")
_SIZES = {"char": 1, "short": 2, "int": 4, "float": 4, "long long": 8, "double": 8}
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}


def asked(printed: str, count: int, pointer_size: int) -> int:
    """The largest alignment that the `count` attributes of a declaration ask for, as clang prints them; 0 if none counts."""
    found = list(_ASKED.finditer(printed))
    if len(found) != count:
        raise NotSupported("alignment that is not understood")
    return max((_one(printed, match.end(), bool(match[1]), pointer_size) for match in found), default=0)


def _one(printed: str, position: int, is_specifier: bool, pointer_size: int) -> int:
    if not printed.startswith("(", position):
        return _LARGEST
    end = _closing(printed, position)
    text = printed[position + 1 : end].strip()
    if is_specifier and _size(text, pointer_size) is not None:
        return _alignment(text, pointer_size)
    text = _ALIGNOF.sub(lambda match: str(_alignment(match[1], pointer_size)), text)
    text = _SUFFIX.sub(r"\1", _SIZEOF.sub(lambda match: str(_size(match[1], pointer_size)), text))
    try:
        value = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ZeroDivisionError):
        value = -1
    if value < 0 or value & value - 1:
        raise NotSupported(f"alignment {text}")
    return value


def _alignment(type_: str, pointer_size: int) -> int:
    size = _size(type_, pointer_size)
    if size is None or (pointer_size < 8 and size > 4):
        raise NotSupported(f"alignment of {type_}")
    return size


def _closing(printed: str, position: int) -> int:
    depth = 0
    for index in range(position, len(printed)):
        depth += {"(": 1, ")": -1}.get(printed[index], 0)
        if depth == 0:
            return index
    raise NotSupported("alignment that is not understood")


def _size(type_: str, pointer_size: int) -> int | None:
    """Of a basic type or a pointer."""
    type_ = type_.strip()
    if type_.endswith("*"):
        return pointer_size
    words = type_.split()
    if words and words[0] in ("signed", "unsigned"):
        words = words[1:] or ["int"]
    name = " ".join(words)
    return pointer_size if name == "long" else _SIZES.get(name)


def _value(expression: ast.expr) -> int:
    """Of arithmetic that C and Python do alike: with numbers that are not negative and small; otherwise -1."""
    if isinstance(expression, ast.Constant) and type(expression.value) is int:
        return expression.value if expression.value < 1 << 30 else -1
    if not isinstance(expression, ast.BinOp) or type(expression.op) not in _OPERATORS:
        return -1
    left, right = _value(expression.left), _value(expression.right)
    if left < 0 or right < 0 or (isinstance(expression.op, (ast.LShift, ast.RShift)) and right > 30):
        return -1
    result = _OPERATORS[type(expression.op)](left, right)
    return result if 0 <= result < 1 << 30 else -1
