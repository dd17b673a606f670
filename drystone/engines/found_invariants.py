"""Invariants from candidates: those that are inductive together, loop by loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.outcome import Observer, Progress
from drystone.invariants.behind_loops import BehindLoops
from drystone.invariants.candidates import Candidate, Context, propose_in
from drystone.invariants.houdini import QUERY_SECONDS, prune
from drystone.invariants.query_limits import QueryLimits
from drystone.invariants.registry import SOURCES
from drystone.invariants.sampling import Constants, Starts
from drystone.logic.terms import Term
from drystone.symbolic.transformers import TransitionSystem

_LARGE = 20_000  # terms of a system: queries take too long to ask many for the ways behind loops


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
