"""What a decomposition must be: strict, complete and valid. Each function lists the faults in words; none means that it holds.

Written without the code that decomposes, and without the facts a `BlockGraph` derives: they check both.
"""

from __future__ import annotations

from drystone.blocks.graph import Block, BlockGraph


def strictness_faults(graph: BlockGraph) -> list[str]:
    """Kettl 2022, Definition 6: no edge is in two blocks."""
    faults: list[str] = []
    owner: dict[int, str] = {}
    for block in graph.blocks:
        for edge in block.edges:
            if edge in owner:
                faults.append(f"edge {edge} is in block {owner[edge]} and in block {block.id}")
            owner[edge] = block.id
    return faults


def completeness_faults(graph: BlockGraph) -> list[str]:
    """Kettl 2022, Definition 5: every edge is in a block, and blocks have no other edges."""
    every = range(len(graph.procedure.edges))
    covered = {edge for block in graph.blocks for edge in block.edges}
    faults = [f"edge {edge} is in no block" for edge in every if edge not in covered]
    return faults + [f"there is no edge {edge}" for edge in sorted(covered) if edge not in every]


def validity_faults(graph: BlockGraph) -> list[str]:
    """Beyer, Kettl, Lemberger 2024, section 3, for blocks with several exits.

    Each block is connected: its entry reaches all of it, and all of it ends at exits. A location is in one block only, or
    it connects blocks: it is an entry or an exit of each block it is in. The graph's edges are those between exits and
    entries, and execution begins at the entry of a block.
    """
    faults: list[str] = []
    for block in graph.blocks:
        faults += _block_faults(graph, block)
    faults += _location_faults(graph)
    faults += _connection_faults(graph)
    return faults


def _block_faults(graph: BlockGraph, block: Block) -> list[str]:
    edges = graph.procedure.edges
    faults: list[str] = []
    exits = set(block.exits)
    followers: dict[int, list[int]] = {}
    targets: set[int] = set()
    for number in block.edges:
        followers.setdefault(edges[number].source, []).append(edges[number].target)
        targets.add(edges[number].target)
    if not block.edges:
        faults.append(f"block {block.id} has no edges")
    for location in block.exits:
        if location not in targets:
            faults.append(f"block {block.id} never comes to its exit {location}")
        if location in followers and location != block.entry:
            faults.append(f"block {block.id} goes on after its exit {location}")
    reached = {block.entry}
    stack = [block.entry]
    while stack:
        for target in followers.get(stack.pop(), ()):
            if target not in reached:
                reached.add(target)
                if target not in exits:
                    stack.append(target)
    for location in sorted((targets | followers.keys()) - reached):
        faults.append(f"block {block.id} contains location {location}, which its entry does not reach")
    for location in sorted(targets - exits - followers.keys()):
        faults.append(f"block {block.id} ends at location {location}, which is none of its exits")
    if block.contains_loop != _has_cycle(followers, exits):
        faults.append(f"block {block.id} says it contains {'a' if block.contains_loop else 'no'} loop")
    return faults


def _has_cycle(followers: dict[int, list[int]], exits: set[int]) -> bool:
    """Is there a cycle that passes no exit? Removes locations that nothing leads to until none is left."""
    entering = dict.fromkeys(followers, 0)
    for targets in followers.values():
        for target in targets:
            if target in entering and target not in exits:
                entering[target] += 1
    ready = [location for location, count in entering.items() if count == 0]
    removed = 0
    while ready:
        removed += 1
        for target in followers[ready.pop()]:
            if target in entering and target not in exits:
                entering[target] -= 1
                if entering[target] == 0:
                    ready.append(target)
    return removed < len(followers)


def _location_faults(graph: BlockGraph) -> list[str]:
    edges = graph.procedure.edges
    faults: list[str] = []
    only: dict[int, str] = {}  # the block a location is inside of
    shared: dict[int, str] = {}  # one block it is the entry or an exit of
    for block in graph.blocks:
        ends = {block.entry, *block.exits}
        locations = {
            block.entry,
            *(edges[number].source for number in block.edges),
            *(edges[number].target for number in block.edges),
        }
        for location in locations:
            if location in only:
                faults.append(f"location {location} is inside of block {only[location]} and in block {block.id}")
            elif location not in ends:
                if location in shared:
                    faults.append(f"location {location} is inside of block {block.id} and in block {shared[location]}")
                only[location] = block.id
            else:
                shared[location] = block.id
    return faults


def _connection_faults(graph: BlockGraph) -> list[str]:
    procedure = graph.procedure
    faults: list[str] = []
    if len({block.id for block in graph.blocks}) < len(graph.blocks):
        faults.append("two blocks have the same id")
    with_edges = {edge.source for edge in procedure.edges}
    beginning: dict[int, set[str]] = {}
    for block in graph.blocks:
        beginning.setdefault(block.entry, set()).add(block.id)
    if procedure.entry in with_edges and procedure.entry not in beginning:
        faults.append(f"no block begins at the program's entry, location {procedure.entry}")
    preceding: dict[str, set[str]] = {block.id: set() for block in graph.blocks}
    for block in graph.blocks:
        following: set[str] = set()
        for location in block.exits:
            if location in with_edges and location not in beginning:
                faults.append(f"block {block.id} ends at location {location}, where no block begins")
            following |= beginning.get(location, set())
        if set(graph.successors.get(block.id, ())) != following:
            faults.append(f"the successors of block {block.id} are not the blocks that begin at its exits")
        for follower in following:
            preceding[follower].add(block.id)
    for block in graph.blocks:
        if set(graph.predecessors.get(block.id, ())) != preceding[block.id]:
            faults.append(f"the predecessors of block {block.id} are not the blocks that end at its entry")
    return faults
