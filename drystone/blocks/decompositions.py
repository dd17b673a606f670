"""Decompositions: from a program of one procedure to a block graph. What each of them does, says `blocks.registry`.

All of them but `loops` are strict and complete (Kettl 2022, Definitions 5 to 7) and valid (Beyer, Kettl, Lemberger 2024,
section 3), and take time nearly linear in the number of edges. Most come from a set of *cut points*: `blocks.flow` adds those
needed to give every location one owner, and each cut point's edges are a block.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from drystone.blocks.flow import Flow, Ownership, flow, ownership
from drystone.blocks.graph import BlockGraph, Part, block_graph
from drystone.blocks.merging import merge_parts
from drystone.blocks.registry import Decomposition, UnknownDecomposition
from drystone.ir.automaton import Program
from drystone.ir.loops import loop_heads


def whole(program: Program) -> BlockGraph:
    """One block. (Code that the entry does not reach, which `inline` never makes, has blocks of its own.)"""
    graph = flow(program)
    return block_graph(program, _parts(graph, ownership(graph, ()), loops_inside=True))


def edge(program: Program) -> BlockGraph:
    graph = flow(program)
    edges = graph.procedure.edges
    in_order = (number for location in graph.order for number in graph.outgoing[location])
    return block_graph(
        program, (Part(edges[number].source, frozenset((edges[number].target,)), (number,)) for number in in_order)
    )


def linear(program: Program) -> BlockGraph:
    return block_graph(program, _linear_parts(flow(program)))


def merge(program: Program, blocks: int) -> BlockGraph:
    """Linear blocks, merged until so many blocks are left or no two can be merged."""
    graph = flow(program)
    return block_graph(program, merge_parts(graph, _linear_parts(graph), blocks))


def merge_to(blocks: str) -> Decomposition:
    if not blocks.isdecimal() or int(blocks) < 1:
        raise UnknownDecomposition(f"merge:N takes a number of blocks of at least 1, not {blocks!r}")
    return lambda program: merge(program, int(blocks))


def imported(file: str) -> Decomposition:
    if not file:
        raise UnknownDecomposition("import:FILE takes the name of a file")

    def blocks_of(program: Program) -> BlockGraph:
        from drystone.blocks.jsonform import import_blocks

        return import_blocks(program, Path(file))

    return blocks_of


def function(program: Program) -> BlockGraph:
    """Cuts where control passes from one activation to another; loops within an activation stay inside a block.

    A call is an edge of the caller, the return one of the callee.
    """
    graph = flow(program)
    frame_of = graph.procedure.frame_of
    crossed: set[int] = set()
    if frame_of is not None:
        crossed = {edge.target for edge in graph.procedure.edges if frame_of[edge.source] != frame_of[edge.target]}
    return block_graph(program, _parts(graph, ownership(graph, crossed), loops_inside=True))


def region(program: Program) -> BlockGraph:
    """Cuts at loop heads, and at joins of what follows different loop heads."""
    graph = flow(program)
    return block_graph(program, _parts(graph, ownership(graph, graph.loop_heads())))


def loops(program: Program) -> BlockGraph:
    """A block from the entry, and one from each loop head, up to the next loop heads. It is not strict: what follows several
    loops belongs to the blocks of all of them, so that no join of such paths needs a summary."""
    graph = flow(program)
    procedure, heads = graph.procedure, loop_heads(graph.procedure)
    reached = [procedure.entry]
    names: list[str] = []
    parts: list[Part] = []
    for start in reached:
        part = _up_to(graph, start, heads)
        reached += [location for location in sorted(part.exits) if location in heads and location not in reached]
        parts.append(part)
        line = procedure.edges[part.edges[0]].origin.line if part.edges else procedure.origin.line
        names.append("entry" if start not in heads else f"{line}@{start}")
    return block_graph(program, parts, names)


def _up_to(graph: Flow, start: int, heads: Collection[int]) -> Part:
    """The edges that control can follow from a location before it comes to a loop head."""
    exits: set[int] = set()
    found: list[int] = []
    seen, stack = {start}, [start]
    while stack:
        for number in graph.outgoing[stack.pop()]:
            found.append(number)
            target = graph.procedure.edges[number].target
            if target in heads or graph.is_terminal(target):
                exits.add(target)
            elif target not in seen:
                seen.add(target)
                stack.append(target)
    return Part(start, frozenset(exits), found)


def default(program: Program) -> BlockGraph:
    """The regions, each of them split where that needs no new cut point.

    A cut point with two edges can begin two blocks with exclusive guards, typically the loop's body and what follows
    the loop. It cannot begin more: the blocks are strict, so each has a first edge of its own, and there are only two.
    """
    graph = flow(program)
    owned = ownership(graph, graph.loop_heads())
    return block_graph(program, _split(graph, owned, _parts(graph, owned)))


def _parts(graph: Flow, owned: Ownership, loops_inside: bool = False) -> list[Part]:
    """One part per cut point, in depth-first order. With loops inside, coming back to its own entry does not leave a part."""
    edges, cut_points = graph.procedure.edges, owned.cut_points
    members: dict[int, list[int]] = {location: [] for location in graph.order if location in cut_points}
    for location in graph.order:
        members[owned.owner[location]].extend(graph.outgoing[location])
    parts: list[Part] = []
    for entry, mine in members.items():
        if mine:  # a terminal location may be a cut point: the end that several blocks share
            targets = {edges[number].target for number in mine}
            exits = frozenset(location for location in targets if location in cut_points or graph.is_terminal(location))
            parts.append(Part(entry, exits - {entry} if loops_inside else exits, mine))
    return parts


def _split(graph: Flow, owned: Ownership, parts: Iterable[Part]) -> list[Part]:
    """Each part whose entry is a branch becomes two, one per side, unless the sides meet inside the part."""
    edges, cut_points = graph.procedure.edges, owned.cut_points
    sides = [0] * graph.procedure.locations  # through which edges of its owner a location is reached: 1, 2, or 3 for both
    split: list[Part] = []
    for part in parts:
        if len(graph.outgoing[part.entry]) != 2:
            split.append(part)
            continue
        first, second = graph.outgoing[part.entry]
        side_of: list[int] = []
        meeting = False
        for number in part.edges:  # in depth-first order, so that the sides of a source are known
            edge = edges[number]
            side = 1 if number == first else 2 if number == second else sides[edge.source]
            side_of.append(side)
            if edge.target not in cut_points:
                sides[edge.target] |= side
                meeting = meeting or (sides[edge.target] == 3 and not graph.is_terminal(edge.target))
        if meeting:
            split.append(part)
            continue
        for side in (1, 2):
            mine = [number for number, its_side in zip(part.edges, side_of, strict=True) if its_side == side]
            targets = {edges[number].target for number in mine}
            split.append(Part(part.entry, part.exits & targets, mine))
    return split


def _linear_parts(graph: Flow) -> list[Part]:
    """Kettl 2022, Algorithm 2: from every X-location (Definition 14) along each of its edges to the next one.

    The roots are added to the X-locations: a path must not run through the program's entry, or its edges would be in two blocks.
    """
    edges = graph.procedure.edges
    entering = [0] * graph.procedure.locations
    for item in edges:
        entering[item.target] += 1
    starts = set(graph.roots)
    starts.update(location for location in graph.order if entering[location] > 1 or len(graph.outgoing[location]) > 1)
    parts: list[Part] = []
    for start in graph.order:
        if start not in starts:
            continue
        for number in graph.outgoing[start]:
            path = [number]
            end = edges[number].target
            while end not in starts and graph.outgoing[end]:
                path.append(graph.outgoing[end][0])
                end = edges[path[-1]].target
            parts.append(Part(start, frozenset((end,)), path))
    return parts
