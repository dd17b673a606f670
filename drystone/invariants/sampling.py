"""States at the cut points, reached by concrete runs of the transformers from the entry.

Runs choose their inputs from the constants that the program compares with, their neighbours, small numbers, ends of the range and
random bits. Half of the runs go on from a state that was reached before. How much is executed is counted in evaluated
terms, not in seconds, so the states depend on the seed alone unless the deadline cuts the sampling short.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from drystone.base.deadline import Deadline
from drystone.invariants.compiled_terms import CompiledTerms, flatten
from drystone.logic.evaluation import ArrayValue, Value
from drystone.logic.floats import arithmetic
from drystone.logic.semantics import signed
from drystone.logic.sorts import Array, BitVec, Bool, Float
from drystone.logic.terms import Term, state, width
from drystone.solvers import Solver
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

State = dict[Term, Value]
"""A value for every live variable and region."""

MOST_WORK = 2_000_000
"""Evaluated terms; about a second."""
MOST_STEPS = 20_000
MOST_STATES = 120
"""That are kept per cut point."""
_LONGEST_RUN = 3_000  # blocks; most runs are shorter
_LONG_RUN = 300
_OFTEN = 6  # times that a run passes a cut point before its states are thinned out
_MOST_CONSTANTS = 200
_STYLES = ("zero", "constants", "small", "near", "mixed", "small", "constants", "random", "mixed", "one", "near", "ends")
COMPARISONS = frozenset(("=", "bvult", "bvule", "bvslt", "bvsle"))
_EXTENSIONS = frozenset(("zero_extend", "sign_extend", "truncate"))


class Samples(msgspec.Struct):
    states: dict[int, list[State]] = {}
    steps: int = 0
    runs: int = 0

    def at(self, cut: int) -> list[State]:
        return self.states.get(cut, [])


class Constants:
    """The numbers that terms compare with, as signed integers: with anything, and with each input."""

    def __init__(self, all_terms: Iterable[Term]) -> None:
        anywhere: set[int] = set()
        compared: dict[Term, set[int]] = {}
        for term in all_terms:
            if term.operator not in COMPARISONS or type(term.arguments[0].sort) is not BitVec:
                continue
            for one, other in (term.arguments, term.arguments[::-1]):
                if one.operator == "const":
                    value = signed(one.payload, width(one))
                    anywhere.add(value)
                    while other.operator in _EXTENSIONS:
                        other = other.arguments[0]
                    if other.operator == "input":
                        compared.setdefault(other, set()).add(value)
        self.compared_with = {symbol: sorted(values) for symbol, values in compared.items()}
        self.anywhere = sorted(anywhere)[:_MOST_CONSTANTS] or [0]


class Runner:
    """Executes single blocks."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self._compiled: dict[int, _Compiled] = {}
        self.work = 0

    def compiled(self, cut: int) -> _Compiled:
        found = self._compiled.get(cut)
        if found is None:
            block = self.system.initial if cut == ENTRY else self.system.blocks[cut]
            found = self._compiled[cut] = _Compiled(self.system, block)
            self.work += 2 * found.terms.size()
        return found

    def step(self, cut: int, before: State, inputs: Inputs) -> tuple[int, State] | None:
        """The cut point that control gets to next and the state there; None where it ends."""
        compiled = self.compiled(cut)
        terms = compiled.terms
        slots = terms.start()
        _fill(terms, 0, slots, before, inputs)
        self.work += terms.length(0)
        guards = terms.run(0, slots)
        for position, (target, names) in enumerate(compiled.targets):
            if guards[position]:
                phase = position + 1
                _fill(terms, phase, slots, before, inputs)
                self.work += terms.length(phase)
                values = terms.run(phase, slots)
                after: State = {}
                for name, value in zip(names, values, strict=True):
                    after[name] = flatten(value)
                return target, after
        return None


class _Compiled:
    def __init__(self, system: TransitionSystem, block: Transformer) -> None:
        sorts = system.symbolic.sorts
        exits = list(block.exits.items())
        self.targets: list[tuple[int, list[Term]]] = []
        values: list[list[Term]] = []
        for target, exit in exits:
            variables = [state(name, sorts[name]) for name in system.live(target)]
            self.targets.append((target, variables))
            values.append([exit.values.get(variable.payload, variable) for variable in variables])
        self.terms = CompiledTerms([exit.guard for _, exit in exits], values)


def _fill(terms: CompiledTerms, phase: int, slots: list[Any], before: State, inputs: Inputs) -> None:
    for slot, symbol in terms.symbols[phase]:
        value = before.get(symbol)
        slots[slot] = inputs.value(symbol) if value is None else value


