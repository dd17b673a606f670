"""A domain for `--engine dcpa` in one file: which variables are even, and which are odd.

PYTHONPATH=examples drystone verify FILE.c --engine dcpa --domain parity:PARITY

A domain is an analysis of one block and four operators. States that are facts about single variables have the analysis from the
facts alone, the best one there is, and operators that do for all of them; two are written out here, since parities know more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from drystone.engines.dcpa.domain import DistributedDomain
from drystone.engines.dcpa.facts import FactAnalysis, Facts
from drystone.engines.dcpa.options import WorkerOptions
from drystone.engines.dcpa.worker import Worker
from drystone.engines.dss.hosts import Spec
from drystone.logic import terms
from drystone.logic.sorts import BitVec
from drystone.logic.terms import Term


class ParityOptions(WorkerOptions, frozen=True, tag=f"{__name__}:PARITY"):
    """What travels to the hosts; its tag says where they find this domain."""

    def actor(self, spec: Spec) -> Worker[Facts]:
        return Worker(spec, self, ParityAnalysis)


class ParityAnalysis(FactAnalysis):
    def facts(self, variable: Term, value: int) -> Iterable[Term]:
        """What may be said of a variable that has this value: its last bit."""
        if not isinstance(variable.sort, BitVec):
            return []
        last = terms.extract(variable, 0, 0)
        return [terms.equal(last, terms.constant(last.sort, value & 1))]

    # Serialise and deserialise are those of all facts: a state is a conjunction.

    def combine(self, first: Facts, second: Facts, stamp: str) -> Facts:
        """Both: a variable that is even here and odd there is neither."""
        return tuple(fact for fact in first if fact in second)

    def proceed(self, state: Facts, condition: Term) -> bool:
        """No state is even and odd; what else the condition says is a question for the solver."""
        parities = {bit(fact): fact for fact in state}
        opposite = any(parities.get(bit(each), each) is not each for each in terms.conjuncts(condition) if bit(each) is not None)
        return not opposite and super().proceed(state, condition)


def bit(fact: Term) -> Term | None:
    """The last bit that a fact is about."""
    sides: Sequence[Term] = fact.arguments if fact.operator == "=" else ()
    return next((side for side in sides if side.operator == "extract"), None)


PARITY = DistributedDomain(ParityOptions, posts="parities", post=terms.disjunction)
