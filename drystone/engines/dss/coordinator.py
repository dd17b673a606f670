"""Routes messages between blocks, raises the level at quiescence, and sees the end.

One level: blocks look for states from which they get to an error and oblige their predecessors, until all is refuted. Then every
lemma is tried one level higher. Where a level and the next one have the same lemmas, these are invariants: TRUE, if the
certificate confirms it. A concrete counterexample ends the search; an abstract one gives new predicates, and the level
is searched again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from drystone.engines.dss.journal import Journal
from drystone.engines.dss.lemmas import ActorOptions, LemmaActor
from drystone.engines.dss.messages import COORDINATOR, Kind, Message, Step
from drystone.engines.dss.preparation import Blocks
from drystone.engines.outcome import Observer, Progress
from drystone.logic import terms
from drystone.logic.packing import unpack
from drystone.logic.terms import Term
from drystone.solvers.deadline import Deadline

_CERTAIN_FIRST = 1_000_000


@dataclass
class _Lemma:
    location: int
    data: bytes
    level: int
    tried: tuple[int, int] = (0, 0)  # the level from which it could not be pushed, and what was known then


@dataclass
class Ended:
    """How the search ended: with invariants per cut point, a trace of blocks to the error, or neither, for a reason."""

    invariants: dict[int, list[Term]] | None = None
    trace: tuple[Step, ...] | None = None
    reason: str = ""

    @property
    def is_open(self) -> bool:
        return self.invariants is None and self.trace is None


@dataclass
class Queue:
    """The inline transport: one process, always the most urgent message first, so runs are repeated exactly."""

    waiting: list[tuple[tuple[int, int, int], int, Message, str]] = field(default_factory=list)
    count: int = 0

    def put(self, message: Message, receiver: str) -> None:
        self.count += 1
        deepest_first = message.level if message.kind is Kind.ERRORCONDITION else 0
        if message.payload.get("certain"):
            deepest_first -= _CERTAIN_FIRST  # what a refinement has found is settled before the search goes on
        heappush(self.waiting, ((int(message.kind), deepest_first, self.count), self.count, message, receiver))

    def get(self) -> tuple[Message, str] | None:
        if not self.waiting:
            return None
        _, _, message, receiver = heappop(self.waiting)
        return message, receiver

    def clear(self) -> None:
        """Drops what an epoch has asked; lemmas stay true."""
        self.waiting = [item for item in self.waiting if item[2].kind is Kind.BLOCKPOSTCONDITION]
        heapify(self.waiting)


class LemmaCoordinator:
    def __init__(
        self,
        blocks: Blocks,
        options: ActorOptions,
        observer: Observer,
        journal: Journal | None = None,
    ) -> None:
        self.blocks, self.deadline, self.observer = blocks, Deadline(), observer
        self.journal = journal or Journal()
        self.actors = {
            block.id: LemmaActor(block, blocks.ending.get(block.start, ()), options) for block in blocks.blocks.values()
        }
        self.queue = Queue()
        self.lemmas: dict[tuple[int, bytes], _Lemma] = {}
        self.level = self.epoch = 0
        self.messages = self.bytes = self.refinements = 0
        self.ended: Ended | None = None
        self.known: dict[int, list[Term]] = {}
        self._changes: dict[tuple[int, int], int] = {}  # how many lemmas have come to a level of a location

    def know(self, invariants: dict[int, list[Term]]) -> None:
        """Invariants that were found before."""
        self.known = invariants
        for lemma in self.lemmas.values():
            lemma.tried = (0, 0)
        self.journal.know(invariants)
        for location, formulas in invariants.items():
            for id in self.blocks.starting.get(location, ()):
                self.actors[id].know(formulas)

    def run(self, deadline: Deadline) -> Ended:
        """Searches until the end, or the deadline; after that, it goes on where it was."""
        self.deadline = deadline
        for actor in self.actors.values():
            actor.deadline = deadline
        resumed = self.ended is not None
        self.ended = None
        while self.ended is None:
            self.level += 0 if resumed else 1
            resumed = False
            self._search()
            if self.ended is None:
                self._push()
        return self.ended

    # one level

    def _search(self) -> None:
        """Until no block can get to an error within so many blocks."""
        while self.ended is None:
            self._start_epoch()
            for id in self.actors:
                self._send(Message(kind=Kind.START, sender=COORDINATOR, receiver=id, level=self.level, epoch=self.epoch))
            found = self._deliver()
            if found is None:
                open_ = [id for id, actor in self.actors.items() if actor.obligations]
                if open_ and self.ended is None:
                    self.ended = Ended(reason=f"no progress in block {open_[0]}")
                return
            if found.payload.get("exact"):
                self.ended = Ended(trace=found.trace)
            else:
                self._refine(found)

    def _refine(self, found: Message) -> None:
        """Follows an abstract counterexample concretely."""
        self.refinements += 1
        self._start_epoch()
        last = len(found.trace) - 1
        self._send(
            Message(
                kind=Kind.ERRORCONDITION,
                sender=COORDINATOR,
                receiver=found.trace[last].block,
                level=self.level,
                epoch=self.epoch,
                trace=found.trace,
                payload={"exact": 1, "position": last},
            )
        )
        answer = self._deliver()
        if self.ended is None and answer is not None and answer.payload.get("reached"):
            self.ended = Ended(trace=answer.trace)

    def _start_epoch(self) -> None:
        self.epoch += 1
        self.queue.clear()

    def _deliver(self) -> Message | None:
        """Delivers messages until a block has a result, or all is quiet."""
        while self.ended is None:
            if self.deadline.expired():
                self.ended = Ended(reason="out of time")
                return None
            item = self.queue.get()
            if item is None:
                return None
            message, receiver = item
            if receiver == COORDINATOR:
                self.journal.delivered(receiver, [message], [])
                if message.kind is Kind.ERROR:
                    self.ended = Ended(reason=str(message.payload["reason"]))
                    return None
                if message.kind is Kind.RESULT:
                    return message
                self._pushed(message)
                continue
            answers = self.actors[receiver].receive(message)
            self.journal.delivered(receiver, [message], answers)
            for answer in answers:
                self._send(answer)
            if self.messages % 64 == 0:
                self.observer(Progress("summaries", self.counters()))
        return None

    def _send(self, message: Message) -> None:
        if message.kind is Kind.BLOCKPOSTCONDITION:
            self._note(message)
        for receiver in self._receivers(message):
            self.messages += 1
            self.bytes += len(message.terms)
            self.journal.sent(message, receiver)
            self.queue.put(message, receiver)

    def _receivers(self, message: Message) -> list[str]:
        if message.receiver:
            return [message.receiver]
        table = self.blocks.ending if message.kind is Kind.ERRORCONDITION else self.blocks.starting
        return [id for id in table.get(message.location, ()) if id != message.sender]

    def _note(self, message: Message) -> None:
        lemma = self.lemmas.setdefault((message.location, message.terms), _Lemma(message.location, message.terms, 0))
        if message.level > lemma.level:
            lemma.level = message.level
            place = (message.location, message.level)
            self._changes[place] = self._changes.get(place, 0) + 1

    # between levels

    def _push(self) -> None:
        """Tries every lemma one level higher; where none is left behind, the lemmas above are invariants."""
        for level in range(1, self.level + 1):
            here = [lemma for lemma in self.lemmas.values() if lemma.level == level]
            self._start_epoch()
            self.asked: dict[str, tuple[_Lemma, set[str]]] = {}
            for number, lemma in enumerate(here):
                before = [self.blocks.blocks[id].start for id in self.blocks.ending.get(lemma.location, ())]
                tried = (level, sum(self._changes.get((start, each), 0) for start in before for each in self._above(level)))
                if lemma.tried == tried:
                    continue  # nothing is known now that was not known then
                lemma.tried = tried
                id = f"push {number}"
                self.asked[id] = (lemma, set(self.blocks.ending.get(lemma.location, ())))
                self._send(
                    Message(
                        kind=Kind.ERRORCONDITION,
                        sender=COORDINATOR,
                        location=lemma.location,
                        id=id,
                        level=level + 1,
                        epoch=self.epoch,
                        terms=lemma.data,
                        payload={"push": 1},
                    )
                )
            self._deliver()
            if self.ended is not None:
                return
            if all(lemma.level > level for lemma in here):
                self.ended = Ended(invariants=self._invariants(level + 1))
                return

    def _above(self, level: int) -> range:
        return range(level, self.level + 2)

    def _pushed(self, message: Message) -> None:
        """A block's answer about a lemma; it is pushed when all have refuted its negation."""
        lemma, unanswered = self.asked[message.parent]
        if message.payload.get("reachable"):
            return
        unanswered.discard(message.sender)
        if not unanswered:
            self._send(
                Message(
                    kind=Kind.BLOCKPOSTCONDITION,
                    sender=COORDINATOR,
                    location=lemma.location,
                    level=lemma.level + 1,
                    epoch=self.epoch,
                    terms=lemma.data,
                )
            )

    def _invariants(self, level: int) -> dict[int, list[Term]]:
        found = {location: list(formulas) for location, formulas in self.known.items()}
        for lemma in self.lemmas.values():
            if lemma.level >= level:
                cube = unpack(lemma.data) if lemma.data else []
                found.setdefault(lemma.location, []).append(terms.negate(terms.conjunction(cube)))
        return found

    def counters(self) -> dict[str, int]:
        total = {"level": self.level, "messages": self.messages, "bytes": self.bytes, "refinements": self.refinements}
        for actor in self.actors.values():
            for name, count in actor.counters.items():
                total[name] = total.get(name, 0) + count
        total["predicates"] = sum(len(actor.predicates) for actor in self.actors.values())
        return total
