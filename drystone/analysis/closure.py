"""The sets of valuations that blocks do not leave: from those that were sampled, by adding what the blocks lead to.

Where Houdini drops a candidate that a block falsifies, a set of valuations is weakened by the successor of the solver's model, as
in predicate abstraction with the equalities of the flags as predicates. A block is asked only about what is new at its start: for
one frontier, the solver finds the successors outside the sets one by one, each excluded from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drystone.analysis.valuations import Valuations
from drystone.logic.evaluation import Value
from drystone.logic.terms import TRUE, Term, negate
from drystone.program.transformers import ENTRY, Exit, Transformer, TransitionSystem
from drystone.solvers import Answer, Solver, make_solver
from drystone.solvers.deadline import Deadline

MOST_QUERIES = 1_500
"""For the sets of one family."""


class Closure:
    """One family: at most one set per cut point. `known` are invariants."""

    def __init__(
        self,
        system: TransitionSystem,
        start: Mapping[int, Valuations],
        known: Mapping[int, Sequence[Term]],
        solver: str,
        seed: int,
        deadline: Deadline,
        query_seconds: float,
    ) -> None:
        self.system, self.known = system, known
        self.solver, self.seed = solver, seed
        self.deadline, self.query_seconds = deadline, query_seconds
        self.sets = dict(start)
        self.queries = 0
        self.contexts: dict[int, Solver] = {}
        self.fresh: dict[int, Valuations | None] = dict(start)  # of which the blocks have not been asked; None: any state

    def reach_fixed_point(self) -> bool:
        """False: there is not enough time, or nothing is left to say."""
        waiting: dict[int, None] = {ENTRY: None, **dict.fromkeys(self.system.cut_points)}
        while waiting:
            start = next(iter(waiting))
            del waiting[start]
            block = self.system.initial if start == ENTRY else self.system.blocks[start]
            changed = self._leave(block, self.fresh.pop(start, None))
            if changed is None:
                return False
            waiting.update(dict.fromkeys(changed))
        return bool(self.sets)

    def _leave(self, block: Transformer, frontier: Valuations | None) -> set[int] | None:
        """Adds what the block leads to from the frontier. The cut points where something was added; None: not known."""
        context = self._context(block.start)
        changed: set[int] = set()
        context.push()
        if frontier is not None:
            context.add(frontier.term)
        for target, exit in block.exits.items():
            if target in self.sets:
                added = self._extend(context, target, exit)
                if added is None:
                    return None
                if added:
                    changed.add(target)
        context.pop()
        return changed

    def _extend(self, context: Solver, target: int, exit: Exit) -> bool | None:
        context.push()
        context.add(exit.guard)
        context.add(negate(exit.after(self.sets[target].term)))
        grown = False
        while True:
            if self.deadline.expired() or self.queries >= MOST_QUERIES:
                return None
            self.queries += 1
            answer = context.check((), min(self.query_seconds, self.deadline.remaining()))
            if answer is Answer.UNKNOWN:
                return None
            if answer is Answer.UNSAT:
                context.pop()
                return grown
            allowed = self.sets[target]
            state = {flag.term: _integer(context.value(exit.after(flag.term))) for flag in allowed.flags}
            found = allowed.only(state)
            larger = allowed.union(found)
            if larger is None or larger.tuples == allowed.tuples:
                return None
            grown = True
            self.sets[target] = larger
            if larger.flags != allowed.flags:  # projected: everything is new
                self.fresh[target] = larger
            else:
                self.fresh[target] = _joined(self.fresh.get(target), found)
            context.add(negate(exit.after(found.term if larger.flags == allowed.flags else larger.term)))

    def _context(self, start: int) -> Solver:
        context = self.contexts.get(start)
        if context is None:
            context = self.contexts[start] = make_solver(self.solver, self.seed)
            for fact in self.known.get(start, ()):
                context.add(fact)
        return context


def _joined(fresh: Valuations | None, found: Valuations) -> Valuations:
    if fresh is None:
        return found
    return Valuations(found.flags, fresh.tuples | found.tuples)


def _integer(value: Value) -> int:
    assert isinstance(value, int)
    return value


def closed(
    system: TransitionSystem,
    family: Mapping[int, Valuations],
    known: Mapping[int, Sequence[Term]],
    solver: str,
    seed: int,
    deadline: Deadline,
    query_seconds: float,
) -> tuple[dict[int, Valuations], int]:
    """Larger sets that the blocks preserve, relative to what is known, and the number of queries; no sets if that fails."""
    closure = Closure(system, family, known, solver, seed, deadline, query_seconds)
    if not closure.reach_fixed_point():
        return {}, closure.queries
    return {cut: each for cut, each in closure.sets.items() if each.term is not TRUE}, closure.queries
