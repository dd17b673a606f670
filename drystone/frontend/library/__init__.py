"""Library functions and builtins that are part of the language of verification tasks.

A primitive is lowered by a module of this folder; other library functions have models in C (`frontend/models`), exact or as
an effect (`models/effects.h`). A call of a library function (`known.txt`) that has neither is an unknown location. What is
no library function and not defined is an external function (`externals`), and listed among the assumptions.
"""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Int, Real
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.expressions.folding import is_operation
from drystone.frontend.library import (
    assertions,
    bits,
    builtins,
    complexes,
    control,
    effects,
    floats,
    known_texts,
    memory,
    printing,
    scanning,
    streams,
    threads,
    variadic,
)
from drystone.frontend.library.common import NOTHING, Handler, any_result, effects_of_arguments, in_width_of_name
from drystone.frontend.library.externals.calls import external
from drystone.frontend.library.formats import PRINTING, check_format
from drystone.frontend.library.hidden_accesses import refuse_hidden_accesses
from drystone.frontend.library.known import is_library_function
from drystone.frontend.library.near_misses import note_near_miss
from drystone.frontend.lowering.abrupt_ends import check_failure
from drystone.ir import names
from drystone.ir.automaton import ErrorKind, Unmodelled
from drystone.ir.conventions import ASSERTING
from drystone.ir.expressions import Constant, Expression, InputKind, constant
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import EXTENDED

MODELLED = memory.MODELLED | printing.MODELLED | known_texts.MODELLED
"""Primitives that leave some of their calls to models."""


PRIMITIVES: dict[str, Handler] = {}
for _module in (
    *(assertions, control, memory, printing, scanning, known_texts, streams, variadic, builtins, floats),
    *(complexes, bits, threads, effects),
):
    PRIMITIVES.update(_module.PRIMITIVES)

_ALIASED = frozenset(
    ["malloc", "calloc", "realloc", "free", "alloca", "memcpy", "memmove", "memset", "exit", "_exit", "abort"]
    + ["printf", "fprintf", "vprintf", "vfprintf", "sprintf", "snprintf", "puts", "putchar", "fputs", "fputc", "fwrite"]
    + list(floats.NAMES)
    + list(complexes.PRIMITIVES)
)
"""Functions whose `__builtin_` and `__` variants mean the same."""

_CHECKED = regex(r"__builtin___(\w+)_chk$|__(\w+)_chk$")
_OTHERWISE_CHECKED = frozenset(("fgets", "fgets_unlocked", "fread", "fread_unlocked", "fgetws", "fgetws_unlocked", "fdelt"))
"""Functions whose checking variants have their arguments in another order."""


