"""The flow of control through an automaton: depth-first order, loops, and which cut points own which locations.

Everything is a loop over the edges, nothing is recursive: automata have 200,000 edges.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drystone.ir.automaton import Procedure, Program

_NONE, _SEVERAL = -1, -2


class Flow(msgspec.Struct, frozen=True):
    procedure: Procedure
    outgoing: list[list[int]]  # edge indices by source
    order: list[int]  # locations in reverse postorder: along every edge but the back edges
    position: list[int]  # of a location in that order; -1 for one without any edge
    roots: tuple[int, ...]  # the entry, then one location for each part of the automaton that the ones before do not reach

    def is_terminal(self, location: int) -> bool:
        return not self.outgoing[location]

    def loop_heads(self) -> set[int]:
        """The targets of back edges. Every cycle has a back edge, so without these locations no cycle is left."""
        position = self.position
        return {edge.target for edge in self.procedure.edges if position[edge.target] <= position[edge.source]}


def flow(program: Program) -> Flow:
    """Of the program's single procedure."""
    procedure = program.procedures[program.entry]
    edges = procedure.edges
    outgoing: list[list[int]] = [[] for _ in range(procedure.locations)]
    is_entered = [False] * procedure.locations
    for number, edge in enumerate(edges):
        outgoing[edge.source].append(number)
        is_entered[edge.target] = True
    # Code that the entry does not reach has blocks too; where possible they begin where it begins.
    candidates = [procedure.entry]
    candidates += [location for location in range(procedure.locations) if not is_entered[location] and outgoing[location]]
    candidates += [location for location in range(procedure.locations) if is_entered[location]]
    seen = [False] * procedure.locations
    roots: list[int] = []
    postorder: list[int] = []
    for root in candidates:
        if seen[root]:
            continue
        roots.append(root)
        seen[root] = True
        stack = [(root, reversed(outgoing[root]))]
        while stack:
            location, remaining = stack[-1]
            for number in remaining:
                target = edges[number].target
                if not seen[target]:
                    seen[target] = True
                    stack.append((target, reversed(outgoing[target])))
                    break
            else:
                stack.pop()
                postorder.append(location)
    postorder.reverse()
    position = [-1] * procedure.locations
    for index, location in enumerate(postorder):
        position[location] = index
    return Flow(procedure, outgoing, postorder, position, tuple(roots))


class Ownership(msgspec.Struct, frozen=True):
    cut_points: set[int]
    owner: list[int]  # for each location the last cut point before it, on every path


def ownership(flow: Flow, wanted: Iterable[int]) -> Ownership:
    """The cut points that are wanted, the roots, and as few further ones as make the last cut point before a location unique.

    Where the code after two cut points meets, the location where it meets first becomes a cut point. So the locations
    of one owner are a part of the automaton that is entered at the owner only, and every edge belongs to the owner of its
    source. One pass in depth-first order finds all meetings except those along back edges to locations that are no cut
    points; each of these costs a further pass, of which there are at most as many as such loops are nested.
    """
    edges, outgoing = flow.procedure.edges, flow.outgoing
    cut_points = set(wanted) | set(flow.roots)
    while True:
        owner = [_NONE] * flow.procedure.locations
        missed: set[int] = set()
        for location in flow.order:
            mine = owner[location]
            if mine == _SEVERAL:
                cut_points.add(location)
            if location in cut_points:
                mine = owner[location] = location
            for number in outgoing[location]:
                target = edges[number].target
                known = owner[target]
                if known == _NONE:
                    owner[target] = mine
                elif known != mine and target not in cut_points:
                    if flow.position[target] <= flow.position[location]:
                        missed.add(target)
                    else:
                        owner[target] = _SEVERAL
        if not missed:
            return Ownership(cut_points, owner)
        cut_points |= missed
