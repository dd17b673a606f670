"""Which process keeps a state, where several share a search.

The owner follows from a hash of some of the values of a state. Those are chosen that steps seldom change, as few of them as
tell enough states apart: then most successors of a state have its owner, and need not be sent, while each owner has about as
many states as any other. A sample of states says which.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import itemgetter

from drystone.base.state_steps import State

Names = Callable[[object], Sequence[str]]
"""What the values of a state stand for that is at this location, in their order."""

_KEYS = 64  # for each owner: with so many different ones by chance, none has many more states than the others
_SEEDS, _MOST_NAMES = 4, 8  # so many sets are tried
_SENT = 1.0  # what it costs that a state is sent, compared with what a state costs anyway


class Owners:
    """Of all states, by the values that these names have. Wherever a state has none of them, the whole state decides."""

    def __init__(self, names: Names, chosen: Collection[str], count: int) -> None:
        self.chosen, self.count = frozenset(chosen), count
        self._keys = _Keys(names, self.chosen)

    def key(self, state: State) -> object:
        return self._keys[state[0]](state)

    def owner(self, state: State) -> int:
        return hash(self.key(state)) % self.count

    def deal(self, states: Sequence[State], boxes: Sequence[list[State]]) -> None:
        """Each to the box of its owner."""
        keys, count = self._keys, self.count
        for state in states:
            boxes[hash(keys[state[0]](state)) % count].append(state)


class _Keys(dict[object, Callable[[State], object]]):
    """Per location, what the hash is taken of: always a tuple, since numbers are their own hash."""

    def __init__(self, names: Names, chosen: frozenset[str]) -> None:
        super().__init__()
        self._names, self._chosen = names, chosen

    def __missing__(self, location: object) -> Callable[[State], object]:
        places = [place for place, name in enumerate(self._names(location), start=1) if name in self._chosen]
        key = itemgetter(*(places if len(places) > 1 else places * 2)) if places else tuple
        self[location] = key
        return key


def choose_owners(steps: Sequence[tuple[State, State]], names: Names, count: int) -> Owners:
    """`steps`: states and all successors of theirs, a sample."""
    changes = _changes(steps, names)
    best = Owners(names, (), count)
    least = _response(best, steps)
    for seed in sorted(changes, key=lambda name: (changes[name].bit_count(), name))[:_SEEDS]:
        for chosen in _grown(seed, changes):
            owners = Owners(names, chosen, count)
            response = _response(owners, steps)
            if response < least:
                best, least = owners, response
    return best


def _grown(seed: str, changes: Mapping[str, int]) -> Iterator[list[str]]:
    """More and more names, the next one always one that changes at few steps at which those before it do not: what one thread
    changes, for instance."""
    chosen, changed = [seed], changes[seed]
    yield chosen
    left = sorted(set(changes) - {seed})
    while left and len(chosen) < _MOST_NAMES:
        name = min(left, key=lambda name: (changed | changes[name]).bit_count())
        left.remove(name)
        chosen, changed = [*chosen, name], changed | changes[name]
        yield chosen


def _changes(steps: Sequence[tuple[State, State]], names: Names) -> dict[str, int]:
    """For what varies at all, at which steps it changes: one bit for each step."""
    found: dict[str, int] = {}
    values: dict[str, set[object]] = {}
    for number, (here, there) in enumerate(steps):
        before, after = dict(zip(names(here[0]), here[1:], strict=True)), dict(zip(names(there[0]), there[1:], strict=True))
        for name, value in after.items():
            values.setdefault(name, set()).add(value)
        for name in before.keys() | after.keys():
            if name not in before or name not in after or before[name] != after[name]:
                found[name] = found.get(name, 0) | 1 << number
    return {name: found.get(name, 0) for name, different in values.items() if len(different) > 1}


def _response(owners: Owners, steps: Sequence[tuple[State, State]]) -> float:
    """How long the slowest takes, compared with one who does everything; infinite if chance has too much to say in that."""
    reached = {there for _, there in steps}
    if len(set(map(owners.key, reached))) < min(_KEYS * owners.count, len(reached) // 2):
        return math.inf
    shares = Counter(map(owners.owner, reached))
    sent = {(there, owner) for here, there in steps if (owner := owners.owner(here)) != owners.owner(there)}
    looked = len({here for here, _ in steps})
    return max(shares.values(), default=0) / max(1, len(reached)) + _SENT * len(sent) / owners.count / max(1, looked)