def primitive(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    """Lowers a call that needs no procedure; None if it is an ordinary call of a defined function."""
    handled = _lower(lowering, symbol, node)
    if handled is not None and plain_name(names.spelled(symbol.name)) not in builtins.UNEVALUATED:
        for argument in node.children[1:]:
            _must_be_evaluated(lowering, symbol, argument)
    return handled


def _must_be_evaluated(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> None:
    """Refuses a call whose lowering has left out a side effect of its arguments."""
    _must_be_checked(lowering, symbol, node)
    if node.effects != EFFECTS or node.key in lowering.evaluated:
        return
    inner = [child for child in node.children if child.effects == EFFECTS]
    if not inner or node.kind in (kinds.CALL_EXPR, kinds.STMT_EXPR):
        raise NotSupported(f"{symbol.name}: side effect of its argument {lowering.text(node)}")
    for child in inner:
        _must_be_evaluated(lowering, symbol, child)


def _must_be_checked(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> None:
    """Refuses a call of which an argument holds an operation that no check was told of."""
    if not lowering.checks or node.kind in (kinds.SIZEOF_EXPR, kinds.GENERIC):
        return
    if is_operation(node) and node.key not in lowering.checked:
        type_ = lowering.type_of(node)
        if isinstance(type_, Int) and evaluate(node.cursor) is None:
            raise NotSupported(f"{symbol.name}: checks of its argument {lowering.text(node)}")
    for child in node.children:
        _must_be_checked(lowering, symbol, child)


def _lower(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    name = names.spelled(symbol.name)
    if name in lowering.context.error_functions:
        effects_of_arguments(lowering, node)  # they may end the program, or never end
        check_failure(lowering.builder, f"{name}()")
        lowering.builder.error(ErrorKind.CALL, f"{name}()")
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)
    is_failure = lowering.context.all_errors and assertions.is_failure(symbol)
    if symbol.definition is not None and not symbol.unit.is_model and not is_failure:
        return None
    if plain_name(name).removeprefix("__builtin_") in PRINTING:
        check_format(lowering, symbol, node)
    _refuse_overrun(lowering, name, node)
    refuse_hidden_accesses(lowering, symbol, plain_name(name), node)
    if name in lowering.context.asserting - ASSERTING:
        return _assert_and_call(lowering, symbol, node)
    handler = PRIMITIVES.get(plain_name(name))
    if handler is not None:
        evaluated = len(lowering.evaluated)
        try:
            handled = handler(lowering, symbol, node)
        except IndexError:
            raise NotSupported(f"{name} with too few arguments") from None
        if handled is None and len(lowering.evaluated) > evaluated:
            raise NotSupported(f"{name}: side effects of its arguments would happen twice")
        if handled is not None and printing.may_set_errno(lowering, symbol, plain_name(name), node):
            effects.may_set_errno(lowering)
        if handled is not None or symbol.definition is not None:
            return handled
    if symbol.definition is not None:
        threads.refuse_small_objects(lowering, name, node)
        return None
    if symbol.gives_any_value and len(node.children) == 1:
        lowering.arguments(node)
        returned = any_result(lowering, symbol, node, InputKind.NONDET)
        return in_width_of_name(lowering.builder, name, returned, symbol.type.result)
    if threads.OPERATIONS.match(name):
        return threads.operation(lowering, symbol, node)
    if name.startswith(("__builtin_", "__sync_", "__atomic_")):
        value = evaluate(node.cursor)
        type_ = lowering.type_of(node)
        if isinstance(value, int) and isinstance(type_, Int):
            return constant(type_.width, value)
        if isinstance(value, float) and isinstance(type_, Real) and type_.sort != EXTENDED:
            return Constant(type_.sort, arithmetic_of(type_.sort).from_python(value))
        raise NotSupported(f"builtin {name}", Unmodelled.BUILTIN, name)
    if is_library_function(name, symbol.type):  # which does more than an external function
        raise NotSupported(f"{name}: a library function that has no model", Unmodelled.LIBRARY, name)
    note_near_miss(lowering, symbol, node)
    return external(lowering, symbol, node)


def _assert_and_call(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """A function without a body that a user takes for an assertion: it is one, and does what others without a body do."""
    if any(argument.effects == EFFECTS for argument in node.children[1:]):
        raise NotSupported(f"{symbol.name} as an assertion: a side effect of an argument, which would happen twice")
    assertions.assert_argument(lowering, symbol, node)
    return external(lowering, symbol, node)


def _refuse_overrun(lowering: ExpressionLowering, name: str, node: Node) -> None:
    """A checking variant ends the program where it would write more than its object holds: refused unless it does not."""
    checked = _CHECKED.match(name)
    if checked is None:
        return
    plain, arguments = checked[1] or checked[2], node.children[1:]
    place = {"snprintf": 3, "vsnprintf": 3, "sprintf": 2, "vsprintf": 2}.get(plain, len(arguments) - 1)
    if "printf" in plain and plain not in ("snprintf", "vsnprintf", "sprintf", "vsprintf"):
        return  # only formats are looked at
    limits = [evaluate(each.cursor) for each in arguments[place : place + 1]]
    limit = limits[0] if limits and isinstance(limits[0], int) else 0
    unknown = (1 << lowering.context.pointer_width) - 1
    if limit in (-1, unknown):
        return
    amount = evaluate(arguments[2].cursor) if plain in _COUNTED and len(arguments) > 2 else None
    if not isinstance(amount, int) or not 0 <= amount <= limit:
        raise NotSupported(f"{name}: it may end the program", Unmodelled.LIBRARY, name)


_COUNTED = frozenset(("memcpy", "memmove", "mempcpy", "memset", "strncpy", "stpncpy"))
"""Functions that write as many bytes as their third argument says."""


def plain_name(name: str) -> str:
    """`__builtin_memcpy`, `__builtin___memcpy_chk` and `__memcpy` all mean `memcpy`."""
    checked = _CHECKED.match(name)
    if checked and (known := checked[1] or checked[2]) not in _OTHERWISE_CHECKED:
        return known
    if name in PRIMITIVES:
        return name
    for prefix in ("__builtin_", "__"):
        if name.startswith(prefix) and name[len(prefix) :] in _ALIASED:
            return name[len(prefix) :]
    return name


__all__ = ["MODELLED", "NOTHING", "PRIMITIVES", "is_library_function", "plain_name", "primitive"]
