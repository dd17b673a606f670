"""Partial order reduction by persistent sets (Telbisz 2023, section 2.5): threads that need not be chosen yet.

From a choice, it is enough to take the turns of some threads if nothing that the others may still do before one of these turns
conflicts with it. The conditions, each of which loses errors if it is dropped:

* The future of a thread is all that is ahead in its automaton, and all of the threads that it may still create. Who waits for
  the end of a thread that is chosen has no future before that.
* One of the turns must come to an end whatever the others do: one that may have to wait is not enough.
* Where a turn goes back in its thread's automaton, all threads are chosen: others are not left out for ever.
* If sets are computed from simplified statements, all threads are chosen where a turn may end its thread. Who is left alone
  takes several statements in one turn, and knows more in between than the precision says: what others did before without being
  observed would not commute with that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from drystone.engines.interleaving.data_flow import Ahead, Simplification, Simplified
from drystone.engines.interleaving.turns import Action, Turn, Turns
from drystone.ir.expressions import Constant, Variable
from drystone.ir.operations import Assign, Assume, ThreadAction, ThreadOperation
from drystone.threads.instances import Instance
from drystone.threads.product import NOT_CREATED


class Touched(msgspec.Struct, frozen=True):
    reads: frozenset[str]
    writes: frozenset[str]

    def conflicts(self, other: Touched) -> bool:
        return bool(self.writes & other.reads or self.writes & other.writes or self.reads & other.writes)


class _Join(msgspec.Struct, frozen=True):
    threads: frozenset[int]  # that may be waited for; none if that is not known
    asked: frozenset[str]  # what tells which one it is


class PersistentSets:
    """Of the choices of one program."""

    def __init__(self, turns: Turns, ahead: Ahead) -> None:
        self.turns, self.ahead = turns, ahead
        self._futures: dict[tuple[int, int], Touched] = {}
        self._chosen: dict[int, list[Turn]] = {}  # without simplifications
        self._needing_all: dict[Turn, bool] = {}
        self._ending: dict[Turn, bool] = {}
        self._closing = [_closing_edges(thread) for thread in turns.control.threads]
        self._waits = [_joins(turns, thread) for thread in range(len(turns.control.threads))]

    def chosen(self, node: int, simplification: Callable[[Turn], Simplification] | None) -> list[Turn]:
        """The turns to take from a node: a smallest set that is closed under conflicts."""
        if simplification is not None:
            return self._smallest(node, simplification, is_again=True)
        known = self._chosen.get(node)
        if known is None:
            known = self._chosen[node] = self._smallest(node, lambda turn: frozenset())
        return known

    def _smallest(self, node: int, simplification: Callable[[Turn], Simplification], is_again: bool = False) -> list[Turn]:
        turns = self.turns.at(node)
        if len(turns) < 2:
            return turns
        places = self.turns.places(node)
        best = turns
        for first in turns:
            closed = self._closure(first, turns, places, simplification)
            if closed is not None and len(closed) < len(best) and not (is_again and any(map(self._may_end, closed))):
                best = closed
        return best

    def _closure(
        self, first: Turn, turns: list[Turn], places: tuple[int, ...], simplification: Callable[[Turn], Simplification]
    ) -> list[Turn] | None:
        """None: only with all of them."""
        members, waiting = {first.thread}, [first]
        by_thread = {turn.thread: turn for turn in turns}
        while waiting:
            turn = waiting.pop()
            if self._needs_all(turn):
                return None
            touched = self._touched(turn, simplification(turn))
            for other in by_thread:
                if other not in members and self._before(other, members, places).conflicts(touched):
                    members.add(other)
                    waiting.append(by_thread[other])
        chosen = [turn for turn in turns if turn.thread in members]
        return chosen if any(not self.turns.may_wait(turn) for turn in chosen) else None

    def _needs_all(self, turn: Turn) -> bool:
        known = self._needing_all.get(turn)
        if known is None:
            known = self._needing_all[turn] = self._joins(turn) or self._goes_back(turn)
        return known

    def _may_end(self, turn: Turn) -> bool:
        """May the thread not be there any more after it?"""
        known = self._ending.get(turn)
        if known is None:
            known = self._ending[turn] = any(place < 0 for _, place in self._moves(turn))
        return known

    def _joins(self, turn: Turn) -> bool:
        """May it wait for the end of another thread? Then what that one does makes it possible, without touching anything."""
        waits = self._waits[turn.thread]
        return any(place in waits for place, _ in self._moves(turn))

    def _before(self, thread: int, members: set[int], places: tuple[int, ...]) -> Touched:
        """What a thread may touch before a member has its turn: all that is ahead, unless it waits for the end of a member."""
        join = self._waits[thread].get(places[thread])
        if join is not None and join.threads and all(each in members and places[each] >= 0 for each in join.threads):
            return Touched(join.asked, frozenset())
        return self._future(thread, places)

    def _moves(self, turn: Turn) -> Iterator[tuple[int, int]]:
        """From where to where in its automaton the thread goes."""
        for part in self.turns.whole(turn):
            for index in part.edges:
                target = self.turns.procedure.edges[index].target
                yield self.turns.action(index)[1], self.turns.place_at(target, turn.thread)

    def _goes_back(self, turn: Turn) -> bool:
        """Does it take an edge that closes a cycle of its thread's automaton? Every cycle of the product has such a turn."""
        return not self._closing[turn.thread].isdisjoint(self._moves(turn))

    def _touched(self, turn: Turn, simplification: Simplification) -> Touched:
        """What the turn reads and writes, without what is left out; a havoc writes."""
        reads: set[str] = set()
        writes: set[str] = set()
        replaced = dict(simplification)
        for part in self.turns.whole(turn):
            for index in part.statements:
                how = replaced.get(index)
                if how is None:
                    reads |= self.turns.accesses[index][0]
                if how is not Simplified.NOP:
                    writes |= self.turns.accesses[index][1]
        return Touched(frozenset(reads), frozenset(writes))

    def _future(self, thread: int, places: tuple[int, ...]) -> Touched:
        """Of a thread, and of all that it, or one that it creates, may still create."""
        reads: frozenset[str] = frozenset()
        writes: frozenset[str] = frozenset()
        seen, waiting = {thread}, [(thread, places[thread])]
        while waiting:
            here, place = waiting.pop()
            number = self.ahead.components[here][place]
            own = self._ahead_of(here, number)
            reads, writes = reads | own.reads, writes | own.writes
            instance = self.turns.control.threads[here]
            for location, created in instance.creates.items():
                if self.ahead.components[here][location] <= number:
                    for new in created:
                        if new not in seen and places[new] == NOT_CREATED:
                            seen.add(new)
                            waiting.append((new, self.turns.control.threads[new].automaton.entry))
        return Touched(reads, writes)

    def _ahead_of(self, thread: int, number: int) -> Touched:
        known = self._futures.get((thread, number))
        if known is None:
            reads: set[str] = set()
            writes: set[str] = set()
            for action, effect in self.turns.effects.items():
                if action[0] == thread and self.ahead.number(action) <= number:
                    reads |= effect.reads
                    writes |= effect.writes
            known = self._futures[thread, number] = Touched(frozenset(reads), frozenset(writes))
        return known


