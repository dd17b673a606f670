"""All states that a program gets to, where these are few: breadth first over the transformers, on values.

Controllers that react to events have thousands of guarded updates in one loop, about which every query is hard, and often only
some dozens of reachable states. These are found in less time than a solver needs for one query. An input has the values that
the program compares it with, and one besides. So states may be missing: the set that is found is a candidate, which
`invariants.closure` completes, or shows to be complete. A way to an error is one of the transformers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import msgspec

from drystone.base.deadline import Deadline
from drystone.invariants.compiled_terms import CompiledTerms
from drystone.invariants.flags import MOST_TUPLES, Flag, Valuations
from drystone.invariants.sampling import Constants
from drystone.logic.sorts import BitVec, Bool
from drystone.logic.terms import Term, state, width
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

_MOST_WORK, _PER_TERM = 1_000_000, 400  # evaluated terms; a tenth of a second, and more where queries will take long
_MOST_CHOICES = 256  # of the inputs of a block, together
_MOST_VALUES = 40  # of an input

Tuple = tuple[int, ...]
"""The values of the live variables at a cut point."""


class Move(msgspec.Struct, frozen=True):
    """From a cut point (or the entry) on, the inputs that were chosen."""

    cut: int
    inputs: dict[Term, int]


class Explored(msgspec.Struct, frozen=True):
    """`way`: to something bad, as far as values tell. Otherwise the states that were found, if these are all that there are
    for the inputs that were tried; else there are none."""

    sets: dict[int, Valuations]
    way: tuple[Move, ...] = ()


def explore(system: TransitionSystem, constants: Constants, seed: int, deadline: Deadline) -> Explored:
    if any(not isinstance(sort, (BitVec, Bool)) for sort in _sorts(system)):
        return Explored({})
    return _Exploration(system, constants, seed, deadline).run()


def _sorts(system: TransitionSystem) -> Iterator[object]:
    return (system.symbolic.sorts[name] for cut in system.cut_points for name in system.live(cut))


class _Exploration:
    def __init__(self, system: TransitionSystem, constants: Constants, seed: int, deadline: Deadline) -> None:
        self.system, self.constants, self.deadline = system, constants, deadline
        self.choose = random.Random(seed)
        self.work, self.most_work = 0, _MOST_WORK
        self.blocks: dict[int, _Block] = {}
        self.before: dict[tuple[int, Tuple], tuple[int, Tuple, dict[Term, int]]] = {}  # how states were reached first
        self.found: dict[int, list[Tuple]] = {cut: [] for cut in system.cut_points}

    def run(self) -> Explored:
        waiting: list[tuple[int, Tuple]] = [(ENTRY, ())]
        for here in waiting:  # grows
            cut, values = here
            block = self._block(cut)
            for inputs in block.choices(values, self.choose):
                if self.work > self.most_work or self.deadline.expired():
                    return Explored({})
                self.work += block.terms.size()
                reached = block.follow(values, inputs)
                if reached is None:
                    continue
                target, after = reached
                if target == _BAD:
                    return Explored({}, self._way(cut, values, inputs))
                if (target, after) not in self.before:
                    self.before[target, after] = (cut, values, inputs)
                    self.found[target].append(after)
                    if len(self.found[target]) > MOST_TUPLES:
                        return Explored({})
                    waiting.append((target, after))
        return Explored({cut: self._valuations(cut, tuples) for cut, tuples in self.found.items()})

    def _block(self, cut: int) -> _Block:
        found = self.blocks.get(cut)
        if found is None:
            block = self.system.initial if cut == ENTRY else self.system.blocks[cut]
            found = self.blocks[cut] = _Block(self.system, block, self.constants)
            self.most_work += _PER_TERM * found.terms.size()
        return found

    def _way(self, cut: int, values: Tuple, inputs: dict[Term, int]) -> tuple[Move, ...]:
        moves = [Move(cut, inputs)]
        while cut != ENTRY:
            cut, values, inputs = self.before[cut, values]
            moves.append(Move(cut, inputs))
        return tuple(reversed(moves))

    def _valuations(self, cut: int, tuples: Sequence[Tuple]) -> Valuations:
        flags = [Flag(variable, None) for variable in self.system.live_variables(cut)]
        return Valuations(tuple(flags), frozenset(tuples))


_BAD = -2
"""Stands for what a proof must exclude, among cut points."""


class _Block:
    """One transformer, as instructions."""

    def __init__(self, system: TransitionSystem, block: Transformer, constants: Constants) -> None:
        sorts = system.symbolic.sorts
        self.targets = list(block.exits)
        after = [
            [exit.values.get(name, state(name, sorts[name])) for name in system.live(target)]
            for target, exit in block.exits.items()
        ]
        self.terms = CompiledTerms([block.violation, *(exit.guard for exit in block.exits.values())], after)
        live = [] if block.start == ENTRY else system.live_variables(block.start)
        position = {variable: index for index, variable in enumerate(live)}
        self.inputs: dict[Term, list[int]] = {}
        self._slots: list[list[tuple[int, int | None, Term]]] = []
        for symbols in self.terms.symbols:
            for _, symbol in symbols:
                if symbol not in position and symbol not in self.inputs:
                    self.inputs[symbol] = _values(symbol, constants)
            self._slots.append([(slot, position.get(symbol), symbol) for slot, symbol in symbols])

    def choices(self, values: Tuple, choose: random.Random) -> Iterator[dict[Term, int]]:
        """All choices of the inputs, or, where these are too many, some."""
        symbols, pools = list(self.inputs), list(self.inputs.values())
        chosen: Iterable[Sequence[int]] = product(*pools)
        if prod(map(len, pools)) > _MOST_CHOICES:
            chosen = [[choose.choice(pool) for pool in pools] for _ in range(_MOST_CHOICES)]
        for each in chosen:
            yield dict(zip(symbols, each, strict=True))

    def follow(self, values: Tuple, inputs: dict[Term, int]) -> tuple[int, Tuple] | None:
        """Where control gets to, and the values there; None where it ends."""
        slots: list[Any] = self.terms.start()
        self._fill(0, slots, values, inputs)
        is_bad, *guards = self.terms.run(0, slots)
        if is_bad:
            return _BAD, ()
        for number, target in enumerate(self.targets):
            if guards[number]:
                self._fill(number + 1, slots, values, inputs)
                return target, tuple(self.terms.run(number + 1, slots))
        return None

    def _fill(self, phase: int, slots: list[Any], values: Tuple, inputs: dict[Term, int]) -> None:
        for slot, position, symbol in self._slots[phase]:
            slots[slot] = values[position] if position is not None else inputs[symbol]


def _values(symbol: Term, constants: Constants) -> list[int]:
    """To try for an input: what it is compared with, and what is next to the least and the greatest of these."""
    if isinstance(symbol.sort, Bool):
        return [0, 1]
    if not isinstance(symbol.sort, BitVec):
        return [0]
    compared = constants.compared_with.get(symbol, [0])[:_MOST_VALUES]
    mask = (1 << width(symbol)) - 1
    return list(dict.fromkeys(value & mask for value in (*compared, compared[0] - 1, compared[-1] + 1)))
