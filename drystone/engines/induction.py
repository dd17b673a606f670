"""k-induction: no error in the first k blocks, and none after k blocks without one, from any cut point.

The base is bounded model checking, which finds the counterexamples as well. The step starts at all cut points at once, in any
state that the invariants allow; they also hold wherever the k blocks pass a cut point. Invariants come from the
candidates of `invariants`, once the first steps have not been enough.
"""

from __future__ import annotations

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import InductiveCertificate, KInductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines import bmc
from drystone.engines.bmc import BmcOptions
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.explanation import Explanation
from drystone.engines.found_invariants import find_invariants
from drystone.engines.inductive import Inductive, Invariants, worded
from drystone.engines.obstacles import Obstacle
from drystone.engines.outcome import EngineResult, Observer, Progress
from drystone.engines.question import Question
from drystone.logic import terms
from drystone.logic.polynomials import is_product
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, TRUE
from drystone.pipeline import PreparedProgram
from drystone.solvers import Answer, make_solver
from drystone.symbolic.states import State
from drystone.symbolic.transformers import Bad, TransitionSystem, bad_places
from drystone.symbolic.unrolling import Unrolling, anywhere

_FIRST_STEPS = 2  # that are tried without invariants, where there are products of unknowns


class InductionOptions(msgspec.Struct, frozen=True):
    solver: str = "bitwuzla"
    seed: int = 0
    max_k: int = 1_000
    max_edges: int = 200_000  # with calls inlined
    slicing: bool = True
    candidates: tuple[str, ...] | None = None  # names of sources; None: all
    query_seconds: float = 60.0


def answer(question: Question) -> EngineResult:
    options = InductionOptions(seed=question.settings.seed, candidates=question.settings.candidates)
    return check(question.prepared, options, question.deadline, question.observer)


def check(prepared: PreparedProgram, options: InductionOptions, deadline: Deadline, observer: Observer) -> EngineResult:
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "terms": 0, "ite_nodes": 0, "replays": 0}
    explanation: tuple[str, ...] = ()

    def search(bound: int) -> Outcome:
        nonlocal explanation
        with_bound = _Search(prepared, options, bound, deadline, observer, counters)
        outcome = with_bound.run()
        invariants = getattr(outcome.certificate, "invariants", ())
        explanation = with_bound.explanation.lines(outcome.verdict is Verdict.TRUE, invariants)
        return outcome

    outcome = deepen(search, deadline, observer)
    counters["terms"] = terms.table_size()
    return msgspec.structs.replace(engine_result(prepared.program, outcome, counters), explanation=explanation)


