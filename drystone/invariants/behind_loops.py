"""Behind loops that no sampled run gets through.

Runs are short: what comes after a loop of a hundred thousand turns has no samples, and so no candidates. Under the invariants
that are known by then, a solver finds states in which such a loop is left. Nothing tells whether they can be reached, but
sampling can go on from them. And an invariant of the loop still holds behind it, with what its variables are at the end.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence

from drystone.invariants.candidates import Candidate
from drystone.invariants.query_limits import QueryLimits
from drystone.invariants.sampling import Constants, Inputs, ModelInputs, Runner, State
from drystone.logic import terms
from drystone.logic.sorts import BitVec
from drystone.logic.substitution import substitute
from drystone.logic.terms import Term
from drystone.passes.one_element import is_index
from drystone.solvers import Answer, Solver
from drystone.symbolic.transformers import ENTRY, Exit, Transformer, TransitionSystem

SOURCE = "behind loops"
_STATES = 8  # per way
_STATES_OF_ELEMENTS = 16  # of which some are not those that matter
_MOST_CHOSEN = 8  # variables whose values are chosen, not left to the solver
_STYLES = ("small", "constants", "near", "mixed")


class BehindLoops:
    """Ways from cut points that have been reached to others that have not."""

    def __init__(
        self,
        system: TransitionSystem,
        facts: Mapping[int, Sequence[Term]],
        missing: Collection[int],
        limits: QueryLimits,
        constants: Constants,
    ) -> None:
        self.system, self.facts, self.missing, self.limits, self.constants = system, facts, missing, limits, constants
        self.runner = Runner(system)
        self.choose = random.Random(limits.seed)
        self.states: dict[int, list[State]] = {}
        self.carried: dict[tuple[int, Term], Candidate] = {}
        for block in system.all_blocks():
            if block.start not in missing:
                for target, exit in block.exits.items():
                    if target in missing and not limits.deadline.expired():
                        self._enter(block, target, exit)

    def _enter(self, block: Transformer, target: int, exit: Exit) -> None:
        facts = self.facts.get(block.start, ())
        context = self.limits.context([*facts, exit.guard])
        if self._ask(context) is not Answer.SAT:
            return
        has_elements = any(map(is_index, self.system.live(target)))
        for number in range(_STATES_OF_ELEMENTS if has_elements else _STATES):
            state = self._state(block, target, context, _STYLES[number % len(_STYLES)])
            if state is not None:
                self.states.setdefault(target, []).append(state)
        for term in self._carried(block, target, exit, facts, context):
            self.carried[target, term] = Candidate(target, term, SOURCE)

    def _ask(self, context: Solver, *assumed: Term) -> Answer:
        return context.check(assumed, min(self.limits.query_seconds, self.limits.deadline.remaining() / 5))

    def _state(self, block: Transformer, target: int, context: Solver, style: str) -> State | None:
        """One in which control gets there; some of the variables have values of the style, if they can."""
        inputs = Inputs(self.constants, self.choose, style)
        near = inputs if style == "constants" else Inputs(self.constants, self.choose, "small")  # runs are short
        variables = self.system.live_variables(block.start) if block.start != ENTRY else []
        free = [variable for variable in variables if type(variable.sort) is BitVec]
        chosen: list[Term] = []
        for variable in sorted(self.choose.sample(free, min(len(free), _MOST_CHOSEN)), key=_after_indices):
            value = (near if is_index(variable.payload) else inputs).value(variable)
            assert isinstance(value, int)
            wish = terms.equal(variable, terms.constant(variable.sort, value))
            if self._ask(context, *chosen, wish) is Answer.SAT:
                chosen.append(wish)
        if self._ask(context, *chosen) is not Answer.SAT:
            return None
        reached = self.runner.step(block.start, {each: context.value(each) for each in variables}, ModelInputs(context))
        return reached[1] if reached is not None and reached[0] == target else None

    def _carried(self, block: Transformer, target: int, exit: Exit, facts: Sequence[Term], context: Solver) -> Iterator[Term]:
        """The invariants in terms of what is live there: the same variables, copies of them, or constants."""
        renamed = {value: variable for variable, value in self._values(target, exit) if value.operator == "state"}
        constant: dict[Term, Term | None] = {}
        for fact in facts:
            mapping: dict[Term, Term] = {}
            for symbol in terms.free_symbols(fact):
                after = renamed.get(symbol) or constant.get(symbol)
                if after is None and symbol not in constant:
                    after = constant[symbol] = self._constant(symbol, context)
                if after is None:
                    break
                mapping[symbol] = after
            else:
                moved = substitute(fact, mapping)
                if terms.free_symbols(moved):
                    yield moved

    def _values(self, target: int, exit: Exit) -> Iterator[tuple[Term, Term]]:
        for variable in self.system.live_variables(target):
            yield variable, exit.values.get(variable.payload, variable)

    def _constant(self, symbol: Term, context: Solver) -> Term | None:
        """The only value that a variable can have when control gets there."""
        if type(symbol.sort) is not BitVec or self._ask(context) is not Answer.SAT:
            return None
        found = context.value(symbol)
        assert isinstance(found, int)
        value = terms.constant(symbol.sort, found)
        return value if self._ask(context, terms.negate(terms.equal(symbol, value))) is Answer.UNSAT else None


def _after_indices(variable: Term) -> bool:
    """Which element is looked at comes first: what it is depends on that, and not the other way round."""
    return not is_index(variable.payload)
