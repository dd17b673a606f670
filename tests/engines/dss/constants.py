"""A kind of summaries in one file: which variables have one value at a location. It is found by `--summaries` as `module:NAME`."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.engines.dss.domain import Domain
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.postconditions.analysis import Cubes, PostconditionAnalysis
from drystone.engines.dss.postconditions.coordinator import PostconditionCoordinator, postcondition_specs
from drystone.engines.dss.postconditions.options import PostconditionOptions
from drystone.logic import terms
from drystone.logic.evaluation import evaluate
from drystone.logic.sorts import BitVec
from drystone.logic.terms import Term
from drystone.symbolic.transformers import Exit


class ConstantOptions(PostconditionOptions, frozen=True, tag=f"{__name__}:CONSTANTS"):
    def actor(self, spec: Spec) -> ConstantAnalysis:
        return ConstantAnalysis(spec, self)


class ConstantAnalysis(PostconditionAnalysis):
    def abstract(self, location: int, exit: Exit, before: Sequence[Term]) -> Cubes:
        """`x == 3`, for each variable that has the same value in all states that leave."""
        base = [*before, exit.guard]
        if not self.queries.is_satisfiable(base):
            return ()
        changed = [terms.state(name, exit.sorts[name]) for name in exit.values]
        variables = [each for each in dict.fromkeys([*changed, *_states(before)]) if isinstance(each.sort, BitVec)]
        images = [exit.after(each) for each in variables]
        values = evaluate(images, self.queries.model([*base, *images]), 0)
        pairs = [(each, value) for each, value in zip(variables, values, strict=True) if isinstance(value, int)]
        candidates = [terms.equal(each, terms.constant(each.sort, value)) for each, value in pairs]
        same = self.queries.implied(base, map(exit.after, candidates))
        return (terms.conjunction(each for each in candidates if exit.after(each) in same),)


def _states(formulas: Sequence[Term]) -> list[Term]:
    return sorted((each for each in terms.free_symbols(formulas) if each.operator == "state"), key=lambda each: each.hash)


def _options(options: DssOptions) -> ConstantOptions:
    return ConstantOptions(options.solver, options.seed, options.seconds_per_query)


CONSTANTS = Domain(
    ConstantOptions,
    specs=lambda blocks, options: postcondition_specs(blocks, _options(options)),
    coordinator=lambda blocks, options, means: PostconditionCoordinator(blocks, _options(options), means),
    posts="constants",
    post=terms.disjunction,
)
