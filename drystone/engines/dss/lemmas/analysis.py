"""Summaries as lemmas: property-directed, one obligation at a time.

IC3 (Bradley 2011) with implicit predicate abstraction (Cimatti, Griggio, Mover, Tonetta 2014), distributed over blocks.

An *obligation* is a cube over predicates at the location where a block begins, with a level k: can a state of the cube be
reached by k blocks? It goes as ERRORCONDITION to all blocks that end there. Each of them looks for a predecessor among the states
that its lemmas of level k - 1 allow. If there is one, the block makes it an obligation of its own, one level lower, and tries
again when that is refuted. If there is none, it answers with the literals that it needed. When all have answered,
the union of these literals is impossible up to level k: a *lemma*, which goes as BLOCKPOSTCONDITION to the blocks that begin
there.

An obligation that gets to the entry is an abstract counterexample. It is checked concretely along its trace, backwards, with
cubes that do lead to the error (implicants of pre-images: violation conditions in the sense of Beyer, Kettl, Lemberger 2024).
Where a block refutes such a cube, the literals of the core become predicates of the block that sent it, and the cube is an
obligation of the next search whose predecessors are such cubes, too. So every refinement ends in a lemma or a counterexample.
"""

from __future__ import annotations

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.dss.analysis import BlockAnalysis
from drystone.engines.dss.hosts import BlockOptions, Spec
from drystone.engines.dss.lemmas.abstraction import Predicates
from drystone.engines.dss.lemmas.frames import Frames
from drystone.engines.dss.messages import (
    COORDINATOR,
    Certain,
    Concrete,
    Kind,
    Message,
    Push,
    Pushed,
    Reached,
    Refined,
    Step,
    packed,
)
from drystone.engines.dss.operators import Operators, operator
from drystone.logic import terms
from drystone.logic.implicants import implicant
from drystone.logic.terms import FALSE, Term
from drystone.solvers import Answer
from drystone.solvers.queries import GaveUp
from drystone.symbolic.transformers import ENTRY, Exit

_FEW = 10


class LemmaOptions(BlockOptions, frozen=True, tag="lemmas"):
    solver: str = "bitwuzla"
    seed: int = 0
    query_seconds: float = 20.0
    shrink: int = 24  # literals that a block tries to drop from a core
    rebuild_after: int = 4_000  # queries, then the solver starts anew
    is_eager: bool = False  # a block asks itself about an obligation when it asks the others

    def actor(self, spec: Spec) -> LemmaAnalysis:
        return LemmaAnalysis(spec, self)


class _Question(msgspec.Struct):
    """An obligation of another block that ends its states at one of this block's exits."""

    message: Message
    literals: list[Term]


class _Obligation(msgspec.Struct):
    id: str
    cube: list[Term]
    level: int
    trace: tuple[Step, ...]
    unanswered: set[str]
    certain: bool = False  # all its states lead to the error
    core: dict[Term, None] = {}
    waiting: list[_Question | _Obligation] = []  # to be looked at again when this one is refuted


