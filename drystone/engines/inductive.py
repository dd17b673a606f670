"""From invariants to a certificate: keep those that the proof needs, and put them into words.

A set of invariants is inductive if the entry establishes them and every block preserves them. The ones that are needed are
found by unsatisfiable cores, backwards from what excludes the errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.claims.certificates import Invariant
from drystone.engines.outcome import Observer, Progress
from drystone.invariants.behind_loops import BehindLoops
from drystone.invariants.candidates import Candidate, Context, propose_in
from drystone.invariants.houdini import QUERY_SECONDS, prune
from drystone.invariants.query_limits import QueryLimits
from drystone.invariants.registry import SOURCES
from drystone.invariants.sampling import Constants, Starts
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers import Answer, Solver, make_solver
from drystone.symbolic.source_names import Wording
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

_FEW, _SECONDS_FOR_FEWER = 20, 2.0
_LARGE = 20_000  # terms of a system: queries take too long to ask many for the ways behind loops

Invariants = Mapping[int, Sequence[Term]]
"""Per cut point the formulas that hold there."""


class Inductive:
    """Questions about blocks under invariants; one solver per block, invariants as assumptions."""

    def __init__(self, system: TransitionSystem, solver: str, seed: int, counters: dict[str, int]) -> None:
        self.system = system
        self.counters = counters
        self._solver, self._seed = solver, seed
        self._solvers: dict[int, Solver] = {}

    def solver(self, block: Transformer) -> Solver:
        known = self._solvers.get(block.start)
        if known is None:
            known = self._solvers[block.start] = make_solver(self._solver, self._seed)
        return known

    def excluded(self, block: Transformer, formula: Term, invariants: Invariants, deadline: Deadline) -> list[Term] | None:
        """The invariants of the block's start that exclude the formula; None if they do not."""
        if formula is FALSE:
            return []
        limit = deadline.remaining()
        if limit <= 0:
            return None
        assumed = [each for each in invariants.get(block.start, ()) if each is not TRUE]
        self.counters["queries"] = self.counters.get("queries", 0) + 1
        solver = self.solver(block)
        if solver.check([*assumed, formula], limit_seconds=limit) is not Answer.UNSAT:
            return None
        core = set(solver.core())
        return [each for each in assumed if each in core]

    def is_safe(self, invariants: Invariants, deadline: Deadline) -> bool:
        """Does no block get to something bad from a state that the invariants allow?"""
        blocks = self.system.all_blocks()
        return all(self.excluded(block, block.violation, invariants, deadline) is not None for block in blocks)

    def needed(self, invariants: Invariants, deadline: Deadline) -> dict[int, list[Term]] | None:
        """The part of inductive invariants that shows safety, and itself; None if it is not shown."""
        keep: dict[int, dict[Term, None]] = {}
        waiting: list[tuple[int, Term]] = []

        def want(cut: int, found: Sequence[Term]) -> None:
            for each in found:
                if each not in keep.setdefault(cut, {}):
                    keep[cut][each] = None
                    waiting.append((cut, each))

        for block in self.system.all_blocks():
            core = self.excluded(block, block.violation, invariants, deadline)
            if core is None:
                return None
            want(block.start, core)
        while waiting:
            cut, formula = waiting.pop()
            for block in self.system.all_blocks():
                way = block.exits.get(cut)
                if way is None:
                    continue
                core = self.excluded(block, way.pre(terms.negate(formula)), invariants, deadline)
                if core is None:
                    return None
                want(block.start, core)
        keep.pop(ENTRY, None)
        found = {cut: list(formulas) for cut, formulas in keep.items() if formulas}
        return self._fewer(found, deadline.within(_SECONDS_FOR_FEWER))

    def _fewer(self, invariants: dict[int, list[Term]], deadline: Deadline) -> dict[int, list[Term]]:
        """Without those that the others make superfluous, the largest first; for people, so only where there are few."""
        everything = sorted(
            ((cut, each) for cut, formulas in invariants.items() for each in formulas), key=lambda pair: -terms.size(pair[1])
        )
        if not 1 < len(everything) <= _FEW:
            return invariants
        for cut, formula in everything:
            fewer = {**invariants, cut: [each for each in invariants[cut] if each is not formula]}
            if self._are_enough(fewer, deadline):
                invariants = fewer
        return {cut: formulas for cut, formulas in invariants.items() if formulas}

    def _are_enough(self, invariants: Invariants, deadline: Deadline) -> bool:
        """Are the invariants inductive, and do they show safety?"""
        for block in self.system.all_blocks():
            for target, way in block.exits.items():
                broken = way.pre(terms.negate(terms.conjunction(invariants.get(target, ()))))
                if self.excluded(block, broken, invariants, deadline) is None:
                    return False
        return self.is_safe(invariants, deadline)


