"""Which calls access memory in ways that the program does not show: where data races are looked for, they are refused.

What models in C do, their edges show. What is printed, what an effect only hints at and what code without a body does with a
pointer is not to be seen; and what the library keeps for itself is protected by locks that there are none of here.
"""

from __future__ import annotations

from pathlib import Path

from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import string_literal
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Function, Pointer
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library import known_texts, printing, scanning, streams
from drystone.frontend.library.common import before_conversion
from drystone.ir.automaton import Unmodelled

_SHOWN = frozenset(("string.c", "ctype.c", "wctype.c", "math.c", "threads.c", "verifier.c"))
"""Models that show all that they access."""
_VAGUE = frozenset(("strerror", "strerror_r", "strsignal", "strverscmp", "strcoll", "strxfrm"))
"""But for these."""
_STATELESS = frozenset(
    ("abs", "labs", "llabs", "div", "ldiv", "lldiv", "rand", "srand", "random", "srandom", "rand_r", "time", "clock")
    + ("sleep", "usleep", "sched_yield", "getpid", "bsearch", "qsort")
)
"""Of other models: those that keep nothing, and do not read more of what they are given than they show."""
_OWN = frozenset(("atexit",))
"""Those that access only what the library keeps for itself, under a lock that there is none of here."""


def refuse_hidden_accesses(lowering: ExpressionLowering, symbol: FunctionSymbol, name: str, node: Node) -> None:
    """`name`: what the library calls the function, or a program that does not define it."""
    context = lowering.context
    is_for_races = context.shows_accesses and context.has_threads
    if (not is_for_races and lowering.builder.extents is None) or lowering.unit.is_model:
        return
    is_hidden = False
    if name in scanning.PRIMITIVES or name in streams.PRIMITIVES:
        is_hidden = True
    elif name in printing.PRIMITIVES or name in known_texts.PRIMITIVES:
        is_hidden = _gets_memory(lowering, node) and (is_for_races or not _shows_texts(lowering, name, node))
    elif symbol.definition is not None and symbol.unit.is_model:
        is_shown = Path(symbol.unit.clang.path).name in _SHOWN and name not in _VAGUE
        is_hidden = not is_shown and name not in _STATELESS and (is_for_races or name not in _OWN)
    if is_hidden:
        what = "what other threads access" if is_for_races else "memory in ways that the model does not show, where it is checked"
        raise NotSupported(f"{name}: it may access {what}", Unmodelled.LIBRARY, name)


def _shows_texts(lowering: ExpressionLowering, name: str, node: Node) -> bool:
    from drystone.frontend.library.shown_texts import shown_texts  # where memory is checked

    return shown_texts(lowering, name, node) is not None


def refuse_external_accesses(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, writes: bool) -> None:
    """Of a function without a body, which may do more than return."""
    context = lowering.context
    if context.shows_accesses and context.has_threads and (writes or _gets_memory(lowering, node)):
        what = f"{symbol.name}, which has no body: it may access what other threads access"
        raise NotSupported(what, Unmodelled.BODY, symbol.name)


def _gets_memory(lowering: ExpressionLowering, node: Node) -> bool:
    """Is an argument a pointer to what may change: to no literal, function or stream?"""
    for argument in node.children[1:]:
        plain = before_conversion(argument, lowering)
        type_ = lowering.type_of(plain)
        if not isinstance(type_, Pointer) or string_literal(plain) is not None:
            continue
        if not isinstance(type_.target, Function) and "FILE" not in str(type_.target):
            return True
    return False
