"""Whether loops seem to end by themselves: those that go on as long as their inputs say do not, however soon random ones end it.

A guess, from what a pass through the loop lets depend on inputs of that pass: what is computed from them, and what is written on
one way and not on the other behind a branch that they decide (Ferrante, Ottenstein, Warren 1987, within one pass). A condition
that inputs decide may end the loop sooner, which is no reason for others.
"""

from __future__ import annotations

from collections.abc import Iterable

from drystone.base.graphs import Loop, immediate_dominators
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Input, InputKind
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assume
from drystone.memory.dataflow import reads_and_writes
from drystone.memory.regions import Regions


def ends_by_itself(loop: Loop, outgoing: list[list[Edge]], regions: Regions) -> bool:
    """Is there a way out that depends on nothing that the loop reads from outside?"""
    edges = [edge for location in loop.members for edge in outgoing[location]]
    inside = {location: [edge for edge in outgoing[location] if edge.target in loop.members] for location in sorted(loop.members)}
    behind = _behind_branches(loop.head, inside)
    chosen: set[str] = set()  # what inputs of the loop determine

    def is_chosen(edge: Edge) -> bool:
        return _has_input(edge) or not chosen.isdisjoint(reads_and_writes(edge.operation, regions)[0])

    waiting = [edge for location in inside for edge in inside[location]]
    is_growing = True
    while is_growing:
        decided = [edge for edge in waiting if is_chosen(edge)]
        waiting = [edge for edge in waiting if not is_chosen(edge)]
        is_growing = bool(decided)
        for edge in decided:
            for written in (edge, *behind.get(edge.source, ())):
                chosen.update(reads_and_writes(written.operation, regions)[1])
    return any(edge.target not in loop.members and isinstance(edge.operation, Assume) and not is_chosen(edge) for edge in edges)


def _behind_branches(head: int, inside: dict[int, list[Edge]]) -> dict[int, list[Edge]]:
    """Per branch whose both ways stay in the loop, the edges on these ways until they meet, or until the next pass begins."""
    number = {location: at for at, location in enumerate(inside, start=1)}  # 0: the next pass
    backwards: list[list[int]] = [[] for _ in range(len(number) + 1)]
    for location, edges in inside.items():
        for edge in edges:
            backwards[0 if edge.target == head else number[edge.target]].append(number[location])
    meeting = immediate_dominators(backwards, 0)
    located = {at: location for location, at in number.items()}
    return {
        location: list(_until(located.get(meeting[number[location]]), head, edges, inside))
        for location, edges in inside.items()
        if len(edges) > 1
    }


def _until(end: int | None, head: int, edges: list[Edge], inside: dict[int, list[Edge]]) -> Iterable[Edge]:
    seen, waiting = {end, head}, list(edges)
    while waiting:
        edge = waiting.pop()
        yield edge
        if edge.target not in seen:
            seen.add(edge.target)
            waiting += inside[edge.target]


def _has_input(edge: Edge) -> bool:
    """Other than what an undefined operation gives, which programs rarely mean to depend on."""
    parts = (part for each in expressions_of(edge.operation) for part in subexpressions(each))
    return any(isinstance(part, Input) and part.kind is not InputKind.UNDEFINED for part in parts)
