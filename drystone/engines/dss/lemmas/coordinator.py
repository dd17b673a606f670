"""Lemmas: raises the level at quiescence, and sees the end.

One level: blocks look for states from which they get to an error and oblige their predecessors, until all is refuted. Then every
lemma is tried one level higher. Where a level and the next one have the same lemmas, these are invariants: TRUE, if the
certificate confirms it. A concrete counterexample ends the search; an abstract one gives new predicates, and the level
is searched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.graphs import strongly_connected_components
from drystone.engines.dss.coordinator import Coordinator, Ended, HostLost, Means
from drystone.engines.dss.domain import Domain
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.lemmas.analysis import LemmaOptions
from drystone.engines.dss.messages import (
    COORDINATOR,
    ERRORS,
    Certain,
    Concrete,
    Failure,
    Kind,
    Message,
    Push,
    Pushed,
    Reached,
    Refined,
    packed,
)
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import Blocks
from drystone.logic import terms
from drystone.logic.packing import unpack
from drystone.logic.terms import TRUE, Term
from drystone.symbolic.transformers import ENTRY

_CERTAIN_FIRST = 1_000_000


class _Lemma(msgspec.Struct):
    location: int
    data: bytes
    level: int
    tried: tuple[int, int] = (0, 0)  # the level from which it could not be pushed, and what was known then


class _Try(msgspec.Struct):
    """A lemma that is tried one level higher, and the blocks that have not said yet that it holds there."""

    lemma: _Lemma
    unanswered: set[str]


_Urgency = tuple[int, int]


def urgency(message: Message, errors_first: bool = False) -> _Urgency:
    """Less is more urgent. Even if error conditions are, lemmas come before refutations: who is refuted, and does not know why,
    would ask again."""
    deepest_first = message.level if message.kind is Kind.ERRORCONDITION else 0
    if isinstance(message.content, Certain):
        deepest_first -= _CERTAIN_FIRST  # what a refinement has found is settled before the search goes on
    is_first = errors_first and message.kind is Kind.ERRORCONDITION
    return int(Kind.INVARIANT if is_first else message.kind), deepest_first


class Queue:
    """What waits for the blocks of one host: by the part of the program that it is about, the most urgent message first."""

    def __init__(self, errors_first: bool) -> None:
        self.errors_first = errors_first
        self.parts: dict[int, list[tuple[_Urgency, int, Message, str]]] = {}

    def put(self, message: Message, receiver: str, part: int, count: int) -> None:
        heappush(self.parts.setdefault(part, []), (urgency(message, self.errors_first), count, message, receiver))

    def most_urgent(self) -> Iterator[tuple[int, _Urgency]]:
        """Of each part."""
        return ((part, waiting[0][0]) for part, waiting in self.parts.items() if waiting)

    def get(self, may_be_done: Callable[[int, _Urgency], bool] = lambda part, urgency: True) -> tuple[Message, str] | None:
        able = [(waiting[0][:2], part) for part, waiting in self.parts.items() if waiting and may_be_done(part, waiting[0][0])]
        if not able:
            return None
        _, part = min(able)
        _, _, message, receiver = heappop(self.parts[part])
        return message, receiver

    def clear(self) -> None:
        """Drops what an epoch has asked; what is true stays true."""
        for part, waiting in self.parts.items():
            self.parts[part] = [item for item in waiting if item[2].kind in _TIMELESS]
            heapify(self.parts[part])


_TIMELESS = (Kind.BLOCKPOSTCONDITION, Kind.INVARIANT)


def _is_exact(result: Message) -> bool:
    return isinstance(result.content, Reached) and result.content.exact


def lemma_specs(blocks: Blocks, options: LemmaOptions) -> dict[str, Spec]:
    return {id: Spec(block, tuple(blocks.ending.get(block.start, ())), options) for id, block in blocks.blocks.items()}


class LemmaCoordinator(Coordinator):
    _hears_itself = False

    def __init__(self, blocks: Blocks, options: LemmaOptions, means: Means) -> None:
        super().__init__(blocks, lemma_specs(blocks, options), means)
        self.errors_first = means.precedence == ERRORS
        self.queues = [Queue(self.errors_first) for _ in range(self.hosts.count)]
        self.lemmas: dict[tuple[int, bytes], _Lemma] = {}
        self.level = _depth(blocks) - 1  # below, blocks that lie deep would look at everything as reachable
        self.epoch = self.refinements = 0
        self.asked: dict[str, tuple[str, list[_Try]]] = {}  # by question: who was asked, and about which lemmas
        self._results: list[Message] = []
        self._is_patient = self.hosts.count > 1 or means.rounds
        self._count = 0
        self._parts = _parts(blocks)
        self._changes: dict[tuple[int, int], int] = {}  # how many lemmas have come to a level of a location

    def know(self, invariants: dict[int, list[Term]]) -> None:
        for lemma in self.lemmas.values():
            lemma.tried = (0, 0)
        super().know(invariants)

    def run(self, deadline: Deadline) -> Ended:
        """Searches until the end, or the deadline; after that, it goes on where it was."""
        self.deadline = deadline
        repeat = self.ended is not None
        self.ended = None
        while self.ended is None:
            self.level += 0 if repeat else 1
            try:
                repeat = False
                self._search()
                if self.ended is None:
                    self._push()
            except HostLost:
                repeat = True
        return self.ended

    # one level

    def _search(self) -> None:
        """Until no block can get to an error within so many blocks."""
        while self.ended is None:
            self._start_epoch()
            for id in self.specs:
                self._send(Message(kind=Kind.START, sender=COORDINATOR, receiver=id, level=self.level, epoch=self.epoch))
            found = self._until_results()
            if self.ended is not None:
                return
            if not found:
                open_ = [id for id, status in self.status.items() if status.is_open]
                if open_:
                    self.ended = Ended(reason=f"no progress in block {open_[0]}")
                return
            for each in found:
                if _is_exact(each):
                    self.ended = Ended(trace=each.trace)
                    return
            self._refine(found)

    def _refine(self, found: list[Message]) -> None:
        """Follows abstract counterexamples concretely, one for each block that gets to an error."""
        self._start_epoch()
        for trace in {each.trace[-1].block: each.trace for each in reversed(found)}.values():
            self.refinements += 1
            last = len(trace) - 1
            self._send(
                Message(
                    kind=Kind.ERRORCONDITION,
                    sender=COORDINATOR,
                    receiver=trace[last].block,
                    level=self.level,
                    epoch=self.epoch,
                    trace=trace,
                    content=Concrete(last),
                )
            )
        for answer in self._until_results():
            if self.ended is None and isinstance(answer.content, Reached):
                self.ended = Ended(trace=answer.trace)

    def _start_epoch(self) -> None:
        self.epoch += 1
        for queue in self.queues:
            queue.clear()

    def _until_results(self) -> list[Message]:
        """What blocks have found: the first thing, or, where other blocks can go on at the same time, all until all is quiet."""
        self._results = []
        self._deliver()
        return self._results

    # what every coordinator has to say

    def _put(self, message: Message, receiver: str) -> None:
        self._count += 1
        self.queues[self.placement[receiver]].put(message, receiver, self._part(message, receiver), self._count)

    def _part(self, message: Message, receiver: str) -> int:
        return self._parts[message.location if message.location in self._parts else self.specs[receiver].block.start]

    def _next(self, host: int) -> tuple[str, Sequence[Message]] | None:
        """What is on the way or waits elsewhere may make all that is less urgent needless, in the same part of the program."""
        lowest: dict[int, _Urgency] = {}
        for queue in self.queues:
            for part, first in queue.most_urgent():
                lowest[part] = min(first, lowest.get(part, first))
        for call in self._at.values():
            part, first = self._part(call.messages[0], call.block), urgency(call.messages[0], self.errors_first)
            lowest[part] = min(first, lowest.get(part, first))
        item = self.queues[host].get(lambda part, urgency: urgency <= lowest[part])
        return None if item is None else (item[1], [item[0]])

    def _round(self) -> dict[str, Sequence[Message]]:
        found: dict[str, list[Message]] = {id: [] for id in self.specs}
        for queue in self.queues:
            while (item := queue.get()) is not None:
                found[item[1]].append(item[0])
        return {id: messages for id, messages in found.items() if messages}

    def _take(self, message: Message) -> None:
        match message.content:
            case Failure(reason):
                self.ended = self.ended or Ended(reason=reason)
            case Reached() | Refined():
                self._results.append(message)
            case Pushed(refuted):
                self._pushed(message.parent, refuted)

    def _is_over(self) -> bool:
        return self.ended is not None or any(not self._is_patient or _is_exact(each) for each in self._results)

    def _is_void(self, message: Message) -> bool:
        return message.epoch < self.epoch and message.kind not in _TIMELESS

    def _note(self, message: Message) -> None:
        if message.kind is not Kind.BLOCKPOSTCONDITION:
            return
        lemma = self.lemmas.setdefault((message.location, message.terms), _Lemma(message.location, message.terms, 0))
        if message.level > lemma.level:
            lemma.level = message.level
            place = (message.location, message.level)
            self._changes[place] = self._changes.get(place, 0) + 1

    def _feed(self, id: str) -> None:
        for lemma in self.lemmas.values():
            if lemma.location == self.specs[id].block.start:
                self._send(self._lemma(lemma, lemma.level, id))

    def _lemma(self, lemma: _Lemma, level: int, receiver: str = "") -> Message:
        return Message(
            kind=Kind.BLOCKPOSTCONDITION,
            sender=COORDINATOR,
            receiver=receiver,
            location=lemma.location,
            level=level,
            epoch=self.epoch,
            terms=lemma.data,
        )

    # between levels

    def _push(self) -> None:
        """Tries every lemma one level higher; where none is left behind, the lemmas above are invariants."""
        for level in range(1, self.level + 1):
            here = [lemma for lemma in self.lemmas.values() if lemma.level == level]
            self._start_epoch()
            self.asked.clear()
            by_location: dict[int, list[_Lemma]] = {}
            for lemma in here:
                before = [self.blocks.blocks[id].start for id in self.blocks.ending.get(lemma.location, ())]
                tried = (level, sum(self._changes.get((start, each), 0) for start in before for each in self._above(level)))
                if lemma.tried != tried:  # else nothing is known now that was not known then
                    lemma.tried = tried
                    by_location.setdefault(lemma.location, []).append(lemma)
            try:
                for location, lemmas in by_location.items():
                    self._try(location, lemmas, level + 1)
                self._until_results()
            except HostLost:
                self._forget_tries(by_location)
                raise
            if self.ended is not None:
                self._forget_tries(by_location)
                return
            if all(lemma.level > level for lemma in here):
                self.ended = Ended(invariants=self._invariants(level + 1))
                return

    def _forget_tries(self, by_location: Mapping[int, Sequence[_Lemma]]) -> None:
        """The answers have not all come."""
        for lemmas in by_location.values():
            for lemma in lemmas:
                lemma.tried = (0, 0)

    def _above(self, level: int) -> range:
        return range(level, self.level + 2)

    def _try(self, location: int, lemmas: list[_Lemma], level: int) -> None:
        """Asks the blocks that end at the location which of the lemmas hold after them, up to this level. Not those that begin
        the program: what they exclude once, they exclude at every level."""
        asked = [id for id in self.blocks.ending.get(location, ()) if self.blocks.blocks[id].start != ENTRY]
        tries = [_Try(lemma, set(asked)) for lemma in lemmas]
        cubes = [terms.conjunction(unpack(lemma.data)) if lemma.data else TRUE for lemma in lemmas]
        for each in tries if not asked else ():
            self._send(self._lemma(each.lemma, level))
        for block in asked:
            id = f"push {location} {block}"
            self.asked[id] = (block, tries)
            message = Message(
                kind=Kind.ERRORCONDITION,
                sender=COORDINATOR,
                receiver=block,
                location=location,
                id=id,
                level=level,
                epoch=self.epoch,
                terms=packed(cubes),
                content=Push(),
            )
            self._send(message)

    def _pushed(self, question: str, refuted: bytes) -> None:
        """A block's answer about lemmas; those are pushed whose negation all have refuted."""
        block, tries = self.asked[question]
        bits = int.from_bytes(refuted, "little")
        for number, each in enumerate(tries):
            if bits >> number & 1:
                each.unanswered.discard(block)
                if not each.unanswered:
                    self._send(self._lemma(each.lemma, each.lemma.level + 1))

    def _invariants(self, level: int) -> dict[int, list[Term]]:
        found = {location: list(formulas) for location, formulas in self.known.items()}
        for lemma in self.lemmas.values():
            if lemma.level >= level:
                cube = unpack(lemma.data) if lemma.data else []
                found.setdefault(lemma.location, []).append(terms.negate(terms.conjunction(cube)))
        return found

    def counters(self) -> dict[str, int]:
        return {"level": self.level, "refinements": self.refinements, **super().counters()}


