"""Wakes blocks that exchange postconditions up, in the order of the block graph, until nothing is left to say.

Postconditions come first, along the program: a block is woken when all blocks before its component have settled. Only then are
violations looked for. In rounds, all blocks wake up at the same time, with what the round before has sent, as in
Beyer, Kettl, Lemberger 2024, Table 1.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.graphs import strongly_connected_components
from drystone.engines.dss.coordinator import Coordinator, Ended, HostLost, Means
from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.messages import COORDINATOR, ERRORS, Again, Failure, Kind, Message, Version
from drystone.engines.dss.postconditions.options import CONTEXT_FREE, PostconditionOptions
from drystone.engines.dss.preparation import Blocks
from drystone.logic import terms
from drystone.logic.packing import unpack
from drystone.logic.terms import Term

Key = tuple[Kind, str, int, str]


def key_of(message: Message) -> Key:
    """A message replaces those before with the same key."""
    return message.kind, message.sender, message.location, message.id


class Mailbox:
    """What waits for one block. A snapshot replaces the one before from the same block."""

    def __init__(self, errors_first: bool) -> None:
        self.errors_first = errors_first
        self.waiting: dict[Key, Message] = {}

    def put(self, message: Message) -> None:
        key = key_of(message)
        self.waiting.pop(key, None)
        self.waiting[key] = message

    def take(self) -> list[Message]:
        taken = list(self.waiting.values())
        self.waiting.clear()
        return taken

    def most_urgent(self) -> Kind | None:
        kinds = {key[0] for key in self.waiting}
        return Kind.ERRORCONDITION if self.errors_first and Kind.ERRORCONDITION in kinds else min(kinds, default=None)


def _about(live: Collection[str], cube: Term) -> Term:
    """Of a cube, what it says of live variables: what a domain says of values that do not matter any more is needed by nobody."""

    def is_live(formula: Term) -> bool:
        return all(symbol.payload in live for symbol in terms.free_symbols(formula))

    return cube if is_live(cube) else terms.conjunction(filter(is_live, terms.conjuncts(cube)))


def postcondition_specs(blocks: Blocks, options: PostconditionOptions) -> dict[str, Spec]:
    """In the order of the block graph."""
    blocks = _in_context(blocks, options)
    successors = blocks.successors()
    exits = tuple(blocks.starting)
    specs = {}
    for component in strongly_connected_components(successors)[::-1]:
        for id in component:
            block = blocks.blocks[id]
            on_cycle = tuple(component) if len(component) > 1 or id in successors[id] else ()
            specs[id] = Spec(block, tuple(blocks.ending.get(block.start, ())), options, on_cycle, exits)
    return specs


def _in_context(blocks: Blocks, options: PostconditionOptions) -> Blocks:
    """Context-free, a block knows no block before or after it, and an error that it allows stays open.

    Beyer, Kettl, Lemberger 2024, section 3.
    """
    return blocks.without_context() if options.instantiation == CONTEXT_FREE else blocks


class PostconditionCoordinator(Coordinator):
    def __init__(self, blocks: Blocks, options: PostconditionOptions, means: Means) -> None:
        self.errors_first = means.precedence == ERRORS
        self.mailboxes = {id: Mailbox(self.errors_first) for id in blocks.blocks}
        self.rounds: list[dict[str, list[Message]]] = []  # what each block said in each round
        super().__init__(_in_context(blocks, options), postcondition_specs(blocks, options), means)
        self.order = {id: number for number, id in enumerate(self.specs)}
        self.posts: dict[tuple[str, int], Message] = {}  # the newest of each block, by exit
        self.attempts = 0
        self._epoch = 0  # the newest that was heard of, perhaps from a block that is no more
        self._count = 0
        self._urgent: list[list[tuple[int, int, Kind, str]]] = [[] for _ in range(self.hosts.count)]
        self._log: dict[str, dict[Key, Message]] = {id: {} for id in self.specs}  # what each block was told, the newest

    def run(self, deadline: Deadline) -> Ended:
        """Until the end, or the deadline; after that, all blocks conclude anew from what they know."""
        self.deadline = deadline
        start = self._again() if self.attempts else Message(kind=Kind.START, sender=COORDINATOR)
        while True:
            self.attempts += 1
            self.ended = None
            for id in self.order:
                self._put(msgspec.structs.replace(start, receiver=id), id)
            try:
                self._deliver()
            except HostLost:
                start = self._again()
                if self.ended is None:
                    continue
            if self.ended is not None:
                return self.ended
            open_ = [id for id in self.order if self.status[id].is_open]
            if not open_:
                return Ended(invariants=self._invariants())
            stronger = self._stronger(open_)
            if stronger is None:
                return Ended(reason=f"no progress at line {self.blocks.blocks[open_[0]].line}")
            start = stronger

    def _stronger(self, open_blocks: Sequence[str]) -> Message | None:
        """All is quiet, and these blocks do not exclude an error: a START with which the domain can say more, if there is one."""
        return None

    def _again(self, max_cubes: int = 0) -> Message:
        """All blocks conclude anew, in a new epoch; what they say from now on is newer than all that was said."""
        self._epoch = epoch = 1 + max(self._epoch, *(status.epoch for status in self.status.values()))
        version = max((post.content.number for post in self.posts.values() if isinstance(post.content, Version)), default=0)
        return Message(kind=Kind.START, sender=COORDINATOR, epoch=epoch, content=Again(max_cubes, version))

    # what every coordinator has to say

    def _put(self, message: Message, receiver: str) -> None:
        self.mailboxes[receiver].put(message)
        if message.kind is not Kind.START:
            self._log[receiver][key_of(message)] = message
        self._count += 1  # without a first-come order, a component that never settles would keep others from looking
        position = self.order[receiver] if message.kind is Kind.BLOCKPOSTCONDITION else self._count
        rank = int(Kind.ERROR if self.errors_first and message.kind is Kind.ERRORCONDITION else message.kind)
        heappush(self._urgent[self.placement[receiver]], (rank, position, message.kind, receiver))

    def _next(self, host: int) -> tuple[str, Sequence[Message]] | None:
        urgent = self._urgent[host]
        while urgent:
            _, _, kind, id = urgent[0]
            if kind is Kind.START and not self._is_settled():
                return None
            heappop(urgent)
            if self.mailboxes[id].most_urgent() == kind:  # else it was woken in the meantime
                return id, self.mailboxes[id].take()
        return None

    def _is_settled(self) -> bool:
        """Does no block have anything but violations to look for?"""
        waiting = (mailbox.most_urgent() for mailbox in self.mailboxes.values())
        busy = (message.kind for call in self._at.values() for message in call.messages)
        return all(kind in (None, Kind.START) for kind in (*waiting, *busy))

    def _round(self) -> dict[str, Sequence[Message]]:
        found: dict[str, Sequence[Message]] = {}
        for id, mailbox in self.mailboxes.items():
            if messages := mailbox.take():
                found[id] = [*messages, Message(kind=Kind.START, sender=COORDINATOR, receiver=id)]
        if found:
            self.rounds.append({id: [] for id in found})
        return found

    def _take(self, message: Message) -> None:
        if isinstance(message.content, Failure):
            self.ended = self.ended or Ended(reason=message.content.reason)
        elif message.kind is Kind.RESULT and (self.ended is None or self.ended.trace is None):
            self.ended = Ended(trace=message.trace)

    def _note(self, message: Message) -> None:
        self._epoch = max(self._epoch, message.epoch)
        if message.kind is Kind.BLOCKPOSTCONDITION:
            self.posts[message.sender, message.location] = message
        if self.rounds and message.sender in self.rounds[-1]:
            self.rounds[-1][message.sender].append(message)

    def _feed(self, id: str) -> None:
        for message in self._log[id].values():
            self._put(message, id)

    # the end

    def _invariants(self) -> dict[int, list[Term]]:
        """At each cut point the disjunction of what the blocks that end there say: inductive, since every block has seen it."""
        found: dict[int, list[Term]] = {}
        for location in self.blocks.locations:
            posts = [self.posts.get((id, location)) for id in self.blocks.ending.get(location, ())]
            cubes = [cube for post in posts if post is not None and post.terms for cube in unpack(post.terms)]
            live = frozenset(self.blocks.system.live(location))
            disjunction = terms.disjunction(_about(live, cube) for cube in cubes)
            found[location] = [*self.known.get(location, ()), *terms.conjuncts(disjunction)]
        return found

    def counters(self) -> dict[str, int]:
        epochs = sum(status.epoch for status in self.status.values())
        return {**super().counters(), "epochs": epochs}
