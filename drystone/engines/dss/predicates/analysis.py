"""Postconditions as Boolean combinations of predicates: predicate abstraction, refined by what refutes a violation.

The atoms of a core that refutes a violation condition at an exit become predicates of that exit; so do those of interpolants
(`interpolation`), which the coordinator sends.
"""

from __future__ import annotations

from collections.abc import Sequence

from drystone.cpa.domains.predicates.abstraction import Abstraction, boolean_abstraction
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.messages import Again
from drystone.engines.dss.operators import operator
from drystone.engines.dss.postconditions.analysis import Cubes, PostconditionAnalysis
from drystone.engines.dss.postconditions.options import PostconditionOptions
from drystone.logic.terms import Term
from drystone.symbolic.transformers import Exit

_FEWER = 4  # times fewer combinations are tried where there were too many before


class PredicateOptions(PostconditionOptions, frozen=True, tag="predicates"):
    max_cubes: int = 16  # of a postcondition; beyond, the Cartesian abstraction

    def actor(self, spec: Spec) -> PredicateAnalysis:
        return PredicateAnalysis(spec, self)


class PredicateAnalysis(PostconditionAnalysis):
    def __init__(self, spec: Spec, options: PredicateOptions) -> None:
        super().__init__(spec, options)
        self.max_cubes = options.max_cubes
        self.counters["cartesian"] = 0
        self.precision: dict[int, dict[Term, None]] = {location: {} for location in self.ways}  # predicates, by exit
        self._abstractions: dict[int, dict[Term, Abstraction]] = {location: {} for location in self.ways}  # by precondition
        self._has_many: set[int] = set()  # exits with many combinations at some time: with more predicates, hardly fewer

    @property
    def predicates(self) -> dict[Term, None]:
        return {each: None for precision in self.precision.values() for each in precision}

    def figures(self) -> dict[str, int]:
        return {**super().figures(), "predicates": len(self.predicates)}

    @operator
    def abstract(self, location: int, exit: Exit, before: Sequence[Term]) -> Cubes:
        clauses, abstractions = list(self.ways[location].clauses.values()), self._abstractions[location]
        cap = self.max_cubes // _FEWER if location in self._has_many else self.max_cubes
        stages = self.context.stages.preconditions
        stronger = abstractions.get(stages[-2]) if len(stages) > 1 else None  # its states are among those of this stage
        found = boolean_abstraction(self.queries, before, exit, list(self.precision[location]), clauses, cap, stronger)
        abstractions[self.precondition] = found
        if found.is_cartesian:
            self._has_many.add(location)
            self.counters["cartesian"] += 1
        return found.cubes

    def refine(self, location: int, literals: Sequence[Term]) -> bool:
        """The atoms become predicates of this exit. Is one of them new?"""
        precision = self.precision[location]
        before = len(precision)
        for literal in literals:
            precision.setdefault(literal.arguments[0] if literal.operator == "not" else literal)
        self._abstractions[location].clear()
        self.ways[location].posts.clear()
        return len(precision) > before

    def begin_again(self, again: Again, epoch: int) -> None:
        super().begin_again(again, epoch)
        self.max_cubes = max(self.max_cubes, again.max_cubes)
        self._has_many.clear()
        for abstractions in self._abstractions.values():
            abstractions.clear()
