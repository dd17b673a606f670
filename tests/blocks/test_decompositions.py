"""Laws of all decompositions, on random automata, and what each of them promises beyond these."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drystone.blocks.decompositions import default, function, linear, loops, merge, region, whole
from drystone.blocks.flow import flow
from drystone.blocks.graph import BlockGraph
from drystone.blocks.properties import completeness_faults
from drystone.blocks.registry import ABOUT, UnknownDecomposition, decomposition
from drystone.ir.automaton import Program
from drystone.ir.loops import loop_heads
from drystone.ir.operations import Assign, Skip
from tests.blocks.automata import KINDS, WITHOUT_LOOPS_INSIDE, automata, faults, follow
from tests.building import Builder, num, op, program
from tests.structure import structural_faults


def entered_by(graph: BlockGraph) -> dict[int, set[int]]:
    """For each cut point the entries of the blocks that lead to it."""
    table: dict[int, set[int]] = {}
    for block in graph.blocks:
        for location in block.exits:
            table.setdefault(location, set()).add(block.entry)
    return table


def is_all_reachable(program_: Program) -> bool:
    return len(flow(program_).roots) == 1


# What holds for all


@given(automata())
def test_the_random_automata_obey_the_structural_rule(program_: Program) -> None:
    assert not structural_faults(program_.procedures["main"])


@given(automata())
def test_strict_complete_and_valid(program_: Program) -> None:
    for kind in KINDS:
        assert faults(decomposition(kind)(program_)) == [], kind


@given(automata(), st.integers(0, 2**40))
def test_every_path_goes_from_exits_to_entries_of_successors(program_: Program, choices: int) -> None:
    outgoing = flow(program_).outgoing
    path: list[int] = []
    location = 0
    while outgoing[location] and len(path) < 40:
        path.append(outgoing[location][(choices >> len(path)) % len(outgoing[location])])
        location = program_.procedures["main"].edges[path[-1]].target
    for kind in KINDS:
        follow(decomposition(kind)(program_), path)


@given(automata())
def test_no_loop_inside_and_edges_in_topological_order(program_: Program) -> None:
    edges = program_.procedures["main"].edges
    for kind in WITHOUT_LOOPS_INSIDE:
        for block in decomposition(kind)(program_).blocks:
            assert not block.contains_loop
            left: set[int] = set()
            for number in block.edges:
                left.add(edges[number].source)
                assert edges[number].target in block.exits or edges[number].target not in left


@given(automata(max_locations=8), st.sampled_from(KINDS))
def test_components_are_the_blocks_that_reach_each_other(program_: Program, kind: str) -> None:
    graph = decomposition(kind)(program_)
    reach: dict[str, set[str]] = {}
    for block in graph.blocks:
        reached, stack = {block.id}, [block.id]
        while stack:
            for follower in graph.successors[stack.pop()]:
                if follower not in reached:
                    reached.add(follower)
                    stack.append(follower)
        reach[block.id] = reached
    for first in graph.blocks:
        assert first.id in graph.components[first.component]
        for second in graph.blocks:
            together = second.id in reach[first.id] and first.id in reach[second.id]
            assert (first.component == second.component) == together
            assert second.id not in reach[first.id] or first.component <= second.component


@given(automata(), st.sampled_from(KINDS))
def test_the_same_program_is_decomposed_in_the_same_way(program_: Program, kind: str) -> None:
    assert decomposition(kind)(program_).blocks == decomposition(kind)(program_).blocks


# What each of them promises


@given(automata())
def test_whole_is_one_block(program_: Program) -> None:
    if is_all_reachable(program_) and program_.procedures["main"].edges:
        (block,) = whole(program_).blocks
        assert block.entry not in block.exits


@given(automata(), st.integers(0, 2**40))
def test_loops_begin_at_the_entry_and_at_loop_heads_and_share_what_follows(program_: Program, choices: int) -> None:
    graph, procedure = loops(program_), program_.procedures["main"]
    blocks = {block.entry: block for block in graph.blocks}
    assert len(blocks) == len(graph.blocks) and set(blocks) <= {0, *loop_heads(procedure)}
    assert not any(block.contains_loop for block in graph.blocks)
    assert not is_all_reachable(program_) or completeness_faults(graph) == []
    outgoing, location, block = flow(program_).outgoing, 0, blocks[0]
    for step in range(40):  # any path goes on in the block, or in the one that begins where it ends
        if not outgoing[location]:
            assert location in block.exits or not block.edges
            break
        number = outgoing[location][(choices >> step) % len(outgoing[location])]
        assert number in block.edges
        location = procedure.edges[number].target
        if location in block.exits and outgoing[location]:
            assert blocks[location].id in graph.successors[block.id]
            block = blocks[location]


@given(automata())
def test_linear_blocks_have_no_branch_and_no_join_inside(program_: Program) -> None:
    graph = linear(program_)
    edges = graph.procedure.edges
    for block in graph.blocks:
        sources = [edges[number].source for number in block.edges]
        targets = [edges[number].target for number in block.edges]
        assert sources == [block.entry, *targets[:-1]] and block.exits == (targets[-1],)


@given(automata(), st.integers(1, 12))
def test_merge_stops_at_the_number_asked_for(program_: Program, target: int) -> None:
    before, after = len(linear(program_).blocks), len(merge(program_, target).blocks)
    assert min(before, target) <= after <= before


@given(automata())
def test_merge_to_one_leaves_nothing_to_merge(program_: Program) -> None:
    graph = merge(program_, 1)
    outgoing = flow(program_).outgoing
    live = {block.id: {location for location in block.exits if outgoing[location]} for block in graph.blocks}
    for first in graph.blocks:
        assert len(live[first.id]) <= 1
        for second in graph.blocks:
            if first is second:
                continue
            assert first.entry != second.entry or live[first.id] != live[second.id], "can be merged horizontally"
            mergeable = (
                live[first.id] == {second.entry}
                and second.entry != graph.procedure.entry
                and sum(second.entry in ends for ends in live.values()) == 1
                and sum(block.entry == second.entry for block in graph.blocks) == 1
            )
            assert not mergeable, "can be merged vertically"


def test_merging_keeps_the_program_entry_that_a_loop_leads_back_to() -> None:
    main = Builder("main")
    x = main.local("x")
    again, done = main.branch(main.edge(0, Assign(x, op("bvadd", x, num(1)))), op("bvslt", x, num(9)))
    main.edge(again, Skip(), 0)
    main.edge(done, Skip(), 1)
    graph = merge(program(main), 1)
    assert not faults(graph)
    assert {block.entry for block in graph.blocks} >= {0}


@given(automata())
def test_function_blocks_stay_in_one_activation(program_: Program) -> None:
    graph = function(program_)
    frame_of = graph.procedure.frame_of
    assert frame_of is not None
    for block in graph.blocks:
        assert {frame_of[graph.procedure.edges[number].source] for number in block.edges} == {frame_of[block.entry]}


@given(automata())
def test_function_blocks_of_one_activation_are_one_block(program_: Program) -> None:
    program_.procedures["main"].frame_of = [0] * program_.procedures["main"].locations
    assert function(program_).blocks == whole(program_).blocks


@given(automata())
def test_regions_cut_only_at_roots_loop_heads_and_where_regions_meet(program_: Program) -> None:
    graph = region(program_)
    order = flow(program_)
    wanted = {*order.roots, *order.loop_heads()}
    entered = entered_by(graph)
    for location in graph.cut_points:
        assert location in wanted or len(entered[location]) > 1


@given(automata())
def test_default_splits_regions_without_new_cut_points(program_: Program) -> None:
    regions, split = region(program_), default(program_)
    assert split.cut_points == regions.cut_points
    assert len(split.blocks) >= len(regions.blocks)
    for entry, blocks in split.by_entry().items():
        (whole_region,) = regions.by_entry()[entry]
        assert sorted(number for block in blocks for number in block.edges) == sorted(whole_region.edges)
        first_edges = [number for block in blocks for number in block.edges if graph_source(split, number) == entry]
        assert len(blocks) <= len(first_edges)


def graph_source(graph: BlockGraph, number: int) -> int:
    return graph.procedure.edges[number].source


def test_default_splits_a_loop_into_its_body_and_what_follows() -> None:
    main = Builder("main")
    x = main.local("x")
    head = main.edge(0, Assign(x, num(0)))
    body, after = main.branch(head, op("bvslt", x, num(9)))
    main.edge(body, Assign(x, op("bvadd", x, num(1))), head)
    main.edge(after, Skip(), 1)
    assert [(block.entry, block.exits) for block in default(program(main)).blocks] == [
        (0, (head,)),
        (head, (head,)),
        (head, (1,)),
    ]
    assert [(block.entry, block.exits) for block in region(program(main)).blocks] == [(0, (head,)), (head, (head, 1))]


def test_default_does_not_split_where_the_sides_meet() -> None:
    main = Builder("main")
    x = main.local("x")
    yes, no = main.branch(0, op("bvslt", x, num(9)))
    join = main.edge(yes, Skip())
    main.edge(no, Skip(), join)
    main.edge(join, Skip(), 1)
    (block,) = default(program(main)).blocks
    assert len(block.edges) == 5


def test_names_of_decompositions() -> None:
    for name in ABOUT:
        decomposition(name.replace("N", "7").replace("FILE", "blocks.json"))
    for name in ("", "Default", "merge", "merge:", "merge:0", "merge:-1", "merge:x", "import", "import:", "whole:1"):
        with pytest.raises(UnknownDecomposition):
            decomposition(name)


def long_automaton(pieces: int) -> Program:
    """Loops, branches that meet, and early ways to the end, one after the other."""
    main = Builder("main")
    x = main.local("x")
    here = 0
    for _ in range(pieces):
        head = main.edge(here, Skip())
        body, after = main.branch(head, op("bvslt", x, num(9)))
        main.edge(body, Skip(), head)
        yes, no = main.branch(after, op("bvslt", x, num(5)))
        here = main.edge(yes, Skip())
        main.edge(no, Skip(), here)
        here, out = main.branch(here, op("bvslt", x, num(3)))
        main.edge(out, Skip(), 1)
    main.edge(here, Skip(), 1)
    return program(main)


@pytest.mark.parametrize("kind", KINDS)
def test_long_programs_need_no_recursion(kind: str) -> None:
    assert faults(decomposition(kind)(long_automaton(2_000))) == []