class Inputs:
    """The inputs of one run."""

    def __init__(self, constants: Constants, choose: random.Random, style: str) -> None:
        self.constants, self.choose, self.style = constants, choose, style

    def value(self, symbol: Term) -> Value:
        sort = symbol.sort
        match sort:
            case Bool():
                return self.choose.getrandbits(1)
            case BitVec(width):
                return self._integer(symbol) & (1 << width) - 1
            case Float():
                return self._float(sort)
            case Array(_, element):
                default = 0 if self.style in ("zero", "one", "constants") else self.choose.getrandbits(element.width)
                return ArrayValue(default, {})

    def _integer(self, symbol: Term) -> int:
        choose, style = self.choose, self.style
        if style == "mixed":
            style = choose.choice(("constants", "near", "small", "random", "ends"))
        match style:
            case "zero":
                return 0
            case "one":
                return 1
            case "constants" | "near":
                pool = self.constants.compared_with.get(symbol, self.constants.anywhere)
                return choose.choice(pool) + (choose.choice((-1, 0, 1)) if style == "near" else 0)
            case "small":
                return choose.randint(-2, 12)
            case "ends":
                bits = width(symbol)
                return (1 << choose.choice((bits - 1, bits))) + choose.randint(-2, 2)
            case _:
                return choose.getrandbits(64)

    def _float(self, sort: Float) -> int:
        if self.style == "random":
            return self.choose.getrandbits(sort.width)
        return arithmetic(sort).from_integer(self.choose.randint(-2, 12))


class ModelInputs(Inputs):
    """The inputs of the transition that a solver has found."""

    def __init__(self, context: Solver) -> None:
        self.context = context

    def value(self, symbol: Term) -> Value:
        return self.context.value(symbol)


Starts = Mapping[int, Sequence[State]]
"""States per cut point, for runs to begin in."""


def sample(
    system: TransitionSystem, seed: int, deadline: Deadline, constants: Constants | None = None, starts: Starts | None = None
) -> Samples:
    """Reached states per cut point, at most `MOST_STATES` each; runs begin at the entry, or in one of the given states."""
    return _Sampling(system, seed, deadline, constants or Constants(system.all_terms()), starts or {}).samples


_Kept = dict[int, tuple[list[int], list[int]]]
"""Per cut point the places of kept states among all, and how many there were to keep."""


class _Sampling:
    def __init__(self, system: TransitionSystem, seed: int, deadline: Deadline, constants: Constants, starts: Starts) -> None:
        self.samples = Samples()
        self.runner = Runner(system)
        self.starts = [(cut, start) for cut, given in starts.items() for start in given] or [(ENTRY, {})]
        self.deadline = deadline
        self.choose = random.Random(seed)
        self._seen: dict[int, set[int]] = {}
        self._kept: tuple[_Kept, _Kept] = ({}, {})  # late ones, early ones
        for cut, start in self.starts:
            if cut != ENTRY:
                self._keep(cut, start, True)
        while self._goes_on():
            style = _STYLES[self.samples.runs % len(_STYLES)] if self.samples.runs < 40 else self.choose.choice(_STYLES)
            self._run(Inputs(constants, self.choose, style))
            self.samples.runs += 1
            if self.samples.runs > 60 and self.samples.steps == 0:
                break

    def _goes_on(self) -> bool:
        return self.runner.work < MOST_WORK and self.samples.steps < MOST_STEPS and not self.deadline.expired()

    def _run(self, inputs: Inputs) -> None:
        cut, current = self.starts[0] if len(self.starts) == 1 else self.choose.choice(self.starts)
        fresh = not (self.samples.runs % 2 and self.samples.states)
        if not fresh:
            cut = self.choose.choice(list(self.samples.states))
            current = self.choose.choice(self.samples.states[cut])
        passed: dict[int, int] = {}
        for _ in range(_LONGEST_RUN if self.samples.runs % 8 == 1 else _LONG_RUN):
            following = self.runner.step(cut, current, inputs)
            if following is None or following[0] != cut:
                if cut != ENTRY:
                    self._keep(cut, current, False)  # the last state in a loop
                if following is None:
                    self.samples.steps += 1
                    return
            cut, current = following
            self.samples.steps += 1
            times = passed[cut] = passed.get(cut, 0) + 1
            if times <= _OFTEN or self.choose.random() < 2 / times:
                self._keep(cut, current, fresh and times <= 2)
            if not self._goes_on():
                return

    def _keep(self, cut: int, reached: State, early: bool) -> None:
        """Half of the states that are kept come early in their runs, so that long runs do not crowd out short ones."""
        key = hash(tuple([value for value in reached.values() if type(value) is int]))
        seen = self._seen.setdefault(cut, set())
        if key in seen and len(seen) > 4:
            return
        seen.add(key)
        self.samples.states.setdefault(cut, [])
        kept, offered = self._kept[early].setdefault(cut, ([], [0]))
        offered[0] += 1
        if len(kept) < MOST_STATES // 2:
            kept.append(len(self.samples.states[cut]))
            self.samples.states[cut].append(reached)
        else:
            position = self.choose.randrange(offered[0])
            if position < len(kept):
                self.samples.states[cut][kept[position]] = reached
