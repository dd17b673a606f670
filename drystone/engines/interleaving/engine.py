"""CEGAR over interleavings (Telbisz 2023, section 2.4.2 and chapter 3): search, refine, search again, until there is a verdict.

FALSE: a way of the search is possible, and the interpreter repeats it. TRUE: after the search with reductions has found nothing,
the search without any, from the precision that was found, gives the invariants of a certificate.
"""

from __future__ import annotations

from functools import cached_property

import msgspec

from drystone.base.clock import now
from drystone.base.deadline import Deadline
from drystone.base.plurals import counted as many
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines import bmc
from drystone.engines.bmc import BmcOptions
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.inductive import worded
from drystone.engines.interleaving.data_flow import Ahead, DataFlow, within_turns
from drystone.engines.interleaving.domains import Predicates, Values
from drystone.engines.interleaving.persistent import PersistentSets
from drystone.engines.interleaving.reachability import NO_REDUCTION, Abstract, Counted, OutOfTime, Reached, Reduction, Search
from drystone.engines.interleaving.refinement import Refuted, Way, refine_predicates, refine_values, refuted
from drystone.engines.interleaving.transfer import SimplifiedProgram, Transfer
from drystone.engines.interleaving.turns import Action, Turns
from drystone.engines.obstacles import Met, Obstacle
from drystone.engines.outcome import EngineResult, Observer, Progress
from drystone.engines.question import Question
from drystone.ir.automaton import MarkKind
from drystone.logic import terms
from drystone.logic.terms import FALSE, Term
from drystone.passes.tailcalls import without_tail_calls
from drystone.pipeline import PreparedProgram
from drystone.symbolic.transformers import ENTRY, TransitionSystem
from drystone.threads.product import control

ABSTRACTIONS: dict[str, type[Values] | type[Predicates]] = {"explicit": Values, "predicates": Predicates}
REDUCTIONS = {
    "none": NO_REDUCTION,
    "por": Reduction(is_partial_order=True, is_simplifying=False),
    "coi": Reduction(is_partial_order=False, is_simplifying=True),
    "coi-por": Reduction(is_partial_order=True, is_simplifying=True),
    "por-coi": Reduction(is_partial_order=True, is_simplifying=True, is_again=True),
}


class InterleavingOptions(msgspec.Struct, frozen=True):
    abstraction: str = "explicit"
    reduction: str = "coi-por"
    solver: str = "bitwuzla"
    seed: int = 0
    max_edges: int = 200_000


def answer(question: Question) -> EngineResult:
    settings = question.settings
    options = InterleavingOptions(settings.abstraction or "explicit", settings.reduction, seed=settings.seed)
    return check(question.prepared, options, question.deadline, question.observer)


def check(prepared: PreparedProgram, options: InterleavingOptions, deadline: Deadline, observer: Observer) -> EngineResult:
    if not prepared.program.has_threads:
        return EngineResult(Verdict.UNKNOWN, "the program creates no threads: there is nothing to interleave")
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}
    outcome = deepen(lambda bound: Cegar(prepared, options, bound, deadline, observer, counters).run(), deadline, observer)
    return engine_result(prepared.program, outcome, counters)


