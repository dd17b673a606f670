"""Distributed value analysis (Kettl 2022, section 6.4.1): states are finite maps from variables to their values.

As terms, a map is a conjunction of `x == 3`; where two maps meet, what they agree on is left; an error condition is not reached
by states in which a variable has another value.
"""

from __future__ import annotations

from collections.abc import Iterable

from drystone.engines.dcpa.domain import DistributedDomain
from drystone.engines.dcpa.facts import FactAnalysis, Facts
from drystone.engines.dcpa.options import WorkerOptions
from drystone.engines.dcpa.worker import Worker
from drystone.engines.dss.hosts import Spec
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term


class ValueOptions(WorkerOptions, frozen=True, tag=f"{__name__}:VALUES"):
    def actor(self, spec: Spec) -> Worker[Facts]:
        return Worker(spec, self, ValueAnalysis)


class ValueAnalysis(FactAnalysis):
    def facts(self, variable: Term, value: int) -> Iterable[Term]:
        if variable.sort == BOOL:
            return [variable if value else terms.negate(variable)]
        return [terms.equal(variable, terms.constant(variable.sort, value))]


VALUES = DistributedDomain(ValueOptions, posts="values", post=terms.disjunction, max_states=16)
