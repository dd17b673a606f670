"""REFINE: predicates that exclude a counterexample, the same ones whenever it is asked about the same counterexample.

It is that of predicate abstraction (`cpa.domains.predicates.refinement`), made predictable: each counterexample has solvers of
its own, whose models depend on nothing but the questions about it, and the solver of Horn clauses is limited by its effort, not
by time.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.cpa.domains.predicates.refinement import (
    Block,
    Possible,
    Refutation,
    interpolated,
    with_atoms,
    with_cubes,
)
from drystone.cpa.domains.predicates.states import Precision
from drystone.engines.tree.post import PostOptions, Solvers, Transitions
from drystone.engines.tree.precisions import NOTHING, meaning
from drystone.engines.tree.reach import Way
from drystone.solvers.queries import GaveUp

_PATIENCE = 8  # refinements before interpolants are asked for; twice as many before the next time


class Counted(msgspec.Struct):
    queries: int = 0
    interpolations: int = 0


class Refinement:
    """Raises `NotTold`, and `GaveUp`."""

    def __init__(self, transitions: Transitions, options: PostOptions, deadline: Deadline) -> None:
        self.transitions, self.options, self.deadline = transitions, options, deadline
        self.counted = Counted()
        self._asked, self._patience = 0, _PATIENCE

    def refine(self, way: Way, precision: Precision) -> Precision | Possible:
        solvers = Solvers(self.transitions, self.options, self.deadline)
        blocks = self._blocks(way, precision)
        bad = self.transitions.all[way.transitions[-1]].bad
        try:
            found = Refutation(solvers, blocks, bad).run()
        finally:
            self.counted.queries += solvers.query_count
        if isinstance(found, Possible):
            return found
        finer = self._generalised(blocks, with_cubes(precision, found.cubes))
        if finer is precision:
            raise GaveUp("the abstraction cannot be refined to exclude a way that is impossible")
        return finer

    def _blocks(self, way: Way, precision: Precision) -> list[Block]:
        blocks = []
        for position, (state, number) in enumerate(zip(way.states, way.transitions, strict=False)):
            transition = self.transitions.all[number]
            before = meaning(state, precision.get(state.location, NOTHING))
            blocks.append(Block(position, state.location, before, transition.target, transition.exit))
        return blocks

    def _generalised(self, blocks: Sequence[Block], finer: Precision) -> Precision:
        """Now and then with atoms of interpolants, which may know what all counterexamples have in common."""
        self._asked += 1
        if self._asked < self._patience:
            return finer
        self._patience *= 2
        more = with_atoms(finer, interpolated(blocks, is_timed=False))
        self.counted.interpolations += more is not finer
        return more
