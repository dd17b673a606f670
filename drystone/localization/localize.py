"""Which lines could be changed so that an execution does not fail: the command `verify --localize`.

The execution is taken apart into lines (`localization.formula`); the sets of lines without which the rest allows the execution to
pass are its correction sets (`localization.correction_sets`). Lines of the smallest sets come first, among them those that belong
to the most sets, among these those that are executed last.
"""

from __future__ import annotations

from drystone.base.deadline import Deadline
from drystone.counterexamples.replay import Replayed
from drystone.counterexamples.telling import source_line
from drystone.counterexamples.told_faults import CorrectionSet, FaultCandidate, Localization
from drystone.ir.automaton import Program
from drystone.localization.correction_sets import Correction, CorrectionSets, Limits, Parts
from drystone.localization.formula import Part, TraceFormula, trace_formula
from drystone.localization.reasons import reason
from drystone.localization.trace import Trace, trace_of

_LONGEST = 4_000  # edges that are followed


def localize(program: Program, replayed: Replayed, limits: Limits, deadline: Deadline) -> Localization:
    """Candidates for what is wrong with this execution of the program."""
    if program.has_threads:
        return Localization([], [], 0, 0, ["all: executions of threads are not localized"])
    trace = trace_of(program, replayed, _LONGEST)
    formula = trace_formula(program, trace)
    left_out = _not_followed(trace)
    if formula.passes is None:
        return Localization([], [], formula.lines, 0, [*left_out, "all: no condition led to the error"])
    search = CorrectionSets([*formula.sure, formula.passes], [part.formulas for part in formula.parts], limits, deadline)
    reasons: dict[int, str] = {}
    for correction in search.smallest_first():
        for part in correction.parts - reasons.keys():
            reasons[part] = _reason(program, formula, part, correction)
    candidates = _ranked(program, formula, search.found, reasons)
    sets = [CorrectionSet(sorted(_shown(program, formula.parts[part]) for part in each)) for each in search.found]
    assertion = program.where(formula.assertion) if formula.assertion is not None else ""
    return Localization(candidates, sets, formula.lines, search.queries, [*left_out, *search.left_out], assertion)


def _not_followed(trace: Trace) -> list[str]:
    first = [f"what the first {trace.skipped:,} edges of the execution did"] if trace.skipped else []
    return [*first, *trace.untracked]


def _reason(program: Program, formula: TraceFormula, part: int, correction: Correction) -> str:
    others = sorted(_shown(program, formula.parts[each]) for each in correction.parts if each != part)
    return reason(program, formula.parts[part], correction.value, others)


def _ranked(program: Program, formula: TraceFormula, found: list[Parts], reasons: dict[int, str]) -> list[FaultCandidate]:
    def rank(part: int) -> tuple[int, int, int]:
        belongs = [each for each in found if part in each]
        return min(map(len, belongs)), -len(belongs), -part

    return [_candidate(program, formula.parts[part], rank(part), reasons[part]) for part in sorted(reasons, key=rank)]


def _candidate(program: Program, part: Part, rank: tuple[int, int, int], why: str) -> FaultCandidate:
    file, line = program.place(part.origin)
    return FaultCandidate(file or "", line or 0, part.function, source_line(program, part.origin), rank[0], -rank[1], why)


def _shown(program: Program, part: Part) -> str:
    return program.where(part.origin)
