"""The engine `value`: explicit values of as few variables as it takes (Beyer, Kettl, Lemberger 2024, section 2).

The analysis begins with the variables that take few values, or, if that makes too many states, with none. A way to an error on
which the values of all variables contradict a condition gives those that are needed to see it. A way on which they do not is
looked for in the program itself by bounded model checking along it. When no way is left, the states that were reached at loop
heads are the certificate; if they are many, only how many, and over which variables.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.base.plurals import counted
from drystone.claims.certificates import ExploredCertificate, InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.concrete.few_values import MOST
from drystone.cpa.algorithm import OutOfTime, TooManyStates
from drystone.cpa.cegar import Cegar, Refined
from drystone.cpa.domains.values.analysis import Tracked, ValueAnalysis
from drystone.cpa.domains.values.any_value import NotRepresented
from drystone.cpa.domains.values.formulas import invariants
from drystone.cpa.domains.values.paths import Paths
from drystone.cpa.domains.values.states import State, Tried
from drystone.cpa.waitlists import Breadth
from drystone.engines.abstract_searches import followed, symbolic, unknown
from drystone.engines.bmc import BmcOptions
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.inductive import worded
from drystone.engines.outcome import EngineResult, Progress
from drystone.engines.question import Question
from drystone.ir.automaton import Mark, MarkKind
from drystone.passes.inline import MAX_EDGES
from drystone.symbolic.transformers import TransitionSystem

_MOST_STATED = 3_000  # states of a loop head that a formula lists; more are found again by the check
_MOST_SHOWN = 12  # states that people are shown as a formula
_MOST_STATES_OF_MODES = 3_000  # over all variables of few values
_MOST_REFINEMENTS = 30  # one by one; then all variables are tracked


def answer(question: Question) -> EngineResult:
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}

    def search(bound: int) -> Outcome:
        return _Run(question, bound, counters).outcome()

    return engine_result(question.program, deepen(search, question.deadline, question.observer), counters)


class _Run:
    """With one bound on recursion."""

    def __init__(self, question: Question, bound: int, counters: dict[str, int]) -> None:
        self.prepared, self.bound, self.seed = question.prepared, bound, question.settings.seed
        self.deadline, self.observer, self.counters = question.deadline, question.observer, counters
        self.flat = self.prepared.flat(recursion_bound=bound, max_edges=MAX_EDGES, sliced=True)
        self.symbolic = symbolic(self.flat)
        most, has_threads = question.settings.maxenum, self.prepared.program.has_threads
        # the check that finds the states of threads again tries no more, and does not look at what branches leave to a variable
        self.tried = Tried(min(most, MOST), False) if has_threads else Tried(most, True)
        analysis = ValueAnalysis(self.symbolic, self.tried)
        self.paths = Paths(self.symbolic, analysis.cells, analysis.all(), self.tried)
        self.cegar = self._search(self.paths.few, _MOST_STATES_OF_MODES)

    def _search(self, precision: Tracked, most_states: int | None) -> Cegar[State, Tracked, Outcome]:
        """From the beginning, with all that a proof must exclude."""
        self.analysis = ValueAnalysis(self.symbolic, self.tried)
        self.met: Mark | None = None
        self.unconfirmed: Mark | None = None
        return Cegar(self.analysis, self._refine, Breadth, precision, is_lazy=False, most_states=most_states)

    def outcome(self) -> Outcome:
        try:
            try:
                found = self.cegar.run(self.deadline)
            except TooManyStates:
                self.cegar = self._search(frozenset(), None)
                found = self.cegar.run(self.deadline)
        except OutOfTime:
            return self._unknown(f"out of time after {counted(self.cegar.counted.states, 'abstract states')}")
        except NotRepresented as problem:
            return self._unknown(str(problem))
        finally:
            done = self.cegar.counted
            self.counters |= {"abstract_states": done.states, "transfers": done.transfers, "refinements": done.refinements}
            self.counters["precision"] = len(self.cegar.precision)
        if found is not None:
            return found
        if self.met is not None:
            return self._unknown(f"{self.met.what} at {self.prepared.program.where(self.met.origin)} may be reached")
        if self.unconfirmed is not None:
            return self._unknown("values do not exclude a way to an error that was not found in the program")
        return self._proof()

    def _refine(self, way: Sequence[State], precision: Tracked) -> Refined[Tracked] | Outcome:
        self.observer(Progress("refining", {"precision": len(precision), "states": self.cegar.counted.states}))
        edges = list(self.analysis.edges_of(way))
        needed = self.paths.refuting(edges)
        if needed is not None:
            finer = precision | needed
            if finer == precision or self.cegar.counted.refinements >= _MOST_REFINEMENTS:
                finer = self.analysis.all()
            if finer != precision:
                return Refined(finer, 0)
        target = self.analysis.location(way[-1])
        mark = self.symbolic.procedure.marks[target]
        self.analysis.targets.discard(target)  # a proof is lost, but there may be errors elsewhere
        if mark.kind is not MarkKind.ERROR:
            if self.met is None or self.met.is_bound:
                self.met = mark
            return Refined(precision, len(way) - 1)
        found = self._followed(way)
        if found is not None:
            return found
        self.unconfirmed = mark
        return Refined(precision, len(way) - 1)

    def _followed(self, way: Sequence[State]) -> Outcome | None:
        heads = self.analysis.steps.kept - set(self.symbolic.procedure.marks)
        passed = map(self.analysis.location, way[1:])
        given = self.prepared, self.flat, heads, passed, BmcOptions(seed=self.seed, max_edges=MAX_EDGES)
        return followed(*given, self.observer, self.counters, self.bound, self.deadline)

    def _proof(self) -> Outcome:
        steps, reached = self.analysis.steps, self.cegar.reached
        many, tracked = counted(len(reached), "abstract states"), counted(len(self.cegar.precision), "variables")
        reason = f"by {many} over {tracked}"
        is_long = any(len(reached.at(head)) > _MOST_STATED for head in steps.kept)
        is_found_again = not self.analysis.has_split and self.tried.most <= MOST and not self.flat.regions.pointers.shown
        if self.prepared.program.has_threads or (is_long and is_found_again):
            explored = ExploredCertificate(len(reached), self.bound, sorted(self.cegar.precision))
            return Outcome(Verdict.TRUE, reason, certificate=explored)
        system = TransitionSystem(self.symbolic, self.flat.original)
        formulas = {cut: invariants(steps, cut, reached.at(cut)) for cut in system.cut_points}
        shown = worded(self.prepared.program, system, formulas)
        few = {system.original[cut] for cut in formulas if len(reached.at(cut)) <= _MOST_SHOWN}
        shown = [each if each.location in few else msgspec.structs.replace(each, text=[]) for each in shown]
        return Outcome(Verdict.TRUE, reason, certificate=InductiveCertificate(shown, self.bound, "values"))

    def _unknown(self, reason: str) -> Outcome:
        return unknown(reason, self.met, self.unconfirmed)