class _Search:
    def __init__(
        self,
        prepared: PreparedProgram,
        options: InductionOptions,
        bound: int,
        deadline: Deadline,
        observer: Observer,
        counters: dict[str, int],
    ) -> None:
        self.program, self.options, self.bound = prepared.program, options, bound
        self.deadline, self.observer, self.counters = deadline, observer, counters
        base_options = BmcOptions(
            options.solver,
            options.seed,
            max_edges=options.max_edges,
            slicing=options.slicing,
            query_seconds=options.query_seconds,
        )
        self.base = bmc.Run(prepared, base_options, observer, counters, bound)
        self.system = prepared.transition_system(recursion_bound=bound, max_edges=options.max_edges, sliced=options.slicing)
        self.inductive = Inductive(self.system, options.solver, options.seed, counters)
        self.invariants: Invariants = {}
        self.explanation = Explanation(prepared.program, self.system)

    def run(self) -> Outcome:
        proved = self._simple_induction()
        if proved is not None:
            return proved
        base = self.base.search(self.deadline.within(self.deadline.remaining() / 4), depth=2)
        if base.verdict is not Verdict.UNKNOWN:
            return base
        if any(map(is_product, self.system.all_terms())):  # invariants of these are hard to look for, and often in the assertions
            outcome = self._k_induction(_FIRST_STEPS, self.deadline.within(self.deadline.remaining() / 4))
            if outcome.verdict is not Verdict.UNKNOWN:
                return outcome
        if self.options.candidates != ():
            self._find_invariants()
            proved = self._simple_induction() if self.invariants else None
            if proved is not None:
                return proved
        return self._k_induction(self.options.max_k, self.deadline)

    def _k_induction(self, max_k: int, deadline: Deadline) -> Outcome:
        """The step for growing k, the base before it."""
        step = InductionStep(self.system, self.options.solver, self.options.seed, self.explanation)
        step.strengthen(self.invariants)
        for k in range(1, max_k + 1):
            base = self.base.search(deadline, depth=k)
            if base.verdict is not Verdict.UNKNOWN or base.unconfirmed or self.base.checked_depth < k:
                return base
            if self.base.unknown:
                return base if self.base.deeper else self.base.search(deadline)
            self.observer(Progress("induction", {"k": k, "queries": self.counters["queries"]}))
            self.counters["queries"] += 1
            self.counters["k"] = k
            if step.extend(min(self.options.query_seconds, deadline.remaining())):
                shown = worded(self.program, self.system, self.invariants)
                count = sum(len(each.text) for each in shown)
                helped = f" and {counted(count, 'loop invariants')}" if count else ""
                certificate = KInductiveCertificate(k, shown, self.bound, self.options.solver)
                return Outcome(Verdict.TRUE, f"by k-induction with k = {k}{helped}", certificate=certificate)
        reason = f"no error within {counted(max_k, 'blocks')}, and the induction step fails"
        return Outcome(Verdict.UNKNOWN, reason, obstacle=Obstacle(checked=self.base.checked_depth))

    def _simple_induction(self) -> Outcome | None:
        """With the invariants there are, reduced to those that the solver's cores name."""
        self.observer(Progress("induction", {"k": 1, "queries": self.counters["queries"]}))
        needed = self.inductive.needed(self.invariants, self.deadline.within(self.deadline.remaining() / 4))
        if needed is None:
            return None
        shown = worded(self.program, self.system, needed)
        count = sum(len(each.text) for each in shown)
        reason = f"by induction with {counted(count, 'loop invariants')}" if count else "by induction"
        return Outcome(Verdict.TRUE, reason, certificate=InductiveCertificate(shown, self.bound, self.options.solver))

    def _find_invariants(self) -> None:
        deadline = self.deadline.within(self.deadline.remaining() / 3)
        options = self.options
        found = find_invariants(
            self.system, options.candidates, options.solver, options.seed, deadline, self.observer, self.counters
        )
        self.explanation.proposed, self.explanation.kept = found.proposed, found.kept
        self.explanation.out_of_time = not found.complete
        self.invariants = found.formulas()


class InductionStep:
    """Sequences of k blocks from any cut point, none of them but the last with something bad."""

    def __init__(self, system: TransitionSystem, solver: str, seed: int, explanation: Explanation) -> None:
        self.system, self.explanation = system, explanation
        self.solver = make_solver(solver, seed)
        self.invariants: Invariants = {}
        start = anywhere(system.symbolic, system.cut_points) if system.cut_points else {}
        self.unrolling = Unrolling(system.symbolic, system.heads, start)
        self.starts = {cut: state.guard.term for cut, state in start.items()}
        self.passed: list[tuple[int, State]] = list(start.items())

    def strengthen(self, invariants: Invariants) -> None:
        """The invariants hold wherever a cut point is passed."""
        self.invariants = invariants
        for cut, state in self.passed:
            self._assume(cut, state)

    def _assume(self, cut: int, state: State) -> None:
        formulas = self.invariants.get(cut)
        if formulas:
            mapping = {terms.state(name, value.sort): value for name, value in state.environment.items()}
            holds = substitute(terms.conjunction(formulas), mapping)
            self.solver.add(terms.implies(state.guard.term, holds))

    def extend(self, limit_seconds: float) -> bool:
        """One block more: is the induction step shown now?"""
        bad: list[Bad] = []
        for step in self.unrolling.advance():
            bad += bad_places(self.system.symbolic, step)
        violation = terms.disjunction([each.guard for each in bad])
        if violation is FALSE:
            return True
        if limit_seconds <= 0:
            return False
        if violation is not TRUE:
            answer = self.solver.check([violation], limit_seconds=limit_seconds)
            if answer is Answer.UNSAT:
                return True
            if answer is Answer.SAT:
                self.explanation.step_failed(self.unrolling.depth, self.solver, self.starts, bad)
            else:
                self.explanation.step_unanswered(self.unrolling.depth, self.solver.name)
        self.solver.add(terms.negate(violation))
        for cut, state in self.unrolling.states.items():
            self.passed.append((cut, state))
            self._assume(cut, state)
        return False
