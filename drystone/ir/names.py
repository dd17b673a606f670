"""The names that drystone gives: none of them can be written in C, so that none ever meets one of the program's.

clang admits letters of every script, digits, `_` and `$` in identifiers. What drystone adds has a `%` (temporaries, results, the
heap's counter, `main%start`); `.`, `@`, `#`, spaces and quotes, which C cannot write either, stand in the names of statics
(`f.x`), of copies of locals (`f@12.x`), of names that are taken (`x#2`, `f@unit1`) and of string literals.
"""

from __future__ import annotations

import re

_MARK = "%"


def own(what: str) -> str:
    """The name of something that the source has no word for."""
    return _MARK + what


def derived(name: str, what: str) -> str:
    """The name of something that belongs to what is called `name`."""
    return name + _MARK + what


def temporary(number: int) -> str:
    return own(str(number))


def is_temporary(name: str) -> bool:
    """Of a procedure as the front end builds it: assigned where its value is made, and nowhere else."""
    return name.startswith(_MARK) and name[len(_MARK) :].isdecimal()


def is_own(name: str) -> bool:
    """Does the source have no word for it? Also in a copy of its procedure: `f@12.%1`."""
    return any(part.startswith(_MARK) for part in name.split("."))


def is_compound_literal(name: str) -> bool:
    """Of an object, in or outside of a function."""
    return f"{_MARK}literal" in name


def is_argument_string(name: str) -> bool:
    """Of an allocation: is it a string that main is given? Also with a place behind it."""
    return name.startswith("argument ") and name.partition("@")[0].endswith("]")


def is_argument_list(name: str) -> bool:
    """Of an object: does it hold what is passed for `...`? Also in a copy of its procedure."""
    return VARARGS in name


def at_unit(name: str, unit: int) -> str:
    """Of a static, where another name of the program is the same."""
    return f"{name}@unit{unit}"


def at_library(name: str) -> str:
    """Of a function of the library whose name the program has given to another one."""
    return f"{name}@library"


def at_label(symbol: str) -> str:
    """Of what has an assembler name that C cannot write."""
    return derived("label", re.sub(r"[^\w$]", lambda match: f"{_MARK}{ord(match[0]):x}{_MARK}", symbol))


_LABEL = "label "


def label(function: str, number: int) -> str:
    """Of a place in the code of a function."""
    return derived(function, f"{_LABEL}{number}")


def is_label(name: str) -> bool:
    return f"{_MARK}{_LABEL}" in name


def spelled(name: str) -> str:
    """As the source writes the name of a function or a global."""
    return name.partition("@")[0]


RESULT = own("result")
VARARGS = own("varargs")
