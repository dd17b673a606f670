"""Why a line may be wrong, in words: what it would have to do otherwise for the execution to pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drystone.counterexamples.known_objects import shown_name
from drystone.counterexamples.values import value_text
from drystone.ir import names
from drystone.ir.automaton import Program
from drystone.localization.formula import Part
from drystone.localization.trace import Write
from drystone.logic.evaluation import Value
from drystone.logic.terms import Term


def reason(program: Program, part: Part, value: Callable[[Term], Value], others: Sequence[str]) -> str:
    """`value`: in an execution that passes, in which only this line and the others do something else."""
    changed = _changed(program, part, value)
    turned = [condition for condition in part.conditions if not value(condition)]
    if changed:
        what = f"with {changed}"
    elif turned:
        what = "if its condition did not have to hold"
    else:
        what = "if it did something else"
    together = f", together with {' and '.join(others)}" if others else ""
    return f"{what}{together}, the execution passes"


def _changed(program: Program, part: Part, value: Callable[[Term], Value]) -> str:
    """The first write of a variable that would have to give something else."""
    changed = [(write, found) for write in part.writes if isinstance(found := value(write.symbol), int) and found != write.value]
    named = [(write, found) for write, found in changed if write.variable is not None and not _is_hidden(write)]
    for write, found in named or changed:
        variable = write.variable
        ctype = variable.ctype if variable is not None else ""
        before, after = (value_text(each, write.symbol.sort, ctype, program.types) for each in (write.value, found))
        name = shown_name(variable.name) if variable is not None and not _is_hidden(write) else "another value"
        return f"{name} = {after} instead of {before}" if variable is not None else f"{after} instead of {before} in memory"
    return ""


def _is_hidden(write: Write) -> bool:
    """Has the source no word for it?"""
    return write.variable is None or (names.is_own(write.variable.name) and write.variable.name != names.RESULT)
