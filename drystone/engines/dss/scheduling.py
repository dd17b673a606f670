"""Wakes blocks up, in the order of the block graph, until nothing is left to say.

Postconditions come first, along the program: a block is woken when all blocks before its component have settled. Only then are
violations looked for. With `rounds`, all blocks wake up at the same time, with what the round before has sent, as in paper 2,
Table 1.
"""

from __future__ import annotations

from heapq import heappop, heappush

from drystone.engines.dss.coordinator import Ended
from drystone.engines.dss.journal import Journal
from drystone.engines.dss.messages import COORDINATOR, Kind, Message
from drystone.engines.dss.predicates import PredicateActor, PredicateOptions
from drystone.engines.dss.preparation import Blocks
from drystone.engines.outcome import Observer, Progress
from drystone.logic import terms
from drystone.logic.packing import unpack
from drystone.logic.terms import Term
from drystone.program.graphs import strongly_connected_components
from drystone.solvers.deadline import Deadline

_MORE_CUBES = 8  # times as many, if nothing moves and a violation is open

Key = tuple[Kind, str, int, str]


class Mailbox:
    """What waits for one block. A snapshot replaces the one before from the same block."""

    def __init__(self) -> None:
        self.waiting: dict[Key, Message] = {}

    def put(self, message: Message) -> None:
        key = (message.kind, message.sender, message.location, message.id)
        self.waiting.pop(key, None)
        self.waiting[key] = message

    def take(self) -> list[Message]:
        taken = list(self.waiting.values())
        self.waiting.clear()
        return taken

    def most_urgent(self) -> Kind | None:
        return min((key[0] for key in self.waiting), default=None)


