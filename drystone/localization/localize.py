"""Which lines could be changed so that an execution does not fail: the command `verify --localize`.

The execution is taken apart into lines (`localization.formula`); the sets of lines without which the rest allows the execution to
pass are its correction sets (`localization.correction_sets`). What they cannot tell, since they know only the way that control
went, executions do in which one line does something else (`localization.other_runs`). Lines of the smallest sets come first,
among them those that belong to the most sets, among these those that are executed last.
"""

from __future__ import annotations

from drystone.base.deadline import Deadline
from drystone.counterexamples.replay import Replayed
from drystone.counterexamples.told_faults import CorrectionSet, FaultCandidate, Localization
from drystone.ir.automaton import Program
from drystone.localization.block_by_block import ByBlock, localize_blocks
from drystone.localization.correction_sets import CorrectionSets, Limits, Parts
from drystone.localization.formula import TraceFormula, trace_formula
from drystone.localization.other_runs import OtherRuns, Passing, other_runs
from drystone.localization.reasons import candidate, part_reason, run_reason
from drystone.localization.trace import Trace, trace_of

_LONGEST = 4_000  # edges that are followed
_NEVER = 1_000  # more than any size


def localize(
    program: Program, replayed: Replayed, limits: Limits, deadline: Deadline, by_block: ByBlock | None = None
) -> Localization:
    """Candidates for what is wrong with this execution of the program."""
    if program.has_threads:
        return Localization([], [], 0, 0, ["all: executions of threads are not localized"])
    trace = trace_of(program, replayed, _LONGEST)
    formula = trace_formula(trace)
    left_out = _not_followed(trace)
    if formula.passes is None:
        return Localization([], [], formula.lines, 0, [*left_out, "all: no condition led to the error"])
    search = CorrectionSets([*formula.sure, formula.passes], [part.formulas for part in formula.parts], limits, deadline)
    reasons: dict[int, str] = {}
    for correction in search.smallest_first():
        for part in correction.parts - reasons.keys():
            reasons[part] = part_reason(program, formula.parts, part, correction)
    runs = _other_runs(program, replayed, formula, deadline.within(limits.run_seconds))
    return Localization(
        _ranked(program, formula, search.found, reasons, runs.passing),
        [CorrectionSet(sorted(program.where(formula.parts[part].origin) for part in each)) for each in search.found],
        formula.lines,
        search.queries,
        [*left_out, *search.left_out, *runs.left_out],
        runs.count,
        program.where(formula.assertion) if formula.assertion is not None else "",
        localize_blocks(program, trace, limits, deadline, by_block) if by_block is not None else None,
    )


def _other_runs(program: Program, replayed: Replayed, formula: TraceFormula, deadline: Deadline) -> OtherRuns:
    assert formula.decision is not None
    places = [part.place for part in formula.parts]
    return other_runs(program, replayed, places, (formula.decision.file, formula.decision.line), deadline)


def _not_followed(trace: Trace) -> list[str]:
    first = [f"what the first {trace.skipped:,} edges of the execution did"] if trace.skipped else []
    return [*first, *trace.untracked]


def _ranked(
    program: Program, formula: TraceFormula, found: list[Parts], reasons: dict[int, str], passing: list[Passing]
) -> list[FaultCandidate]:
    """Lines that are a correction set alone, then those with which changed another execution passes, then lines of larger
    sets; last, those with which changed none comes to the assertion."""
    by_place: dict[tuple[int, int], list[Passing]] = {}
    for each in sorted(passing, key=lambda each: not each.is_asserted):
        by_place.setdefault(each.change.place, []).append(each)
    ranks: dict[int, tuple[float, int, int]] = {}
    candidates: dict[int, FaultCandidate] = {}
    for number, part in enumerate(formula.parts):
        belongs = [each for each in found if number in each]
        runs = by_place.get(part.place, [])
        if not belongs and not runs:
            continue
        size = min(map(len, belongs), default=_NEVER)
        by_run = (1.5 if runs[0].is_asserted else _NEVER - 1) if runs else _NEVER
        ranks[number] = (min(size, by_run), -len(belongs), -number)
        why = reasons[number] if size < by_run else run_reason(program, runs[0])
        found_size = int(size) if size < by_run else 1
        candidates[number] = candidate(program, part, found_size, len(belongs), why, len(runs))
    return [candidates[number] for number in sorted(ranks, key=lambda each: ranks[each])]
