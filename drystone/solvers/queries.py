"""Questions about one block to one solver, within limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.logic import terms
from drystone.logic.evaluation import Value
from drystone.logic.sorts import BOOL
from drystone.logic.terms import TRUE, Term
from drystone.solvers import Answer, Solver, make_solver

Signs = tuple[bool, ...]


class GaveUp(Exception):
    """The solver did not answer."""


def shrunk(needed: list[Term], tries: int, core_with: Callable[[list[Term]], set[Term] | None]) -> list[Term]:
    """Without literals that are not needed after all. `core_with`: a core if these are a contradiction, otherwise None."""
    position = 0
    while position < len(needed) and len(needed) > 1 and tries > 0:
        tries -= 1
        fewer = needed[:position] + needed[position + 1 :]
        core = core_with(fewer)
        if core is None:
            position += 1
        else:
            needed = [literal for literal in fewer if literal in core]
    return needed


class Queries(msgspec.Struct):
    """One solver, which starts anew after so many queries: it never forgets a term. No answer is an exception."""

    block: str
    solver: str = "bitwuzla"
    seed: int = 0
    seconds: float = 20.0
    rebuild_after: int = 4_000
    deadline: Deadline = msgspec.field(default_factory=Deadline)
    known: list[Term] = []  # what holds in all questions; whoever has given it may append to it
    count: int = 0
    _since: int = 0
    _enumerations: int = 0
    _added: int = 0
    _names: dict[Term, Term] = {}
    _solver: Solver | None = None

    def is_satisfiable(self, assumptions: Sequence[Term]) -> bool:
        return self._check(self._current(fresh=True), [each for each in assumptions if each is not TRUE])

    def core(self) -> set[Term]:
        """After an unsatisfiable query: assumptions that contradict each other."""
        return set(self._current().core())

    def model(self, formulas: Sequence[Term]) -> dict[Term, Value]:
        """The values of all symbols in the formulas."""
        solver = self._current()
        return {symbol: solver.value(symbol) for symbol in terms.free_symbols(formulas)}

    def models(self, assumptions: Sequence[Term], formulas: Sequence[Term], known: Sequence[Signs] = ()) -> Iterator[Signs]:
        """The combinations of values that the formulas have in models of the assumptions, each once; not those that are known.

        What excludes others holds under a literal of its own: nothing is asserted that the next question would have to undo.
        """
        solver = self._current(fresh=True)
        names = [self._name(formula) for formula in formulas]
        self._enumerations += 1
        new = terms.input_symbol(f"new {self._enumerations}", BOOL)

        def exclude(signs: Signs) -> None:
            same = (name if sign else terms.negate(name) for name, sign in zip(names, signs, strict=True))
            solver.add(terms.implies(new, terms.negate(terms.conjunction(same))))

        for signs in known:
            exclude(signs)
        asked = [*(each for each in assumptions if each is not TRUE), new]
        while self._check(solver, asked):
            signs = tuple(bool(solver.value(name)) for name in names)
            yield signs
            exclude(signs)

    def implied(self, assumptions: Sequence[Term], formulas: Iterable[Term]) -> set[Term]:
        """Those of the formulas that hold in all models of the assumptions."""
        solver = self._current(fresh=True)
        left = {formula: self._name(formula) for formula in formulas}
        asked = [each for each in assumptions if each is not TRUE]
        while left and self._check(solver, [*asked, terms.negate(terms.conjunction(left.values()))]):
            left = {formula: name for formula, name in left.items() if solver.value(name)}
        return set(left)

    def _name(self, formula: Term) -> Term:
        """A symbol that is equal to the formula in the current solver: its value is at hand in every model."""
        if formula.operator in ("const", *terms.SYMBOLS):
            return formula
        if formula not in self._names:
            name = terms.input_symbol(f"name {len(self._names)}", BOOL)
            self._current().add(terms.equal(name, formula))
            self._names[formula] = name
        return self._names[formula]

    def _check(self, solver: Solver, assumptions: Sequence[Term]) -> bool:
        answer = self._answer(solver, assumptions, self._limit())
        self.count += 1
        self._since += 1
        if answer is Answer.UNKNOWN:  # never taken for an answer that helps
            raise GaveUp("out of time" if self.deadline.expired() else f"a query in block {self.block} was not answered")
        return answer is Answer.SAT

    def _answer(self, solver: Solver, assumptions: Sequence[Term], limit: float) -> Answer:
        """Where all questions pass."""
        return solver.check(assumptions, limit)

    def _limit(self) -> float:
        limit = min(self.seconds, self.deadline.remaining())
        if limit <= 0:
            raise GaveUp("out of time")
        return limit

    def _current(self, fresh: bool = False) -> Solver:
        if self._solver is None or (fresh and self._since > self.rebuild_after):
            self._since, self._names, fresh = 0, {}, True
            self._solver, self._added = make_solver(self.solver, self.seed), 0
        if fresh and self._added < len(self.known):  # in between, the solver has a model or a core
            for formula in self.known[self._added :]:
                self._solver.add(formula)
            self._added = len(self.known)
        return self._solver