class Cegar:
    """With one bound on threads that are created in one place, and on recursion."""

    def __init__(
        self,
        prepared: PreparedProgram,
        options: InterleavingOptions,
        bound: int,
        deadline: Deadline,
        observer: Observer,
        counters: dict[str, int],
    ) -> None:
        self.prepared, self.options, self.bound = prepared, options, bound
        self.deadline, self.observer, self.counters = deadline, observer, counters
        flat = prepared.flat(recursion_bound=bound, max_edges=options.max_edges, sliced=False)
        made = control(without_tail_calls(prepared.program), recursion_bound=bound, max_edges=options.max_edges)
        program = SimplifiedProgram(flat)
        self.turns = Turns(program, made)
        self.system = TransitionSystem(program, given=self.turns.choices)
        self.transfer = Transfer(self.system, program)
        self.domain: Values | Predicates = ABSTRACTIONS[options.abstraction](self.system, options.solver, options.seed, deadline)
        self.ahead = Ahead(self.turns)
        self.persistent = PersistentSets(self.turns, self.ahead)
        self.met: Met | None = None  # an unknown location that can be reached
        self.ignored: set[int] = set()  # where unknown locations are that can be reached
        self.has_given_up = False  # on a way that is impossible, but not in the abstraction
        self.reached = Reached()

    def run(self) -> Outcome:
        reduction, search, proof = REDUCTIONS[self.options.reduction], Counted(), Counted()
        try:
            outcome = self._refine(reduction, search)
            if outcome is None and reduction != NO_REDUCTION and not self.ignored and not self.has_given_up:
                outcome = self._refine(NO_REDUCTION, proof)
        except OutOfTime:
            outcome = Outcome(
                Verdict.UNKNOWN, f"out of time with a precision of {self.domain.size()}", obstacle=Obstacle(self.met)
            )
        finally:
            self._count(search, proof)
        if outcome is not None:
            return outcome
        if self.met is not None:
            reason = f"{self.met.mark.what} at {self.prepared.program.where(self.met.mark.origin)} may be reached"
            return Outcome(Verdict.UNKNOWN, reason, deeper=self.met.mark.is_bound, obstacle=Obstacle(self.met))
        if self.has_given_up:
            return Outcome(Verdict.UNKNOWN, "the abstraction cannot be refined to exclude a way that is impossible")
        return self._proof()

    def _refine(self, reduction: Reduction, counted: Counted) -> Outcome | None:
        """Until the search finds nothing bad any more: None."""
        search = self.search(reduction, counted)
        while True:
            found = search.run(self.ignored)
            if found is None:
                self.reached = search.reached
                return None
            way = Way(self.transfer, found)
            why = refuted(way, self.options.solver, self.options.seed, self.deadline)
            if why is None:
                outcome = self._possible(found)
                if outcome is not None:
                    return outcome
            elif self._refined(way, why):
                search = self.search(reduction, counted)
            else:
                self.has_given_up = True  # there may still be errors elsewhere
                search.exclude(found)

    def _refined(self, way: Way, why: Refuted) -> bool:
        """Does the precision exclude the way now?"""
        domain = self.domain
        return refine_values(domain, way, why) if isinstance(domain, Values) else refine_predicates(domain, way, why)

    @cached_property
    def within(self) -> dict[Action, set[Action]]:
        return within_turns(self.turns, [ENTRY, *self.system.cut_points])

    def search(self, reduction: Reduction, counted: Counted) -> Search:
        """With the precision as it is."""
        counted.iterations += 1
        self.observer(Progress("searching", {"iteration": counted.iterations, "precision": self.domain.size()}))
        persistent = self.persistent if reduction.is_partial_order else None
        flow = None
        if reduction.is_simplifying:
            begun = now()
            flow = DataFlow(self.turns, self.ahead, self.within, self.domain.tracked())
            counted.simplifying_seconds += now() - begun
        return Search(self.turns, self.transfer, self.domain, persistent, flow, reduction.is_again, counted, self.deadline)

    def _possible(self, found: Abstract) -> Outcome | None:
        """An error that can be reached is replayed. An unknown location forbids TRUE; the search goes on for errors."""
        mark = found.bad.mark
        if mark.kind is not MarkKind.ERROR:
            self.ignored.add(found.bad.location)
            if self.met is None or self.met.mark.is_bound:
                self.met = Met(mark, self.turns.procedure.open_calls(found.bad.location))
            return None
        options = BmcOptions(self.options.solver, self.options.seed, max_edges=self.options.max_edges, slicing=False)
        run = bmc.Run(self.prepared, options, self.observer, self.counters, self.bound, self.system.heads)
        return run.follow(list(found.nodes), self.deadline)

    def _proof(self) -> Outcome:
        invariants = {
            node: _conjuncts([set(state) for state in self.reached.states.get(node, ())]) for node in self.system.cut_points
        }
        shown = worded(self.prepared.program, self.system, invariants)
        what = "variables" if isinstance(self.domain, Values) else "predicates"
        states = sum(map(len, self.reached.states.values()))
        reason = f"by abstract reachability over interleavings: {many(states, 'states')}, {many(self.domain.size(), what)}"
        return Outcome(Verdict.TRUE, reason, certificate=InductiveCertificate(shown, self.bound, self.options.solver))

    def _count(self, search: Counted, proof: Counted) -> None:
        """Of the search with reductions; what the proof took besides has counters of its own."""
        self.counters |= {
            "actions": search.actions,
            "eliminated": search.eliminated,
            "havocked": search.havocked,
            "successor_queries": search.successor_queries,
            "successor_ms": int(1000 * search.successor_seconds),
            "coi_ms": int(1000 * search.simplifying_seconds),
            "por_ms": int(1000 * search.partial_order_seconds),
            "states": search.states,
            "iterations": search.iterations,
            "precision": self.domain.size(),
            "solver_queries": self.domain.solver.counters.queries,
            "proof_states": proof.states,
            "proof_iterations": proof.iterations,
        }


def _conjuncts(states: list[set[Term]]) -> list[Term]:
    """What all states of a node have in common, and which ones they are; nothing gets to a node without states."""
    if not states:
        return [FALSE]
    common = set.intersection(*states)
    rest = terms.disjunction([terms.conjunction(_in_order(state - common)) for state in states])
    return [*_in_order(common), *([rest] if rest is not terms.TRUE else [])]


def _in_order(literals: set[Term]) -> list[Term]:
    return sorted(literals, key=lambda literal: literal.id)
