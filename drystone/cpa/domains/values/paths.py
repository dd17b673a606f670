"""A way through the program on values: which of them show that no execution takes it?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from drystone.concrete.few_values import few_values, only_input, over_inputs
from drystone.cpa.domains.values import ranges
from drystone.cpa.domains.values.few_valued import few_valued
from drystone.cpa.domains.values.states import Tried
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable
from drystone.ir.operations import Assign, Assume, Declare, Free, Skip, Store
from drystone.logic.semantics import function
from drystone.logic.sorts import EXTENDED, BitVec, Bool, Sort
from drystone.memory.dataflow import array_name, reads_and_writes
from drystone.symbolic.cells import Cells
from drystone.symbolic.execution import SymbolicProgram

_MOST_TRIES = 40  # to do without a variable
_MOST_CONTRADICTIONS = 4  # of one way that are compared
_MOST_WALKED = 300_000  # edges, to look at values one by one
_MOST_UNKNOWN = 2  # of which all combinations are looked at


class TakenEdge(NamedTuple):
    edge: Edge
    chosen: Mapping[Input | str, int]  # inputs that were tried, and variables to which a branch has left few values


class _Split(NamedTuple):
    """Something unknown on a way, of which each value can be looked at by itself."""

    position: int
    unknown: Input | str
    values: Sequence[int]


class Paths:
    """Ways through one program."""

    def __init__(self, symbolic: SymbolicProgram, cells: Cells, all_: frozenset[str], tried: Tried) -> None:
        self.symbolic, self.cells, self.all, self.tried = symbolic, cells, all_, tried
        self.few = few_valued(symbolic.procedure, symbolic.regions) & all_
        self._read: dict[int, frozenset[str]] = {}  # by id of an edge
        self._functions: dict[tuple[str, Sort, tuple[Sort, ...]], Callable[..., Any]] = {}

    def refuting(self, way: Sequence[TakenEdge]) -> frozenset[str] | None:
        """Variables and regions that suffice to see that the way is impossible; None if values do not show it."""
        found = self._refuting_at_once(way)
        if found is not None:
            return found
        cases = _Cases(self, len(way)).refuted(way, _MOST_UNKNOWN)
        if cases is None:
            return None
        found = frozenset()
        for case in cases:
            if not self.is_refuted(case, found):
                found |= self._refuting_at_once(case, 1) or frozenset()
        return found

    def _refuting_at_once(self, way: Sequence[TakenEdge], most: int = _MOST_CONTRADICTIONS) -> frozenset[str] | None:
        """By a condition that does not hold whatever is not known; so many of them are compared."""
        run = _Run(self, self.all)
        found: list[frozenset[str]] = []
        for at in itertools.islice(run.contradictions(way), most):
            found.append(self._fewest(way[: at + 1], run.learned))
        return min(found, key=self._cost, default=None)

    def is_refuted(self, way: Sequence[TakenEdge], tracked: frozenset[str]) -> bool:
        return any(True for _ in _Run(self, tracked).contradictions(way))

    def splits(self, way: Sequence[TakenEdge]) -> list[_Split]:
        """What is not known on the way, but has few values."""
        run = _Run(self, self.all)
        for _ in run.contradictions(way):
            pass
        return run.splits

    def _cost(self, needed: frozenset[str]) -> tuple[int, int, list[str]]:
        """Of a counter, every value would be a state: flags that show as much are better."""
        return len(needed - self.few), len(needed), sorted(needed)

    def _fewest(self, way: Sequence[TakenEdge], learned: Mapping[int, set[str]]) -> frozenset[str]:
        """Enough to see that the last condition, or one before, does not hold."""
        needed = self._behind(way, learned)
        for name in sorted(needed, key=lambda name: (name in self.few, name))[:_MOST_TRIES]:
            if self.is_refuted(way, needed - {name}):
                needed -= {name}
        return needed

    def _behind(self, way: Sequence[TakenEdge], learned: Mapping[int, set[str]]) -> frozenset[str]:
        """What the last condition of the way depends on, backwards."""
        regions = self.symbolic.regions
        relevant = set(reads_and_writes(way[-1].edge.operation, regions)[0])
        found = set(relevant)
        for position in range(len(way) - 2, -1, -1):
            operation = way[position].edge.operation
            if isinstance(operation, Assume):
                relevant -= learned.get(position, set())
                continue
            reads, writes = reads_and_writes(operation, regions)
            if relevant.isdisjoint(writes):
                continue
            if isinstance(operation, Assign):
                relevant -= set(writes)
            relevant |= set(reads)
            found |= relevant
        return frozenset(found & self.all)

    def read(self, edge: Edge) -> frozenset[str]:
        known = self._read.get(id(edge))
        if known is None:
            known = self._read[id(edge)] = frozenset(reads_and_writes(edge.operation, self.symbolic.regions)[0])
        return known

    def function(self, whole: Apply) -> Callable[..., Any]:
        key = (whole.operator, whole.sort, tuple(argument.sort for argument in whole.arguments))
        known = self._functions.get(key)
        if known is None:
            known = self._functions[key] = function(*key)
        return known


class _Cases:
    """A way on which each value of something unknown contradicts a condition, though not all the same one."""

    def __init__(self, paths: Paths, length: int) -> None:
        self.paths, self.left = paths, _MOST_WALKED // length

    def refuted(self, way: Sequence[TakenEdge], most: int, first: int = 0) -> list[Sequence[TakenEdge]] | None:
        """With at most so many unknowns, from a position on; None: some values contradict nothing, or there are too many."""
        for split in reversed(self.paths.splits(way)) if most else ():
            if split.position >= first:
                cases = self._all_refuted(way, split, most - 1)
                if cases is not None:
                    return cases
        return None

    def _all_refuted(self, way: Sequence[TakenEdge], split: _Split, most: int) -> list[Sequence[TakenEdge]] | None:
        found: list[Sequence[TakenEdge]] = []
        edge, chosen = way[split.position]
        for value in split.values:
            self.left -= 1
            if self.left < 0:
                return None
            case = [*way]
            case[split.position] = TakenEdge(edge, {**chosen, split.unknown: value})
            if self.paths.is_refuted(case, self.paths.all):
                found.append(case)
                continue
            cases = self.refuted(case, most, split.position + 1)
            if cases is None:
                return None
            found += cases
        return found


class _Run:
    """One walk along a way, with what is tracked."""

    def __init__(self, paths: Paths, tracked: frozenset[str]) -> None:
        self.paths, self.tracked = paths, tracked
        self.symbolic, self.cells = paths.symbolic, paths.cells
        self.values: dict[str, Any] = {}
        for name in tracked:
            start = self.cells.initial[name]
            self.values[name] = list(start) if isinstance(start, tuple) else start
        self.chosen: Mapping[Input | str, int] = {}
        self.learned: dict[int, set[str]] = {}
        self.left: dict[str, ranges.Ranges] = {}  # by the conditions since a variable was last assigned
        self.splits: list[_Split] = []

    def contradictions(self, way: Sequence[TakenEdge]) -> Iterator[int]:
        """The conditions that do not hold, each as if those before did."""
        for position, (edge, self.chosen) in enumerate(way):
            match edge.operation:
                case Skip() | Free():
                    pass
                case Assume(condition):
                    if self.tracked.isdisjoint(self.paths.read(edge)):
                        continue
                    value = self._value(condition)
                    if value is not None and not value:
                        yield position
                    if value is None:
                        self._pass(position, condition)
                case Assign(target, given):
                    if target.name in self.tracked:
                        self.values[target.name] = self._value(given)
                        self.left.pop(target.name, None)
                        self._note_inputs(position, given)
                case Store(address, given):
                    self._store(address, given)
                case Declare(name):
                    for region, numbers in self.cells.of_object.get(name, {}).items():
                        if region in self.tracked:
                            for number in numbers:
                                self.values[region][number] = None
                case operation:
                    for name in reads_and_writes(operation, self.symbolic.regions)[1]:
                        self._lose(name)

    def _pass(self, position: int, condition: Expression) -> None:
        """What holds behind a condition that was not known to."""
        learned = dict(self._learn(condition, True))
        for name, left in ranges.narrowed(self.left, condition, True).items():
            self.left[name] = left
            if name in self.tracked and self.values[name] is None and name not in learned:
                if name in self.chosen:
                    learned[name] = self.chosen[name]
                elif self.paths.tried.is_split and ranges.count(left) <= self.paths.tried.most:
                    self.splits.append(_Split(position, name, list(ranges.numbers(left))))
        if learned:
            self.values |= learned
            self.learned.setdefault(position, set()).update(learned)

    def _note_inputs(self, position: int, given: Expression) -> None:
        for part in over_inputs(given, self.paths.tried.most):
            values, unknown = few_values(part, self.paths.tried.most), only_input(part)
            if values is not None and unknown is not None and unknown not in self.chosen:
                self.splits.append(_Split(position, unknown, list(values.values())))

    def _lose(self, name: str) -> None:
        self.left.pop(name, None)
        if name in self.tracked:
            kept = self.values[name]
            self.values[name] = [None] * len(kept) if isinstance(kept, list) else None

    def _store(self, address: Expression, given: Expression) -> None:
        name = array_name(self.symbolic.regions.of(address, given.sort))
        if name not in self.tracked:
            return
        where = self._value(address)
        if where is None or given.sort == EXTENDED:
            self._lose(name)
            return
        cell = self.cells.index[name].get(where)
        if cell is not None:
            self.values[name][cell] = self._value(given)

    def _learn(self, condition: Expression, holds: bool) -> Iterator[tuple[str, int]]:
        match condition:
            case Variable(name) if name in self.tracked:
                yield name, int(holds)
            case Apply("not", _, (inner,)):
                yield from self._learn(inner, not holds)
            case Apply("and", _, (left, right)) if holds:
                yield from self._learn(left, True)
                yield from self._learn(right, True)
            case Apply("or", _, (left, right)) if not holds:
                yield from self._learn(left, False)
                yield from self._learn(right, False)
            case Apply("=", _, (Variable(name), Constant(_, number)) | (Constant(_, number), Variable(name))) if holds:
                if name in self.tracked and self.values[name] is None:
                    yield name, number
            case _:
                pass

    def _value(self, expression: Expression) -> Any:
        match expression:
            case Variable(name):
                return self.values.get(name)
            case Constant(_, number):
                return number
            case Address(target):
                return self.symbolic.memory.fixed_address(target)
            case Input():
                return self.chosen.get(expression)
            case Load(sort, address):
                return self._load(sort, address)
            case Apply("and" | "or" as operator, _, (left, right)):
                first, absorbing = self._value(left), operator == "or"
                if first is not None and bool(first) is absorbing:
                    return int(absorbing)
                second = self._value(right)
                if second is not None and bool(second) is absorbing:
                    return int(absorbing)
                return None if first is None or second is None else int(not absorbing)
            case Apply("ite", _, (condition, yes, no)):
                chosen = self._value(condition)
                if chosen is None:
                    first, second = self._value(yes), self._value(no)
                    return first if first == second else None
                return self._value(yes if chosen else no)
            case Apply(_, _, arguments):
                given = [self._value(argument) for argument in arguments]
                return None if None in given else self.paths.function(expression)(*given)

    def _load(self, sort: Sort, address: Expression) -> Any:
        name = array_name(self.symbolic.regions.of(address, sort))
        where = self._value(address) if name in self.tracked and sort != EXTENDED else None
        cell = self.cells.index[name].get(where) if where is not None else None
        value = self.values[name][cell] if cell is not None else None
        if value is None:
            return None
        if isinstance(sort, BitVec) and sort.width % 8:
            return value & (1 << sort.width) - 1
        return int(value != 0) if isinstance(sort, Bool) else value
