"""What a block knows of the states at its start that so many blocks reach: its lemmas, by level, in a solver."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.base.deadline import Deadline
from drystone.engines.dss.operators import Operators
from drystone.logic import terms
from drystone.logic.evaluation import Value
from drystone.logic.sorts import BOOL
from drystone.logic.terms import TRUE, Term
from drystone.solvers import Answer, make_solver
from drystone.solvers.queries import GaveUp, shrunk
from drystone.symbolic.transformers import ENTRY


class Frames:
    """A lemma is a cube that no state satisfies, up to a level. The solver starts anew after so many queries."""

    def __init__(self, block: str, start: int, operators: Operators, solver: str, seed: int) -> None:
        self.block, self.start, self.operators = block, start, operators
        self.query_seconds, self.rebuild_after = 20.0, 4_000
        self.deadline = Deadline()
        self.lemmas: dict[frozenset[Term], int] = {}  # impossible cubes at the start, and up to which level
        self.queries = 0
        self._library = (solver, seed)
        self._solver = make_solver(solver, seed)
        self._since = 0
        self._known: list[Term] = []
        self._levels = 0  # up to which there are lemmas

    def know(self, invariants: Sequence[Term]) -> None:
        """What is known to hold at the start, on every level."""
        self._known += invariants
        for each in invariants:
            self._solver.add(each)

    def add(self, cube: Sequence[Term], level: int) -> None:
        key = frozenset(cube)
        if level > self.lemmas.get(key, 0):
            self.lemmas[key] = level
            self._assert(key, level)

    def exclude_all(self, level: int) -> bool:
        """Is there a lemma that nothing gets here?"""
        return self.lemmas.get(frozenset(), 0) >= level

    def at(self, level: int) -> list[Term]:
        """What to assume for the states of a level."""
        if self.start == ENTRY:
            return []
        return [_literal_of(each) for each in range(level, self._levels + 1)]

    def _assert(self, cube: frozenset[Term], level: int) -> None:
        """The lemma counts where its level's literal is assumed."""
        self._levels = max(self._levels, level)
        literals = sorted(cube, key=lambda literal: literal.hash)  # sets have another order in every process
        self._solver.add(terms.disjunction([terms.negate(_literal_of(level)), *map(terms.negate, literals)]))

    # queries

    def is_satisfiable(self, assumptions: Sequence[Term]) -> bool:
        answer = self.ask(assumptions)
        if answer is Answer.UNKNOWN:
            raise GaveUp(f"a query in block {self.block} was not answered")
        return answer is Answer.SAT

    def ask(self, assumptions: Sequence[Term]) -> Answer:
        self.queries += 1
        self._since += 1
        if self._since > self.rebuild_after:
            self._since = 0
            self._solver = make_solver(*self._library)
            for each in self._known:
                self._solver.add(each)
            for cube, level in self.lemmas.items():
                self._assert(cube, level)
        limit = min(self.query_seconds, self.deadline.remaining())
        if limit <= 0:
            raise GaveUp("out of time")
        with self.operators.in_solver():
            return self._solver.check([each for each in assumptions if each is not TRUE], limit_seconds=limit)

    def core(self) -> set[Term]:
        """After an unsatisfiable query: assumptions that contradict each other."""
        return set(self._solver.core())

    def shrunk(self, base: list[Term], needed: list[Term], tries: int) -> list[Term]:
        """What is needed for a contradiction with the base, without what is not needed after all."""

        def core_with(fewer: list[Term]) -> set[Term] | None:
            return self.core() if self.ask([*base, *fewer]) is Answer.UNSAT else None

        return shrunk(needed, tries, core_with)

    def value(self, formula: Term) -> Value:
        """After a satisfiable query."""
        return self._solver.value(formula)

    def model(self, formulas: Sequence[Term]) -> dict[Term, Value]:
        """The values of all symbols in the formulas, after a satisfiable query."""
        return {symbol: self._solver.value(symbol) for symbol in terms.free_symbols(formulas)}


def _literal_of(level: int) -> Term:
    """Assumed where the lemmas of this level hold."""
    return terms.input_symbol(f"level {level}", BOOL)
