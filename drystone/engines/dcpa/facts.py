"""Domains whose states are conjunctions of facts about single variables: what is shared by values, signs, parities.

A domain says which facts a value has. The best abstraction of what a block does follows from that, forwards and backwards: the
facts of a model that hold in all models (symbolic abstraction; Reps, Sagiv, Yorsh 2004).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from drystone.engines.dcpa.domain import DistributedAnalysis
from drystone.engines.dss.queries import GaveUp
from drystone.logic import terms
from drystone.logic.evaluation import evaluate
from drystone.logic.sorts import BitVec, Bool
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.symbolic.transformers import Exit

Facts = tuple[Term, ...]


class FactAnalysis(DistributedAnalysis[Facts]):
    @abstractmethod
    def facts(self, variable: Term, value: int) -> Iterable[Term]:
        """What this domain may say of the variable when it has this value; the facts hold then."""

    # the analysis

    def top(self) -> Facts:
        return ()

    def forward(self, state: Facts, exit: Exit, level: int) -> Facts | None:
        base = [*state, exit.guard]
        if not self.may_hold(base):
            return None
        variables = [terms.state(name, exit.sorts[name]) for name in exit.values]
        return self._common(base, [each for each in variables if isinstance(each.sort, BitVec | Bool)], exit)

    def reaches(self, state: Facts, bad: Term) -> bool:
        return self.may_hold([*state, bad])

    def violation(self, bad: Term, level: int) -> Term:
        return self._before([bad])

    def backward(self, exit: Exit, condition: Term, level: int) -> Term:
        return self._before([exit.guard, exit.after(condition)])

    def _before(self, goals: Sequence[Term]) -> Term:
        """The facts about the start in all states that get to the goals."""
        if not self.may_hold(goals):
            return FALSE
        symbols = [each for each in terms.free_symbols(goals) if each.operator == "state"]
        variables = [each for each in symbols if isinstance(each.sort, BitVec | Bool)]
        return terms.conjunction(self._common(goals, sorted(variables, key=lambda each: each.hash), None))

    def _common(self, base: Sequence[Term], variables: Sequence[Term], exit: Exit | None) -> Facts:
        """Facts about the variables at the exit, or where the block starts, that hold in all models."""
        images = [exit.after(each) if exit is not None else each for each in variables]
        try:
            values = evaluate(images, self.queries.model([*base, *images]), 0)
            pairs = [(each, int(value)) for each, value in zip(variables, values, strict=True) if isinstance(value, int)]
            candidates = [fact for variable, value in pairs for fact in self.facts(variable, value)]
            after = [exit.after(each) if exit is not None else each for each in candidates]
            same = self.queries.implied(base, after)
        except GaveUp:  # any state of the program, then
            if self.queries.deadline.expired():
                raise
            self.unanswered += 1
            return ()
        return tuple(fact for fact, image in zip(candidates, after, strict=True) if image is TRUE or image in same)

    # the four operators

    def serialise(self, states: Sequence[Facts]) -> list[Term]:
        """A conjunction for each state."""
        return [terms.conjunction(state) for state in states]

    def deserialise(self, terms_: Sequence[Term]) -> list[Facts]:
        return [tuple(each for each in terms.conjuncts(cube) if each is not TRUE) for cube in terms_]

    def combine(self, first: Facts, second: Facts, level: int) -> Facts:
        """What both say."""
        return tuple(fact for fact in first if fact in second)

    def proceed(self, state: Facts, condition: Term) -> bool:
        literals = terms.conjuncts(condition)
        return not any(terms.negate(fact) in literals for fact in state) and self.may_hold([*state, condition])
