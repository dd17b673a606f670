"""Executions in which one line does something else: a condition that goes the other way, or another value that is written.

A formula over the execution knows only the way that control went; these runs go on from the change wherever it leads. Switched
conditions are those of Zhang, Gupta, Gupta 2006, replaced values those of Jeffrey, Gupta, Gupta 2008. A line is a function
of what it reads, so a change is made at every visit at which the variables that it reads are the same: that is what a changed
line would do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import zip_longest

import msgspec

from drystone.base.deadline import Deadline
from drystone.concrete.code_generation import Exit, ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import InputSource, RecordedInputs
from drystone.concrete.machine import Machine
from drystone.counterexamples.replay import Replayed
from drystone.frontend.library.models import is_in_model
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Input, Variable
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Assume, Store
from drystone.ir.source_types import is_pointer
from drystone.logic.sorts import BitVec, Bool, Sort

Place = tuple[int, int]
"""File and line."""

_MOST_RUNS = 600
_MOST_EDGES = 1_500_000  # of all of them
_MOST_VALUES = 8  # other values for each


class Change(msgspec.Struct, frozen=True):
    """What is done otherwise, whenever control comes here with these values of what is read."""

    place: Place
    edge: Edge
    read: tuple[tuple[Variable, int], ...]
    before: int
    after: int | None  # None: the other way


class Passing(msgspec.Struct, frozen=True):
    """A change with which the execution does not fail."""

    change: Change
    is_asserted: bool  # the assertion was evaluated, and held


class OtherRuns(msgspec.Struct, frozen=True):
    passing: list[Passing]
    count: int
    left_out: tuple[str, ...] = ()


def other_runs(
    program: Program, replayed: Replayed, places: Collection[Place], assertion: Place, deadline: Deadline
) -> OtherRuns:
    """Runs with one change in one of these places each."""
    repeating = _Repeating(ProgramCode(program, longest_segment=1), replayed, frozenset(places), assertion)
    passing: list[Passing] = []
    count = 0
    for change in repeating.changes():
        if count >= _MOST_RUNS or repeating.edges >= _MOST_EDGES or deadline.expired():
            return OtherRuns(passing, count, (f"what more than {count:,} other executions would show",))
        count += 1
        kind, is_asserted = repeating.run(change)
        if kind in ("returned", "exit"):
            passing.append(Passing(change, is_asserted))
    return OtherRuns(passing, count)


class _Before(msgspec.Struct, frozen=True):
    """What was before an edge."""

    code: ProcedureCode
    locals: list[int]
    read: tuple[tuple[Variable, int], ...] | None


class _Machine(Machine):
    """One that knows what was stored last."""

    __slots__ = ("stored",)

    def __init__(self, program_code: ProgramCode, source: InputSource) -> None:
        super().__init__(program_code, source)
        self.stored = (0, 0, 0)  # address, value, size
        self.store = self._store

    def _store(self, address: int, value: int, size: int, edge: Edge) -> None:
        self.stored = address, value, size
        self.memory.store(address, value, size, edge)

    def held(self, code: ProcedureCode, variables: list[int], which: Variable) -> int:
        slot = code.frame.slot.get(which.name)
        return int(variables[slot] if slot is not None else self.globals[code.program_code.layout.global_slot[which.name]])

    def written(self, before: _Before, edge: Edge) -> int:
        if isinstance(edge.operation, Assign):
            return self.held(before.code, before.locals, edge.operation.target)
        return self.stored[1]

    def write(self, before: _Before, edge: Edge, value: int) -> None:
        if isinstance(edge.operation, Assign):
            name, frame = edge.operation.target.name, before.code.frame
            if name in frame.slot:
                before.locals[frame.slot[name]] = value
            else:
                self.globals[before.code.program_code.layout.global_slot[name]] = value
        else:
            address, _, size = self.stored
            self.memory.store(address, value, size, edge)


class _Repeating:
    def __init__(self, code: ProgramCode, replayed: Replayed, places: frozenset[Place], assertion: Place) -> None:
        self.code, self.replayed, self.places, self.assertion = code, replayed, places, assertion
        self.most_edges = 3 * replayed.outcome.steps + 1_000
        self.edges = 0  # of all runs
        self._read_by: dict[int, tuple[Variable, ...] | None] = {}

    # what could be changed

    def changes(self) -> Iterator[Change]:
        """Conditions first, then values; in turn of each line, in the order in which control comes there."""
        seen: dict[Change, None] = {}
        self._follow(lambda machine, before, edge: seen.update(dict.fromkeys(self._done(machine, before, edge))))
        yield from _in_turn(each for each in seen if each.after is None)
        written = [each for each in seen if each.after is not None]
        near = list(dict.fromkeys(each.before for each in written))
        for each in _in_turn(written):
            for value in _others(each, near):
                yield msgspec.structs.replace(each, after=value)

    def _done(self, machine: _Machine, before: _Before, edge: Edge) -> Iterator[Change]:
        place = edge.origin.file, edge.origin.line
        if place not in self.places or before.read is None or is_in_model(self.code.program, before.code.procedure.origin):
            return
        if isinstance(edge.operation, Assume):
            if len(before.code.outgoing[edge.source]) == 2:
                yield Change(place, edge, before.read, 1, None)
        elif isinstance(_sort_written(edge), (BitVec, Bool)):
            value = machine.written(before, edge)
            yield Change(place, edge, before.read, value, value)

    # runs

    def run(self, change: Change) -> tuple[str, bool]:
        """How it ends, and whether the assertion was evaluated after the change."""
        state = {"changed": False, "asserted": False}

        def look(machine: _Machine, before: _Before, edge: Edge) -> Exit | None:
            if (edge.origin.file, edge.origin.line) == self.assertion and isinstance(edge.operation, Assume):
                state["asserted"] = state["changed"]
            if edge is change.edge and before.read == change.read:
                state["changed"] = True
                if change.after is None:
                    other = next(each for each in before.code.outgoing[edge.source] if each is not edge)
                    return before.code.begin(other.target)
                machine.write(before, edge, change.after)
            return None

        return self._follow(look), state["asserted"]

    def _follow(self, look: Callable[[_Machine, _Before, Edge], Exit | None]) -> str:
        """`look` is told of every edge of the program that was taken, and may say where to go on instead."""
        machine = _Machine(self.code, RecordedInputs(self.replayed.inputs))
        exit, taken = machine.code.begin(machine.code.procedure.entry), 0
        while taken < self.most_edges:
            code, location = exit.code, exit.location
            outgoing = code.outgoing[location] if location not in code.procedure.marks else []
            before = _Before(code, machine.locals, self._read(machine, code, outgoing))
            try:
                exit = machine.advance(exit)
            except Ended as end:
                return end.kind
            taken += 1
            self.edges += 1
            for edge in exit.edges:
                exit = look(machine, before, edge) or exit
        return "limit"

    def _read(self, machine: _Machine, code: ProcedureCode, outgoing: list[Edge]) -> tuple[tuple[Variable, int], ...] | None:
        """The variables that decide what happens here; None: nothing that could be changed."""
        if not outgoing or (outgoing[0].origin.file, outgoing[0].origin.line) not in self.places:
            return None
        key = id(outgoing[0])
        if key not in self._read_by:
            parts = [part for each in expressions_of(outgoing[0].operation) for part in subexpressions(each)]
            read = tuple(dict.fromkeys(part for part in parts if isinstance(part, Variable)))
            self._read_by[key] = None if any(isinstance(part, Input) for part in parts) else read
        variables = self._read_by[key]
        return tuple((each, machine.held(code, machine.locals, each)) for each in variables) if variables is not None else None


def _sort_written(edge: Edge) -> Sort | None:
    """Of a value that could be another one."""
    match edge.operation:
        case Assign(target, _) if not is_pointer(target.ctype):
            return target.sort
        case Store(_, value):
            return value.sort
        case _:
            return None


def _others(change: Change, near: list[int]) -> list[int]:
    """Other values for it: close to it, small ones, its negative, and what other lines have written."""
    sort = _sort_written(change.edge)
    if isinstance(sort, Bool):
        return [1 - change.before]
    assert isinstance(sort, BitVec)
    values = (change.before + 1, change.before - 1, 0, 1, -change.before, *near)
    found = dict.fromkeys(value % (1 << sort.width) for value in values)
    return [value for value in found if value != change.before][:_MOST_VALUES]


def _in_turn(changes: Iterable[Change]) -> Iterator[Change]:
    """So that a line that is executed often does not take all the time."""
    by_place: dict[Place, list[Change]] = {}
    for each in changes:
        by_place.setdefault(each.place, []).append(each)
    for turn in zip_longest(*by_place.values()):
        yield from (each for each in turn if each is not None)
