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

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.dss.hosts import BlockOptions, Spec
from drystone.engines.dss.messages import (
    COORDINATOR,
    Certain,
    Concrete,
    Failure,
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
from drystone.engines.dss.preparation import ProgramBlock
from drystone.engines.dss.queries import GaveUp, shrunk
from drystone.logic import terms
from drystone.logic.evaluation import Value, evaluate
from drystone.logic.implicants import implicant
from drystone.logic.sorts import BOOL, Array
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers import Answer, make_solver
from drystone.symbolic.transformers import ENTRY, Exit

_FEW = 10


class ActorOptions(BlockOptions, frozen=True, tag="lemmas"):
    solver: str = "bitwuzla"
    seed: int = 0
    query_seconds: float = 20.0
    shrink: int = 24  # literals that a block tries to drop from a core
    rebuild_after: int = 4_000  # queries, then the solver starts anew
    is_eager: bool = False  # a block asks itself about an obligation when it asks the others

    def actor(self, spec: Spec) -> LemmaActor:
        return LemmaActor(spec.block, spec.predecessors, self)


@dataclass
class _Question:
    """An obligation of another block that ends its states at one of this block's exits."""

    message: Message
    literals: list[Term]


@dataclass
class _Obligation:
    id: str
    cube: list[Term]
    level: int
    trace: tuple[Step, ...]
    unanswered: set[str]
    certain: bool = False  # all its states lead to the error
    core: dict[Term, None] = field(default_factory=dict)
    waiting: list[_Question | _Obligation] = field(default_factory=list)  # to be looked at again when this one is refuted


class LemmaActor:
    """A block. It takes messages and returns messages; it knows no transport."""

    def __init__(self, block: ProgramBlock, predecessors: Sequence[str], options: ActorOptions) -> None:
        self.block, self.transformer, self.start = block, block.transformer, block.start
        self.predecessors = frozenset(predecessors)
        self.options, self.deadline = options, Deadline()
        self.counters: dict[str, int] = {"queries": 0, "obligations": 0, "lemmas": 0}
        self.operators = Operators()
        self.predicates: dict[Term, None] = {}
        self.lemmas: dict[frozenset[Term], int] = {}  # impossible cubes at the start, and up to which level
        self.level = self.epoch = 0
        self.obligations: dict[str, _Obligation] = {}
        self.cubes: dict[str, list[Term]] = {}  # of the obligations of the last search
        self.violating: dict[str, list[Term]] = {}  # cubes that lead to the error, by the obligation whose trace they follow
        self.forced: list[tuple[list[Term], int, tuple[Step, ...]]] = []
        self._numbers = 0
        self._queries_since = 0
        self._known: list[Term] = []
        self._levels = 0  # up to which there are lemmas
        self._solver = make_solver(options.solver, options.seed)

    @property
    def is_open(self) -> bool:
        return bool(self.obligations)

    def figures(self) -> dict[str, int]:
        return {**self.counters, "predicates": len(self.predicates)}

    def receive(self, messages: Sequence[Message]) -> list[Message]:
        return [answer for message in messages for answer in self._receive(message)]

    def _receive(self, message: Message) -> list[Message]:
        if not self.proceed(message):
            return []
        try:
            match message.kind, message.content:
                case Kind.START, _:
                    return self._begin(message.level)
                case Kind.INVARIANT, _:
                    return self._know(message.conjuncts())
                case Kind.ERRORCONDITION, Concrete(position):
                    return self._check_concretely(message, position)
                case Kind.ERRORCONDITION, Push():
                    return self._push(message)
                case Kind.ERRORCONDITION, _:
                    literals = self.operators.unpack_vcond(message)
                    return self._answer(_Question(message, literals))
                case Kind.ERRORCONDITIONUNREACHABLE, Concrete(position):
                    return self._refine(message, position)
                case Kind.ERRORCONDITIONUNREACHABLE, _:
                    return self._refuted(message)
                case Kind.BLOCKPOSTCONDITION, _:
                    return self._learn(message)
                case _:
                    return []
        except GaveUp as problem:
            return [self._gave_up(problem)]

    def _know(self, invariants: list[Term]) -> list[Message]:
        """What is known to hold at the start, on every level."""
        self._known += invariants
        for each in invariants:
            self._solver.add(each)
        return []

    @operator
    def proceed(self, message: Message) -> bool:
        """Is there something to do? Not for a question of an earlier epoch, nor for an answer that nobody waits for."""
        if message.epoch < self.epoch and message.kind not in (Kind.BLOCKPOSTCONDITION, Kind.INVARIANT):
            return False
        if message.epoch > self.epoch:
            self.epoch = message.epoch
            self.obligations.clear()
        if message.kind is Kind.ERRORCONDITIONUNREACHABLE and not isinstance(message.content, Concrete):
            obligation = self.obligations.get(message.parent)
            return obligation is not None and message.sender in obligation.unanswered
        return True

    def _gave_up(self, problem: GaveUp) -> Message:
        return self._message(Kind.ERROR, receiver=COORDINATOR, content=Failure(str(problem)))

    # obligations

    def _begin(self, level: int) -> list[Message]:
        self.level = level
        self.cubes.clear()
        self.violating.clear()
        sent: list[Message] = []
        for cube, its_level, trace in self.forced:
            sent += self._oblige(cube, its_level, trace, [], certain=True)
        return sent + self._seek()

    def _seek(self) -> list[Message]:
        """A state at the start from which this block gets to an error, as far as its lemmas tell."""
        violation = self.transformer.violation
        if self.lemmas.get(frozenset(), 0) >= self.level:
            return []  # nothing gets here
        if violation is FALSE or self._check([*self._frame(self.level), violation]) is Answer.UNSAT:
            return []
        if self.start == ENTRY:
            return [self._found((Step(self.block.id, ""),), exact=True)]
        model = self._model([violation])
        if not self.predicates:
            self._add_predicates(implicant([violation], model))
        cube = self._lifted(violation, model)
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
            self._message(Kind.ERRORCONDITION, location=self.start, id=id, level=level, terms=data, trace=trace, content=content)
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
                self._message(
                    Kind.ERRORCONDITIONUNREACHABLE, receiver=asked.sender, location=asked.location, parent=asked.id, terms=data
                )
            ]
        certain = isinstance(asked.content, Certain)
        if self.start == ENTRY:
            return [self._found((Step(self.block.id, ""), *asked.trace), exact=certain)]
        target = terms.conjunction([way.guard, *map(way.after, question.literals)])
        model = self._model([target])
        cube = implicant([target], model) if certain else self._lifted(target, model)
        return self._oblige(cube, asked.level - 1, asked.trace, [question], certain)

    def _exclude(self, way: Exit, location: int, literals: list[Term], level: int) -> list[Term] | None:
        """The literals that no state after this block satisfies, from states of the level; None if one satisfies them all."""
        if self.start != ENTRY and level <= 0:
            return []
        after = {way.after(literal): literal for literal in literals}
        base = [*self._frame(level), way.guard]
        if location == self.start:  # relative to itself
            base.append(terms.negate(terms.conjunction(literals)))
        if self._check([*base, *after]) is not Answer.UNSAT:
            return None
        core = set(self._solver.core())
        needed = [image for image in after if image in core]
        return [after[image] for image in self._shrunk(base, needed)]

    def _shrunk(self, base: list[Term], needed: list[Term]) -> list[Term]:
        def core_with(fewer: list[Term]) -> set[Term] | None:
            return set(self._solver.core()) if self._ask([*base, *fewer]) is Answer.UNSAT else None

        return shrunk(needed, self.options.shrink, core_with)

    def _push(self, asked: Message) -> list[Message]:
        """Which of the cubes have no predecessor among the states of the level before? One model tells of many that they have."""
        way = self.transformer.exits[asked.location]
        cubes = self.operators.unpack_vcond(asked)
        images = dict(enumerate(map(way.after, cubes)))
        base = [*self._frame(asked.level - 1), way.guard]
        while images and self._check([*base, terms.disjunction(images.values())]) is Answer.SAT:
            images = {number: image for number, image in images.items() if not self._solver.value(image)}
        refuted = sum(1 << number for number in images)
        return [
            self._message(
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
        self.combine(obligation, literals)
        return [] if obligation.unanswered else self._close(obligation)

    @operator
    def combine(self, obligation: _Obligation, literals: Sequence[Term]) -> None:
        """What refutes an obligation in one block, and what does in the others."""
        obligation.core.update(dict.fromkeys(literals))

    def _close(self, obligation: _Obligation) -> list[Message]:
        """All other blocks have refuted the obligation; this one, if it leads back to its start, is the last."""
        way = self.transformer.exits.get(self.start)
        if way is None or obligation.level <= 1 or self._asks_itself(obligation.level):
            return self._settle(obligation)
        frame = [*self._frame(obligation.level - 1), way.guard]
        after = {literal: way.after(literal) for literal in obligation.cube}
        if self._check([*frame, terms.negate(terms.conjunction(obligation.cube)), *after.values()]) is not Answer.UNSAT:
            target = terms.conjunction([way.guard, *after.values()])
            model = self._model([target])
            cube = implicant([target], model) if obligation.certain else self._lifted(target, model)
            return self._oblige(cube, obligation.level - 1, obligation.trace, [obligation], obligation.certain)
        core = set(self._solver.core())
        needed = [literal for literal in obligation.cube if after[literal] in core or literal in obligation.core]
        tries, position = self.options.shrink, 0
        while position < len(needed) and tries > 0:  # what the others need stays; the rest must be inductive by itself
            if needed[position] in obligation.core:
                position += 1
                continue
            tries -= 1
            fewer = needed[:position] + needed[position + 1 :]
            query = [*frame, terms.negate(terms.conjunction(fewer)), *(after[literal] for literal in fewer)]
            if self._ask(query) is Answer.UNSAT:
                core = set(self._solver.core())
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
        self._add_lemma(cube, obligation.level)
        if obligation.certain:
            self._add_predicates(cube)
            self.forced = [each for each in self.forced if each[0] != obligation.cube or each[1] > obligation.level]
        data = self.operators.pack_post(cube)
        sent = [self._message(Kind.BLOCKPOSTCONDITION, location=self.start, id=obligation.id, level=obligation.level, terms=data)]
        try:
            for waiting in obligation.waiting:
                sent += self._answer(waiting) if isinstance(waiting, _Question) else self._close(waiting)
            return sent if obligation.waiting else sent + self._seek()
        except GaveUp as problem:  # others must hear of the lemma all the same: this block relies on it from now on
            return [*sent, self._gave_up(problem)]

    def _learn(self, message: Message) -> list[Message]:
        self._add_lemma(self.operators.unpack_post(message), message.level)
        return []

    def _add_lemma(self, cube: list[Term], level: int) -> None:
        key = frozenset(cube)
        if level > self.lemmas.get(key, 0):
            self.lemmas[key] = level
            self._assert_lemma(key, level)

    def _assert_lemma(self, cube: frozenset[Term], level: int) -> None:
        """The lemma counts where its level's literal is assumed."""
        self._levels = max(self._levels, level)
        literals = sorted(cube, key=lambda literal: literal.hash)  # sets have another order in every process
        self._solver.add(terms.disjunction([terms.negate(_literal_of(level)), *map(terms.negate, literals)]))

    def _frame(self, level: int) -> list[Term]:
        """What is known of the states at the start that so many blocks reach."""
        if self.start == ENTRY:
            return []
        return [_literal_of(each) for each in range(level, self._levels + 1)]

    # abstraction

    def _lifted(self, target: Term, model: dict[Term, Value]) -> list[Term]:
        """The predicates' values in the model; only those that lead to the target, if they suffice with the model's inputs."""
        if not self.predicates:
            return []
        predicates = list(self.predicates)
        values = evaluate(predicates, model, 0)
        literals = _without_implied(
            [each if value else terms.negate(each) for each, value in zip(predicates, values, strict=True)]
        )
        fixed = []
        for symbol, value in model.items():
            if symbol.operator == "input" and not isinstance(symbol.sort, Array):
                assert isinstance(value, int)
                fixed.append(terms.equal(symbol, terms.constant(symbol.sort, value)))
        if self._ask([*literals, *fixed, terms.negate(target)]) is Answer.UNSAT:
            core = set(self._solver.core())
            return [literal for literal in literals if literal in core]
        return literals

    def _add_predicates(self, literals: Sequence[Term]) -> int:
        """The atoms of the literals become predicates of this block."""
        before = len(self.predicates)
        for literal in literals:
            atom = literal.arguments[0] if literal.operator == "not" else literal
            self.predicates.setdefault(atom)
        return len(self.predicates) - before

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
        base = self._frame(level) + goals[:1]
        wanted = self.cubes.get(step.condition, [])  # rather a state of the abstract counterexample
        if self._ask([*base, *images, *wanted]) is not Answer.SAT and self._check([*base, *images]) is Answer.UNSAT:
            core = set(self._solver.core())
            needed = self._shrunk(base, [image for image in images if image in core])
            return [self._concretely_refuted(message, position, [images[image] for image in needed])]
        if self.start == ENTRY:
            return [self._found(message.trace, exact=True)]
        cube = self.violating[step.condition] = implicant(goals, self._model(goals))
        if len(cube) <= _FEW:  # a long way through many blocks needs predicates everywhere
            self._add_predicates(cube)
        data = self.operators.pack_vcond(cube)
        before = message.trace[position - 1].block
        return [
            self._message(
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
        return self._message(
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
        added = self._add_predicates(message.conjuncts())
        after = message.trace[position + 1 :]
        self.forced.append((self.violating[message.parent], message.level, after))
        return [self._message(Kind.RESULT, receiver=COORDINATOR, content=Refined(added))]

    def _found(self, trace: tuple[Step, ...], exact: bool) -> Message:
        return self._message(Kind.RESULT, receiver=COORDINATOR, trace=trace, content=Reached(exact))

    # queries

    def _check(self, assumptions: Sequence[Term]) -> Answer:
        answer = self._ask(assumptions)
        if answer is Answer.UNKNOWN:
            raise GaveUp(f"a query in block {self.block.id} was not answered")
        return answer

    def _ask(self, assumptions: Sequence[Term]) -> Answer:
        self.counters["queries"] += 1
        self._queries_since += 1
        if self._queries_since > self.options.rebuild_after:
            self._queries_since = 0
            self._solver = make_solver(self.options.solver, self.options.seed)
            for each in self._known:
                self._solver.add(each)
            for cube, level in self.lemmas.items():
                self._assert_lemma(cube, level)
        limit = min(self.options.query_seconds, self.deadline.remaining())
        if limit <= 0:
            raise GaveUp("out of time")
        with self.operators.in_solver():
            return self._solver.check([each for each in assumptions if each is not TRUE], limit_seconds=limit)

    def _model(self, formulas: Sequence[Term]) -> dict[Term, Value]:
        """The values of all symbols in the formulas and predicates, after SAT."""
        symbols = terms.free_symbols([*formulas, *self.predicates])
        return {symbol: self._solver.value(symbol) for symbol in symbols}

    # messages

    def _message(self, kind: Kind, **fields: object) -> Message:
        return Message(kind=kind, sender=self.block.id, epoch=self.epoch, **fields)  # type: ignore[arg-type]


def _literal_of(level: int) -> Term:
    """Assumed where the lemmas of this level hold."""
    return terms.input_symbol(f"level {level}", BOOL)


def _without_implied(literals: list[Term]) -> list[Term]:
    """Without `x != 3` where `x == 5` is among them."""
    known = {part for literal in literals if (part := _compared(literal)) is not None}
    return [
        literal
        for literal in literals
        if literal.operator != "not" or (part := _compared(literal.arguments[0])) is None or part not in known
    ]


def _compared(atom: Term) -> Term | None:
    """What an equality compares with a constant."""
    if atom.operator != "=":
        return None
    left, right = atom.arguments
    return left if right.operator == "const" else right if left.operator == "const" else None