class PredicateCoordinator:
    def __init__(
        self,
        blocks: Blocks,
        options: PredicateOptions,
        observer: Observer,
        journal: Journal | None = None,
        rounds: bool = False,
    ) -> None:
        self.blocks, self.options, self.observer = blocks, options, observer
        self.journal = journal or Journal()
        self.deadline = Deadline()
        self.rounds: list[dict[str, list[Message]]] | None = [] if rounds else None
        successors = {
            id: [other for location in block.transformer.exits for other in blocks.starting.get(location, ())]
            for id, block in blocks.blocks.items()
        }
        components = strongly_connected_components(successors)[::-1]
        self.order = {id: number for number, id in enumerate(id for component in components for id in component)}
        on_cycle = {id: component for component in components for id in component if len(component) > 1 or id in successors[id]}
        self.actors = {
            id: PredicateActor(block, blocks.ending.get(block.start, ()), on_cycle.get(id, ()), blocks.starting, options)
            for id, block in blocks.blocks.items()
        }
        self.mailboxes = {id: Mailbox() for id in self.actors}
        self._count = 0
        self._urgent: list[tuple[int, int, str]] = []
        self.known: dict[int, list[Term]] = {}
        self.posts: dict[tuple[str, int], bytes] = {}  # the newest of each block, by exit
        self.messages = self.bytes = self.attempts = 0
        self.ended: Ended | None = None

    def know(self, invariants: dict[int, list[Term]]) -> None:
        """Invariants that were found before."""
        self.known = invariants
        self.journal.know(invariants)
        for location, formulas in invariants.items():
            for id in self.blocks.starting.get(location, ()):
                self.actors[id].know(formulas)

    def run(self, deadline: Deadline) -> Ended:
        """Until the end, or the deadline; after that, all blocks conclude anew from what they know."""
        self.deadline = deadline
        for actor in self.actors.values():
            actor.queries.deadline = deadline
        max_cubes = self.options.max_cubes
        if self.attempts:
            self._begin_again(0)
        while True:
            self.attempts += 1
            self.ended = None
            for id in self.order:
                self._deliver(Message(kind=Kind.START, sender=COORDINATOR, receiver=id), id)
            if self.rounds is None:
                self._run_by_urgency()
            else:
                self._run_in_rounds()
            if self.ended is not None:
                return self.ended
            open_ = [id for id in self.order if self.actors[id].is_open]
            if not open_:
                return Ended(invariants=self._invariants())
            if max_cubes != self.options.max_cubes or not any(actor.counters["cartesian"] for actor in self.actors.values()):
                return Ended(reason=f"no progress at line {self.blocks.blocks[open_[0]].line}")
            max_cubes *= _MORE_CUBES  # the Cartesian abstraction may be what is too weak
            self._begin_again(max_cubes)

    def _begin_again(self, max_cubes: int) -> None:
        epoch = 1 + max(actor.epoch for actor in self.actors.values())
        self.journal.begin_again(epoch, max_cubes)
        for actor in self.actors.values():
            actor.begin_again(epoch, max_cubes)

    def _run_by_urgency(self) -> None:
        woken = 0
        while self.ended is None and self._urgent:
            if self.deadline.expired():
                self.ended = Ended(reason="out of time")
                return
            kind, _, id = heappop(self._urgent)
            mailbox = self.mailboxes[id]
            if mailbox.most_urgent() != kind:
                continue  # it was woken in the meantime
            taken = mailbox.take()
            answers = self.actors[id].receive(taken)
            self.journal.delivered(id, taken, answers)
            for message in answers:
                self._send(message)
            woken += 1
            if woken % 16 == 0:
                self.observer(Progress("summaries", self.counters()))

    def _run_in_rounds(self) -> None:
        assert self.rounds is not None
        while self.ended is None and any(mailbox.waiting for mailbox in self.mailboxes.values()):
            if self.deadline.expired():
                self.ended = Ended(reason="out of time")
                return
            taken = {id: mailbox.take() for id, mailbox in self.mailboxes.items()}
            sent: dict[str, list[Message]] = {}
            for id, messages in taken.items():
                if messages:
                    woken_by = [*messages, Message(kind=Kind.START, sender=COORDINATOR, receiver=id)]
                    sent[id] = self.actors[id].receive(woken_by)
                    self.journal.delivered(id, woken_by, sent[id])
            self.rounds.append(sent)
            for messages in sent.values():
                for message in messages:
                    self._send(message)

    # routing

    def _send(self, message: Message) -> None:
        if message.kind is Kind.ERROR and self.ended is None:
            self.ended = Ended(reason=str(message.payload["reason"]))
        elif message.kind is Kind.RESULT and (self.ended is None or self.ended.trace is None):
            self.ended = Ended(trace=message.trace)
        elif message.kind is Kind.BLOCKPOSTCONDITION:
            self.posts[message.sender, message.location] = message.terms
        for receiver in self._receivers(message):
            if message.sender != message.receiver:  # a block's reminder to itself is no message
                self.messages += 1
                self.bytes += len(message.terms)
                self.journal.sent(message, receiver)
            self._deliver(message, receiver)

    def _receivers(self, message: Message) -> list[str]:
        """By location: violation conditions go against the flow of control, postconditions with it."""
        if message.receiver:
            return [message.receiver]
        table = self.blocks.ending if message.kind is Kind.ERRORCONDITION else self.blocks.starting
        return table.get(message.location, [])

    def _deliver(self, message: Message, receiver: str) -> None:
        if receiver == COORDINATOR:
            self.journal.delivered(receiver, [message], [])
            return
        self.mailboxes[receiver].put(message)
        self._count += 1  # without a first-come order, a component that never settles would keep others from looking
        position = self.order[receiver] if message.kind is Kind.BLOCKPOSTCONDITION else self._count
        heappush(self._urgent, (int(message.kind), position, receiver))

    # the end

    def _invariants(self) -> dict[int, list[Term]]:
        """At each cut point the disjunction of what the blocks that end there say: inductive, since every block has seen it."""
        found: dict[int, list[Term]] = {}
        for location in self.blocks.locations:
            posts = [self.posts.get((id, location), b"") for id in self.blocks.ending.get(location, ())]
            cubes = [cube for data in posts if data for cube in unpack(data)]
            found[location] = [*self.known.get(location, ()), *terms.conjuncts(terms.disjunction(cubes))]
        return found

    def counters(self) -> dict[str, int]:
        total = {"messages": self.messages, "bytes": self.bytes}
        total["queries"] = sum(actor.queries.count for actor in self.actors.values())
        total["predicates"] = sum(len(actor.predicates) for actor in self.actors.values())
        total["epochs"] = sum(actor.epoch for actor in self.actors.values())
        for actor in self.actors.values():
            for name, count in actor.counters.items():
                total[name] = total.get(name, 0) + count
        return total