def _parts(blocks: Blocks) -> dict[int, int]:
    """Numbers the parts of the program, by cut points: those on the same cycle are in the same part."""
    after: dict[int, set[int]] = {}
    for block in blocks.blocks.values():
        after.setdefault(block.start, set()).update(block.transformer.exits)
        for location in block.transformer.exits:
            after.setdefault(location, set())
    return {location: number for number, part in enumerate(strongly_connected_components(after)) for location in part}


def _depth(blocks: Blocks) -> int:
    """How many loops, one after the other, an execution passes at most; nested ones count once."""
    successors = blocks.successors()
    depth: dict[str, int] = {}
    for component in strongly_connected_components(successors):
        below = max((depth[other] for id in component for other in successors[id] if other in depth), default=0)
        depth.update(dict.fromkeys(component, 1 + below))
    return max(1, max(depth.values(), default=1) - 1)


def _options(options: DssOptions) -> LemmaOptions:
    return LemmaOptions(options.solver, options.seed, options.seconds_per_query, is_eager=options.is_eager)


LEMMAS = Domain(
    LemmaOptions,
    specs=lambda blocks, options: lemma_specs(blocks, _options(options)),
    coordinator=lambda blocks, options, means: LemmaCoordinator(blocks, _options(options), means),
    posts="lemmas",
    post=lambda cube: terms.negate(terms.conjunction(cube)),  # no state satisfies it
)
