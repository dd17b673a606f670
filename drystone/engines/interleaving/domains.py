"""Abstract states, beside where each thread is: values of some variables, or truth values of some predicates (section 2.4.1).

A state is a set of literals, formulas over the state variables that all hold. Both domains find the literals of a successor by
looking at terms first, and ask a solver where these do not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from drystone.base.deadline import Deadline
from drystone.logic import terms
from drystone.logic.sorts import Array
from drystone.logic.substitution import Substitution
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers import Answer, Solver, make_solver
from drystone.symbolic.transformers import Exit, TransitionSystem

Literals = frozenset[Term]
"""Of values: equations of a variable and a constant. Of predicates: these, or their negations."""


class Domain(Protocol):
    """An abstraction with a precision that grows."""

    solver: Solver

    def tracked(self) -> frozenset[str]:
        """The variables that the precision is about."""

    def size(self) -> int:
        """Of the precision."""

    def symbols(self, term: Term) -> frozenset[Term]:
        """The variables of a literal."""

    def may(self, state: Literals, guard: Term) -> bool:
        """Is there a state among these in which the guard may hold?"""

    def post(self, state: Literals, exit: Exit, target: int) -> Literals | None:
        """The states at the target; None if control does not get there."""


class _Asking:
    """A solver that is asked every question once; what it does not answer may be."""

    def __init__(self, system: TransitionSystem, solver: str, seed: int, deadline: Deadline) -> None:
        self.system, self.deadline = system, deadline
        self.solver = make_solver(solver, seed)
        self._symbols: dict[Term, frozenset[Term]] = {}
        self._answers: dict[frozenset[Term], bool] = {}
        self._live: dict[int, frozenset[str]] = {}

    def symbols(self, term: Term) -> frozenset[Term]:
        known = self._symbols.get(term)
        if known is None:
            known = self._symbols[term] = frozenset(terms.free_symbols(term))
        return known

    def live(self, node: int) -> frozenset[str]:
        known = self._live.get(node)
        if known is None:
            known = self._live[node] = frozenset(self.system.live(node))
        return known

    def possible(self, state: Iterable[Term], *formulas: Term) -> bool:
        """Literals that share no variable with the rest, not even through others, cannot contradict it."""
        if FALSE in formulas:
            return False
        asked = {each for each in formulas if each is not TRUE}
        if not asked:
            return True
        reached = set().union(*map(self.symbols, asked))
        left = list(state)
        while True:
            near = [each for each in left if not reached.isdisjoint(self.symbols(each))]
            if not near:
                break
            left = [each for each in left if reached.isdisjoint(self.symbols(each))]
            asked.update(near)
            reached.update(*map(self.symbols, near))
        key = frozenset(asked)
        known = self._answers.get(key)
        if known is None:
            known = self.solver.check(sorted(key, key=lambda each: each.id), self.deadline.remaining()) is not Answer.UNSAT
            self._answers[key] = known
        return known


class Values(_Asking):
    """Explicit-value abstraction: a variable of the precision has one known value, or any (at most one successor)."""

    def __init__(self, system: TransitionSystem, solver: str, seed: int, deadline: Deadline) -> None:
        super().__init__(system, solver, seed, deadline)
        self.variables: dict[str, Term] = {}
        self._known: dict[Literals, Substitution] = {}

    def tracked(self) -> frozenset[str]:
        return frozenset(self.variables)

    def size(self) -> int:
        return len(self.variables)

    def add(self, names: Iterable[str]) -> bool:
        """Has the precision grown?"""
        sorts, before = self.system.symbolic.sorts, len(self.variables)
        for name in names:
            if name in sorts and not isinstance(sorts[name], Array):
                self.variables[name] = terms.state(name, sorts[name])
        return len(self.variables) > before

    def may(self, state: Literals, guard: Term) -> bool:
        return self.possible((), self._under(state)(guard))

    def post(self, state: Literals, exit: Exit, target: int) -> Literals | None:
        under = self._under(state)
        guard = under(exit.guard)
        if not self.possible((), guard):
            return None
        live, asked = self.live(target), self.symbols(guard)
        found = []
        for name, variable in self.variables.items():
            if name not in live:
                continue
            value: Term | None = under(exit.values.get(name, variable))
            assert value is not None
            if value.operator != "const":
                value = self._only(value, guard) if not asked.isdisjoint(self.symbols(value)) else None
            if value is not None:
                found.append(terms.equal(variable, value))
        return frozenset(found)

    def _only(self, value: Term, guard: Term) -> Term | None:
        """The one value that a term has where the guard holds."""
        if self.solver.check([guard], self.deadline.remaining()) is not Answer.SAT:
            return None
        number = self.solver.value(value)
        if not isinstance(number, (int, bool)):
            return None
        only = terms.constant(value.sort, int(number))
        return None if self.possible((), guard, terms.negate(terms.equal(value, only))) else only

    def _under(self, state: Literals) -> Substitution:
        known = self._known.get(state)
        if known is None:
            known = self._known[state] = Substitution(dict(map(_sides, state)))
        return known


def _sides(equation: Term) -> tuple[Term, Term]:
    """A variable, and its value. A Boolean one, or its negation, stands for its equation."""
    if equation.operator == "=":
        first, second = equation.arguments
        return (second, first) if first.operator == "const" else (first, second)
    return (equation.arguments[0], FALSE) if equation.operator == "not" else (equation, TRUE)


class Predicates(_Asking):
    """Cartesian predicate abstraction: of each predicate of the precision whether it holds, does not, or may."""

    def __init__(self, system: TransitionSystem, solver: str, seed: int, deadline: Deadline) -> None:
        super().__init__(system, solver, seed, deadline)
        self.predicates: dict[Term, frozenset[str]] = {}  # with their variables
        self._usable: dict[int, list[Term]] = {}

    def tracked(self) -> frozenset[str]:
        return frozenset().union(*self.predicates.values())

    def size(self) -> int:
        return len(self.predicates)

    def add(self, predicates: Iterable[Term]) -> bool:
        before = len(self.predicates)
        for each in predicates:
            positive = each.arguments[0] if each.operator == "not" else each
            if positive.operator != "const" and not terms.has_inputs(positive):
                self.predicates[positive] = frozenset(str(symbol.payload) for symbol in self.symbols(positive))
        self._usable.clear()
        return len(self.predicates) > before

    def may(self, state: Literals, guard: Term) -> bool:
        return self.possible(state, guard)

    def post(self, state: Literals, exit: Exit, target: int) -> Literals | None:
        if not self.possible(state, exit.guard):
            return None
        return frozenset(self._literals(state, exit, target))

    def _literals(self, state: Literals, exit: Exit, target: int) -> Iterator[Term]:
        for predicate in self._at(target):
            after = exit.after(predicate)
            if after is TRUE or after in state:
                yield predicate
            elif after is FALSE or terms.negate(after) in state:
                yield terms.negate(predicate)
            elif after is predicate and exit.guard is TRUE:
                continue  # nothing has changed about it
            elif not self.possible(state, exit.guard, terms.negate(after)):
                yield predicate
            elif not self.possible(state, exit.guard, after):
                yield terms.negate(predicate)

    def _at(self, node: int) -> list[Term]:
        """Those about variables that matter there."""
        known = self._usable.get(node)
        if known is None:
            live = self.live(node)
            known = self._usable[node] = [each for each, names in self.predicates.items() if names <= live]
        return known
