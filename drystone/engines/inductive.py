"""From invariants to a certificate: keep those that the proof needs, and put them into words.

A set of invariants is inductive if the entry establishes them and every block preserves them. The ones that are needed are
found by unsatisfiable cores, backwards from what excludes the errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drystone.base.deadline import Deadline
from drystone.claims.certificates import Invariant
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers import Answer, Solver, make_solver
from drystone.symbolic.source_names import Wording
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

_FEW, _SECONDS_FOR_FEWER = 20, 2.0

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
    """The invariants as a certificate has them.

    The product of threads has cycles without a head: also where nothing has to hold, the check must cut where the proof did.
    """
    wording = Wording(system.symbolic)
    cuts = system.heads if program.has_threads else [cut for cut in invariants if invariants[cut]]
    return [
        Invariant(
            system.original[cut],
            program.where(system.origin(cut)),
            wording.at(cut, invariants.get(cut, ())),
            pack(invariants.get(cut, ())),
        )
        for cut in sorted(cuts)
    ]
