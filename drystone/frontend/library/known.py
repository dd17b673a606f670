"""The names of the C library, with the shapes of their types: what a program that declares such a function means by it.

`known.txt` has a line per shape: the kinds of the result and the parameters (v nothing, i integer, p pointer, f float, r record,
? not known; a final dot: variadic), then the names. They are all functions that the headers of glibc 2.36 declare or its
libraries export, and those of the bundled headers; tests/frontend/library/test_entries.py finds a header that is forgotten.
The names behind m are macros of these headers, which no function has: where the bundled headers do not define one, a call of it
declares a function without a prototype, which is nobody's.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Real, Record, Void

_KINDS: tuple[tuple[type[CType], str], ...] = (
    (Void, "v"), (Int, "i"), (Real, "f"), (Pointer, "p"), (Array, "p"), (Function, "p"), (Record, "r"),
)  # fmt: skip


@cache
def shapes() -> dict[str, str]:
    """The shape of every library function, by name."""
    lines = (Path(__file__).parent / "known.txt").read_text().splitlines()
    return {name: shape for shape, *names in map(str.split, lines) for name in names}


def is_library_function(name: str, type_: Function) -> bool:
    """Does a function of this name and type, which the program does not define, come from the C library?

    The library's is meant where the kinds of result and parameters agree: a function of the program that happens to have the
    same name nearly always differs in these, and where it does not, it cannot be told from the library's.
    """
    shape = shapes().get(name)
    return shape is not None and is_compatible(type_, shape)


def is_compatible(type_: Function, shape: str) -> bool:
    if shape == "?" or not type_.prototyped:
        return True
    return len(own := shape_of(type_)) == len(shape) and all(a == b or "?" in (a, b) for a, b in zip(own, shape, strict=True))


def shape_of(type_: Function) -> str:
    parts = [type_.result, *type_.parameters]
    return "".join(map(_kind, parts)) + ("." if type_.variadic else "")


def _kind(type_: CType) -> str:
    return next((letter for class_, letter in _KINDS if isinstance(type_, class_)), "?")