def _closing_edges(thread: Instance) -> set[tuple[int, int]]:
    """Back edges of a depth-first search, and edges from a place to itself."""
    closing: set[tuple[int, int]] = set()
    done: set[int] = set()
    for root in range(thread.automaton.locations):
        if root in done:
            continue
        path, open_ = [(root, iter(thread.outgoing[root]))], {root}
        while path:
            location, edges = path[-1]
            edge = next(edges, None)
            if edge is None:
                path.pop()
                open_.discard(location)
                done.add(location)
            elif edge.target in open_:
                closing.add((edge.source, edge.target))
            elif edge.target not in done:
                open_.add(edge.target)
                path.append((edge.target, iter(thread.outgoing[edge.target])))
    return closing


def _joins(turns: Turns, thread: int) -> dict[int, _Join]:
    """Per place at which a thread waits for another one."""
    found: dict[int, _Join] = {}
    instance = turns.control.threads[thread]
    for location, edges in enumerate(instance.outgoing):
        for edge in edges:
            if isinstance(edge.operation, ThreadOperation) and edge.operation.action is ThreadAction.JOIN:
                found[location] = _identified(turns, (thread, location))
    return found


def _identified(turns: Turns, action: Action) -> _Join:
    """The threads whose identifiers may be in what the conditions of the action read: from all assignments of the product."""
    edges = turns.procedure.edges
    asked: set[str] = set()
    for index, edge in enumerate(edges):
        if isinstance(edge.operation, Assume) and turns.owner.get(edge.source) == action:
            asked |= turns.accesses[index][0]
    values = _assigned(turns)
    threads: set[int] = set()
    seen, waiting = set(asked), list(asked)
    while waiting:
        for value in values.get(waiting.pop(), [None]):
            if isinstance(value, Constant):
                if value.value > 0:
                    threads.add(value.value - 1)
            elif isinstance(value, Variable):
                if value.name not in seen:
                    seen.add(value.name)
                    waiting.append(value.name)
            else:
                return _Join(frozenset(), frozenset(asked))
    return _Join(frozenset(threads), frozenset(asked))


def _assigned(turns: Turns) -> dict[str, list[object]]:
    """Per variable what it is assigned, anywhere; `None` for what is no value of an assignment."""
    values: dict[str, list[object]] = {}
    for index, edge in enumerate(turns.procedure.edges):
        if isinstance(edge.operation, Assign):
            values.setdefault(edge.operation.target.name, []).append(edge.operation.value)
        else:
            _refuse(values, turns.accesses[index][1])
    return values


def _refuse(values: dict[str, list[object]], names: Iterable[str]) -> None:
    for name in names:
        values.setdefault(name, []).append(None)
