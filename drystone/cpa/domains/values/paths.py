"""A way through the program on values: which of them show that no execution takes it?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from drystone.cpa.domains.values.few_valued import few_valued
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


class TakenEdge(NamedTuple):
    edge: Edge
    inputs: Mapping[Input, int]  # that were tried


class Paths:
    """Ways through one program."""

    def __init__(self, symbolic: SymbolicProgram, cells: Cells, all_: frozenset[str]) -> None:
        self.symbolic, self.cells, self.all = symbolic, cells, all_
        self.few = few_valued(symbolic.procedure, symbolic.regions) & all_
        self._read: dict[int, frozenset[str]] = {}  # by id of an edge
        self._functions: dict[tuple[str, Sort, tuple[Sort, ...]], Callable[..., Any]] = {}

    def refuting(self, way: Sequence[TakenEdge]) -> frozenset[str] | None:
        """Variables and regions that suffice to see that the way is impossible; None if values do not show it."""
        run = _Run(self, self.all)
        found: list[frozenset[str]] = []
        for at in itertools.islice(run.contradictions(way), _MOST_CONTRADICTIONS):
            found.append(self._fewest(way[: at + 1], run.learned))
        return min(found, key=self._cost, default=None)

    def _cost(self, needed: frozenset[str]) -> tuple[int, int, list[str]]:
        """Of a counter, every value would be a state: flags that show as much are better."""
        return len(needed - self.few), len(needed), sorted(needed)

    def _fewest(self, way: Sequence[TakenEdge], learned: Mapping[int, set[str]]) -> frozenset[str]:
        """Enough to see that the last condition, or one before, does not hold."""
        needed = self._behind(way, learned)
        for name in sorted(needed, key=lambda name: (name in self.few, name))[:_MOST_TRIES]:
            if any(True for _ in _Run(self, needed - {name}).contradictions(way)):
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


class _Run:
    """One walk along a way, with what is tracked."""

    def __init__(self, paths: Paths, tracked: frozenset[str]) -> None:
        self.paths, self.tracked = paths, tracked
        self.symbolic, self.cells = paths.symbolic, paths.cells
        self.values: dict[str, Any] = {}
        for name in tracked:
            start = self.cells.initial[name]
            self.values[name] = list(start) if isinstance(start, tuple) else start
        self.inputs: Mapping[Input, int] = {}
        self.learned: dict[int, set[str]] = {}

    def contradictions(self, way: Sequence[TakenEdge]) -> Iterator[int]:
        """The conditions that do not hold, each as if those before did."""
        for position, (edge, self.inputs) in enumerate(way):
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
                        for name, number in self._learn(condition, True):
                            self.values[name] = number
                            self.learned.setdefault(position, set()).add(name)
                case Assign(target, given):
                    if target.name in self.tracked:
                        self.values[target.name] = self._value(given)
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

    def _lose(self, name: str) -> None:
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
                return self.inputs.get(expression)
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
