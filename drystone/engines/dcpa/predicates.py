"""Distributed predicate analysis without abstraction (Kettl 2022, section 4.2): states are path formulas.

A path formula is kept solved: when control gets here, and the value that each variable has then, over symbols that stand for
any values: inputs, and variables before the first block of the path. They have names that no other block of the path uses; this
is what u(φ) of section 4.2.1 does. So the strongest postcondition of a block is a substitution, nothing has to be eliminated, and
the most recent variables are those that have a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from drystone.engines.dcpa.domain import DistributedAnalysis, DistributedDomain
from drystone.engines.dcpa.options import WorkerOptions
from drystone.engines.dcpa.worker import Worker
from drystone.engines.dss.hosts import Spec
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.substitution import Substitution, substitute
from drystone.logic.terms import TRUE, Term, make
from drystone.symbolic.transformers import Exit


class Path(msgspec.Struct, frozen=True):
    """All ways by which control gets to a location."""

    guard: Term = TRUE
    values: Mapping[Term, Term] = {}  # by variable; what is not in there may be anything, whatever the others are

    def formula(self) -> Term:
        return terms.conjunction([self.guard, *(terms.equal(variable, value) for variable, value in self.values.items())])


class PathOptions(WorkerOptions, frozen=True, tag=f"{__name__}:PREDICATES"):
    def actor(self, spec: Spec) -> Worker[Path]:
        return Worker(spec, self, PathAnalysis)


class PathAnalysis(DistributedAnalysis[Path]):
    def top(self) -> Path:
        return Path()

    def forward(self, state: Path, exit: Exit, level: int) -> Path | None:
        values = list(exit.values.values())
        taken = self._taken(state, [exit.guard, *values], f"in pass {level}")
        guard = make("and", BOOL, state.guard, taken[0])
        if not self.may_hold([guard]):
            return None
        variables = [terms.state(name, exit.sorts[name]) for name in exit.values]
        return Path(guard, dict(zip(variables, taken[1:], strict=True)))

    def reaches(self, state: Path, bad: Term) -> bool:
        (guard,) = self._taken(state, [bad], "in the last pass")
        return self.may_hold([make("and", BOOL, state.guard, guard)])

    def violation(self, bad: Term, level: int) -> Term:
        return _renamed([bad], f"{level} before the error")[0]

    def backward(self, exit: Exit, condition: Term, level: int) -> Term:
        named = [symbol for symbol in terms.free_symbols(condition) if symbol.operator == "state"]
        named = [symbol for symbol in named if symbol.payload in exit.values]
        used = [exit.guard, *(exit.values[str(symbol.payload)] for symbol in named)]
        guard, *values = _renamed(used, f"{level} before the error")
        return make("and", BOOL, guard, substitute(condition, dict(zip(named, values, strict=True))))

    def assume(self, state: Path, formula: Term, level: int) -> Path:
        stamp = f"in pass {level}"
        unnamed = [each for each in terms.free_symbols(formula) if each.operator == "state" and each not in state.values]
        values = {**state.values, **{each: self._before(each, stamp) for each in unnamed}}
        return Path(make("and", BOOL, state.guard, substitute(formula, values)), values)

    def serialise(self, states: Sequence[Path]) -> list[Term]:
        """A guard, then variables with their values; a guard is never a variable."""
        return [term for state in states for term in (state.guard, *_flat(state.values))]

    def deserialise(self, terms: Sequence[Term]) -> list[Path]:
        return list(_paths(terms))

    def combine(self, first: Path, second: Path, stamp: str) -> Path:
        """Their disjunction: a new symbol says which of them it is. Guards need not exclude each other."""
        if first == second:
            return first
        chosen = terms.input_symbol(f"not the last at {self.block} in pass {stamp}", BOOL)
        values = {}
        for variable in dict.fromkeys([*first.values, *second.values]):
            any_value = terms.input_symbol(f"{variable.payload} at {self.block} in pass {stamp}", variable.sort)
            values[variable] = terms.ite(chosen, first.values.get(variable, any_value), second.values.get(variable, any_value))
        return Path(terms.ite(chosen, first.guard, second.guard), values)

    def proceed(self, state: Path, condition: Term) -> bool:
        return self.may_hold([state.guard, substitute(condition, dict(state.values))])

    def _taken(self, state: Path, formulas: Sequence[Term], stamp: str) -> list[Term]:
        """These formulas about the start of the block, for states that have come this way."""
        mapping = dict(state.values)
        for symbol in terms.free_symbols(formulas):
            if symbol.operator == "input":
                mapping[symbol] = terms.input_symbol(f"{symbol.payload} of {self.block} {stamp}", symbol.sort)
            elif symbol not in mapping:
                mapping[symbol] = self._before(symbol, stamp)
        substitution = Substitution(mapping)
        return [substitution(formula) for formula in formulas]

    def _before(self, variable: Term, stamp: str) -> Term:
        """Any value that a variable has where the block begins."""
        return terms.input_symbol(f"{variable.payload} before {self.block} {stamp}", variable.sort)


def _renamed(formulas: Sequence[Term], stamp: str) -> list[Term]:
    """With other inputs than those of other blocks behind."""
    inputs = [symbol for symbol in terms.free_symbols(formulas) if symbol.operator == "input"]
    return substitute(list(formulas), {each: terms.input_symbol(f"{each.payload} {stamp}", each.sort) for each in inputs})


def _flat(values: Mapping[Term, Term]) -> Iterator[Term]:
    for variable, value in values.items():
        yield variable
        yield value


def _paths(given: Sequence[Term]) -> Iterator[Path]:
    position = 0
    while position < len(given):
        guard, values = given[position], dict[Term, Term]()
        position += 1
        while position < len(given) and given[position].operator == "state":
            values[given[position]] = given[position + 1]
            position += 2
        yield Path(guard, values)


PREDICATES = DistributedDomain(
    PathOptions,
    posts="path formulas",
    post=lambda given: terms.disjunction(path.formula() for path in _paths(given)),
    is_exact=True,
)
