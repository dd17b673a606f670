"""The sets of valuations that blocks do not leave: from those that were sampled, by adding what the blocks lead to.

Where Houdini drops a candidate that a block falsifies, a set of valuations is weakened by the successor of the solver's model, as
in predicate abstraction with the equalities of the flags as predicates. A block is asked only about what is new at its start: for
one frontier, the solver finds the successors outside the sets one by one, each excluded from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from drystone.invariants.flags import Valuations
from drystone.invariants.query_limits import QueryLimits
from drystone.logic.evaluation import Value
from drystone.logic.terms import Term, negate
from drystone.solvers import Answer, Solver
from drystone.symbolic.transformers import ENTRY, Exit, Transformer, TransitionSystem

MOST_QUERIES = 1_500
"""For the sets of one family."""


class Closure:
    """One family: at most one set per cut point. `known` are invariants, `assumed` what may still fall."""

    def __init__(
        self,
        system: TransitionSystem,
        start: Mapping[int, Valuations],
        known: Mapping[int, Sequence[Term]],
        assumed: Mapping[int, Iterable[Term]],
        limits: QueryLimits,
        most_queries: int = MOST_QUERIES,
    ) -> None:
        self.system, self.known, self.assumed, self.limits = system, known, assumed, limits
        self.most_queries = most_queries
        self.sets = dict(start)
        self.queries = 0
        self.contexts: dict[int, Solver] = {}
        self.fresh: dict[int, Valuations] = {}  # of what was added, of which the blocks have not been asked yet
        self.waiting: dict[int, None] = {ENTRY: None, **dict.fromkeys(system.cut_points)}  # blocks to be asked
        self.whole = set(system.cut_points)  # those that are to be asked about all their start's tuples

    def relied_on(self, cut: int) -> None:
        """Something that was assumed at a cut point has fallen."""
        if cut != ENTRY:
            self.waiting[cut] = None
            self.whole.add(cut)

    def reach_fixed_point(self) -> set[int] | None:
        """The cut points whose sets have grown. None: there is not enough time, or too much to say."""
        changed: set[int] = set()
        while self.waiting:
            start = next(iter(self.waiting))
            del self.waiting[start]
            grown = self._leave(self.system.initial if start == ENTRY else self.system.blocks[start])
            if grown is None:
                return None
            changed |= grown
            self.waiting.update(dict.fromkeys(grown))
        return changed

    def _leave(self, block: Transformer) -> set[int] | None:
        """Adds what the block leads to from what is new at its start. The cut points where something was added."""
        start = block.start
        new = self.fresh.pop(start, None)
        frontier = self.sets.get(start) if start in self.whole else new
        self.whole.discard(start)
        context = self._context(start)
        assumptions = [*self.assumed.get(start, ())]
        if frontier is not None:
            assumptions.append(frontier.term)
        changed: set[int] = set()
        for target, exit in block.exits.items():
            if target in self.sets:
                added = self._extend(context, assumptions, target, exit)
                if added is None:
                    return None
                if added:
                    changed.add(target)
        return changed

    def _extend(self, context: Solver, assumptions: Sequence[Term], target: int, exit: Exit) -> bool | None:
        context.push()
        context.add(exit.guard)
        context.add(negate(exit.after(self.sets[target].term)))
        grown = False
        while True:
            if self.limits.deadline.expired() or self.queries >= self.most_queries:
                return None
            self.queries += 1
            answer = context.check(assumptions, min(self.limits.query_seconds, self.limits.deadline.remaining()))
            if answer is Answer.UNKNOWN:
                return None
            if answer is Answer.UNSAT:
                context.pop()
                return grown
            found = self._add(context, target, exit)
            if found is None:
                return None
            context.add(negate(exit.after(found.term)))
            grown = True

    def _add(self, context: Solver, target: int, exit: Exit) -> Valuations | None:
        """Adds the tuple of the model's next state; what is to be excluded from now on."""
        allowed = self.sets[target]
        found = allowed.only({flag.term: _integer(context.value(exit.after(flag.term))) for flag in allowed.flags})
        larger = allowed.union(found)
        if larger is None or larger == allowed:
            return None
        self.sets[target] = larger
        if larger.flags != allowed.flags:  # projected: all of it is new
            self.whole.add(target)
            return larger
        fresh = self.fresh.get(target)
        self.fresh[target] = found if fresh is None else Valuations(found.flags, fresh.tuples | found.tuples)
        return found

    def _context(self, start: int) -> Solver:
        context = self.contexts.get(start)
        if context is None:
            context = self.contexts[start] = self.limits.context(self.known.get(start, ()))
        return context


def _integer(value: Value) -> int:
    assert isinstance(value, int)
    return value
