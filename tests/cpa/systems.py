"""Small finite systems: a graph of guarded assignments to Boolean variables, searched exhaustively and by abstraction."""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterator, Sequence

import msgspec

from drystone.cpa.cegar import Refined

ERROR = 0
Values = tuple[int, ...]  # of all variables
State = tuple[int, tuple[int | None, ...]]  # a location, and values; None: not tracked
Tracked = frozenset[int]


class Step(msgspec.Struct, frozen=True):
    """From a location to another one, if the variable has this value; then one variable is assigned a value, or another one's."""

    source: int
    target: int
    tested: int
    wanted: int
    assigned: int
    given: int
    is_copy: bool

    def after(self, values: Sequence[int | None]) -> tuple[int | None, ...] | None:
        if values[self.tested] not in (None, self.wanted):
            return None
        known = list(values)
        known[self.tested] = self.wanted
        known[self.assigned] = known[self.given] if self.is_copy else self.given % 2
        return tuple(known)


class System(msgspec.Struct, frozen=True):
    """Begins at location 1 with all variables 0. Location 0 is the error."""

    variables: int
    steps: tuple[Step, ...]

    def reached(self) -> set[tuple[int, Values]]:
        start = (1, (0,) * self.variables)
        found, waiting = {start}, [start]
        while waiting:
            location, values = waiting.pop()
            for step in self.steps:
                after = step.after(values) if step.source == location else None
                if after is not None and (state := (step.target, after)) not in found:
                    found.add(state)  # type: ignore[arg-type]
                    waiting.append(state)  # type: ignore[arg-type]
        return found

    def is_safe(self) -> bool:
        return all(location != ERROR for location, _ in self.reached())


def random_system(seed: int) -> System:
    chance = random.Random(seed)
    variables, locations = chance.randint(1, 5), chance.randint(2, 6)

    def step() -> Step:
        return Step(
            chance.randint(1, locations),
            chance.choice([ERROR, *range(1, locations + 1), *range(1, locations + 1)]),
            chance.randrange(variables),
            chance.randrange(2),
            chance.randrange(variables),
            chance.randrange(variables),
            chance.random() < 0.5,
        )

    return System(variables, tuple(step() for _ in range(chance.randint(2, 14))))


class Tracking:
    """Values of the variables that are tracked. With `merges`, states that differ are joined, variable by variable."""

    def __init__(self, system: System, merges: bool = False) -> None:
        self.system, self.merges = system, merges

    def initial(self) -> State:
        return (1, (0,) * self.system.variables)

    def location(self, state: State) -> int:
        return state[0]

    def transfer(self, state: State, precision: Tracked) -> Iterator[State]:
        for step in self.system.steps:
            after = step.after(state[1]) if step.source == state[0] else None
            if after is not None:
                yield step.target, after

    def merge(self, state: State, reached: State, precision: Tracked) -> State:
        return reached[0], tuple(a if a == b else None for a, b in zip(state[1], reached[1], strict=True))

    def stop(self, state: State, reached: Collection[State], precision: Tracked) -> bool:
        return any(covers(other, state) for other in reached)

    def adjust(self, state: State, precision: Tracked) -> State:
        return state[0], tuple(value if each in precision else None for each, value in enumerate(state[1]))

    def is_target(self, state: State) -> bool:
        return state[0] == ERROR


def covers(reached: State, state: State) -> bool:
    return reached[0] == state[0] and all(a is None or a == b for a, b in zip(reached[1], state[1], strict=True))


class Refining:
    """Tracks one more variable, from the last place on from which values show that the way is impossible, if all are tracked."""

    def __init__(self, system: System) -> None:
        self.system = system

    def __call__(self, way: Sequence[State], precision: Tracked) -> Refined[Tracked] | str:
        if self._is_possible(way, (0,) * self.system.variables):
            return "error"
        missing = [each for each in range(self.system.variables) if each not in precision]
        shown = [since for since in range(1, len(way)) if not self._is_possible(way[since - 1 :], way[since - 1][1])]
        return Refined(precision | set(missing[:1]), max(shown, default=0))

    def _is_possible(self, way: Sequence[State], values: Sequence[int | None]) -> bool:
        now = {tuple(values)}
        for here, there in itertools.pairwise(way):
            steps = [step for step in self.system.steps if (step.source, step.target) == (here[0], there[0])]
            now = {after for step in steps for each in now if (after := step.after(each)) is not None}
        return bool(now)
