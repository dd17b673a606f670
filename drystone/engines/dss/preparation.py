"""From a program to blocks with their transformers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from drystone.blocks.graph import Block, BlockGraph
from drystone.blocks.registry import LOOPS, decomposition
from drystone.ir.automaton import Program
from drystone.pipeline import flatten
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem


@dataclass(frozen=True)
class ProgramBlock:
    """A block and what it does. The block at the program's entry starts in the initial state, its start is `ENTRY`."""

    id: str
    transformer: Transformer
    line: int
    edges: int = 0  # of the automaton

    @property
    def start(self) -> int:
        return self.transformer.start


class Blocks:
    """All blocks of a program, and who is next to whom."""

    def __init__(self, system: TransitionSystem, blocks: Iterable[ProgramBlock], inside: Collection[int] = ()) -> None:
        """`inside`: cut points inside blocks of the decomposition; at the others, its blocks meet."""
        self.system, self.inside = system, frozenset(inside)
        self.blocks = {block.id: block for block in blocks}
        self.starting: dict[int, list[str]] = {}
        self.ending: dict[int, list[str]] = {}
        for block in self.blocks.values():
            self.starting.setdefault(block.start, []).append(block.id)
            for target in block.transformer.exits:
                self.ending.setdefault(target, []).append(block.id)

    def without_context(self) -> Blocks:
        """The same blocks, but nobody is told anything about the places where blocks of the decomposition meet."""
        free = Blocks(self.system, self.blocks.values(), self.inside)
        free.starting = {location: ids for location, ids in self.starting.items() if location in self.inside}
        free.ending = {location: ids for location, ids in self.ending.items() if location in self.inside}
        return free

    def successors(self) -> dict[str, list[str]]:
        """The blocks that begin where a block ends."""
        return {
            id: [other for location in block.transformer.exits for other in self.starting.get(location, ())]
            for id, block in self.blocks.items()
        }

    @cached_property
    def locations(self) -> list[int]:
        """The cut points that control may reach."""
        return sorted(location for location in self.starting if location != ENTRY)


def prepare_blocks(program: Program, *, recursion_bound: int, max_edges: int, sliced: bool, kind: str) -> Blocks:
    """Blocks of this decomposition, or of `loops`; loops inside a block are cut as well."""
    flat = flatten(program, recursion_bound=recursion_bound, max_edges=max_edges, sliced=sliced)
    symbolic = flat.symbolic(inductive=True)
    if kind == LOOPS:
        system = TransitionSystem(symbolic, flat.original)
        return Blocks(system, [_block(system, block) for block in system.all_blocks()])
    graph = decomposition(kind)(flat.program)
    system = TransitionSystem(symbolic, flat.original, graph.cut_points)
    inside = system.heads - {block.entry for block in graph.blocks}
    return Blocks(system, list(_cut(system, graph, inside)), inside)


def _block(
    system: TransitionSystem, transformer: Transformer, name: str = "", edges: frozenset[int] | None = None
) -> ProgramBlock:
    """`edges`: those that belong to it, if not all up to the next cut points do."""
    symbolic = system.symbolic
    location = symbolic.procedure.entry if transformer.start == ENTRY else transformer.start
    line = system.origin(location).line
    if not name:
        name = "entry" if transformer.start == ENTRY else f"{line}@{location}"
    if edges is None:
        size = sum(len(symbolic.outgoing[each]) for each in symbolic.order(location, system.heads))
    else:
        size = len(edges)
    return ProgramBlock(name, transformer, line, size)


def _cut(system: TransitionSystem, graph: BlockGraph, inside: Collection[int]) -> Iterable[ProgramBlock]:
    """The transformers of the blocks that control may reach; `inside`: loop heads at which none begins."""
    by_entry: dict[int, list[Block]] = {}
    for block in graph.blocks:
        by_entry.setdefault(block.entry, []).append(block)
    entry = system.symbolic.procedure.entry
    owner = {graph.procedure.edges[index].source: block for block in graph.blocks for index in block.edges}
    for start in (ENTRY, *system.cut_points):
        location = entry if start == ENTRY else start
        for block in by_entry.get(location, ()):
            edges = frozenset(block.edges)
            transformer = system.transformer(start, edges)
            if transformer.exits or transformer.bad:
                yield _block(system, transformer, f"entry {block.id}" if start == ENTRY else block.id, edges)
        if location in inside:
            edges = frozenset(owner[location].edges)
            yield _block(system, system.transformer(start, edges), f"{owner[location].id} loop {location}", edges)
