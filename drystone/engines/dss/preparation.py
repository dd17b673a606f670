"""From a program to blocks with their transformers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from drystone.blocks.graph import Block, BlockGraph
from drystone.blocks.registry import decomposition
from drystone.pipeline import PreparedProgram
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem


class ProgramBlock(msgspec.Struct, frozen=True):
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

    def __init__(
        self,
        system: TransitionSystem,
        blocks: Iterable[ProgramBlock],
        inside: Collection[int] = (),
        covered: Mapping[str, frozenset[int]] | None = None,
    ) -> None:
        """`inside`: cut points inside blocks of the decomposition; at the others, its blocks meet. `covered`: by block the edges
        of the block of the decomposition that it is made of."""
        self.system, self.inside, self.covered = system, frozenset(inside), covered or {}
        self.blocks = {block.id: block for block in blocks}
        self.starting: dict[int, list[str]] = {}
        self.ending: dict[int, list[str]] = {}
        for block in self.blocks.values():
            self.starting.setdefault(block.start, []).append(block.id)
            for target in block.transformer.exits:
                self.ending.setdefault(target, []).append(block.id)

    def without_context(self) -> Blocks:
        """The same blocks, but nobody is told anything about the places where blocks of the decomposition meet."""
        free = Blocks(self.system, self.blocks.values(), self.inside, self.covered)
        free.starting = {location: ids for location, ids in self.starting.items() if location in self.inside}
        free.ending = {location: ids for location, ids in self.ending.items() if location in self.inside}
        return free

    def successors(self) -> dict[str, list[str]]:
        """The blocks that begin where a block ends."""
        return {
            id: [other for location in block.transformer.exits for other in self.starting.get(location, ())]
            for id, block in self.blocks.items()
        }

    def edges_of(self, id: str) -> list[int]:
        """Edges of the automaton: from where the block starts up to the next cut points."""
        symbolic, start = self.system.symbolic, self.blocks[id].start
        reached = symbolic.order(symbolic.procedure.entry if start == ENTRY else start, self.system.heads)
        found = [index for location in reached for index in symbolic.outgoing[location]]
        return [index for index in found if id not in self.covered or index in self.covered[id]]

    @cached_property
    def locations(self) -> list[int]:
        """The cut points that control may reach."""
        return sorted(location for location in self.starting if location != ENTRY)


def prepare_blocks(prepared: PreparedProgram, *, recursion_bound: int, max_edges: int, sliced: bool, kind: str) -> Blocks:
    """Blocks of this decomposition; loops inside a block are cut as well."""
    flat = prepared.flat(recursion_bound=recursion_bound, max_edges=max_edges, sliced=sliced)
    graph = decomposition(kind)(flat.program)
    met = {location for block in graph.blocks for location in block.exits}  # the entry is no cut point by being one block's
    system = TransitionSystem(flat.symbolic(inductive=True), flat.original, met.intersection(graph.cut_points))
    inside = system.heads - {block.entry for block in graph.blocks}
    made = list(_cut(system, graph, inside))
    return Blocks(system, [block for block, _ in made], inside, {block.id: frozenset(of.edges) for block, of in made})


def _cut(system: TransitionSystem, graph: BlockGraph, inside: Collection[int]) -> Iterator[tuple[ProgramBlock, Block]]:
    """The transformers of the blocks that control may reach; `inside`: loop heads at which none begins."""
    by_entry = graph.by_entry()
    entry = system.symbolic.procedure.entry
    owner = {graph.procedure.edges[index].source: block for block in graph.blocks for index in block.edges}
    for start in (ENTRY, *system.cut_points):
        location = entry if start == ENTRY else start
        for block in by_entry.get(location, ()):
            name = f"entry {block.id}" if start == ENTRY and block.id != "entry" else block.id
            made = _block(system, start, name, block)
            if made.transformer.exits or made.transformer.bad or len(by_entry[location]) == 1:
                yield made, block
        if location in inside:
            yield _block(system, start, f"{owner[location].id} loop {location}", owner[location]), owner[location]


def _block(system: TransitionSystem, start: int, name: str, block: Block) -> ProgramBlock:
    """What a block does from one of its locations."""
    symbolic = system.symbolic
    location = symbolic.procedure.entry if start == ENTRY else start
    edges = frozenset(block.edges)
    if edges.issuperset(index for each in symbolic.order(location, system.heads) for index in symbolic.outgoing[each]):
        transformer = system.initial if start == ENTRY else system.blocks[start]  # all that happens up to the next cut points
    else:
        transformer = system.transformer(start, edges)
    return ProgramBlock(name, transformer, system.origin(location).line, len(block.edges))
