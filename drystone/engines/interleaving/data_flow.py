"""Statement reduction by data flow (Telbisz 2023, chapter 3): what nobody observes need not be evaluated.

An action observes another one if it reads a variable that the other one writes, and the precision tracks it (Definition 4). A
statement whose action no *real observer* observes, not even through others that are still ahead of some thread, is replaced: by
`havoc` if its variable is tracked, so that a counterexample does not contradict its original statements, by nothing otherwise.
Whether an action is still ahead is told by comparing the numbers of components (section 3.4).

Beyond the paper, states forget what nobody observes any more wherever they are: a havoc alone would tell a state in which it has
happened from one in which it has not.

Unlike in the paper, a turn is several statements. What one statement of a turn reads from another one of the same turn is not
forgotten in between, so it counts whether the precision tracks it or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from drystone.base.graphs import strongly_connected_components
from drystone.engines.interleaving.turns import Action, Turn, Turns
from drystone.threads.instances import Instance
from drystone.threads.product import NOT_CREATED


class Simplified(Enum):
    HAVOC = "havoc"
    NOP = "nop"


Simplification = frozenset[tuple[int, Simplified]]
"""Which edges of a turn are replaced by what."""


class Ahead:
    """Which actions threads may still come to, by the components of their automata: who is in a component of a smaller number
    does not come to one of a larger number."""

    def __init__(self, turns: Turns) -> None:
        self.components = [_numbered(thread) for thread in turns.control.threads]

    def numbers(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """Per thread the largest number that it may still come to; threads that there are not yet may come to all."""
        return tuple(
            [
                self.components[thread][place] if place >= 0 else len(self.components[thread]) if place == NOT_CREATED else -1
                for thread, place in enumerate(places)
            ]
        )

    def number(self, action: Action) -> int:
        thread, place = action
        return self.components[thread][place]


class DataFlow:
    """The abstract data-flow graph of a program for one precision, indexed by variable (Definition 5)."""

    def __init__(self, turns: Turns, ahead: Ahead, within: dict[Action, set[Action]], tracked: frozenset[str]) -> None:
        """`within`: see `within_turns`."""
        self.turns, self.ahead, self.within, self.tracked = turns, ahead, within, tracked
        self._readers: dict[str, list[Action]] = {}
        for action, effect in turns.effects.items():
            for name in effect.reads & tracked:
                self._readers.setdefault(name, []).append(action)
        self._observed: dict[tuple[Action, tuple[int, ...]], bool] = {}

    def simplification(self, turn: Turn) -> Simplification:
        """What becomes of the statements of a turn (Algorithm 1, lines 9-19)."""
        reachable = self.ahead.numbers(self.turns.places(turn.node))
        found = []
        for index in turn.statements:
            if index not in self.turns.simple or self._is_observed(self.turns.action(index), reachable):
                continue
            (name,) = self.turns.accesses[index][1]
            found.append((index, Simplified.HAVOC if name in self.tracked else Simplified.NOP))
        return frozenset(found)

    def forgettable(self, node: int) -> frozenset[str]:
        """The tracked variables that no real observer depends on any more: their values tell no states apart there."""
        reachable = self.ahead.numbers(self.turns.places(node))
        return frozenset(name for name in self.tracked if not self._matters(name, reachable))

    def _matters(self, name: str, reachable: tuple[int, ...]) -> bool:
        return any(
            self.ahead.number(reader) <= reachable[reader[0]] and self._is_observed(reader, reachable)
            for reader in self._readers.get(name, ())
        )

    def _is_observed(self, action: Action, reachable: tuple[int, ...]) -> bool:
        """Is there a path of enabled edges to a real observer?"""
        key = (action, reachable)
        known = self._observed.get(key)
        if known is None:
            known = self._observed[key] = self._search(action, reachable)
        return known

    def _search(self, action: Action, reachable: tuple[int, ...]) -> bool:
        effects = self.turns.effects
        seen, waiting = {action}, [action]
        while waiting:
            here = waiting.pop()
            if effects[here].is_real_observer:
                return True
            for observer in self._observers(here, reachable):
                if observer not in seen:
                    seen.add(observer)
                    waiting.append(observer)
        return False

    def _observers(self, action: Action, reachable: tuple[int, ...]) -> Iterator[Action]:
        """Of the same thread, if it comes later; of others, if it is still ahead of them (Definition 7)."""
        thread, number = action[0], self.ahead.number(action)
        yield from self.within.get(action, ())
        for name in self.turns.effects[action].writes:
            for observer in self._readers.get(name, ()):
                limit = number if observer[0] == thread else reachable[observer[0]]
                if self.ahead.number(observer) <= limit:
                    yield observer


def within_turns(turns: Turns, nodes: list[int]) -> dict[Action, set[Action]]:
    """Per action the later ones that read in the same turn what it writes."""
    found: dict[Action, set[Action]] = {}
    for node in nodes:
        for turn in turns.at(node):
            writers: dict[str, set[Action]] = {}
            for index in turn.statements:
                reads, writes = turns.accesses[index]
                for name in reads:
                    for writer in writers.get(name, ()):
                        found.setdefault(writer, set()).add(turns.action(index))
                for name in writes:
                    writers.setdefault(name, set()).add(turns.action(index))
    return found


def _numbered(thread: Instance) -> list[int]:
    """Per location the number of its component: successors have smaller ones."""
    successors = {at: [edge.target for edge in edges] for at, edges in enumerate(thread.outgoing)}
    numbers = [0] * len(successors)
    for number, component in enumerate(strongly_connected_components(successors)):
        for location in component:
            numbers[location] = number
    return numbers
