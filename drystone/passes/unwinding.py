"""Cuts off executions in which a loop starts again more than N times, or in which more than N calls of a function are nested.

Program to Program, so that engines, the interpreter and the check of a proof see the same one. A variable per loop counts how
often it started again since it was entered; a global variable per recursive procedure counts its open calls. Beyond N the
execution ends as behind a failed assumption. So a violation that is found is one of the program itself; a proof is about
executions that stay within the bound, and each loop and function of which that is assumed is listed.

Loops are those of Bourdoncle 1993: strongly connected parts, each with a head, and those of what is left without the head. Only
a part that control enters at its head alone is counted: what starts again there is this loop, and no other one around it or in it
(the front end keeps their heads apart). A part that is entered in the middle, by `goto` or `switch`, is not cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from drystone.base.graphs import strongly_connected_components
from drystone.ir import names
from drystone.ir.automaton import Approximation, Edge, Mark, MarkKind, Origin, Procedure, Program
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import Constant, Expression, Variable, apply
from drystone.ir.operations import Assign, Assume, Operation
from drystone.logic.sorts import BOOL, bitvec

UNWINDING = "unwinding"
"""The kind of assumption that a cut is."""
_COUNTER = bitvec(64)
_ZERO, _ONE = Constant(_COUNTER, 0), Constant(_COUNTER, 1)
_NOT_LOOKED_AT = "executions that need more are not looked at"


class _Loop(msgspec.Struct, frozen=True):
    head: int
    members: frozenset[int]
    counter: Variable
    origin: Origin


def unwound(program: Program, bound: int, is_library: Callable[[str], bool]) -> Program:
    """The program without executions beyond the bound. Loops and recursion in files of the library are left as they are."""

    def is_own(origin: Origin) -> bool:
        return origin.file >= 0 and not is_library(program.files[origin.file])

    recursive = {name for name in call_graph(program).recursive if is_own(program.procedures[name].origin)}
    depths = {name: Variable(names.own(f"open calls of {name}"), _COUNTER) for name in sorted(recursive)}
    procedures: dict[str, Procedure] = {}
    assumed: list[Approximation] = []
    for name, procedure in program.procedures.items():
        cutting = _Cutting(procedure, bound, is_own)
        procedures[name] = cutting.run(depths.get(name))
        assumed += cutting.assumed
    return msgspec.structs.replace(
        program,
        procedures=procedures,
        variables={**program.variables, **{each.name: each for each in depths.values()}},
        initial={**program.initial, **{each.name: _ZERO for each in depths.values()}},
        approximations=[*program.approximations, *dict.fromkeys(assumed)],
    )


class _Cutting:
    """Of one procedure."""

    def __init__(self, procedure: Procedure, bound: int, is_own: Callable[[Origin], bool]) -> None:
        self.procedure, self.bound = procedure, bound
        self.outgoing = procedure.outgoing()
        self.loops = [loop for loop in self._loops() if is_own(loop.origin)]
        self.edges: list[Edge] = []
        self.marks = dict(procedure.marks)
        self.locations = procedure.locations
        self.frame_of = None if procedure.frame_of is None else list(procedure.frame_of)
        self.assumed: list[Approximation] = []

    def run(self, depth: Variable | None) -> Procedure:
        """`depth`: of a recursive procedure, the counter of its open calls."""
        procedure = self.procedure
        if depth is None and not self.loops:
            return procedure
        for edge in procedure.edges:
            self._edge(edge)
        for loop in self.loops:
            self._assume(f"at most {self.bound} iterations of this loop", loop.origin)
        entry, exit_ = self._begin(depth), procedure.exit
        if depth is not None:
            exit_ = self._location(procedure.exit)
            less = Assign(depth, apply("bvsub", _COUNTER, depth, _ONE))
            self.edges.append(Edge(procedure.exit, exit_, less, procedure.origin))
            self._assume(f"at most {self.bound} nested calls of {procedure.name}", procedure.origin)
        return msgspec.structs.replace(
            procedure,
            edges=self.edges,
            marks=self.marks,
            entry=entry,
            exit=exit_,
            locations=self.locations,
            frame_of=self.frame_of,
            variables={**procedure.variables, **{loop.counter.name: loop.counter for loop in self.loops}},
        )

    def _assume(self, what: str, origin: Origin) -> None:
        self.assumed.append(Approximation(UNWINDING, f"{what}; {_NOT_LOOKED_AT}", origin))

    def _loops(self) -> Iterator[_Loop]:
        successors = {location: [edge.target for edge in edges] for location, edges in enumerate(self.outgoing)}
        work = [successors]
        while work:
            graph = work.pop()
            for members in map(frozenset, strongly_connected_components(graph)):
                if len(members) == 1 and not any(each in graph[each] for each in members):
                    continue
                entries = self._entries(members)
                head = min(entries or members)
                origin = next((edge.origin for edge in self.outgoing[head] if edge.origin.file >= 0), self.procedure.origin)
                if len(entries) == 1:
                    yield _Loop(head, members, Variable(names.own(f"iterations at {head}"), _COUNTER), origin)
                inner = members - {head}
                work.append({each: [target for target in graph[each] if target in inner] for each in sorted(inner)})

    def _entries(self, members: frozenset[int]) -> set[int]:
        """Where a part is entered."""
        entered = {edge.target for edge in self.procedure.edges if edge.source not in members and edge.target in members}
        return entered | ({self.procedure.entry} & members)

    def _begin(self, depth: Variable | None) -> int:
        """The new entry: what is to be done before the procedure's own, backwards."""
        entry, origin = self.procedure.entry, self.procedure.origin
        for loop in self.loops:
            if entry in loop.members:
                entry = self._before(entry, Assign(loop.counter, _ZERO), origin)
        return entry if depth is None else self._counted(entry, depth, origin, f"call of {self.procedure.name}")

    def _edge(self, edge: Edge) -> None:
        """Leads to the same place by way of the counters of loops that begin here, or begin again."""
        target = edge.target
        for loop in self.loops:
            if edge.target in loop.members and edge.source not in loop.members:
                target = self._before(target, Assign(loop.counter, _ZERO), edge.origin)
            elif edge.target == loop.head and edge.source in loop.members:
                target = self._counted(target, loop.counter, edge.origin, "iteration")
        self.edges.append(msgspec.structs.replace(edge, target=target))

    def _counted(self, target: int, counter: Variable, origin: Origin, what: str) -> int:
        """Counts, and goes on to the target within the bound; ends behind it. Where this begins."""
        within: Expression = apply("bvule", BOOL, counter, Constant(_COUNTER, self.bound))
        test, end = self._location(target), self._location(target)
        self.marks[end] = Mark(MarkKind.HALT, f"{what} beyond --unwind {self.bound}", origin)
        self.edges.append(Edge(test, target, Assume(within), origin))
        self.edges.append(Edge(test, end, Assume(apply("not", BOOL, within)), origin))
        return self._before(test, Assign(counter, apply("bvadd", _COUNTER, counter, _ONE)), origin)

    def _before(self, target: int, operation: Operation, origin: Origin) -> int:
        """A new location, from which the operation leads to the target."""
        location = self._location(target)
        self.edges.append(Edge(location, target, operation, origin))
        return location

    def _location(self, like: int) -> int:
        """A new one, of the same activation as another."""
        if self.frame_of is not None:
            self.frame_of.append(self.frame_of[like])
        self.locations += 1
        return self.locations - 1
