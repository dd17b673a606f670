"""Summaries as predicates: distributed summary synthesis with predicate abstraction.

Beyer, Kettl, Lemberger 2024, Algorithm 3.

A block knows the postconditions of the blocks before it, its *precondition*, and violation conditions at its exits. When it
wakes up, a violation condition that no state of the precondition gets to is refuted, and the atoms of the core become predicates
of that exit. Then the postcondition at each exit is the Boolean abstraction over its predicates. An error, or a violation
condition that is reached, becomes a violation condition at the block's start. At the program's entry it is a counterexample.

Cycles. Within a strongly connected component a weak postcondition would support itself for ever. So the blocks of a component
share an *epoch*: whoever has a new predicate, or a stronger postcondition from outside, begins the next one, in which the
component's postconditions start again at false. They grow *stage* by stage while the epoch lasts. A violation condition is
looked at stage by stage: it is refuted up to the stage before the first one that gets to it, and what refutes it there makes the
next epoch stronger; the states of that stage, which came from a stage before, are the next violation condition. So every
open violation gives a new predicate or moves towards the entry.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from drystone.base.deadline import Deadline
from drystone.engines.dss.abstraction import Abstraction, boolean_abstraction
from drystone.engines.dss.hosts import BlockOptions, Spec
from drystone.engines.dss.messages import COORDINATOR, Again, Failure, Kind, Message, Reached, Step, Version, packed
from drystone.engines.dss.operators import operator
from drystone.engines.dss.preparation import ProgramBlock
from drystone.engines.dss.queries import GaveUp, Queries, shrunk
from drystone.engines.dss.violations import ViolationCondition, ViolationConditions
from drystone.ir.automaton import MarkKind
from drystone.logic import terms
from drystone.logic.implicants import implicant
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.symbolic.transformers import ENTRY, Exit

_FEWER = 4  # times fewer combinations are tried where there were too many before

TOP, BOTTOM = "top", "bottom"
CONTEXT_AWARE, CONTEXT_FREE = "context-aware", "context-free"


class PredicateOptions(BlockOptions, frozen=True, tag="predicates"):
    solver: str = "bitwuzla"
    seed: int = 0
    query_seconds: float = 20.0
    start: str = TOP  # what a block assumes before it is told anything: all states, or none
    max_cubes: int = 16  # of a postcondition; beyond, the Cartesian abstraction
    shrink: int = 24  # literals that a block tries to drop from a core
    instantiation: str = CONTEXT_AWARE  # `context-free`: no block is told anything by others

    def actor(self, spec: Spec) -> PredicateActor:
        return PredicateActor(spec.block, spec.predecessors, spec.component, spec.exits, self)


@dataclass(frozen=True)
class _Post:
    """A postcondition that was received."""

    cubes: tuple[Term, ...]
    version: int
    epoch: int
    is_initial: bool  # made from a precondition that nobody had sent

    @property
    def formula(self) -> Term:
        return terms.disjunction(self.cubes)


@dataclass
class _Way:
    """An exit: its predicates, and what is known and said about it."""

    predicates: dict[Term, None] = field(default_factory=dict)
    clauses: dict[frozenset[Term], Term] = field(default_factory=dict)  # cubes that were refuted, and their negations
    conditions: ViolationConditions = field(default_factory=ViolationConditions)
    abstractions: dict[Term, Abstraction] = field(default_factory=dict)  # by precondition, for these predicates
    has_many: bool = False  # combinations of predicates, at some time: with more predicates, there will hardly be fewer
    sent: tuple[tuple[Term, ...], int, bool] | None = None
    version: int = 0


class PredicateActor:
    """A block. It takes messages and returns messages; it knows no transport."""

    def __init__(
        self,
        block: ProgramBlock,
        predecessors: Sequence[str],
        component: Collection[str],
        exits: Collection[int],
        options: PredicateOptions,
    ) -> None:
        """`component`: the blocks of its strongly connected component, none if it is on no cycle; `exits`: where others begin."""
        self.block, self.transformer, self.start = block, block.transformer, block.start
        self.predecessors, self.component, self.options = tuple(predecessors), frozenset(component), options
        self.queries = Queries(block.id, options.solver, options.seed, options.query_seconds)
        self.operators = self.queries.operators
        self.counters: dict[str, int] = {"cubes": 0, "cartesian": 0, "violations": 0, "refuted": 0}
        self.ways = {location: _Way() for location in self.transformer.exits if location in exits}
        self._violations = [  # errors first: an unknown location that is reached decides nothing
            violation
            for kind in (MarkKind.ERROR, MarkKind.UNKNOWN)
            if (violation := terms.disjunction(bad.guard for bad in self.transformer.bad if bad.mark.kind is kind)) is not FALSE
        ]
        self.max_cubes = options.max_cubes
        self.epoch = 0
        self.is_open = False  # does its precondition allow an error of its own?
        self.precondition = FALSE
        self.is_initial = True
        self._posts: dict[str, _Post] = {}
        self._outside: Term = FALSE  # what blocks of other components say of the start
        self._is_computed = self.start == ENTRY  # was there ever a precondition that others had sent?
        self._analysed: tuple[Term, bool, int] | None = None
        self._is_stale = True  # has something changed since it looked for violations?
        self._known: list[Term] = []
        self._stages: list[Term] = []  # the preconditions of this epoch, each weaker than the one before
        self._refuted_up_to: dict[tuple[int, frozenset[Term]], int] = {}  # violation conditions: stages that do not get to them
        self._reaching: dict[tuple[int, frozenset[Term]], int] = {}  # and the first one that does
        self._answered: set[tuple[int, frozenset[Term]]] = set()  # those of which it has said that they are not reached
        self._disjoint: dict[tuple[Term, Term], bool] = {}  # pairs of formulas that were compared
        self._told = ViolationConditions()  # what it has sent
        self._numbers = 0
        self._outbox: list[Message] = []

    # what the coordinator may ask for

    @property
    def predicates(self) -> dict[Term, None]:
        return {each: None for way in self.ways.values() for each in way.predicates}

    @property
    def deadline(self) -> Deadline:
        return self.queries.deadline

    @deadline.setter
    def deadline(self, deadline: Deadline) -> None:
        self.queries.deadline = deadline

    def figures(self) -> dict[str, int]:
        return {**self.counters, "queries": self.queries.count, "predicates": len(self.predicates)}

    def refine(self, location: int, literals: Sequence[Term]) -> bool:
        """The atoms become predicates of this exit. Is one of them new?"""
        way = self.ways[location]
        before = len(way.predicates)
        for literal in literals:
            way.predicates.setdefault(literal.arguments[0] if literal.operator == "not" else literal)
        way.abstractions.clear()
        return len(way.predicates) > before

    # waking up

    def receive(self, messages: Sequence[Message]) -> list[Message]:
        """One wake-up, for all messages that have arrived. With START among them it looks for violations; else it
        asks to be sent START, which is delivered when nothing else is: only then are postconditions settled."""
        self._outbox = []
        try:
            self._wake_up(messages)
        except GaveUp as problem:
            self._send(Kind.ERROR, receiver=COORDINATOR, content=Failure(str(problem)))
        sent, self._outbox = self._outbox, []
        return sent

    def _wake_up(self, messages: Sequence[Message]) -> None:
        has_news = is_refined = False
        for message in messages:
            if message.kind is Kind.INVARIANT:
                self._known += message.conjuncts()
            elif message.kind is Kind.START and isinstance(message.content, Again):
                self._begin_again(message.content, message.epoch)
            elif message.kind is Kind.BLOCKPOSTCONDITION:
                self.unpack_post(message)
            elif message.kind is Kind.ERRORCONDITION:
                has_news |= self.unpack_vcond(message)
            elif message.kind is Kind.ERRORCONDITIONUNREACHABLE and message.sender == COORDINATOR:
                is_refined |= self.refine(message.location, message.conjuncts())
        proceeds = self.proceed() or has_news or is_refined
        if proceeds:
            self._is_stale = True
            self._summarise(is_refined)
        if self._is_stale and any(message.kind is Kind.START for message in messages):
            self._look()
        elif self._is_stale:
            self._send(Kind.START, receiver=self.block.id)

    def _begin_again(self, again: Again, epoch: int) -> None:
        """Forgets what was concluded, not what was received or is precise; this wake-up repeats it."""
        self.max_cubes = max(self.max_cubes, again.max_cubes)
        self._analysed, self._is_stale = None, True
        self._told = ViolationConditions()
        for way in self.ways.values():
            way.abstractions.clear()
            way.has_many = False
            way.version = max(way.version, again.version)
        if self.component and epoch > self.epoch:
            self._enter(epoch)

    def unpack_post(self, message: Message) -> None:
        """The newest postcondition of a block counts; one of an earlier epoch of this component does not."""
        cubes = self.operators.unpack_post(message)
        assert isinstance(message.content, Version)
        version = message.content.number
        known = self._posts.get(message.sender)
        if known is not None and known.version >= version:
            return
        if message.sender in self.component:
            if message.epoch < self.epoch:
                return
            if message.epoch > self.epoch:
                self._enter(message.epoch)
        self._posts[message.sender] = _Post(tuple(cubes), version, message.epoch, message.content.is_initial)

    def unpack_vcond(self, message: Message) -> bool:
        """Is this violation condition new?"""
        literals = self.operators.unpack_vcond(message)
        condition = ViolationCondition(message.id, message.sender, tuple(literals), message.trace)
        return self.ways[message.location].conditions.add(condition)

    @operator
    def proceed(self) -> bool:
        """Has the precondition changed, so that the block has to be analysed again? (Kettl 2022, forward proceed operator.)"""
        return self._has_another_precondition()

    def _has_another_precondition(self) -> bool:
        """Than the one that was analysed; it is the current one from now on."""
        outside = self._disjunction(inside=False)
        if self.component and outside is not self._outside and not self._implies(self._outside, outside):
            # Stronger than before: what the component concluded from the weaker one must not support itself.
            self._begin_epoch()
        self._outside = outside
        self.precondition, self.is_initial = self.combine()
        situation = (self.precondition, self.is_initial, self.epoch)
        if situation == self._analysed:
            return False
        if not self.component or (self._analysed is not None and self._analysed[1]):
            self._forget_stages()  # what was assumed before anything was known is no stage of what is known
        self._analysed = situation
        if self.precondition is not FALSE and (not self._stages or self._stages[-1] is not self.precondition):
            self._stages.append(self.precondition)
        return True

    @operator
    def combine(self) -> tuple[Term, bool]:
        """The precondition, and whether it is what is assumed before anything is known."""
        if self.start == ENTRY:
            return TRUE, False
        if self.options.instantiation == CONTEXT_FREE and not self.predecessors:  # nobody will ever say more of the states
            return terms.conjunction(self._known), False
        is_initial = False
        for other in self.predecessors:
            post = self._posts.get(other)
            if other in self.component:  # not yet computed: ignored, not everything
                continue
            if post is None and self.options.start == TOP:
                return terms.conjunction(self._known), True
            is_initial |= post is not None and post.is_initial
        if self.options.start == TOP and not self._is_computed and not any(map(self._counts, self.predecessors)):
            return terms.conjunction(self._known), True
        self._is_computed |= not is_initial
        return self._disjunction(inside=True), is_initial

    def _counts(self, other: str) -> bool:
        post = self._posts.get(other)
        if post is None:
            return False
        return other not in self.component or (post.epoch == self.epoch and not post.is_initial)

    def _disjunction(self, inside: bool) -> Term:
        """Of postconditions, those of the same component as well if `inside`."""
        cubes: list[Term] = []
        for other in self.predecessors:
            if self._counts(other) and (inside or other not in self.component):
                cubes += self._posts[other].cubes
        joined = terms.disjunction(cubes)
        return terms.conjunction([joined, *self._known]) if inside else joined

    # epochs

    def _begin_epoch(self) -> None:
        self._enter(self.epoch + 1)

    def _enter(self, epoch: int) -> None:
        self.epoch = epoch
        for other in self.component:
            self._posts.pop(other, None)
        self._forget_stages()

    def _forget_stages(self) -> None:
        self._stages.clear()
        self._refuted_up_to.clear()
        self._reaching.clear()

    # forward

    def _summarise(self, is_refined: bool = False) -> None:
        """Refutes what can be refuted, and sends the postconditions that have changed."""
        while self._gain() or is_refined:
            is_refined = False
            if self.component and any(way.sent is not None and way.sent[1] == self.epoch for way in self.ways.values()):
                self._begin_epoch()
                self._has_another_precondition()
        for location, way in self.ways.items():
            cubes = self._abstraction(location).cubes
            said = (cubes, self.epoch, self.is_initial)
            if way.sent == said or (way.sent is None and not cubes and self.options.start == BOTTOM):
                continue
            way.sent = said
            way.version += 1
            version = Version(way.version, self.is_initial)
            self._send(Kind.BLOCKPOSTCONDITION, location=location, terms=self.operators.pack_post(cubes), content=version)

    def _abstraction(self, location: int) -> Abstraction:
        precondition = self.precondition
        way = self.ways[location]
        known = way.abstractions.get(precondition)
        if known is None:
            known = way.abstractions[precondition] = self.abstract(self.transformer.exits[location], way)
            way.has_many |= known.is_cartesian
            self.counters["cubes"] += len(known.cubes)
            self.counters["cartesian"] += known.is_cartesian
        return known

    @operator
    def abstract(self, exit: Exit, way: _Way) -> Abstraction:
        """Of the states at the exit: their disjunction holds there; no cube: no state gets there."""
        clauses, before = list(way.clauses.values()), [*self._known, self.precondition]
        cap = self.max_cubes // _FEWER if way.has_many else self.max_cubes
        stronger = self._stage_before(way)
        return boolean_abstraction(self.queries, before, exit, list(way.predicates), clauses, cap, stronger)

    def _stage_before(self, way: _Way) -> Abstraction | None:
        """The abstraction of the stage before, whose states are among those of the current one."""
        return way.abstractions.get(self._stages[-2]) if len(self._stages) > 1 else None

    def _gain(self) -> bool:
        """Looks at the violation conditions that the postconditions do not exclude. Does a refutation need new predicates?"""
        gained = False
        for location, way in self.ways.items():
            cubes = self._abstraction(location).cubes if way.conditions else ()
            for condition in way.conditions:
                key = (location, condition.key)
                if key not in self._reaching and not self._excluded(way, cubes, condition):
                    gained |= self._refute(key, condition)
                self._answer(key, condition)
        return gained

    def _answer(self, key: tuple[int, frozenset[Term]], condition: ViolationCondition) -> None:
        """Tells who sent the violation condition that it is not reached through this block; again if it was in between."""
        if key in self._reaching:
            self._answered.discard(key)
        elif key not in self._answered:
            self._answered.add(key)
            cores = [cube for cube in self.ways[key[0]].clauses if cube <= condition.key]
            core = sorted(cores[0], key=lambda literal: literal.hash) if cores else []
            self._send(
                Kind.ERRORCONDITIONUNREACHABLE,
                receiver=condition.sender,
                location=key[0],
                parent=condition.id,
                terms=packed(core),
            )

    def _excluded(self, way: _Way, cubes: Sequence[Term], condition: ViolationCondition) -> bool:
        """Does no state of the cubes satisfy the violation condition?"""
        opposite = {terms.negate(literal) for literal in condition.literals}
        opposite.update(clause for cube, clause in way.clauses.items() if cube <= condition.key)
        if all(not opposite.isdisjoint(terms.conjuncts(cube)) for cube in cubes):
            return True
        both = (terms.disjunction(cubes), condition.formula)
        if both not in self._disjoint:
            self._disjoint[both] = not self.queries.is_satisfiable(both)
        return self._disjoint[both]

    def _refute(self, key: tuple[int, frozenset[Term]], condition: ViolationCondition) -> bool:
        """Stage by stage until one gets to the violation condition; before that, are there new predicates?"""
        location = key[0]
        way, exit = self.ways[location], self.transformer.exits[location]
        images = {exit.after(literal): literal for literal in condition.literals}
        gained = False
        for number in range(self._refuted_up_to.get(key, 0), len(self._stages)):
            base = [*self._known, self._stages[number], exit.guard]
            said = way.abstractions.get(self._stages[number])
            if said is not None and self._excluded(way, said.cubes, condition):
                self._refuted_up_to[key] = number + 1
                continue
            if self._is_refuted_as_before(way, base, images):
                self._refuted_up_to[key] = number + 1
                continue
            if self.queries.is_satisfiable([*base, *images]):
                self._reaching[key] = number
                break
            self._refuted_up_to[key] = number + 1
            core = self.queries.core()
            ordered = sorted((image for image in images if image in core), key=lambda image: _weight(images[image]))
            needed = self._shrunk(base, ordered)
            cube = frozenset(images[image] for image in needed)
            if cube and cube not in way.clauses:
                gained = True
                self.counters["refuted"] += 1
                # Should there be too many predicates for all combinations of them, the clause refutes it all the same.
                way.clauses[cube] = terms.negate(terms.conjunction(cube))
                self.refine(location, sorted(cube, key=lambda literal: literal.hash))
        return gained

    def _is_refuted_as_before(self, way: _Way, base: Sequence[Term], images: dict[Term, Term]) -> bool:
        """By a clause that is known, so that no predicates are needed."""
        literals = set(images.values())
        known = [cube for cube in way.clauses if cube <= literals]
        # In the order of the images: that of a set is another one in each run, and what a solver finds depends on it.
        asked = [[image for image, literal in images.items() if literal in cube] for cube in known[:2]]
        return any(not self.queries.is_satisfiable([*base, *each]) for each in asked)

    def _shrunk(self, base: Sequence[Term], needed: list[Term]) -> list[Term]:
        def core_with(fewer: list[Term]) -> set[Term] | None:
            return None if self.queries.is_satisfiable([*base, *fewer]) else self.queries.core()

        return shrunk(needed, self.options.shrink, core_with)

    # backward

    def _look(self) -> None:
        """Violations at the start, as far as the precondition tells."""
        self._is_stale = False
        self.is_open = False
        for violation in self._violations:
            if any(self._gets_to([violation], stage) for stage in self._stages):  # the first one that does
                self.is_open = True
                self._tell([violation], ())
        for location, way in self.ways.items():
            exit = self.transformer.exits[location]
            for condition in way.conditions:
                first = self._reaching.get((location, condition.key))
                if first is None:
                    continue
                goals = [exit.guard, *map(exit.after, condition.literals)]
                if self._gets_to(goals, self._stages[first]):
                    self._tell(goals, condition.trace)

    def _gets_to(self, goals: Sequence[Term], precondition: Term) -> bool:
        return self.queries.is_satisfiable([*self._known, precondition, *goals])

    def _tell(self, goals: Sequence[Term], after: tuple[Step, ...]) -> None:
        """After a query with a model: states at the start that get to the goals, not all of them: the rest stays open."""
        if self.start == ENTRY:
            trace = (Step(self.block.id, ""), *after)
            self._send(Kind.RESULT, receiver=COORDINATOR, trace=trace, content=Reached(exact=True))
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
        self._send(Kind.ERRORCONDITION, location=self.start, id=id, terms=data, trace=trace)

    @operator
    def violate(self, goals: Sequence[Term]) -> list[Term]:
        """Literals without inputs about the states of the latest model; each state that satisfies them gets to the goals."""
        cube = implicant(goals, self.queries.model(goals))
        if terms.has_inputs(cube):
            raise GaveUp(f"a violation condition of block {self.block.id} depends on arbitrary memory")
        return cube

    # queries and messages

    def _implies(self, weak: Term, strong: Term) -> bool:
        return weak is FALSE or strong is TRUE or not self.queries.is_satisfiable([weak, terms.negate(strong)])

    def _send(self, kind: Kind, **fields: object) -> None:
        self._outbox.append(Message(kind=kind, sender=self.block.id, epoch=self.epoch, **fields))  # type: ignore[arg-type]


def _weight(literal: Term) -> int:
    """How much its negation says: literals are dropped from a core in this order."""
    if literal.operator == "=":
        return 0  # one value is excluded
    return 2 if literal.operator == "not" and literal.arguments[0].operator == "=" else 1
