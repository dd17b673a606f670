"""The product of the threads as turns: what one thread does from where it was chosen up to where the schedule chooses again.

Nodes are the locations of the product at which the schedule chooses, the heads of loops that a thread takes in one turn, and the
entry. The statements of a turn belong to *actions*: a thread and a place of its automaton (Telbisz 2023, section 2.3), whatever
the other threads are doing meanwhile.
"""

from __future__ import annotations

from functools import cached_property

import msgspec

from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import Load
from drystone.ir.features import expressions_of
from drystone.ir.loops import loop_heads
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Assume, Operation, Skip
from drystone.memory.dataflow import reads_and_writes
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.transformers import ENTRY
from drystone.threads.product import Control

Action = tuple[int, int]
"""A thread, and the place in its automaton before the statement."""


class Turn(msgspec.Struct, frozen=True, eq=False):
    """What a thread may do from a node to the next ones."""

    node: int
    thread: int
    choice: frozenset[int]  # edges of the product, by number, on which the schedule chooses the thread
    edges: frozenset[int]  # those on which the thread goes
    statements: tuple[int, ...]  # those of them that do something, in topological order


class Effect(msgspec.Struct):
    """What an action reads and writes, on any of its edges."""

    reads: set[str] = msgspec.field(default_factory=set)
    writes: set[str] = msgspec.field(default_factory=set)
    is_real_observer: bool = False


class Turns:
    """Of the product of one program."""

    def __init__(self, symbolic: SymbolicProgram, control: Control) -> None:
        self.symbolic, self.control = symbolic, control
        self.procedure = symbolic.procedure
        assert self.procedure.locations >= control.locations, "this is the product of another program"  # passes add some
        self.choices = frozenset(control.places) - control.runners.keys()
        self.heads = loop_heads(self.procedure, self.choices)
        self.owner = self._owners()
        self._turns: dict[int, list[Turn]] = {}

    def places(self, node: int) -> tuple[int, ...]:
        return self.control.places[self._location(node)]

    def at(self, node: int) -> list[Turn]:
        """One for each thread that may go on; the entry and the head of a loop have one."""
        known = self._turns.get(node)
        if known is None:
            location = self._location(node)
            if location in self.choices and node != ENTRY:
                known = [self._turn(node, thread, *branch) for thread, branch in self._branches(location)]
            else:
                known = [self._turn(node, self.owner[location][0], frozenset(), location)]
            self._turns[node] = known
        return known

    def _location(self, node: int) -> int:
        return self.procedure.entry if node == ENTRY else node

    def _owners(self) -> dict[int, Action]:
        """Per location that is not the schedule's: the thread that runs, and its place. New ones lie behind the old ones."""
        owner: dict[int, Action] = {}
        waiting = []
        for location, runner in self.control.runners.items():
            owner[location] = (runner, self.control.places[location][runner])
            waiting.append(location)
        while waiting:
            location = waiting.pop()
            for index in self.symbolic.outgoing[location]:
                target = self.procedure.edges[index].target
                if target not in owner and target not in self.control.places:
                    owner[target] = owner[location]
                    waiting.append(target)
        return owner

    def _branches(self, choice: int) -> list[tuple[int, tuple[frozenset[int], int]]]:
        """Per thread that is there: the edges that choose it, and where they lead (`threads.product`)."""
        alive = [thread for thread, place in enumerate(self.control.places[choice]) if place >= 0]
        if not alive:
            return []
        found, passed, location = [], frozenset[int](), choice
        edges, outgoing = self.procedure.edges, self.symbolic.outgoing
        if len(alive) > 1:
            (first,) = outgoing[location]
            passed, location = frozenset((first,)), edges[first].target
        for thread in alive[:-1]:
            yes, no = outgoing[location]
            found.append((thread, (passed | {yes}, edges[yes].target)))
            passed, location = passed | {no}, edges[no].target
        (last,) = outgoing[location]
        found.append((alive[-1], (passed | {last}, edges[last].target)))
        return found

    def _turn(self, node: int, thread: int, before: frozenset[int], start: int) -> Turn:
        """Up to the next nodes."""
        if start in self.heads and before:
            return Turn(node, thread, before, frozenset(), ())
        taken = [index for location in self.symbolic.order(start, self.heads) for index in self.symbolic.outgoing[location]]
        statements = [index for index in taken if not isinstance(self.procedure.edges[index].operation, Skip)]
        return Turn(node, thread, before, frozenset(taken), tuple(statements))

    # statements

    def action(self, index: int) -> Action:
        return self.owner[self.procedure.edges[index].source]

    def place_at(self, location: int, thread: int) -> int:
        """Where a thread is when control is at a location, on the way of this thread."""
        places = self.control.places.get(location)
        return places[thread] if places is not None else self.owner[location][1]

    @cached_property
    def accesses(self) -> dict[int, tuple[frozenset[str], frozenset[str]]]:
        """Per edge: what it reads and writes."""
        regions = self.symbolic.regions
        found = {}
        for index, edge in enumerate(self.procedure.edges):
            reads, writes = reads_and_writes(edge.operation, regions)
            found[index] = frozenset(reads), frozenset(writes)
        return found

    @cached_property
    def effects(self) -> dict[Action, Effect]:
        effects: dict[Action, Effect] = {}
        for index, edge in enumerate(self.procedure.edges):
            if edge.source not in self.owner or isinstance(edge.operation, Skip):
                continue
            effect = effects.setdefault(self.action(index), Effect())
            reads, writes = self.accesses[index]
            effect.reads |= reads
            effect.writes |= writes
            effect.is_real_observer = effect.is_real_observer or index not in self.simple
        return effects

    @cached_property
    def simple(self) -> frozenset[int]:
        """The edges with an assignment that nobody notices if nobody reads the variable."""
        return frozenset(index for index, edge in enumerate(self.procedure.edges) if _is_simple(edge.operation))

    def whole(self, turn: Turn) -> list[Turn]:
        """The turn, and how it goes on where it has come to the head of a loop."""
        found, seen = [turn], {turn.node}
        for part in found:  # grows
            for index in part.choice | part.edges:
                target = self.procedure.edges[index].target
                if target in self.heads and target not in self.choices and target not in seen:
                    seen.add(target)
                    found += self.at(target)
        return found

    def may_wait(self, turn: Turn) -> bool:
        """May the turn come to no end: by waiting for others, the end of the process, what is not modelled, or a loop?"""
        parts = self.whole(turn)
        if len(parts) > 1:
            return True
        for index in turn.edges:
            edge = self.procedure.edges[index]
            mark = self.procedure.marks.get(edge.target)
            if mark is not None and mark.kind is not MarkKind.ERROR:
                return True
            if isinstance(edge.operation, Assume) and len(self.symbolic.outgoing[edge.source]) == 1:
                return True
        return False


def _is_simple(operation: Operation) -> bool:
    """Guards are not: conditions, locks, joins; nor is what goes to memory, or gets an address there."""
    return isinstance(operation, Assign) and not any(
        isinstance(part, Load) for expression in expressions_of(operation) for part in subexpressions(expression)
    )
