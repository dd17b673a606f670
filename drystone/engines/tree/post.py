"""The abstract post: what follows a state by the transitions from its location, as far as predicates tell.

A transition goes from one kept location to another one: an edge, a large block, or all that happens between two loop heads
(`cpa.encodings`). Those from one location to places that a proof must exclude are one for each kind of place. Transitions are
numbered by their ends, which is their order: no number depends on how a program was searched.

What is computed are sets of values of predicates, not formulas, so that the order in which a solver finds models is nothing that
could be seen. A solver that gives up ends the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.cpa.domains.predicates.abstraction import Abstraction, boolean_abstraction, cartesian_abstraction
from drystone.cpa.domains.predicates.states import Local
from drystone.engines.tree.precisions import NOTHING, Told, meaning, order_of, told_clauses, unpack_told
from drystone.engines.tree.states import BOUND, ERROR, UNKNOWN, Order, State
from drystone.ir.automaton import Mark, MarkKind
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers.queries import Queries
from drystone.symbolic.transformers import ENTRY, Bad, Exit, Transformer

ROOT = State(ENTRY)
_MOST_SOLVERS = 50  # one for each location where there are no more


class PostOptions(msgspec.Struct, frozen=True):
    is_cartesian: bool = False
    max_cubes: int = 8  # of one abstraction; beyond, it is the Cartesian one, with the clauses that refinement has found
    solver: str = "bitwuzla"
    seed: int = 0


class Transition(msgspec.Struct, frozen=True):
    number: int
    source: int
    target: int  # a location, or what stands for one
    exit: Exit
    bad: tuple[Bad, ...] = ()


class Transitions:
    """Of one program. `known`: what holds of addresses that are not fixed."""

    def __init__(self, transformers: Iterable[Transformer], known: Sequence[Term] = ()) -> None:
        self.known = list(known)
        self.all: list[Transition] = []
        self.leaving: dict[int, list[Transition]] = {}
        for transformer in sorted(transformers, key=lambda each: each.start):
            source = transformer.start
            exits = [(target, exit, ()) for target, exit in sorted(transformer.exits.items())]
            for target, exit, bad in (*exits, *_bad_ends(transformer)):
                transition = Transition(len(self.all), source, target, exit, tuple(bad))
                self.all.append(transition)
                self.leaving.setdefault(source, []).append(transition)


def _bad_ends(transformer: Transformer) -> Iterator[tuple[int, Exit, Sequence[Bad]]]:
    for kind in (ERROR, UNKNOWN, BOUND):
        bad = [each for each in transformer.bad if _kind(each.mark) == kind]
        if bad:
            yield kind, Exit(terms.disjunction(each.guard for each in bad), {}, {}), bad


def _kind(mark: Mark) -> int:
    return ERROR if mark.kind is MarkKind.ERROR else BOUND if mark.is_bound else UNKNOWN


class Solvers:
    """For questions about what happens from one location."""

    def __init__(self, transitions: Transitions, options: PostOptions, deadline: Deadline) -> None:
        self.transitions, self.options, self.deadline = transitions, options, deadline
        self._queries: dict[int, Queries] = {}

    def give(self, deadline: Deadline) -> None:
        """From now on."""
        self.deadline = deadline
        for queries in self._queries.values():
            queries.deadline = deadline

    def queries(self, location: int) -> Queries:
        key = location if len(self.transitions.leaving) <= _MOST_SOLVERS else 0
        if key not in self._queries:
            options = self.options
            queries = Queries(f"at {location}", options.solver, options.seed, float("inf"), deadline=self.deadline)
            queries.known = self.transitions.known
            self._queries[key] = queries
        return self._queries[key]

    @property
    def query_count(self) -> int:
        return sum(each.count for each in self._queries.values())


class PredicatePost:
    """Raises `GaveUp`."""

    def __init__(self, transitions: Transitions, options: PostOptions, deadline: Deadline) -> None:
        self.transitions, self.options = transitions, options
        self.solvers = Solvers(transitions, options, deadline)
        self.abstractions = 0
        self.told = Told({})
        self._order = Order()
        self._known: dict[tuple[Term, int, Local], State | None] = {}  # by where from, and the transition
        self._satisfiable: dict[tuple[Term, Term], bool] = {}

    def begin(self, precision: bytes) -> Order:
        self.told = unpack_told(precision)
        return order_of(self.told.precision)

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        before = meaning(state, self.told.precision.get(state.location, NOTHING))
        for transition in self.transitions.leaving.get(state.location, ()):
            following = self._violation(before, transition) if transition.bad else self._after(before, transition)
            if following is not None:
                yield transition.number, following

    def _violation(self, before: Term, transition: Transition) -> State | None:
        guards = [each.guard for each in transition.bad if each.mark not in self.told.ignored]
        goal = terms.disjunction(guards)
        if before is FALSE or goal is FALSE:
            return None
        key = before, goal
        if key not in self._satisfiable:
            self._satisfiable[key] = self.solvers.queries(transition.source).is_satisfiable([before, goal])
        return State(transition.target) if self._satisfiable[key] else None

    def _after(self, before: Term, transition: Transition) -> State | None:
        local = self.told.precision.get(transition.target, NOTHING)
        key = before, transition.number, local
        if key not in self._known:
            self._known[key] = _state(self._abstraction(before, transition, local), transition.target, local)
        return self._known[key]

    def _abstraction(self, before: Term, transition: Transition, local: Local) -> Abstraction:
        way = transition.exit
        if not local.predicates and before is TRUE and way.guard is TRUE:
            return Abstraction((TRUE,))
        self.abstractions += 1
        queries, clauses = self.solvers.queries(transition.source), [clause for clause, _ in told_clauses(local)]
        if self.options.is_cartesian:
            return cartesian_abstraction(queries, [before], way, local.predicates, clauses)
        return boolean_abstraction(queries, [before], way, local.predicates, clauses, self.options.max_cubes)


def _state(abstraction: Abstraction, location: int, local: Local) -> State | None:
    """None: no states follow."""
    if not abstraction.cubes:
        return None
    if not local.predicates:  # one state, whichever abstraction it is: else what follows less would not be covered
        return State(location)
    if abstraction.common is None:
        found = {sum(sign << number for number, sign in enumerate(signs)) for signs in abstraction.combinations}
        return State(location, tuple(sorted(found)))
    common = set(abstraction.common)
    holds = sum((each in common) << number for number, each in enumerate(local.predicates))
    fails = sum((terms.negate(each) in common) << number for number, each in enumerate(local.predicates))
    kept = sum((clause in common) << number for number, (clause, _) in enumerate(told_clauses(local)))
    return State(location, (holds, fails, kept), True)
