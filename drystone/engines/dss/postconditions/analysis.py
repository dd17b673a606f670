"""Distributed summary synthesis over postconditions (Beyer, Kettl, Lemberger 2024), whatever domain they are of.

A block knows the postconditions of the blocks before it, its *precondition* (`context`), and violation conditions at its exits.
When it wakes up, a violation condition that no state of the precondition gets to is refuted, and the literals of the core are
offered to the domain as a refinement. Then the postcondition at each exit is the domain's abstraction of the states there. An
error, or a violation condition that is reached, becomes a violation condition at the block's start. At the program's entry it is
a counterexample.

A violation condition is looked at stage by stage: it is refuted up to the stage before the first one that gets to it, and what
refutes it there makes the next epoch stronger; the states of that stage, which came from a stage before, are the next violation
condition. So every open violation gives a refinement or moves towards the entry.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.dss.analysis import BlockAnalysis
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.messages import COORDINATOR, Again, Kind, Message, Reached, Step, Version, packed
from drystone.engines.dss.operators import operator
from drystone.engines.dss.postconditions.context import ConditionKey, Context
from drystone.engines.dss.postconditions.options import BOTTOM, PostconditionOptions
from drystone.engines.dss.postconditions.violations import ViolationCondition, ViolationConditions
from drystone.engines.dss.queries import GaveUp, Queries, shrunk
from drystone.ir.automaton import MarkKind
from drystone.logic import terms
from drystone.logic.implicants import implicant
from drystone.logic.terms import FALSE, Term
from drystone.symbolic.transformers import ENTRY, Exit

Cubes = tuple[Term, ...]
"""A postcondition: their disjunction; none if no state gets there."""


class Way(msgspec.Struct):
    """An exit: what is known and said about it."""

    clauses: dict[frozenset[Term], Term] = {}  # cubes that were refuted, and their negations
    conditions: ViolationConditions = msgspec.field(default_factory=ViolationConditions)
    posts: dict[Term, Cubes] = {}  # by precondition, as far as no refinement has made them old
    sent: tuple[Cubes, int, bool] | None = None
    version: int = 0


class PostconditionAnalysis(BlockAnalysis):
    """A block whose domain says by `abstract` what holds at an exit, and by `refine` what it learns from a refutation."""

    def __init__(self, spec: Spec, options: PostconditionOptions) -> None:
        self.queries = Queries(spec.block.id, options.solver, options.seed, options.query_seconds)
        super().__init__(spec.block, self.queries.operators)
        self.options = options
        self.context = Context(spec, options, self.queries)
        self.counters = {"cubes": 0, "violations": 0, "refuted": 0}
        self.ways = {location: Way() for location in self.transformer.exits if location in spec.exits}
        self._violations = [  # errors first: an unknown location that is reached decides nothing
            violation
            for kind in (MarkKind.ERROR, MarkKind.UNKNOWN)
            if (violation := terms.disjunction(bad.guard for bad in self.transformer.bad if bad.mark.kind is kind)) is not FALSE
        ]
        self._is_open = False  # does its precondition allow an error of its own?
        self._is_stale = True
        self._has_news = self._is_refined = False  # by messages that have just arrived
        self._answered: set[ConditionKey] = set()  # violation conditions of which it has said that they are not reached
        self._disjoint: dict[tuple[Term, Term], bool] = {}  # pairs of formulas that were compared
        self._told = ViolationConditions()  # what it has sent
        self._numbers = 0

    # what a domain says

    @abstractmethod
    def abstract(self, location: int, exit: Exit, before: Sequence[Term]) -> Cubes:
        """What holds at the exit after states that satisfy `before`: no state is lost."""

    def refine(self, location: int, literals: Sequence[Term]) -> bool:
        """These, about the exit, exclude a violation there. Can the domain say more than before? If so, its posts are old."""
        return False

    # what the coordinator may ask for

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def is_stale(self) -> bool:
        return self._is_stale

    @property
    def epoch(self) -> int:
        return self.context.epoch

    @property
    def precondition(self) -> Term:
        return self.context.precondition

    def give(self, deadline: Deadline) -> None:
        self.queries.deadline = deadline

    def figures(self) -> dict[str, int]:
        return {**self.counters, "queries": self.queries.count}

    # waking up

    def deserialise(self, message: Message) -> None:
        match message.kind, message.content:
            case Kind.INVARIANT, _:
                self.context.known += message.conjuncts()
            case Kind.START, Again() as again:
                self.begin_again(again, message.epoch)
            case Kind.BLOCKPOSTCONDITION, _:
                self.context.take(message, self.operators.unpack_post(message))
            case Kind.ERRORCONDITION, _:
                literals = tuple(self.operators.unpack_vcond(message))
                condition = ViolationCondition(message.id, message.sender, literals, message.trace)
                self._has_news |= self.ways[message.location].conditions.add(condition)
            case Kind.ERRORCONDITIONUNREACHABLE, _ if message.sender == COORDINATOR:
                self._is_refined |= self.refine(message.location, message.conjuncts())

    def begin_again(self, again: Again, epoch: int) -> None:
        """Forgets what was concluded, not what was received or is precise; this wake-up repeats it."""
        self._is_stale = True
        self._told = ViolationConditions()
        for way in self.ways.values():
            way.posts.clear()
            way.version = max(way.version, again.version)
        self.context.begin_again(epoch)

    @operator
    def combine(self) -> None:
        self.context.compare_outside()
        self.context.combine()

    @operator
    def proceed(self) -> bool:
        """Another precondition, violation condition or refinement than before (Kettl 2022, forward proceed operator)."""
        is_news = self.context.is_news()
        return is_news or self._has_news or self._is_refined

    # forwards

    def analyse(self) -> None:
        """Refutes what can be refuted, and sends the postconditions that have changed."""
        is_refined, self._has_news, self._is_refined, self._is_stale = self._is_refined, False, False, True
        while self._gain() or is_refined:
            is_refined = False
            if self.context.component and any(way.sent is not None and way.sent[1] == self.epoch for way in self.ways.values()):
                self.context.enter(self.epoch + 1)
                self.combine()
                self.context.is_news()
        for location, way in self.ways.items():
            cubes = self._post(location)
            said = (cubes, self.epoch, self.context.is_initial)
            if way.sent == said or (way.sent is None and not cubes and self.options.start == BOTTOM):
                continue
            way.sent = said
            way.version += 1
            version = Version(way.version, self.context.is_initial)
            self.say(Kind.BLOCKPOSTCONDITION, location=location, terms=self.operators.pack_post(cubes), content=version)

    def _post(self, location: int) -> Cubes:
        way, precondition = self.ways[location], self.context.precondition
        known = way.posts.get(precondition)
        if known is None:
            before = [*self.context.known, precondition]
            known = way.posts[precondition] = self.abstract(location, self.transformer.exits[location], before)
            self.counters["cubes"] += len(known)
        return known

    def _gain(self) -> bool:
        """Looks at the violation conditions that the postconditions do not exclude. Does a refutation give a refinement?"""
        gained = False
        for location, way in self.ways.items():
            cubes = self._post(location) if way.conditions else ()
            for condition in way.conditions:
                key = (location, condition.key)
                if key not in self.context.stages.reaching and not self._excluded(way, cubes, condition):
                    gained |= self._refute(key, condition)
                self._answer(key, condition)
        return gained

    def _answer(self, key: ConditionKey, condition: ViolationCondition) -> None:
        """Tells who sent the violation condition that it is not reached through this block; again if it was in between."""
        if key in self.context.stages.reaching:
            self._answered.discard(key)
        elif key not in self._answered:
            self._answered.add(key)
            cores = [cube for cube in self.ways[key[0]].clauses if cube <= condition.key]
            core = sorted(cores[0], key=lambda literal: literal.hash) if cores else []
            self.say(
                Kind.ERRORCONDITIONUNREACHABLE,
                receiver=condition.sender,
                location=key[0],
                parent=condition.id,
                terms=packed(core),
            )

    def _excluded(self, way: Way, cubes: Sequence[Term], condition: ViolationCondition) -> bool:
        """Does no state of the cubes satisfy the violation condition?"""
        opposite = {terms.negate(literal) for literal in condition.literals}
        opposite.update(clause for cube, clause in way.clauses.items() if cube <= condition.key)
        if all(not opposite.isdisjoint(terms.conjuncts(cube)) for cube in cubes):
            return True
        both = (terms.disjunction(cubes), condition.formula)
        if both not in self._disjoint:
            self._disjoint[both] = not self.queries.is_satisfiable(both)
        return self._disjoint[both]

    def _refute(self, key: ConditionKey, condition: ViolationCondition) -> bool:
        """Stage by stage until one gets to the violation condition; before that, is there a refinement?"""
        location = key[0]
        way, exit, stages = self.ways[location], self.transformer.exits[location], self.context.stages
        images = {exit.after(literal): literal for literal in condition.literals}
        gained = False
        for number in range(stages.refuted_up_to.get(key, 0), len(stages.preconditions)):
            precondition = stages.preconditions[number]
            base = [*self.context.known, precondition, exit.guard]
            said = way.posts.get(precondition)
            if said is not None and self._excluded(way, said, condition):
                stages.refuted_up_to[key] = number + 1
                continue
            if self._is_refuted_as_before(way, base, images):
                stages.refuted_up_to[key] = number + 1
                continue
            if self.queries.is_satisfiable([*base, *images]):
                stages.reaching[key] = number
                break
            stages.refuted_up_to[key] = number + 1
            core = self.queries.core()
            ordered = sorted((image for image in images if image in core), key=lambda image: _weight(images[image]))
            needed = self._shrunk(base, ordered)
            cube = frozenset(images[image] for image in needed)
            if cube and cube not in way.clauses:
                gained = True
                self.counters["refuted"] += 1
                # Should the domain be too weak for all of its combinations, the clause refutes it all the same.
                way.clauses[cube] = terms.negate(terms.conjunction(cube))
                self.refine(location, sorted(cube, key=lambda literal: literal.hash))
        return gained

    def _is_refuted_as_before(self, way: Way, base: Sequence[Term], images: dict[Term, Term]) -> bool:
        """By a clause that is known, so that no refinement is needed."""
        literals = set(images.values())
        known = [cube for cube in way.clauses if cube <= literals]
        # In the order of the images: that of a set is another one in each run, and what a solver finds depends on it.
        asked = [[image for image, literal in images.items() if literal in cube] for cube in known[:2]]
        return any(not self.queries.is_satisfiable([*base, *each]) for each in asked)

    def _shrunk(self, base: Sequence[Term], needed: list[Term]) -> list[Term]:
        def core_with(fewer: list[Term]) -> set[Term] | None:
            return None if self.queries.is_satisfiable([*base, *fewer]) else self.queries.core()

        return shrunk(needed, self.options.shrink, core_with)

    # backwards

    def look_for_violations(self) -> None:
        """Violations at the start, as far as the precondition tells."""
        if not self._is_stale:
            return
        self._is_stale = self._is_open = False
        stages = self.context.stages
        for violation in self._violations:
            if any(self._gets_to([violation], stage) for stage in stages.preconditions):  # the first one that does
                self._is_open = True
                self._tell([violation], ())
        for location, way in self.ways.items():
            exit = self.transformer.exits[location]
            for condition in way.conditions:
                first = stages.reaching.get((location, condition.key))
                if first is None:
                    continue
                goals = [exit.guard, *map(exit.after, condition.literals)]
                if self._gets_to(goals, stages.preconditions[first]):
                    self._tell(goals, condition.trace)

    def _gets_to(self, goals: Sequence[Term], precondition: Term) -> bool:
        return self.queries.is_satisfiable([*self.context.known, precondition, *goals])

    def _tell(self, goals: Sequence[Term], after: tuple[Step, ...]) -> None:
        """After a query with a model: states at the start that get to the goals, not all of them: the rest stays open."""
        if self.start == ENTRY:
            trace = (Step(self.block.id, ""), *after)
            self.say(Kind.RESULT, receiver=COORDINATOR, trace=trace, content=Reached(exact=True))
            return
        cube = self.violate(goals)
        if self._told.cover(cube):
            return
        self._numbers += 1
        self.counters["violations"] += 1
        id = f"{self.block.id}#{self._numbers}"
        trace = (Step(self.block.id, id), *after)
        self._told.add(ViolationCondition(id, self.block.id, tuple(cube), trace))
        data = self.operators.pack_vcond(cube)
        self.say(Kind.ERRORCONDITION, location=self.start, id=id, terms=data, trace=trace)

    @operator
    def violate(self, goals: Sequence[Term]) -> list[Term]:
        """Literals without inputs about the states of the latest model; each state that satisfies them gets to the goals."""
        cube = implicant(goals, self.queries.model(goals))
        if terms.has_inputs(cube):
            raise GaveUp(f"a violation condition of block {self.block.id} depends on arbitrary memory")
        return cube


def _weight(literal: Term) -> int:
    """How much its negation says: literals are dropped from a core in this order."""
    if literal.operator == "=":
        return 0  # one value is excluded
    return 2 if literal.operator == "not" and literal.arguments[0].operator == "=" else 1
