"""The names that drystone gives: none of them can be written in C, so that none ever meets one of the program's.

clang admits letters of every script, digits, `_` and `$` in identifiers. What drystone adds has a `%` (temporaries, results, the
heap's counter, `main%start`); `.`, `@`, `#`, `+`, spaces and quotes, which C cannot write either, stand in the names of statics
(`f.x`), of copies of locals (`f@12.x`), of names that are taken (`x#2`, `f@unit1`), of cells (`f@12.x+4`) and of string literals.
What a name says is read here, too, and nowhere else.
"""

from __future__ import annotations

import re

_MARK = "%"
_LABEL = "label "
_LITERAL = "literal"
_THREAD = "@thread "
_WILD = "bytes outside every object at "


def own(what: str) -> str:
    """The name of something that the source has no word for."""
    return _MARK + what


def derived(name: str, what: str) -> str:
    """The name of something that belongs to what is called `name`."""
    return name + _MARK + what


RESULT = own("result")
VARARGS = own("varargs")
COMPOUND_LITERAL = own(_LITERAL)
EXTENTS = own("extents")
"""The table of what lies in the slots (logic/slots.py): how many bytes, and one more; 0 where nothing lives."""
BLOCKS = own("blocks")
"""How many blocks were allocated and not given back."""
_SHADOW = "shadow"
OPAQUE_IDENTIFIER = own("identifier of a thread")
THREAD_NUMBER = own("number of the thread")


def temporary(number: int) -> str:
    return own(str(number))


def is_temporary(name: str) -> bool:
    """Of a procedure as the front end builds it: assigned where its value is made, and nowhere else."""
    return name.startswith(_MARK) and name[len(_MARK) :].isdecimal()


def shadow(name: str) -> str:
    """Of what says which bytes of an object, or whether a variable, has a value."""
    return derived(name, _SHADOW)


def is_shadow(name: str) -> bool:
    """Also in a copy of its procedure, and of a cell."""
    return f"{_MARK}{_SHADOW}" in name


def shadowed(name: str) -> str:
    """The object whose shadow is called so, or the object itself."""
    return name.removesuffix(_MARK + _SHADOW)


def is_opaque_identifier(name: str) -> bool:
    """Of a variable that the front end makes to compute with the identifier of a thread, which the program cannot do."""
    return name.startswith(OPAQUE_IDENTIFIER)


def is_thread_number(name: str) -> bool:
    """Of a variable that says where the running thread has its part of a thread-local object."""
    return name.startswith(THREAD_NUMBER)


def is_own(name: str) -> bool:
    """Does the source have no word for it? Also in a copy of its procedure: `f@12.%1`."""
    return any(part.startswith(_MARK) for part in name.split("."))


def static_literal(owner: str, number: int) -> str:
    """Of a compound literal outside of functions, in the initialiser of `owner`."""
    return derived(owner, f"{_LITERAL}#{number}")


def is_compound_literal(name: str) -> bool:
    """Of an object, in or outside of a function."""
    return f"{_MARK}{_LITERAL}" in name


def is_argument_list(name: str) -> bool:
    """Of an object: does it hold what is passed for `...`? Also in a copy of its procedure."""
    return VARARGS in name


def at_unit(name: str, unit: int) -> str:
    """Of a static, where another name of the program is the same."""
    return f"{name}@unit{unit}"


def at_library(name: str) -> str:
    """Of a function of the library whose name the program has given to another one."""
    return f"{name}@library"


def at_call(name: str, number: int, caller: str) -> str:
    """Of a function of the library, for one of the calls of it."""
    return f"{name}@call {number} in {caller}"


def caller(name: str) -> str:
    """Of a function of the library for one call: who calls it."""
    return name.partition(" in ")[2] if "@call " in name else ""


def at_label(symbol: str) -> str:
    """Of what has an assembler name that C cannot write."""
    return derived("label", re.sub(r"[^\w$]", lambda match: f"{_MARK}{ord(match[0]):x}{_MARK}", symbol))


def label(function: str, number: int) -> str:
    """Of a place in the code of a function."""
    return derived(function, f"{_LABEL}{number}")


def is_label(name: str) -> bool:
    return f"{_MARK}{_LABEL}" in name


def spelled(name: str) -> str:
    """As the source writes the name of a function or a global."""
    return name.partition("@")[0]


def local(name: str) -> str:
    """As its procedure calls a variable or an object: without the call path of a copy."""
    return name.rpartition(".")[2]


def of_thread(function: str, number: int) -> str:
    """Begins the call path of what belongs to a thread that runs this function; the first thread has none."""
    return f"{function}{_THREAD}{number}"


def thread_local(thread: str, name: str) -> str:
    """A thread's own copy of a variable that is global, whose call path begins with `thread`."""
    return f"{thread}.{derived(name, 'thread')}"


def thread_of(name: str) -> str:
    """The first word of the call path of something that belongs to a thread but the first one; else nothing."""
    first = name.partition(".")[0]
    return first if _THREAD in first else ""


def cell(owner: str, offset: int) -> str:
    """Of the input that a cell of an uninitialised object is, where cells are variables."""
    return f"{owner}+{offset}"


def cell_of(name: str) -> tuple[str, int] | None:
    """The owner and the offset of a cell whose input is called so."""
    owner, plus, offset = name.rpartition("+")
    return (owner, int(offset)) if plus and offset.isdigit() else None


def wild(address: int) -> str:
    """Of the bytes from an address on that no object has, when the environment is asked for them."""
    return f"{_WILD}{address:#x}"


def address_of_wild(name: str) -> int | None:
    """The address of bytes that are called so."""
    return int(name.removeprefix(_WILD), 16) if name.startswith(_WILD) else None
