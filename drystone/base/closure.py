"""All states that steps lead to from one: found one after the other, or by several processes once there are many.

A state is a tuple that begins with a location. What follows it is the business of the function of its location, which looks up
in the table which successors are new.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from drystone.base.process_tree import own_memory
from drystone.base.state_steps import Function, State, Steps, Table

_BETWEEN_LOOKS = 2_000  # states, looked at or new
_SHARED_FROM = 100_000  # states that are looked at before several processes are worth it
_SAMPLE = 400  # states


class Look(Protocol):
    def __call__(self, states: int, memory: int) -> None:
        """How many states there are, and the bytes of all processes; raises an exception if the search is to end."""


class Closure:
    """One search, which can be asked what it has found while it goes on. It raises what `look` and the steps raise."""

    def __init__(self, steps: Steps, start: State, look: Look, workers: int = 1) -> None:
        self.steps, self.look, self.workers = steps, look, workers
        self.table: Table = {start: None}
        self.waiting: list[State] = [start]
        self.functions: dict[object, Function] = {}
        self.looked = 0  # at so many states of `waiting`
        self.elsewhere = self.lost = 0  # states that other processes have found, and how often one of these was lost
        self._path: list[State] | None = None  # to the latest notable state, if another process has found it

    @property
    def states(self) -> int:
        return len(self.table) + self.elsewhere

    def path(self, state: State) -> list[State]:
        """The states on the way to this one, which is the latest notable one."""
        if self._path is not None:
            return self._path
        path = [state]
        while (previous := self.table[path[-1]]) is not None:
            assert isinstance(previous, tuple)
            path.append(previous)
        return path[::-1]

    def notable(self) -> Iterator[State]:
        """Notable states as they are found. When this ends, all states have been looked at."""
        if self.workers > 1:
            yield from self._alone(_SHARED_FROM)
            if self.looked < len(self.waiting):
                yield from self._shared()
        yield from self._alone(None)

    def _alone(self, most: int | None) -> Iterator[State]:
        """Until nothing is waiting, or so many states have been looked at."""
        functions, table, push = self.functions, self.table, self.waiting.append
        next_look = 0
        for state in islice(self.waiting, self.looked, most):  # it grows
            function = functions.get(state[0]) or self._function(state[0])
            self.looked += 1
            if function(state, table, push):
                yield state
            if self.looked + len(table) >= next_look:
                next_look = self.looked + len(table) + _BETWEEN_LOOKS
                self.look(len(table), own_memory())

    def _shared(self) -> Iterator[State]:
        """All of the rest. If a process is lost, what all of them have found is, too, and this one goes on alone."""
        from drystone.base.shared_closure import Begun, Lost, SharedClosure  # for large searches alone
        from drystone.base.state_owners import choose_owners

        waiting = self.waiting[self.looked :]
        owners = choose_owners(self._sample(waiting), self.steps.names, self.workers)
        shared = SharedClosure(Begun(self.steps, self.functions, self.table, waiting), owners, self.look)
        try:
            for state in shared.notable():
                self._path, self.elsewhere = shared.path(state), shared.states
                yield state
            self.looked = len(self.waiting)
            self.elsewhere = shared.states
        except Lost:
            self.elsewhere, self._path = 0, None
            self.lost += 1
        finally:
            shared.close()

    def _sample(self, waiting: list[State]) -> list[tuple[State, State]]:
        """Of steps."""
        found: list[tuple[State, State]] = []
        for state in waiting[:: len(waiting) // _SAMPLE + 1]:
            followed: list[State] = []
            self._function(state[0])(state, {}, followed.append)
            found += [(state, each) for each in followed]
        return found

    def _function(self, location: object) -> Function:
        function = self.functions.get(location)
        if function is None:
            function = self.functions[location] = self.steps.function(location)
        return function
