"""Abstract reachability with one precision: breadth first over turns, reduced or not (Telbisz 2023, Algorithm 1)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

import msgspec

from drystone.base.clock import now
from drystone.base.deadline import Deadline
from drystone.engines.interleaving.data_flow import DataFlow, Simplification, Simplified
from drystone.engines.interleaving.domains import Domain, Literals
from drystone.engines.interleaving.persistent import PersistentSets
from drystone.engines.interleaving.transfer import Transfer
from drystone.engines.interleaving.turns import Turn, Turns
from drystone.symbolic.transformers import ENTRY, Bad, Transformer

State = tuple[int, Literals]


class Reduction(msgspec.Struct, frozen=True):
    """`is_again`: persistent sets are computed from the simplified statements, not from the original ones."""

    is_partial_order: bool
    is_simplifying: bool
    is_again: bool = False


NO_REDUCTION = Reduction(False, False)


class Counted(msgspec.Struct):
    """What one or several searches did. Actions are statements that were executed, simplified or not."""

    actions: int = 0
    eliminated: int = 0
    havocked: int = 0
    successor_queries: int = 0  # turns, from a state, of which something had to be evaluated
    successor_seconds: float = 0.0
    simplifying_seconds: float = 0.0
    partial_order_seconds: float = 0.0
    states: int = 0
    iterations: int = 0


class Abstract(msgspec.Struct, frozen=True):
    """A way to something bad, by original turns and the nodes that they lead to."""

    last: State
    turns: tuple[Turn, ...]
    nodes: tuple[int, ...]  # where the turns but the last one lead
    bad: Bad


class OutOfTime(Exception):
    pass


class Reached(msgspec.Struct):
    """The states that were reached, by node."""

    states: dict[int, set[Literals]] = msgspec.field(default_factory=dict)

    def add(self, state: State) -> bool:
        here = self.states.setdefault(state[0], set())
        if state[1] in here:
            return False
        here.add(state[1])
        return True


class Search:
    """With one precision. Which turns are taken, and how they are simplified, depends on where the threads are alone."""

    def __init__(
        self,
        turns: Turns,
        transfer: Transfer,
        domain: Domain,
        persistent: PersistentSets | None,
        flow: DataFlow | None,
        is_again: bool,
        counted: Counted,
        deadline: Deadline,
    ) -> None:
        self.turns, self.transfer, self.domain = turns, transfer, domain
        self.persistent, self.flow, self.is_again = persistent, flow, is_again
        self.counted, self.deadline = counted, deadline
        start: State = (ENTRY, frozenset())
        self.reached = Reached({ENTRY: {frozenset()}})
        self._waiting = deque([start])
        counted.states += 1
        self._excluded: set[tuple[State, int]] = set()
        self._chosen: dict[int, list[tuple[Turn, Transformer, int, int]]] = {}
        self._simplified: dict[Turn, Simplification] = {}
        self._forgettable: dict[int, frozenset[str]] = {}
        self._before: dict[State, tuple[State, Turn]] = {}

    def run(self, ignored: Collection[int]) -> Abstract | None:
        """A way to something bad, other than at these locations; None if there is none. Goes on where it has found one, if it is
        asked again. Raises `OutOfTime`."""
        while self._waiting:
            if self.deadline.expired():
                raise OutOfTime
            state = self._waiting.popleft()
            found = self._expand(state, ignored)
            if found is not None:
                self._waiting.appendleft(state)
                return found
        return None

    def exclude(self, found: Abstract) -> None:
        """Goes on without this one."""
        self._excluded.add((found.last, found.bad.location))

    def _expand(self, state: State, ignored: Collection[int]) -> Abstract | None:
        node, literals = state
        counted, domain = self.counted, self.domain
        for turn, transformer, eliminated, havocked in self._actions(node):
            counted.actions += len(turn.statements)
            counted.eliminated += eliminated
            counted.havocked += havocked
            counted.successor_queries += len(turn.statements) > eliminated + havocked
            begun = now()
            for bad in transformer.bad:
                if bad.location in ignored or (state, bad.location) in self._excluded:
                    continue
                if domain.may(literals, bad.guard):
                    counted.successor_seconds += now() - begun
                    return self._way(state, turn, bad)
            for target, exit in transformer.exits.items():
                after = domain.post(literals, exit, target)
                if after is not None:
                    after = self._without(after, self._forgotten(target))
                if after is not None and self.reached.add((target, after)):
                    counted.states += 1
                    self._before[target, after] = (state, turn)
                    self._waiting.append((target, after))
            counted.successor_seconds += now() - begun
        return None

    def _forgotten(self, node: int) -> frozenset[str]:
        if self.flow is None:
            return frozenset()
        known = self._forgettable.get(node)
        if known is None:
            begun = now()
            known = self._forgettable[node] = self.flow.forgettable(node)
            self.counted.simplifying_seconds += now() - begun
        return known

    def _without(self, literals: Literals, forgotten: frozenset[str]) -> Literals:
        """Only those about something else. More is reached then, nothing less."""
        if not forgotten:
            return literals
        symbols = self.domain.symbols
        return frozenset(each for each in literals if any(symbol.payload not in forgotten for symbol in symbols(each)))

    def _actions(self, node: int) -> list[tuple[Turn, Transformer, int, int]]:
        """The turns to take from a node, what they do, and how many of their statements are eliminated and havocked."""
        known = self._chosen.get(node)
        if known is None:
            known = self._chosen[node] = []
            for turn in self._turns_at(node):
                simplified = self._simplification(turn)
                eliminated = sum(how is Simplified.NOP for _, how in simplified)
                known.append((turn, self.transfer.of(turn, simplified), eliminated, len(simplified) - eliminated))
        return known

    def _turns_at(self, node: int) -> list[Turn]:
        if self.persistent is None:
            return self.turns.at(node)
        before, begun = self.counted.simplifying_seconds, now()
        chosen = self.persistent.chosen(node, self._simplification if self.is_again else None)
        simplifying = self.counted.simplifying_seconds - before
        self.counted.partial_order_seconds += now() - begun - simplifying
        return chosen

    def _simplification(self, turn: Turn) -> Simplification:
        if self.flow is None:
            return frozenset()
        known = self._simplified.get(turn)
        if known is None:
            begun = now()
            known = self._simplified[turn] = self.flow.simplification(turn)
            self.counted.simplifying_seconds += now() - begun
        return known

    def _way(self, state: State, turn: Turn, bad: Bad) -> Abstract:
        last, taken, nodes = state, [turn], []
        while state in self._before:
            nodes.append(state[0])
            state, turn = self._before[state]
            taken.append(turn)
        return Abstract(last, tuple(reversed(taken)), tuple(reversed(nodes)), bad)
