"""What the library keeps between calls, in variables of the models: functions of other files may change it, too.

A function without a body in a program of a user may read the standard input, call `strtok`, `gmtime`, `lrand48` or `fork`.
Whether it does is its choice; what is there afterwards is approximated.
"""

from __future__ import annotations

from drystone.frontend.declarations.symbols import VariableSymbol
from drystone.frontend.declarations.types import Record, Scalar
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory, InVariable
from drystone.ir import names
from drystone.ir.expressions import TRUE, Determinant, InputKind, Variable, load
from drystone.ir.operations import Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec

CHANGED = frozenset(
    ["ended", "rough", "pushed_to", "pushed", "pushed_count"]  # the standard input
    + ["strtok.rest", "__drystone_state48", "__drystone_process", "__drystone_child"]
    + ["__drystone_broken_down", "__drystone_text", "__drystone_message", "__drystone_address", "__drystone_name"]  # results
)
"""Variables of the models that get any value."""
FORGOTTEN = frozenset(["__drystone_asked_count"])
"""How much is known: some of it at most."""
KEPT = frozenset(
    ["__errno_location.error"]  # set by those who call
    + ["__drystone_asked", "__drystone_found"]  # as many as are counted
    + ["count", "handlers"]  # functions of the program that exit calls: others are not known
    + ["setlocale.c", "localeconv.c", "localeconv.point", "localeconv.empty"]  # there is only one locale
    + ["__drystone_keys", "__drystone_values", "__drystone_cancel_state", "__drystone_cancel_type"]  # of threads, and their own
    + [f"{function}.zero" for function in ("__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc")]
)
"""Variables that nobody else changes."""
FEWER_PRINTED = "fewer printed"
"""By how much the next call of sprintf writes less than an `int` can count, at least; where memory is checked."""
SCAN_FAILED = "scan failed"
"""The variable of the front end that says whether a conversion of scanf has failed."""


def has_state(context: Context) -> bool:
    return _has_scans(context) or bool(_state(context))


def change_state(lowering: ExpressionLowering, name: str) -> None:
    """A function without a body may have used the library."""
    builder, context = lowering.builder, lowering.context
    if not has_state(context):
        return
    used, join = builder.location(), builder.location()
    builder.branch(builder.choice(f"{name} uses the library"), used, join)
    builder.current = used
    if _has_scans(context):
        builder.assign(context.variable(SCAN_FAILED, BOOL), TRUE)
    for each in _state(context):
        _change(lowering, each)
    builder.goto(join)
    builder.current = join


def _has_scans(context: Context) -> bool:
    return any(names.spelled(name).endswith("scanf") for name in context.symbols.functions)


def _state(context: Context) -> list[VariableSymbol]:
    known = CHANGED | FORGOTTEN
    return [each for each in context.symbols.globals.values() if each.unit.is_model and names.spelled(each.name) in known]


def _change(lowering: ExpressionLowering, symbol: VariableSymbol) -> None:
    builder, type_, what = lowering.builder, symbol.type, names.spelled(symbol.name)
    if isinstance(type_, Scalar):
        variable = Variable(symbol.name, type_.sort, symbol.spelling)
        address = lowering.context.address_of_global(symbol)
        new = lowering.environment.any_value(type_, InputKind.EXTERNAL, what, Determinant.IMPLEMENTATION)
        if what in FORGOTTEN:
            old, new = load(type_.sort, address) if symbol.in_memory else variable, builder.keep(new)
            new = make("ite", type_.sort, make("bvult", BOOL, new, old), new, old)
        lowering.memory.write(InMemory(address) if symbol.in_memory else InVariable(variable), new, type_)
    elif isinstance(type_, Record):
        where = InMemory(lowering.context.address_of_global(symbol))
        lowering.memory.havoc(where, type_, InputKind.EXTERNAL, what, Determinant.IMPLEMENTATION)
    else:  # characters, several at a time
        for place in range(0, type_.size, 8):
            some = lowering.environment.approximated(bitvec(8 * min(8, type_.size - place)), what)
            builder.emit(Store(lowering.memory.offset(lowering.context.address_of_global(symbol), place), some))
