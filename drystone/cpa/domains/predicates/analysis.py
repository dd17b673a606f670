"""Predicate abstraction with adjustable blocks (Kettl 2022, section 3.4.8, after Beyer, Keremoglu, Wendler 2010).

At some locations, which `blk` chooses, a state is abstracted: it becomes the strongest combination of predicates that holds.
In between it carries the ways from the last abstraction (`paths`). States with the same last abstraction are merged where they
meet; those that have just been abstracted are kept apart, and covered by what they imply.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from drystone.base.deadline import Deadline
from drystone.cpa.domains.predicates.abstraction import Abstraction, boolean_abstraction, cartesian_abstraction
from drystone.cpa.domains.predicates.blocks import Blocks
from drystone.cpa.domains.predicates.paths import Path, Paths
from drystone.cpa.domains.predicates.states import Local, Precision, State
from drystone.ir.automaton import Mark, MarkKind
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers.queries import Queries
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.transformers import ENTRY, Bad, Exit

_MOST_SOLVERS = 50  # one for each location where there are no more
_NOTHING = Local()
_COVERING = -2  # stands for a location, for questions about states alone


class PredicateOptions(msgspec.Struct, frozen=True):
    is_cartesian: bool = False
    max_cubes: int = 8  # of one abstraction; beyond, it is the Cartesian one, with the clauses that refinement has found
    solver: str = "bitwuzla"
    seed: int = 0
    query_seconds: float = 20.0


class Counted(msgspec.Struct):
    abstractions: int = 0
    cartesian: int = 0  # of these, with too many combinations


class PredicateAnalysis:
    """Raises `GaveUp` where the solver does: what it does not know is no reason for anything."""

    def __init__(self, symbolic: SymbolicProgram, blocks: Blocks, options: PredicateOptions, deadline: Deadline) -> None:
        self.symbolic, self.blocks, self.options, self.deadline = symbolic, blocks, options, deadline
        self.paths = Paths(symbolic, blocks.kept)
        self.merges = not blocks.always
        self.ignored: set[Mark] = set()  # a proof is lost, as they may be reached, but there may be errors elsewhere
        self.counted = Counted()
        self._queries: dict[int, Queries] = {}
        self._has_many: set[tuple[int, int]] = set()  # from where to where there were too many combinations at some time
        self._known: dict[tuple[Term, Path, Local], Term] = {}

    def queries(self, location: int) -> Queries:
        """For questions about the ways from this location."""
        key = location if len(self.blocks.kept) <= _MOST_SOLVERS or location == _COVERING else 0
        if key not in self._queries:
            options = self.options
            name = f"at {location}"
            queries = Queries(name, options.solver, options.seed, options.query_seconds, deadline=self.deadline)
            queries.known = self.symbolic.memory.constraints  # a list that grows as allocations are executed
            self._queries[key] = queries
        return self._queries[key]

    @property
    def query_count(self) -> int:
        return sum(each.count for each in self._queries.values())

    # the operators

    def initial(self) -> State:
        return State(ENTRY, ENTRY, TRUE)

    def location(self, state: State) -> int:
        return state.location

    def transfer(self, state: State, precision: Precision) -> Iterator[State]:
        step = self.paths.from_start(state.start) if state.path is None else self.paths.after(state.path)
        errors: list[Bad] = []
        unknowns: list[Bad] = []
        bounds: list[Bad] = []
        for each in step.bad:
            if each.mark not in self.ignored:
                kind = errors if each.mark.kind is MarkKind.ERROR else bounds if each.mark.is_bound else unknowns
                kind.append(each)
        for bad in (errors, unknowns, bounds):
            if bad:
                yield State(bad[0].location, state.start, state.abstraction, state.path, state.length, tuple(bad))
        for path in step.paths:
            yield State(path.location, state.start, state.abstraction, path, state.length + 1)

    def merge(self, state: State, reached: State, precision: Precision) -> State:
        if not _follow_the_same(state, reached):
            return reached
        assert state.path is not None and reached.path is not None
        path, length = self.paths.merged(reached.path, state.path), max(state.length, reached.length)
        return State(state.location, state.start, state.abstraction, path, length)

    def stop(self, state: State, reached: Collection[State], precision: Precision) -> bool:
        if state.abstraction is FALSE:
            return True  # there is no state
        if not state.is_abstraction:
            return any(_follow_the_same(state, each) and self.merge(state, each, precision) == each for each in reached)
        others = [each.abstraction for each in reached if each.is_abstraction]
        literals = set(terms.conjuncts(state.abstraction))
        if any(each is TRUE or literals.issuperset(terms.conjuncts(each)) for each in others):
            return True
        return bool(others) and not self._is_satisfiable(_COVERING, [state.abstraction, *(terms.negate(each) for each in others)])

    def adjust(self, state: State, precision: Precision) -> State:
        """Computes the abstraction, if it is time for it."""
        if state.bad:
            goal = terms.disjunction(each.guard for each in state.bad)
            if self._is_satisfiable(state.start, [state.abstraction, goal]):
                return state
            return msgspec.structs.replace(state, abstraction=FALSE)
        if state.path is None or not self.blocks.ends(state.location, state.length):
            return state
        abstraction = self._abstraction(state.abstraction, state.path, precision.get(state.location, _NOTHING))
        return State(state.location, state.location, abstraction)

    def is_target(self, state: State) -> bool:
        return bool(state.bad) and state.abstraction is not FALSE

    # abstractions

    def _abstraction(self, before: Term, path: Path, local: Local) -> Term:
        key = (before, path, local)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = terms.disjunction(self._computed(path, before, local).cubes)
        return known

    def _computed(self, path: Path, before: Term, local: Local) -> Abstraction:
        start, location, way = path.start, path.location, path.exit
        if not local.predicates and before is TRUE and way.guard is TRUE:
            return Abstraction((TRUE,))
        self.counted.abstractions += 1
        queries, predicates, clauses = self.queries(start), local.predicates, local.clauses
        if self.options.is_cartesian:
            return cartesian_abstraction(queries, [before], way, predicates, clauses)
        cap = 1 if (start, location) in self._has_many else self.options.max_cubes
        found = boolean_abstraction(queries, [before], way, predicates, clauses, cap)
        if found.is_cartesian:
            self._has_many.add((start, location))
            self.counted.cartesian += 1
        return found

    def _is_satisfiable(self, location: int, formulas: list[Term]) -> bool:
        if any(each is FALSE for each in formulas):
            return False
        if all(each is TRUE for each in formulas):
            return True
        return self.queries(location).is_satisfiable(formulas)

    # what a way is made of

    def exit_into(self, before: State, state: State) -> Exit | None:
        """How the ways that `before` carries go on to the location of the state that was reached from it."""
        step = self.paths.from_start(before.start) if before.path is None else self.paths.after(before.path)
        return next((path.exit for path in step.paths if path.location == state.location), None)

    def violation(self, before: State, state: State) -> tuple[Bad, ...]:
        """The ways that `before` carries to what is bad in `state`."""
        step = self.paths.from_start(before.start) if before.path is None else self.paths.after(before.path)
        marks = {each.mark for each in state.bad}
        return tuple(each for each in step.bad if each.mark in marks)


def _follow_the_same(state: State, other: State) -> bool:
    """Do both carry ways from the same abstraction to the same place?"""
    if state.path is None or other.path is None or state.bad or other.bad:
        return False
    return (state.location, state.start, state.abstraction) == (other.location, other.start, other.abstraction)
