"""Path formulas, in functional form: what happens between an abstraction and the next, as a guard and a value per variable.

Between two abstractions a state carries the ways from the last one (Kettl 2022, section 3.4.8). They are kept as symbolic
execution has them: what holds on them, and what the variables are then, over the state where the abstraction was computed. So
the strongest postcondition needs no new variables, and a weakest precondition is one substitution. Ways that meet are merged.

A path formula does not depend on the abstraction that it follows, so each is made once for all abstract states, whatever
becomes of these. Every cycle has an abstraction, so no edge is passed twice, and inputs need no other names.
"""

from __future__ import annotations

import msgspec

from drystone.logic.terms import FALSE
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.states import State
from drystone.symbolic.transformers import ENTRY, Bad, Exit, bad_places, exit_to


class Path(msgspec.Struct, frozen=True, eq=False, dict=True):
    """All ways from `start` that have been merged to a location."""

    start: int
    location: int
    state: State
    exit: Exit


class Step(msgspec.Struct, frozen=True):
    """What follows: paths to the next kept locations, and ways to places that a proof must exclude."""

    paths: tuple[Path, ...]
    bad: tuple[Bad, ...]


class Paths:
    """Of one program, with these kept locations."""

    def __init__(self, symbolic: SymbolicProgram, kept: frozenset[int]) -> None:
        self.symbolic, self.kept = symbolic, kept
        self._from_start: dict[int, Step] = {}
        self._from_path: dict[Path, Step] = {}
        self._merged: dict[tuple[Path, Path], Path] = {}
        self._parts: dict[Path, frozenset[Path]] = {}
        self._orders: dict[int, list[int]] = {}

    def from_start(self, start: int) -> Step:
        """From any state at a location; from the initial one, if it is `ENTRY`."""
        known = self._from_start.get(start)
        if known is None:
            symbolic = self.symbolic
            state = symbolic.initial() if start == ENTRY else symbolic.symbolic()
            location = symbolic.procedure.entry if start == ENTRY else start
            known = self._from_start[start] = self._step(start, location, state)
        return known

    def after(self, path: Path) -> Step:
        known = self._from_path.get(path)
        if known is None:
            state = State(path.state.guard, path.state.environment.copy())
            known = self._from_path[path] = self._step(path.start, path.location, state)
        return known

    def merged(self, first: Path, second: Path) -> Path:
        """Of the same start and location; one of them, if it is part of the other."""
        if self.covers(first, second):
            return first
        if self.covers(second, first):
            return second
        known = self._merged.get((first, second))
        if known is None:
            known = self._path(first.start, first.location, self.symbolic.merge([first.state, second.state], first.location))
            self._merged[first, second] = known
            nothing = frozenset[Path]()
            self._parts[known] = self._parts.get(first, nothing) | self._parts.get(second, nothing) | {first, second}
        return known

    def covers(self, path: Path, part: Path) -> bool:
        return path is part or part in self._parts.get(path, ())

    def _step(self, start: int, location: int, state: State) -> Step:
        order = self._orders.get(location)
        if order is None:
            order = self._orders[location] = self.symbolic.order(location, self.kept)
        stamp = "entry" if start == ENTRY else f"@{start}"
        step = self.symbolic.step(location, state, order, self.kept, stamp)
        exits = sorted((target, after) for target, after in step.exits.items() if after.guard.term is not FALSE)
        paths = tuple(self._path(start, target, after) for target, after in exits)
        return Step(paths, tuple(bad_places(self.symbolic, step)))

    def _path(self, start: int, location: int, state: State) -> Path:
        return Path(start, location, state, exit_to(self.symbolic, location, state))
