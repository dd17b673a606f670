"""Brings the workers of `dcpa` together, until one of the roles without a block has a result.

A worker takes one message at a time, the most urgent first (Kettl 2022, Table 13). Where a program has loops, an error condition
may go backwards for ever, and so may postconditions forwards: there, what has come a shorter way goes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.graphs import strongly_connected_components
from drystone.engines.dcpa.domain import DistributedDomain
from drystone.engines.dcpa.options import BACKWARD, FORWARD, MANY_PREDECESSORS, DcpaOptions, WorkerOptions
from drystone.engines.dcpa.roles import ROOT, ResultWorker, RootWorker, TimeoutWorker
from drystone.engines.dss.coordinator import Coordinator, Ended, HostLost, Means
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.messages import COORDINATOR, POSTCONDITIONS, Failure, Kind, Message, Step, Violated
from drystone.engines.dss.postconditions.options import BOTTOM, TOP
from drystone.engines.dss.predicates.traces import Traces
from drystone.engines.dss.preparation import Blocks, ProgramBlock
from drystone.logic import terms
from drystone.logic.packing import unpack
from drystone.logic.terms import FALSE, Term
from drystone.solvers import Answer, make_solver
from drystone.symbolic.transformers import ENTRY, Exit, Transformer

_FIRST = (Kind.INVARIANT, Kind.START, Kind.RESULT, Kind.ERROR)
_ERRORS_FIRST = (*_FIRST, Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE, Kind.BLOCKPOSTCONDITION)
"""Kettl 2022, Table 13; what others have found, and the first forward analysis of a worker, come before all messages."""
_POSTCONDITIONS_FIRST = (*_FIRST, Kind.BLOCKPOSTCONDITION, Kind.ERRORCONDITIONUNREACHABLE, Kind.ERRORCONDITION)

_LATER = 3  # blocks further, as it were
_SECONDS = 20.0  # for a question about a trace

Key = tuple[Kind, str, int, str]


def worker_options(domain: DistributedDomain, options: DcpaOptions, start: str, has_loops: bool) -> WorkerOptions:
    """From no state but the initial one, states become more and more. What is exact need not be said twice; of other domains, all
    is said together, so that it ends."""
    switches = options.switches
    return domain.options(
        options.solver,
        options.seed,
        options.seconds_per_query,
        start,
        options.direction,
        options.max_states or domain.max_states,
        MANY_PREDECESSORS if "skip-checks" in switches else 0,
        "impatient" not in switches,
        "repeat" in switches or (has_loops and "repeat-in-loops" in switches),
        "one-by-one" in switches,
        domain.is_exact and start == BOTTOM,
    )


def has_loops(blocks: Blocks) -> bool:
    successors = blocks.successors()
    return any(len(each) > 1 or each[0] in successors[each[0]] for each in strongly_connected_components(successors))


def worker_specs(blocks: Blocks, domain: DistributedDomain, options: DcpaOptions, start: str) -> dict[str, Spec]:
    """Every exit has the values of all that is live there, also of what has not changed."""
    exits = tuple(blocks.starting)
    chosen = worker_options(domain, options, start, has_loops(blocks))
    live = {location: blocks.system.live(location) for location in blocks.locations}
    specs = {}
    for component in strongly_connected_components(blocks.successors())[::-1]:
        for id in component:
            block = blocks.blocks[id]
            specs[id] = Spec(_completed(block, live), tuple(blocks.ending.get(block.start, ())), chosen, exits=exits)
    return specs


def _completed(block: ProgramBlock, live: dict[int, list[str]]) -> ProgramBlock:
    def with_all(location: int, exit: Exit) -> Exit:
        names = [*exit.values, *(name for name in live.get(location, ()) if name not in exit.values)]
        unchanged = {name: exit.values[name] if name in exit.values else terms.state(name, exit.sorts[name]) for name in names}
        return Exit(exit.guard, unchanged, exit.sorts)

    old = block.transformer
    exits = {location: with_all(location, exit) for location, exit in old.exits.items()}
    return msgspec.structs.replace(block, transformer=Transformer(old.start, exits, old.bad))


def is_unmodelled(message: Message) -> bool:
    """An error condition of what is no error."""
    return isinstance(message.content, Violated) and not message.content.is_error


class DcpaCoordinator(Coordinator):
    def __init__(self, blocks: Blocks, domain: DistributedDomain, options: DcpaOptions, start: str, means: Means) -> None:
        self.domain, self.options, self.start = domain, options, start
        self.has_loops = has_loops(blocks)
        self.traces = Traces(blocks, options.solver)
        precedence = _POSTCONDITIONS_FIRST if means.precedence == POSTCONDITIONS else _ERRORS_FIRST
        self._rank = {kind: rank for rank, kind in enumerate(precedence)}
        super().__init__(blocks, worker_specs(blocks, domain, options, start), means)
        self.rounds: list[dict[str, list[Message]]] = []  # what each block said in each round
        self.is_due: Callable[[], bool] = lambda: False  # are others to go on? asked after each step
        self._is_paused = self._began = self.is_quiet = False
        self._epoch = 0
        self._count = 0
        self._reset()

    def _reset(self) -> None:
        self.root, self.result = RootWorker(self._is_possible), ResultWorker()
        self.posts: dict[tuple[str, int], Message] = {}  # the newest of each block, by exit
        self.unmodelled: tuple[Step, ...] | None = None
        self.levels = {Kind.BLOCKPOSTCONDITION: 0, Kind.ERRORCONDITION: 0}  # the highest
        self.waiting: dict[str, dict[Key, Message]] = {id: {} for id in self.specs}
        self._urgent: list[list[tuple[int, int, int, str, Key]]] = [[] for _ in range(self.hosts.count)]

    def know(self, invariants: dict[int, list[Term]]) -> None:
        """Before it begins."""
        self.known = invariants

    def run(self, deadline: Deadline) -> Ended:
        """Until there is a result; when its time is over, or others are due, it can go on."""
        self.deadline, self.timeout, self._is_paused = deadline, TimeoutWorker(deadline), False
        while True:
            self.ended = None
            try:
                if not self._began:
                    self._begin()
                self._deliver()
                break
            except HostLost:  # what its workers knew is gone, and others have answered to it: all begin again
                self._began = False
                if self.ended is not None:
                    break
        if self._is_paused and self.ended is None:
            return Ended(is_paused=True)
        ended = self.ended or self._quiet()
        if ended.is_open and self.unmodelled is not None:
            return Ended(trace=self.unmodelled)
        return ended

    def _begin(self) -> None:
        self._began = True
        self._epoch += 1
        self._reset()
        for id in self.specs:
            self._tell_known(id)
            self._put(Message(kind=Kind.START, sender=COORDINATOR, receiver=id, epoch=self._epoch), id)

    # the end

    def _one_step(self) -> bool:
        return super()._one_step() and self._goes_on()

    def _one_round(self) -> bool:
        return super()._one_round() and self._goes_on()

    def _goes_on(self) -> bool:
        """All that was answered has been routed: what a worker says and how it is belong together."""
        if self.ended is None and (too_late := self.timeout.result()) is not None:
            self._take(too_late)
        if self.ended is None and self.is_proved_from_any_state:
            self.ended = Ended(invariants=self.postconditions())
        self._is_paused = self.is_due()
        return not self._is_paused

    @property
    def is_proved_from_any_state(self) -> bool:
        """All workers have begun with all states, so whatever is refuted is refuted for good: messages that are on their way can
        only exclude more. The program has no error if no worker gets to one, or if all error conditions are refuted."""
        if self.start != TOP or any(each.epoch != self._epoch for each in self.status.values()):
            return False
        return not any(each.is_open for each in self.status.values()) or self._is_refuted

    @property
    def _is_refuted(self) -> bool:
        return self.result.is_balanced and self.options.direction != FORWARD

    def _quiet(self) -> Ended:
        """Nothing is on its way."""
        self.is_quiet = True
        open_ = [id for id, status in self.status.items() if status.is_open]
        is_refuted = self._is_refuted and not (self.domain.is_exact and self.start != TOP)  # then, what is open is reached
        if not open_ or is_refuted:
            return Ended(invariants=self.postconditions())
        line = self.blocks.blocks[open_[0]].line
        return Ended(reason=f"an error in the block of line {line} is not excluded, and nothing is left to say")

    def postconditions(self) -> dict[int, list[Term]]:
        """At each cut point the disjunction of what blocks that end there have said; inputs are values that there are."""
        found: dict[int, list[Term]] = {}
        if self.domain.is_exact:  # in words that no certificate has
            return found
        for location in self.blocks.locations:
            ending = self.blocks.ending.get(location, ())
            posts = [self.posts.get((id, location)) for id in ending]
            said = [self.domain.post(unpack(post.terms) if post.terms else []) for post in posts if post is not None]
            is_complete = len(said) == len(ending) or self.start != TOP
            found[location] = list(terms.conjuncts(terms.disjunction(said))) if is_complete else []
        return found

    def _is_possible(self, message: Message) -> bool:
        is_asked = self.domain.is_exact and self.options.direction != BACKWARD  # by the worker of the entry
        if is_asked or is_unmodelled(message):
            return True
        condition = self.traces.condition(tuple(step.block for step in message.trace))
        if condition is None or condition is FALSE:  # too large: who follows the trace has other means
            return condition is None
        limit = math.inf if self.means.rounds else min(_SECONDS, self.deadline.remaining())
        return make_solver(self.options.solver).check([condition], limit) is not Answer.UNSAT

    # what waits

    def _put(self, message: Message, receiver: str) -> None:
        key = (message.kind, message.sender, message.location, message.id)  # increments have names
        waiting = self.waiting[receiver]
        waiting.pop(key, None)  # a newer postcondition takes the place of the one before
        waiting[key] = message
        self._count += 1
        heappush(self._urgent[self.placement[receiver]], (*self._urgency(message), self._count, receiver, key))

    def _urgency(self, message: Message) -> tuple[int, int]:
        """An error is looked for before what is not modelled, which decides nothing."""
        way = message.level if self.has_loops or self.start != TOP else 0
        return way + _LATER * is_unmodelled(message), self._rank[message.kind]

    def _next(self, host: int) -> tuple[str, Sequence[Message]] | None:
        urgent = self._urgent[host]
        while urgent:
            _, _, _, id, key = heappop(urgent)
            waiting = self.waiting[id]
            if key not in waiting:
                continue
            if key[0] is not Kind.BLOCKPOSTCONDITION or "one-by-one" in self.options.switches:
                return id, [waiting.pop(key)]
            return id, [waiting.pop(each) for each in self._together(key, waiting)]
        return None

    def _together(self, first: Key, waiting: dict[Key, Message]) -> list[Key]:
        """The fast worker takes all postconditions; of increments, those that have come an equally long way, as if unrolled."""
        posts = [key for key in waiting if key[0] is Kind.BLOCKPOSTCONDITION]
        if not waiting[first].id:
            return posts
        return [key for key in posts if waiting[key].level == waiting[first].level]

    def _round(self) -> dict[str, Sequence[Message]]:
        found: dict[str, Sequence[Message]] = {}
        for id, waiting in self.waiting.items():
            if waiting:
                found[id] = sorted(waiting.values(), key=self._urgency)
                waiting.clear()
        if found:
            self.rounds.append({id: [] for id in found})
        return found

    def _feed(self, id: str) -> None:
        """All begin again anyway."""

    # routing

    def _is_void(self, message: Message) -> bool:
        return message.sender in self.specs and message.epoch != self._epoch

    def _note(self, message: Message) -> None:
        if message.kind in self.levels:
            self.levels[message.kind] = max(self.levels[message.kind], message.level)
        if message.kind is Kind.BLOCKPOSTCONDITION:
            self.posts[message.sender, message.location] = message
        if self.rounds and message.sender in self.rounds[-1]:
            self.rounds[-1][message.sender].append(message)
        answering = self.blocks.ending.get(message.location, ()) if message.location != ENTRY else (ROOT,)
        self.result.react(message, answering)

    def _receivers(self, message: Message) -> Collection[str]:
        if message.kind is Kind.ERRORCONDITION and message.location == ENTRY:
            return [COORDINATOR]
        return [] if message.receiver == ROOT else super()._receivers(message)

    def _take(self, message: Message) -> None:
        if isinstance(message.content, Failure):
            self.ended = self.ended or Ended(reason=message.content.reason)
        elif message.kind is Kind.RESULT and (self.ended is None or self.ended.trace is None):
            self.ended = Ended(trace=message.trace)
        elif message.kind is Kind.ERRORCONDITION and is_unmodelled(message):
            self.unmodelled = self.unmodelled or message.trace
        elif (answer := self.root.react(message)) is not None:
            self._note(answer)
            if answer.kind is Kind.RESULT:
                self._take(answer)

    def counters(self) -> dict[str, int]:
        return {**super().counters(), "spurious": self.root.spurious, "balanced": int(self.result.has_balanced)}
