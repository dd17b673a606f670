"""A worker: the analysis of one block, forwards from postconditions and backwards from error conditions.

Kettl 2022, Algorithms 4 and 5, the analysis worker of section 4.1.6; the fast one, unless it is `one_by_one`. Each message type
has its reaction (Table 4): a postcondition is a forward analysis, an error condition a backward analysis or its refutation,
everything else nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple

from drystone.base.deadline import Deadline
from drystone.engines.dcpa.domain import DistributedAnalysis, State, combined
from drystone.engines.dcpa.options import BACKWARD, FORWARD, WorkerOptions
from drystone.engines.dss.analysis import Actor
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.messages import Kind, Message, Step, Violated
from drystone.engines.dss.operators import operator
from drystone.engines.dss.postconditions.options import BOTTOM, TOP
from drystone.engines.dss.queries import GaveUp, Queries
from drystone.ir.automaton import MarkKind
from drystone.logic import terms
from drystone.symbolic.transformers import ENTRY, Bad


class Proceed(NamedTuple):
    """What the proceed operator says: whether to analyse, and the messages to analyse from, or else to answer with."""

    goes_on: bool
    messages: tuple[Message, ...] = ()


class Worker(Actor, Generic[State]):
    def __init__(
        self, spec: Spec, options: WorkerOptions, analysis: Callable[[str, Queries], DistributedAnalysis[State]]
    ) -> None:
        self.queries = Queries(spec.block.id, options.solver, options.seed, options.query_seconds)
        super().__init__(spec.block, self.queries.operators)
        self.options, self.predecessors = options, spec.predecessors
        self.analysis = analysis(spec.block.id, self.queries)
        self.exits = [location for location in self.transformer.exits if location in spec.exits]
        self.known: list[terms.Term] = []  # invariants of the start, by others
        self._epoch = -1
        self._forget()

    def _forget(self) -> None:
        self.counters = {"forward": 0, "backward": 0, "conditions": 0, "refuted": 0, "skipped": 0}
        self.received: dict[str, Message] = {}  # the newest postcondition of each predecessor
        self.posts: dict[int, list[tuple[int, State]]] = {}  # by exit, with levels: the latest forward analysis, or all of them
        self._sent: dict[int, bytes] = {}
        self._refuted: dict[str, Message] = {}  # error conditions, by their names
        self._reached: set[Bad] = set()  # by the latest analysis
        self._told: set[Bad] = set()
        self._levels: dict[str, int] = {}  # of the states that satisfy error conditions
        self._numbers = 0

    # what the coordinator may ask for

    @property
    def is_open(self) -> bool:
        return bool(self._reached)

    @property
    def epoch(self) -> int:
        return self._epoch

    def give(self, deadline: Deadline) -> None:
        self.queries.deadline = deadline

    def figures(self) -> dict[str, int]:
        return {**self.counters, "queries": self.queries.count, "unanswered": self.analysis.unanswered}

    # Algorithm 5

    def receive(self, messages: Sequence[Message]) -> list[Message]:
        self.outbox = []
        posts = [message for message in messages if message.kind is Kind.BLOCKPOSTCONDITION]
        try:
            for message in messages:
                if message.kind is not Kind.BLOCKPOSTCONDITION or self.options.one_by_one:
                    self._react([message])
                elif message is posts[-1]:
                    for together in self._batches(posts):
                        self._react(together)
        except GaveUp as problem:
            self.outbox.append(self.failure(problem))
        return self.outbox

    def _batches(self, posts: list[Message]) -> list[list[Message]]:
        """Increments of one level are taken together."""
        if not self.options.is_incremental:
            return [posts]
        levels = sorted({post.level for post in posts})
        return [[post for post in posts if post.level == level] for level in levels]

    def _react(self, messages: Sequence[Message]) -> None:
        """Algorithm 4."""
        if messages[0].kind is Kind.INVARIANT:
            self.known += messages[0].conjuncts()
            return
        if messages[0].kind is Kind.START:
            self._begin(messages[0].epoch)
            return
        if messages[0].epoch != self._epoch:
            return
        said = [self.proceed(message) for message in messages]
        if not said[-1].goes_on:
            self.outbox += said[-1].messages
        elif messages[0].kind is Kind.ERRORCONDITION:
            self._backward(messages[0])
        else:
            given = [each for one in said for each in one.messages] if self.options.is_incremental else said[-1].messages
            self._forward(*self.combine(given))

    def _begin(self, epoch: int) -> None:
        """The first forward analysis: no message triggers it."""
        self._epoch = epoch
        self._forget()
        if self.options.direction == BACKWARD:
            self._reached.update(self.transformer.bad)
            self._tell_violations(0)
        elif self.options.start == TOP or self.start == ENTRY:
            self._forward([self.analysis.top()], 1)

    # the operators

    @operator
    def proceed(self, message: Message) -> Proceed:
        """Kettl 2022, section 4.2.2; which states and conditions belong together is the domain's."""
        if message.kind is Kind.BLOCKPOSTCONDITION:
            if message.location != self.start or self.options.direction == BACKWARD:  # case 1.2
                return Proceed(False)
            if self.options.is_incremental:
                return Proceed(True, (message,))
            self.received[message.sender] = message
            if self.options.start == BOTTOM or all(each in self.received for each in self.predecessors):  # case 1.1.1
                return Proceed(True, tuple(self.received[each] for each in self.predecessors if each in self.received))
            return Proceed(not self.options.is_patient)  # case 1.1.2; section 4.2.3 waits
        if message.kind is Kind.ERRORCONDITION and message.location in self.exits:
            if self._is_reached(message):  # case 2.1
                return Proceed(True, (message,))
            self.counters["refuted"] += 1  # case 2.2
            self._refuted[message.id] = message
            return Proceed(False, (self._refutation(message),))
        return Proceed(False)  # case 3

    def _is_reached(self, message: Message) -> bool:
        if 0 < self.options.most_predecessors < len(self.predecessors):
            self.counters["skipped"] += 1
            return True
        condition = terms.conjunction(self.operators.unpack_vcond(message))
        if self.options.direction == BACKWARD:
            condition = self.analysis.backward(self.transformer.exits[message.location], condition, message.level + 1)
            return self.analysis.proceed(self.analysis.top(), condition)
        return self._found(message, condition, self.posts.get(message.location, ())) is not None

    def _found(self, message: Message, condition: terms.Term, posts: Sequence[tuple[int, State]]) -> int | None:
        """The level of states that satisfy the condition.

        Increments are exact, and taken level by level. So an error condition is one that states of a certain level lead to: only
        these are asked about. What others may lead to is not refuted by that; who has sent it remains open.
        """
        expected = message.content.level if isinstance(message.content, Violated) and self.options.is_incremental else None
        for level, state in posts:
            if expected in (None, level) and self.analysis.proceed(state, condition):
                self._levels[message.id] = level
                return level
        return None

    @operator
    def combine(self, messages: Sequence[Message]) -> tuple[list[State], int]:
        """The states at the start, and the level of what follows from them."""
        if not messages and self.options.start == TOP:
            return [self.analysis.top()], 1
        level = 1 + max(message.level for message in messages)
        states: list[State] = []
        for message in messages:
            states += (each for each in self.analysis.deserialise(self.operators.unpack_post(message)) if each not in states)
        return combined(self.analysis, states, self.options.max_states, level), level

    # forwards

    def _forward(self, states: Sequence[State], level: int) -> None:
        self.counters["forward"] += 1
        if self.known:
            states = [self.analysis.assume(each, terms.conjunction(self.known), level) for each in states]
        reached = {bad for bad in self.transformer.bad if any(self.analysis.reaches(each, bad.guard) for each in states)}
        self._reached = self._reached | reached if self.options.is_incremental else reached
        for location in self.exits:
            found = (self.analysis.forward(state, self.transformer.exits[location], level) for state in states)
            self._leave(location, [post for post in found if post is not None], level)
        self._tell_violations(level - 1)

    def _leave(self, location: int, posts: list[State], level: int) -> None:
        """Says what holds at an exit now, unless it was said before."""
        data = self.operators.pack_post(self.analysis.serialise(posts))
        if self.options.is_incremental:
            if not posts:
                return
            self.posts.setdefault(location, []).extend((level, post) for post in posts)
        else:
            self.posts[location] = [(level, post) for post in posts]
            is_first = location not in self._sent
            if data == self._sent.get(location) or (is_first and not posts and self.options.start == BOTTOM):
                return
            self._sent[location] = data
        id = f"{self.block.id}@{self.counters['forward']}" if self.options.is_incremental else ""
        self.say(Kind.BLOCKPOSTCONDITION, location=location, id=id, terms=data, level=level)
        if self.options.start == BOTTOM and not self.options.is_incremental:  # there are more states than when they were refuted
            self._look_again(location, [(level, post) for post in posts])

    def _look_again(self, location: int, posts: Sequence[tuple[int, State]]) -> None:
        for message in [each for each in self._refuted.values() if each.location == location]:
            if self._found(message, terms.conjunction(self.operators.unpack_vcond(message)), posts) is not None:
                del self._refuted[message.id]
                self._backward(message)

    def _tell_violations(self, level: int) -> None:
        """An error condition for each error in the block that is reached (section 4.1.4)."""
        for bad in self.transformer.bad:
            if bad in self._reached and (bad not in self._told or self.options.repeats):
                self._told.add(bad)
                content = Violated(bad.mark.kind is MarkKind.ERROR, level)
                self._tell(self.analysis.violation(bad.guard, 1), 1, "", (), content)

    # backwards

    def _backward(self, message: Message) -> None:
        self.counters["backward"] += 1
        level = message.level + 1
        condition = terms.conjunction(self.operators.unpack_vcond(message))
        before = self.analysis.backward(self.transformer.exits[message.location], condition, level)
        if before is terms.FALSE:
            self.outbox.append(self._refutation(message))
        else:
            is_error = not isinstance(message.content, Violated) or message.content.is_error
            content = Violated(is_error, self._levels.pop(message.id, 0) - 1)
            self._tell(before, level, message.id, message.trace, content)

    def _tell(self, condition: terms.Term, level: int, parent: str, after: tuple[Step, ...], content: Violated) -> None:
        if self.options.direction == FORWARD:  # who does not exclude an error says so by being open
            return
        self._numbers += 1
        self.counters["conditions"] += 1
        id = f"{self.block.id}#{self._numbers}"
        data = self.operators.pack_vcond(terms.conjuncts(condition))
        trace = (Step(self.block.id, id), *after)
        kind = Kind.ERRORCONDITION
        self.say(kind, location=self.start, id=id, parent=parent, level=level, terms=data, trace=trace, content=content)

    def _refutation(self, message: Message) -> Message:
        kind = Kind.ERRORCONDITIONUNREACHABLE
        return self.message(kind, receiver=message.sender, location=message.location, parent=message.id)
