"""Why a line may be wrong, in words: what it would have to do otherwise for the execution to pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drystone.counterexamples.known_objects import shown_name
from drystone.counterexamples.telling import source_line
from drystone.counterexamples.told_faults import FaultCandidate
from drystone.counterexamples.values import value_text
from drystone.ir import names
from drystone.ir.automaton import Program
from drystone.ir.expressions import Variable
from drystone.ir.operations import Assign, Store
from drystone.localization.correction_sets import Correction
from drystone.localization.formula import Part
from drystone.localization.other_runs import Passing
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


def part_reason(program: Program, parts: Sequence[Part], part: int, correction: Correction) -> str:
    """Why the part belongs to the correction set."""
    others = sorted(program.where(parts[each].origin) for each in correction.parts if each != part)
    return reason(program, parts[part], correction.value, others)


def candidate(program: Program, part: Part, size: int, sets: int, why: str, runs: int = 0) -> FaultCandidate:
    file, line = program.place(part.origin)
    return FaultCandidate(file or "", line or 0, part.function, source_line(program, part.origin), size, sets, why, runs)


def run_reason(program: Program, passing: Passing) -> str:
    """Of an execution that was run with the change."""
    change = passing.change
    given = [
        f"{shown_name(variable.name)} = {_text(program, variable, value)}"
        for variable, value in change.read
        if _is_named(variable)
    ]
    where = f" where {' and '.join(given[:3])}" if given else ""
    end = "the execution passes" if passing.is_asserted else "the execution does not come to the assertion"
    if change.after is None:
        return f"if its condition went the other way{where}, {end}"
    operation = change.edge.operation
    if isinstance(operation, Assign):
        before, after = (_text(program, operation.target, each) for each in (change.before, change.after))
        name = shown_name(operation.target.name) if _is_named(operation.target) else "another value"
        return f"with {name} = {after} instead of {before}{where}, {end}"
    assert isinstance(operation, Store)
    before, after = (value_text(each, operation.value.sort, "", program.types) for each in (change.before, change.after))
    return f"with {after} instead of {before} in memory{where}, {end}"


def _text(program: Program, variable: Variable, value: int) -> str:
    return value_text(value, variable.sort, variable.ctype, program.types)


def _is_named(variable: Variable) -> bool:
    """Has the source a word for it?"""
    return not names.is_own(variable.name) or variable.name == names.RESULT


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
    return write.variable is None or not _is_named(write.variable)