def worded(program: Program, system: TransitionSystem, invariants: Invariants) -> list[Invariant]:
    """The invariants as a certificate has them."""
    wording = Wording(system.symbolic)
    return [
        Invariant(
            system.original[cut],
            program.where(system.origin(cut)),
            wording.at(cut, invariants[cut]),
            pack(invariants[cut]),
        )
        for cut in sorted(invariants)
        if invariants[cut]
    ]


class FoundInvariants(msgspec.Struct, frozen=True):
    """Candidates, those of them that are inductive together, and whether there was time to find these."""

    proposed: Sequence[Candidate]
    kept: Mapping[int, Sequence[Candidate]]
    complete: bool

    def formulas(self) -> dict[int, list[Term]]:
        return {cut: [each.term for each in found] for cut, found in self.kept.items()}


def find_invariants(
    system: TransitionSystem,
    sources: Sequence[str] | None,
    solver: str,
    seed: int,
    deadline: Deadline,
    observer: Observer,
    counters: dict[str, int],
) -> FoundInvariants:
    """Invariants from the candidates of these sources (None: all), pruned to the inductive ones."""
    observer(Progress("candidates", {"queries": counters["queries"]}))
    finding = _Finding(system, QueryLimits(solver, seed, deadline, QUERY_SECONDS), observer)
    complete = finding.from_samples(tuple(SOURCES) if sources is None else sources)
    counters["queries"] += finding.queries
    counters["rounds"] = finding.rounds
    counters["candidates"] = len(finding.proposed)
    counters["invariants"] = sum(map(len, finding.kept.values()))
    return FoundInvariants(finding.proposed, finding.kept, complete)


class _Finding:
    """What was proposed, and what is kept of it."""

    def __init__(self, system: TransitionSystem, limits: QueryLimits, observer: Observer) -> None:
        self.system, self.limits, self.observer = system, limits, observer
        self.proposed: list[Candidate] = []
        self.kept: dict[int, list[Candidate]] = {}
        self.queries = self.rounds = 0

    def from_samples(self, sources: Sequence[str]) -> bool:
        """False: there was not enough time for the first fixed point."""
        system = self.system
        context = self._context()
        if not self._add(propose_in(context, sources, system.cut_points)):
            return False
        missing = [cut for cut in system.cut_points if not context.has_samples(cut)]
        if sources and len(context.all_terms) <= _LARGE:
            self._go_beyond(missing, sources, context.constants)
        return True

    def _go_beyond(self, missing: list[int], sources: Sequence[str], constants: Constants) -> None:
        """Behind loops that no sampled run gets through, loop by loop."""
        while missing and not self.limits.deadline.expired():
            behind = BehindLoops(self.system, self._facts(), missing, self.limits, constants)
            if not behind.states:
                return
            context = self._context(behind.states)
            reached = [cut for cut in missing if context.has_samples(cut)]
            self._add([*behind.carried.values(), *propose_in(context, sources, reached)])
            missing = [cut for cut in missing if cut not in reached]

    def _context(self, starts: Starts | None = None) -> Context:
        return Context(self.system, self.limits.seed, self.limits.deadline, starts)

    def _facts(self) -> dict[int, list[Term]]:
        return {cut: [each.term for each in found] for cut, found in self.kept.items()}

    def _add(self, candidates: list[Candidate]) -> bool:
        self.proposed += candidates
        limits = self.limits
        pruned = prune(
            self.system,
            candidates,
            known=self._facts(),
            solver=limits.solver,
            seed=limits.seed,
            deadline=limits.deadline,
            observer=lambda progress: self.observer(Progress("pruning", dict(progress))),
        )
        self.queries += pruned.queries
        self.rounds += pruned.rounds
        for cut, invariants in pruned.invariants.items():
            self.kept.setdefault(cut, []).extend(invariants)
        return pruned.complete