class LemmaAnalysis(BlockAnalysis):
    """A block that looks at one message after the other."""

    at_once = False

    def __init__(self, spec: Spec, options: LemmaOptions) -> None:
        super().__init__(spec.block, Operators())
        self.predecessors, self.options = frozenset(spec.predecessors), options
        self.frames = Frames(spec.block.id, self.start, self.operators, options.solver, options.seed)
        self.frames.query_seconds, self.frames.rebuild_after = options.query_seconds, options.rebuild_after
        self.predicates = Predicates(self.frames)
        self.counters = {"obligations": 0, "lemmas": 0}
        self.obligations: dict[str, _Obligation] = {}
        self.level = 0
        self.cubes: dict[str, list[Term]] = {}  # of the obligations of the last search
        self.violating: dict[str, list[Term]] = {}  # cubes that lead to the error, by the obligation whose trace they follow
        self.forced: list[tuple[list[Term], int, tuple[Step, ...]]] = []
        self._epoch = self._numbers = 0
        self._taken: Message  # the latest

    @property
    def is_open(self) -> bool:
        return bool(self.obligations)

    @property
    def epoch(self) -> int:
        return self._epoch

    def give(self, deadline: Deadline) -> None:
        self.frames.deadline = deadline

    def figures(self) -> dict[str, int]:
        return {"queries": self.frames.queries, **self.counters, "predicates": len(self.predicates.known)}

    # waking up

    def deserialise(self, message: Message) -> None:
        """Its terms are unpacked when it turns out that they are needed."""
        self._taken = message

    def combine(self) -> None:
        """Lemmas hold together as they are; what is combined is what refutes an obligation in several blocks (`_refuted`)."""

    @operator
    def proceed(self) -> bool:
        """Is there something to do? Not for a question of an earlier epoch, nor for an answer that nobody waits for."""
        message = self._taken
        if message.epoch < self.epoch and message.kind not in (Kind.BLOCKPOSTCONDITION, Kind.INVARIANT):
            return False
        if message.epoch > self.epoch:
            self._epoch = message.epoch
            self.obligations.clear()
        if message.kind is Kind.ERRORCONDITIONUNREACHABLE and not isinstance(message.content, Concrete):
            obligation = self.obligations.get(message.parent)
            return obligation is not None and message.sender in obligation.unanswered
        return True

    def analyse(self) -> None:
        """Lemmas, and whether others' obligations are reached through this block."""
        message = self._taken
        match message.kind, message.content:
            case Kind.INVARIANT, _:
                self.frames.know(message.conjuncts())
            case Kind.BLOCKPOSTCONDITION, _:
                self.frames.add(self.operators.unpack_post(message), message.level)
            case Kind.ERRORCONDITION, Concrete(position):
                self.outbox += self._check_concretely(message, position)
            case Kind.ERRORCONDITION, Push():
                self.outbox += self._push(message)
            case Kind.ERRORCONDITION, _:
                self.outbox += self._answer(_Question(message, self.operators.unpack_vcond(message)))
            case Kind.ERRORCONDITIONUNREACHABLE, Concrete(position):
                self.outbox += self._refine(message, position)
            case Kind.ERRORCONDITIONUNREACHABLE, _:
                self.outbox += self._refuted(message)

    def look_for_violations(self) -> None:
        """The search of a level begins: with what refinements have found, then with errors of its own."""
        if self._taken.epoch < self.epoch:
            return
        self.level = self._taken.level
        self.cubes.clear()
        self.violating.clear()
        sent: list[Message] = []
        for cube, its_level, trace in self.forced:
            sent += self._oblige(cube, its_level, trace, [], certain=True)
        self.outbox += sent + self._seek()

    # obligations

    def _seek(self) -> list[Message]:
        """A state at the start from which this block gets to an error, as far as its lemmas tell."""
        violation = self.transformer.violation
        if self.frames.exclude_all(self.level):
            return []  # nothing gets here
        if violation is FALSE or not self.frames.is_satisfiable([*self.frames.at(self.level), violation]):
            return []
        if self.start == ENTRY:
            return [self._found((Step(self.block.id, ""),), exact=True)]
        model = self.predicates.model([violation])
        if not self.predicates.known:
            self.predicates.add(implicant([violation], model))
        cube = self.predicates.lifted(violation, model)
        return self._oblige(cube, self.level, (), [])

    def _oblige(
        self,
        cube: list[Term],
        level: int,
        after: tuple[Step, ...],
        waiting: list[_Question | _Obligation],
        certain: bool = False,
    ) -> list[Message]:
        """Asks all blocks that end at the start whether the cube can be reached."""
        key = frozenset(cube)
        for other in self.obligations.values():
            if other.level == level and other.certain == certain and frozenset(other.cube) == key:
                other.waiting += waiting
                return []
        self._numbers += 1
        self.counters["obligations"] += 1
        id = f"{self.block.id}#{self._numbers}"
        trace = (Step(self.block.id, id), *after)
        others = set(self.predecessors) - (set() if self._asks_itself(level) else {self.block.id})
        self.obligations[id] = _Obligation(id, cube, level, trace, others, certain, waiting=waiting)
        self.cubes[id] = cube
        if not others:
            return self._close(self.obligations[id])
        data = self.operators.pack_vcond(cube)
        content = Certain() if certain else None
        sent = [
            self.message(Kind.ERRORCONDITION, location=self.start, id=id, level=level, terms=data, trace=trace, content=content)
        ]
        if self.block.id in others:
            sent.append(msgspec.structs.replace(sent[0], receiver=self.block.id))
        return sent

    def _asks_itself(self, level: int) -> bool:
        """At the same time as the others, and not only when they have refuted an obligation."""
        return self.options.is_eager and level > 1 and self.start in self.transformer.exits

    def _answer(self, question: _Question) -> list[Message]:
        """A predecessor of the cube, or the literals that exclude one."""
        asked = question.message
        way = self.transformer.exits[asked.location]
        core = self._exclude(way, asked.location, question.literals, asked.level - 1)
        if core is not None:
            data = self.operators.pack_post(core)
            return [
                self.message(
                    Kind.ERRORCONDITIONUNREACHABLE, receiver=asked.sender, location=asked.location, parent=asked.id, terms=data
                )
            ]
        certain = isinstance(asked.content, Certain)
        if self.start == ENTRY:
            return [self._found((Step(self.block.id, ""), *asked.trace), exact=certain)]
        target = terms.conjunction([way.guard, *map(way.after, question.literals)])
        model = self.predicates.model([target])
        cube = implicant([target], model) if certain else self.predicates.lifted(target, model)
        return self._oblige(cube, asked.level - 1, asked.trace, [question], certain)

    def _exclude(self, way: Exit, location: int, literals: list[Term], level: int) -> list[Term] | None:
        """The literals that no state after this block satisfies, from states of the level; None if one satisfies them all."""
        if self.start != ENTRY and level <= 0:
            return []
        after = {way.after(literal): literal for literal in literals}
        base = [*self.frames.at(level), way.guard]
        if location == self.start:  # relative to itself
            base.append(terms.negate(terms.conjunction(literals)))
        if self.frames.is_satisfiable([*base, *after]):
            return None
        core = self.frames.core()
        needed = [image for image in after if image in core]
        return [after[image] for image in self.frames.shrunk(base, needed, self.options.shrink)]

    def _push(self, asked: Message) -> list[Message]:
        """Which of the cubes have no predecessor among the states of the level before? One model tells of many that they have."""
        way = self.transformer.exits[asked.location]
        cubes = self.operators.unpack_vcond(asked)
        images = dict(enumerate(map(way.after, cubes)))
        base = [*self.frames.at(asked.level - 1), way.guard]
        while images and self.frames.is_satisfiable([*base, terms.disjunction(images.values())]):
            images = {number: image for number, image in images.items() if not self.frames.value(image)}
        refuted = sum(1 << number for number in images)
        return [
            self.message(
                Kind.ERRORCONDITIONUNREACHABLE,
                receiver=asked.sender,
                location=asked.location,
                parent=asked.id,
                content=Pushed(refuted.to_bytes((len(cubes) + 7) // 8, "little")),
            )
        ]

    def _refuted(self, message: Message) -> list[Message]:
        obligation = self.obligations[message.parent]
        obligation.unanswered.discard(message.sender)
        literals = self.operators.unpack_post(message)
        self.operators.measured("combine", lambda: obligation.core.update(dict.fromkeys(literals)))
        return [] if obligation.unanswered else self._close(obligation)

    def _close(self, obligation: _Obligation) -> list[Message]:
        """All other blocks have refuted the obligation; this one, if it leads back to its start, is the last."""
        way = self.transformer.exits.get(self.start)
        if way is None or obligation.level <= 1 or self._asks_itself(obligation.level):
            return self._settle(obligation)
        frame = [*self.frames.at(obligation.level - 1), way.guard]
        after = {literal: way.after(literal) for literal in obligation.cube}
        if self.frames.is_satisfiable([*frame, terms.negate(terms.conjunction(obligation.cube)), *after.values()]):
            target = terms.conjunction([way.guard, *after.values()])
            model = self.predicates.model([target])
            cube = implicant([target], model) if obligation.certain else self.predicates.lifted(target, model)
            return self._oblige(cube, obligation.level - 1, obligation.trace, [obligation], obligation.certain)
        core = self.frames.core()
        needed = [literal for literal in obligation.cube if after[literal] in core or literal in obligation.core]
        tries, position = self.options.shrink, 0
        while position < len(needed) and tries > 0:  # what the others need stays; the rest must be inductive by itself
            if needed[position] in obligation.core:
                position += 1
                continue
            tries -= 1
            fewer = needed[:position] + needed[position + 1 :]
            query = [*frame, terms.negate(terms.conjunction(fewer)), *(after[literal] for literal in fewer)]
            if self.frames.ask(query) is Answer.UNSAT:
                core = self.frames.core()
                needed = [literal for literal in fewer if after[literal] in core or literal in obligation.core]
            else:
                position += 1
        obligation.core.update(dict.fromkeys(needed))
        return self._settle(obligation)

    def _settle(self, obligation: _Obligation) -> list[Message]:
        """All blocks before have refuted it: a lemma."""
        del self.obligations[obligation.id]
        cube = sorted(obligation.core, key=lambda literal: literal.hash)
        self.counters["lemmas"] += 1
        self.frames.add(cube, obligation.level)
        if obligation.certain:
            self.predicates.add(cube)
            self.forced = [each for each in self.forced if each[0] != obligation.cube or each[1] > obligation.level]
        data = self.operators.pack_post(cube)
        sent = [self.message(Kind.BLOCKPOSTCONDITION, location=self.start, id=obligation.id, level=obligation.level, terms=data)]
        try:
            for waiting in obligation.waiting:
                sent += self._answer(waiting) if isinstance(waiting, _Question) else self._close(waiting)
            return sent if obligation.waiting else sent + self._seek()
        except GaveUp as problem:  # others must hear of the lemma all the same: this block relies on it from now on
            return [*sent, self.failure(problem)]

    # abstract counterexamples

    def _check_concretely(self, message: Message, position: int) -> list[Message]:
        """Do states that lead to the error along the trace, from the block after this one on, have predecessors in this block?"""
        step = message.trace[position]
        exact = self.operators.unpack_vcond(message)
        if message.sender == COORDINATOR:
            level, goals, images = message.level, [self.transformer.violation], {}
        else:
            way = self.transformer.exits[message.location]
            images = {way.after(literal): literal for literal in exact}
            level, goals = message.level - 1, [way.guard, *images]
        if self.start != ENTRY and level <= 0:
            return [self._concretely_refuted(message, position, [])]
        base = self.frames.at(level) + goals[:1]
        wanted = self.cubes.get(step.condition, [])  # rather a state of the abstract counterexample
        if self.frames.ask([*base, *images, *wanted]) is not Answer.SAT and not self.frames.is_satisfiable([*base, *images]):
            core = self.frames.core()
            needed = self.frames.shrunk(base, [image for image in images if image in core], self.options.shrink)
            return [self._concretely_refuted(message, position, [images[image] for image in needed])]
        if self.start == ENTRY:
            return [self._found(message.trace, exact=True)]
        cube = self.violating[step.condition] = implicant(goals, self.predicates.model(goals))
        if len(cube) <= _FEW:  # a long way through many blocks needs predicates everywhere
            self.predicates.add(cube)
        data = self.operators.pack_vcond(cube)
        before = message.trace[position - 1].block
        return [
            self.message(
                Kind.ERRORCONDITION,
                receiver=before,
                location=self.start,
                id=step.condition,
                level=level,
                terms=data,
                trace=message.trace,
                content=Concrete(position - 1),
            )
        ]

    def _concretely_refuted(self, message: Message, position: int, core: list[Term]) -> Message:
        return self.message(
            Kind.ERRORCONDITIONUNREACHABLE,
            receiver=message.sender,
            location=message.location,
            parent=message.id,
            level=message.level,
            terms=packed(core),
            trace=message.trace,
            content=Concrete(position + 1),
        )

    def _refine(self, message: Message, position: int) -> list[Message]:
        """The literals that refute a violation condition become predicates; it is an obligation of the next search."""
        added = self.predicates.add(message.conjuncts())
        after = message.trace[position + 1 :]
        self.forced.append((self.violating[message.parent], message.level, after))
        return [self.message(Kind.RESULT, receiver=COORDINATOR, content=Refined(added))]

    def _found(self, trace: tuple[Step, ...], exact: bool) -> Message:
        return self.message(Kind.RESULT, receiver=COORDINATOR, trace=trace, content=Reached(exact))
