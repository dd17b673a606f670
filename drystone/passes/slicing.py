"""Slicing that keeps the answer: can an error or unknown location be reached?

1. What cannot reach such a location goes; a branch that loses one side keeps the assumption of the other.
2. A branch decides something if a relevant location is control dependent on it: it lies on one side only, before the two
   sides meet again (their immediate postdominator).
3. Assignments matter if a condition that matters depends on what they assign; memory counts by region.
4. A loop that does not end keeps the error from being reached. Where a loop could be meant so, it is taken as if it could
   also end at its head: what comes behind is then control dependent on the branches that leave it, so they stay. These are
   the loops that do the same in every round, which are assumptions in another form (`while (lock != 0) {}`), and the loops
   that must come to the error unless they go on for ever (`while (1) { ... if (x) reach_error(); }`). Of all others it is
   assumed that they end: those without effect go.

The sliced program may go on where the original stops with a null dereference or stays in a loop for ever: it over-approximates.
So a TRUE carries over, and a counterexample is replayed on the unsliced program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from drystone.base.graphs import Loop, immediate_dominators, loops
from drystone.ir.automaton import Edge, Mark, MarkKind, Procedure, Program, inputs
from drystone.ir.expressions import Expression, Variable
from drystone.ir.operations import Assign, Assume, Skip
from drystone.ir.text import operation_text
from drystone.memory.dataflow import reads, reads_and_writes
from drystone.memory.regions import Regions

_TARGETS = (MarkKind.ERROR, MarkKind.UNKNOWN)
_ROUNDS = 12


class Removed(msgspec.Struct, frozen=True):
    """An edge of the original procedure that the slice does without, and why."""

    edge: int
    reason: str


class Sliced(msgspec.Struct, frozen=True):
    program: Program
    origins: list[int]  # per edge of the slice: the index of the edge in the original procedure
    locations: list[int]  # per location of the slice: the location in the original procedure; the exit is -1
    removed: list[Removed]


def slice_program(program: Program, regions: Regions | None = None) -> Sliced:
    """Slices a program that has a single procedure. `regions` must be those of this program; by default they are computed."""
    return _Slicer(program, regions if regions is not None else Regions(program)).run()


def explain(program: Program, sliced: Sliced) -> list[str]:
    """The removed statements of `program`, which was sliced, in the order of the source, each with the reason."""
    edges = program.procedures[program.entry].edges
    lines: dict[tuple[int, int, int, str], str] = {}
    for item in sliced.removed:
        edge = edges[item.edge]
        if not isinstance(edge.operation, Skip):
            text = operation_text(edge.operation)
            key = (edge.origin.file, edge.origin.line, edge.origin.column, text)
            lines.setdefault(key, f"{program.where(edge.origin)}: {text}: {item.reason}")
    return [lines[key] for key in sorted(lines)]


class _Slicer:
    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.procedure = program.procedures[program.entry]
        self.edges = self.procedure.edges
        self.outgoing: list[list[int]] = [[] for _ in range(self.procedure.locations)]
        for index, edge in enumerate(self.edges):
            self.outgoing[edge.source].append(index)
        self.facts = [reads_and_writes(edge.operation, regions) for edge in self.edges]
        self.removed: dict[int, str] = {}

    def run(self) -> Sliced:
        procedure = self.procedure
        targets = [location for location, mark in procedure.marks.items() if mark.kind in _TARGETS]
        kept = self._between(procedure.entry, targets)
        if procedure.entry not in kept:
            return self._nothing_to_prove()
        # 1. edges between locations that matter
        self.successors: list[list[int]] = [[] for _ in range(procedure.locations)]
        self.live: list[list[int]] = [[] for _ in range(procedure.locations)]
        for location in kept:
            for index in self.outgoing[location]:
                target = self.edges[index].target
                if target in kept:
                    self.successors[location].append(target)
                    self.live[location].append(index)
                else:
                    self.removed[index] = "leads to no error"
        # 2. to 4.
        endless, meeting = self._endless(kept, targets)
        relevant_branches, relevant_edges = self._relevance(kept, targets, endless, meeting)
        return self._build(kept, meeting, relevant_branches, relevant_edges)

    def _nothing_to_prove(self) -> Sliced:
        """No error and no unknown location can be reached along edges."""
        procedure = msgspec.structs.replace(
            self.procedure,
            edges=[],
            marks={0: Mark(MarkKind.HALT, "no error can be reached", self.procedure.origin)},
            entry=0,
            exit=1,
            locations=2,
            frame_of=[0, 0],
        )
        removed = [Removed(index, "leads to no error") for index in range(len(self.edges))]
        return Sliced(msgspec.structs.replace(self.program, procedures={self.program.entry: procedure}), [], [-1, -1], removed)

    def _between(self, entry: int, targets: list[int]) -> set[int]:
        """Locations that the entry reaches and that reach a target."""
        forward = _closure([entry], lambda location: (self.edges[index].target for index in self.outgoing[location]))
        incoming: dict[int, list[int]] = {}
        for edge in self.edges:
            incoming.setdefault(edge.target, []).append(edge.source)
        return forward & _closure(targets, lambda location: incoming.get(location, ()))

    # loops

    def _endless(self, kept: set[int], targets: list[int]) -> tuple[set[int], list[int]]:
        """The heads of the loops that may be meant to go on for ever, and the postdominators with these."""
        found = loops(self.successors, self.procedure.entry)
        endless = {loop.head for loop in found if self._is_same_every_round(loop)}
        rest = [loop for loop in found if loop.head not in endless]
        for number in range(_ROUNDS + 1):
            meeting = self._postdominators(kept, targets, endless)
            last = self._last_before_the_end(kept, meeting)
            certain = set(targets)
            doomed = [loop for loop in rest if last[loop.head] in certain]
            if not doomed or number == _ROUNDS:
                break
            if number + 1 < _ROUNDS:  # the last ones of the outermost: those inside, and those before, may do without then
                doomed = _last(_outermost(doomed), meeting)
            endless.update(loop.head for loop in doomed)
            rest = [loop for loop in rest if loop.head not in endless]
        return endless, meeting

    def _is_same_every_round(self, loop: Loop) -> bool:
        """Does every round compute the same from what the loop does not change?"""
        values: dict[str, Expression] = {}
        for location in loop.members:
            for index in self.live[location]:
                edge = self.edges[index]
                if edge.target not in loop.members:
                    continue
                match edge.operation:
                    case Assume() | Skip():
                        pass
                    case Assign(target, value) if target.name not in values and not any(True for _ in inputs(value)):
                        values[target.name] = value
                    case _:
                        return False
        needs = {name: [read for read in reads(value, self.regions) if read in values] for name, value in values.items()}
        while True:  # no value may depend on itself, that is on the round before
            ready = [name for name, needed in needs.items() if not any(other in needs for other in needed)]
            if not ready:
                return not needs
            for name in ready:
                del needs[name]

    def _last_before_the_end(self, kept: set[int], meeting: list[int]) -> list[int]:
        """Per location the last of its postdominators: a target, if every way leads there."""
        end = self.procedure.locations
        last = list(range(end + 1))
        for location in self._from_the_end(kept, meeting):
            if meeting[location] != end:
                last[location] = last[meeting[location]]
        return last

    def _postdominators(self, kept: set[int], targets: list[int], endless: set[int]) -> list[int]:
        """Where the ways from a location meet first; the end behind targets, endless loops and branches that have lost a side is
        numbered `locations`."""
        end = self.procedure.locations
        backward: list[list[int]] = [[] for _ in range(end + 1)]
        for location in kept:
            for target in self.successors[location]:
                backward[target].append(location)
        ends = {location for location in kept if self._may_stop(location)}.union(endless, targets) & kept
        backward[end] = sorted(ends)
        return immediate_dominators(backward, end)

    def _may_stop(self, location: int) -> bool:
        """Is there an assumption, or a branch of which one side leads to no error? It is always relevant."""
        live = self.live[location]
        return len(live) == 1 and isinstance(self.edges[live[0]].operation, Assume)

    def _relevance(self, kept: set[int], targets: list[int], endless: set[int], meeting: list[int]) -> tuple[set[int], set[int]]:
        """The branches that decide and the edges whose effect matters: a fixed point."""
        facts = self.facts
        defining: dict[str, list[int]] = {}
        for location in kept:
            for index in self.live[location]:
                for name in facts[index][1]:
                    defining.setdefault(name, []).append(index)
        relevant = [False] * (self.procedure.locations + 1)  # locations
        edges: set[int] = set()
        branches: set[int] = set()
        wanted: list[str] = []
        known: set[str] = set()

        def want(index: int) -> None:
            wanted.extend(name for name in facts[index][0] if name not in known)

        for location in kept:
            relevant[location] = location in endless
            if self._may_stop(location):
                relevant[location] = True
                edges.add(self.live[location][0])
                want(self.live[location][0])
        for location in targets:
            relevant[location] = True
        order = self._from_the_end(kept, meeting)
        undecided = [location for location in kept if len(self.live[location]) == 2]
        while True:
            while wanted:
                name = wanted.pop()
                if name in known:
                    continue
                known.add(name)
                for index in defining.get(name, ()):
                    if index not in edges:
                        edges.add(index)
                        relevant[self.edges[index].source] = True
                        want(index)
            # how many relevant locations lie on the way from a location to the end of the postdominator tree
            count = [0] * (self.procedure.locations + 1)
            for location in order:
                count[location] = count[meeting[location]] + relevant[location]
            decided = [
                location
                for location in undecided
                if meeting[location] == self.procedure.locations
                or any(count[target] > count[meeting[location]] for target in self.successors[location])
            ]
            if not decided:
                return branches, edges
            branches.update(decided)
            decided_set = set(decided)
            undecided = [location for location in undecided if location not in decided_set]
            for location in decided:
                relevant[location] = True
                for index in self.live[location]:
                    edges.add(index)
                    want(index)

    def _from_the_end(self, kept: set[int], meeting: list[int]) -> list[int]:
        """The locations, each after its immediate postdominator."""
        children: dict[int, list[int]] = {}
        for location in kept:
            children.setdefault(meeting[location], []).append(location)
        order: list[int] = []
        stack = [self.procedure.locations]
        while stack:
            location = stack.pop()
            for child in children.get(location, ()):
                order.append(child)
                stack.append(child)
        return order

    # the new automaton

    def _build(self, kept: set[int], meeting: list[int], branches: set[int], relevant: set[int]) -> Sliced:
        """Drops what does not matter; a location whose only edge does nothing becomes one with its target."""
        forward: dict[int, int] = {}
        for location in kept:
            live = self.live[location]
            if len(live) == 2 and location not in branches:
                if location != self.procedure.entry:
                    forward[location] = meeting[location]
                for index in live:
                    self.removed[index] = "the branch decides nothing that matters"
            elif len(live) == 1 and live[0] not in relevant and location != self.procedure.entry:
                target = self.edges[live[0]].target
                if target != location:
                    forward[location] = target
                self.removed[live[0]] = "what it computes does not matter"
        resolve = _Resolver(forward)
        numbers: dict[int, int] = {}
        edges: list[Edge] = []
        origins: list[int] = []
        stack = [self.procedure.entry]
        order: list[int] = []
        while stack:
            location = resolve(stack.pop())
            if location in numbers:
                continue
            numbers[location] = len(numbers)
            order.append(location)
            stack.extend(target for _, target in reversed(self._ways(location, branches, meeting)))
        for location in order:
            for index, target in self._ways(location, branches, meeting):
                edge = self.edges[index]
                operation = edge.operation if index in relevant else Skip("sliced")
                edges.append(Edge(numbers[location], numbers[resolve(target)], operation, edge.origin))
                origins.append(index)
        unreached = set(range(len(self.edges))) - set(origins) - set(self.removed)
        for index in unreached:
            self.removed[index] = "on a detour that does not matter"
        procedure = self._procedure(numbers, order, edges, self._mentioned(index for index in origins if index in relevant))
        program = msgspec.structs.replace(self.program, procedures={self.program.entry: procedure})
        return Sliced(program, origins, [*order, -1], [Removed(index, reason) for index, reason in sorted(self.removed.items())])

    def _ways(self, location: int, branches: set[int], meeting: list[int]) -> list[tuple[int, int]]:
        """The edges of a location and where they lead; a branch that does not matter (at the entry) is one way."""
        live = self.live[location]
        if len(live) == 2 and location not in branches:
            return [(live[0], meeting[location])]
        return [(index, self.edges[index].target) for index in live]

    def _procedure(
        self, numbers: dict[int, int], order: list[int], edges: list[Edge], variables: dict[str, Variable]
    ) -> Procedure:
        procedure = self.procedure
        frame_of = [procedure.frame_of[location] if procedure.frame_of is not None else 0 for location in order]
        return msgspec.structs.replace(
            procedure,
            edges=edges,
            variables=variables,
            entry=numbers[procedure.entry],
            exit=len(numbers),
            locations=len(numbers) + 1,
            marks={numbers[location]: mark for location, mark in procedure.marks.items() if location in numbers},
            frame_of=[*frame_of, 0],
        )

    def _mentioned(self, indices: Iterable[int]) -> dict[str, Variable]:
        """The variables that the slice still has."""
        names = {variable.name for variable in (*self.procedure.parameters, self.procedure.result) if variable is not None}
        for index in indices:
            names.update(*self.facts[index])
        return {name: variable for name, variable in self.procedure.variables.items() if name in names}


class _Resolver:
    """Follows forwarded locations, with path compression."""

    def __init__(self, forward: dict[int, int]) -> None:
        self.forward = forward

    def __call__(self, location: int) -> int:
        path = []
        while location in self.forward:
            path.append(location)
            location = self.forward[location]
        for step in path:
            self.forward[step] = location
        return location


def _closure(start: Iterable[int], neighbours: Callable[[int], Iterable[int]]) -> set[int]:
    seen = set(start)
    stack = list(seen)
    while stack:
        for other in neighbours(stack.pop()):
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def _outermost(found: list[Loop]) -> list[Loop]:
    """Those whose head lies in no other one."""
    return [loop for loop in found if not any(loop.head in other.members for other in found if other is not loop)]


def _last(found: list[Loop], meeting: list[int]) -> list[Loop]:
    """Those after which no other one comes for certain."""
    heads = {loop.head for loop in found}
    result = []
    for loop in found:
        location = meeting[loop.head]
        while location != meeting[location] and location not in heads:
            location = meeting[location]
        if location not in heads:
            result.append(loop)
    return result or found
