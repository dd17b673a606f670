"""Runs of a few threads, step by step: states that claims about pairs of threads must allow."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from drystone.base.deadline import Deadline
from drystone.invariants.compiled_terms import CompiledTerms
from drystone.logic.semantics import signed
from drystone.logic.sorts import BitVec
from drystone.logic.terms import Term, width
from drystone.modular.steps import Key, Steps, slot_name, vocabulary
from drystone.threads.instances import MAIN
from drystone.threads.scalar_templates import GLOBAL

Row = tuple[int, ...]
"""Values in the order of `vocabulary`."""

_RUNS = 60
_LENGTH = 150  # steps of a run
_MOST_THREADS = 4
_MOST_ROWS = 60  # that are kept of a key


class _Thread:
    def __init__(self, place: int, values: dict[str, int]) -> None:
        self.place, self.values = place, values


class Runs:
    """What was seen, per place and pair of places."""

    def __init__(self, steps: Steps, seed: int, constants: Sequence[int]) -> None:
        self.steps, self.constants = steps, constants
        self.random = random.Random(seed)
        self.rows: dict[Key, dict[Row, None]] = {}
        self._compiled: dict[int, CompiledTerms] = {}
        self._names: dict[Key, list[str]] = {}
        self._globals: dict[str, int] = {}
        self._threads: list[_Thread] = []

    def run(self, deadline: Deadline) -> None:
        for _ in range(_RUNS):
            if deadline.expired():
                return
            self._start()
            for _ in range(_LENGTH):
                if not self._threads or not self._step(self._chosen()):
                    break

    def names(self, key: Key) -> list[str]:
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = list(vocabulary(self.steps, key))
        return known

    def _start(self) -> None:
        steps = self.steps
        initial = CompiledTerms(list(steps.initial.values()))
        slots = initial.start()
        self._fill(initial, 0, slots, {})
        values = dict(zip(steps.initial, initial.run(0, slots), strict=True))
        self._globals = {name: values.get(name, 0) for name in steps.globals()}
        own = {name: value for name, value in values.items() if steps.owner[name] != GLOBAL}
        self._threads = [_Thread(steps.roles[MAIN].entry, own)]
        self._note(self._threads[0], True)

    def _chosen(self) -> _Thread:
        """Who is in an atomic section goes on; otherwise somebody, but there must not be too many."""
        for thread in self._threads:
            if self.steps.is_interior(thread.place):
                return thread
        full = len(self._threads) >= _MOST_THREADS
        able = [each for each in self._threads if not full or self.steps.steps[each.place].creates is None]
        return self.random.choice(able or self._threads)

    def _step(self, thread: _Thread) -> bool:
        """False: nobody can go on from here, or the run has come to something bad."""
        step = self.steps.steps[thread.place]
        compiled = self._compiled.get(step.start)
        if compiled is None:
            values = [list(way.values.values()) for way in step.ways]
            compiled = self._compiled[step.start] = CompiledTerms([way.guard for way in step.ways], values)
        slots = compiled.start()
        known = {**self._globals, **thread.values}
        self._fill(compiled, 0, slots, known)
        taken = next((number for number, holds in enumerate(compiled.run(0, slots)) if holds), None)
        if taken is None:
            return not step.bad and not self.steps.is_interior(thread.place)
        way = step.ways[taken]
        self._fill(compiled, taken + 1, slots, known)
        new = _Thread(self.steps.roles[step.creates].entry, {}) if step.creates is not None else None
        for name, value in zip(way.values, compiled.run(taken + 1, slots), strict=True):
            owner = self.steps.owner[name]
            if owner == GLOBAL:
                self._globals[name] = value
            elif new is not None and owner == step.creates:
                new.values[name] = value
            else:
                thread.values[name] = value
        thread.place = way.target
        if self.steps.is_ended(way.target):
            self._threads.remove(thread)
        if new is not None:
            self._threads.append(new)
            self._note(new, False)
        self._note(thread, way.changes_globals)
        return True

    def _fill(self, compiled: CompiledTerms, phase: int, slots: list[Any], known: Mapping[str, int]) -> None:
        for slot, symbol in compiled.symbols[phase]:
            value = known.get(symbol.payload) if symbol.operator == "state" else None
            slots[slot] = value if value is not None else self._any(symbol)

    def _any(self, symbol: Term) -> int:
        if not isinstance(symbol.sort, BitVec):
            return self.random.getrandbits(1)
        bits = width(symbol)
        match self.random.randrange(4):
            case 0:
                value = self.random.getrandbits(bits)
            case 1:
                value = self.random.choice(self.constants) + self.random.randint(-1, 1)
            case _:
                value = self.random.randrange(4)
        return value & (1 << bits) - 1

    # what is seen

    def _note(self, thread: _Thread, is_for_all: bool) -> None:
        """The state after a step of this thread."""
        for position, first in enumerate(self._threads):
            if is_for_all or first is thread:
                self._add((first,))
            for second in self._threads[position + 1 :]:
                if is_for_all or thread in (first, second):
                    if first.place <= second.place:
                        self._add((first, second))
                    if first.place >= second.place:
                        self._add((second, first))

    def _add(self, threads: tuple[_Thread, ...]) -> None:
        key = tuple(each.place for each in threads)
        rows = self.rows.setdefault(key, {})
        if len(rows) >= _MOST_ROWS:
            return
        values = dict(self._globals)
        for slot, each in enumerate(threads, 1):
            values |= {slot_name(slot, name): value for name, value in each.values.items()}
        rows[tuple(values.get(name, 0) for name in self.names(key))] = None


def as_signed(value: int, symbol: Term) -> int:
    return signed(value, width(symbol)) if isinstance(symbol.sort, BitVec) else value
