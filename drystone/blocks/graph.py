"""Blocks and block graphs.

A block (Kettl 2022, Definition 2; Beyer, Kettl, Lemberger 2024, section 3) is a part of the automaton with one entry and, unlike
there, any number of exits: where a part can end at an error, at `abort` and at a loop head, it stays one block. Control
enters a block at its entry, follows the block's edges, and leaves it at the first exit it comes to. So no edge of a block
leaves one of its exits, except where the entry is an exit itself: then the block covers one iteration of a loop.

An exit without edges of its own in the automaton (the procedure's exit, an error, an unknown location, a halt) is
*terminal*; every other exit is the entry of at least one block. The blocks that begin where a block ends are its
successors (Kettl 2022, Definitions 3 and 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from drystone.base.graphs import strongly_connected_components
from drystone.blocks.contents import Reader
from drystone.ir.automaton import Procedure, Program
from drystone.ir.text import path_texts


class Part(msgspec.Struct, frozen=True):
    """What a decomposition says about a block; everything else follows."""

    entry: int
    exits: frozenset[int]
    edges: Sequence[int]  # indices into the procedure's edges, in any order


class Block(msgspec.Struct, frozen=True):
    id: str  # its position, `main/f@12:7#2`: call path, line of the entry, ordinal among the blocks of that line
    entry: int
    exits: tuple[int, ...]
    edges: tuple[int, ...]  # indices into the procedure's edges; without a loop inside in topological order
    contains_loop: bool  # is there a cycle inside, one that passes no exit?
    component: int  # of the block graph; predecessors' components have smaller numbers


class BlockGraph(msgspec.Struct, frozen=True, dict=True):
    """A decomposition of a program's single procedure."""

    program: Program
    blocks: tuple[Block, ...]
    predecessors: dict[str, tuple[str, ...]]  # by block id
    successors: dict[str, tuple[str, ...]]
    components: tuple[tuple[str, ...], ...]  # strongly connected, predecessors first

    @property
    def procedure(self) -> Procedure:
        return self.program.procedures[self.program.entry]

    @property
    def cut_points(self) -> tuple[int, ...]:
        """The entries of blocks, ascending."""
        return tuple(sorted({block.entry for block in self.blocks}))

    def block(self, id: str) -> Block:
        return self.by_id()[id]

    def hash_of(self, block: Block) -> str:
        """Of its contents, names of locals and locations left out: `blocks.contents`. Made when it is asked for, as it is for
        people and files only."""
        return self._reader.hash(block.entry, block.exits, block.edges)

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.program)

    def by_id(self) -> dict[str, Block]:
        return {block.id: block for block in self.blocks}

    def by_entry(self) -> dict[int, tuple[Block, ...]]:
        """The blocks that begin at a location: no more than the location has edges, that is one or two."""
        table: dict[int, tuple[Block, ...]] = {}
        for block in self.blocks:
            table[block.entry] = (*table.get(block.entry, ()), block)
        return table


def block_graph(program: Program, parts: Iterable[Part], names: Sequence[str] | None = None) -> BlockGraph:
    """The graph of these blocks, in this order; `names` instead of ids by position, all different."""
    listed = list(parts)
    reader = Reader(program)
    contents = [reader.read(part.entry, part.exits, part.edges) for part in listed]
    ids = list(names) if names is not None else _positions(reader, [part.entry for part in listed])
    by_entry: dict[int, list[int]] = {}
    for number, part in enumerate(listed):
        by_entry.setdefault(part.entry, []).append(number)
    successors = {
        number: [follower for location in content.exits for follower in by_entry.get(location, ())]
        for number, content in enumerate(contents)
    }
    predecessors: list[list[int]] = [[] for _ in listed]
    for number, followers in successors.items():
        for follower in followers:
            predecessors[follower].append(number)
    components = strongly_connected_components(successors)[::-1]
    component_of = {number: index for index, component in enumerate(components) for number in component}
    return BlockGraph(
        program=program,
        blocks=tuple(
            Block(ids[number], part.entry, content.exits, content.edges, content.contains_loop, component_of[number])
            for number, (part, content) in enumerate(zip(listed, contents, strict=True))
        ),
        predecessors={ids[number]: tuple(ids[other] for other in others) for number, others in enumerate(predecessors)},
        successors={ids[number]: tuple(ids[other] for other in others) for number, others in successors.items()},
        components=tuple(tuple(ids[number] for number in component) for component in components),
    )


def _positions(reader: Reader, entries: Sequence[int]) -> list[str]:
    """Ids by position: an edit moves the ids of what is called or stands below it, and no others."""
    procedure = reader.procedure
    paths = path_texts(procedure)
    used: dict[str, int] = {}
    ids: list[str] = []
    for entry in entries:
        position = f"{paths[procedure.frame_of[entry] if procedure.frame_of is not None else 0]}:{reader.line(entry)}"
        ordinal = used[position] = used.get(position, 0) + 1
        ids.append(position if ordinal == 1 else f"{position}#{ordinal}")
    return ids
