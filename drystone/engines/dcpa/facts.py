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
        return self._common([*state, exit.guard], [terms.state(name, exit.sorts[name]) for name in exit.values], exit)

    def reaches(self, state: Facts, bad: Term) -> bool:
        return self.may_hold([*state, bad])

    def violation(self, bad: Term, level: int) -> Term:
        return self._before([bad])

    def backward(self, exit: Exit, condition: Term, level: int) -> Term:
        return self._before([exit.guard, exit.after(condition)])

    def _before(self, goals: Sequence[Term]) -> Term:
        """The facts about the start in all states that get to the goals."""
        variables = [each for each in terms.free_symbols(goals) if each.operator == "state"]
        common = self._common(goals, sorted(variables, key=lambda each: each.hash), None)
        return FALSE if common is None else terms.conjunction(common)

    def _common(self, base: Sequence[Term], variables: Sequence[Term], exit: Exit | None) -> Facts | None:
        """Facts about the variables at the exit, or where the block starts, that hold in all models; None if there is none."""

        def image(term: Term) -> Term:
            return exit.after(term) if exit is not None else term

        if FALSE in base:
            return None
        words = [each for each in variables if isinstance(each.sort, BitVec | Bool)]
        images = [image(each) for each in words]
        try:
            if not self.queries.is_satisfiable(base):
                return None
            values = evaluate(images, self.queries.model([*base, *images]), 0)
            pairs = [(each, int(value)) for each, value in zip(words, values, strict=True) if isinstance(value, int)]
            candidates = {fact: image(fact) for variable, value in pairs for fact in self.facts(variable, value)}
            same = self.queries.implied(base, [each for each in candidates.values() if each is not TRUE])
        except GaveUp:  # any state of the program, then
            if self.queries.deadline.expired():
                raise
            self.unanswered += 1
            return ()
        return tuple(fact for fact, after in candidates.items() if after is TRUE or after in same)

    def assume(self, state: Facts, formula: Term, level: int) -> Facts:
        return (*state, *(each for each in terms.conjuncts(formula) if each not in state))

    # the four operators

    def serialise(self, states: Sequence[Facts]) -> list[Term]:
        """A conjunction for each state."""
        return [terms.conjunction(state) for state in states]

    def deserialise(self, terms_: Sequence[Term]) -> list[Facts]:
        return [tuple(each for each in terms.conjuncts(cube) if each is not TRUE) for cube in terms_]

    def combine(self, first: Facts, second: Facts, stamp: str) -> Facts:
        """What both say."""
        return tuple(fact for fact in first if fact in second)

    def proceed(self, state: Facts, condition: Term) -> bool:
        literals = terms.conjuncts(condition)
        return not any(terms.negate(fact) in literals for fact in state) and self.may_hold([*state, condition])
