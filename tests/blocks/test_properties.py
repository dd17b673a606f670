"""The checks of decompositions find what is wrong: random decompositions with one thing changed."""

from __future__ import annotations

from drystone.blocks.decompositions import linear
from drystone.blocks.graph import Block, BlockGraph, Part, block_graph
from drystone.blocks.properties import completeness_faults, strictness_faults, validity_faults
from drystone.ir.automaton import Program
from drystone.ir.operations import Assign, Skip
from tests.building import Builder, num, op, program


def loop() -> Program:
    """0 -> 2 (head); 2 -> 3 -> 2; 2 -> 4 -> 1"""
    main = Builder("main")
    x = main.local("x")
    main.edge(0, Assign(x, num(0)))
    main.branch(2, op("bvslt", x, num(9)))
    main.edge(3, Assign(x, op("bvadd", x, num(1))), 2)
    main.edge(4, Skip(), 1)
    return program(main)


BEFORE = Part(0, frozenset({2}), [0])
BODY = Part(2, frozenset({2}), [1, 3])
AFTER = Part(2, frozenset({1}), [2, 4])


def validity(*parts: Part) -> str:
    return "; ".join(validity_faults(block_graph(loop(), parts)))


def changed(graph: BlockGraph, **fields: object) -> BlockGraph:
    values = {name: getattr(graph, name) for name in graph.__struct_fields__}
    return BlockGraph(**(values | fields))


def test_a_right_decomposition_has_no_faults() -> None:
    graph = block_graph(loop(), [BEFORE, BODY, AFTER])
    assert [*strictness_faults(graph), *completeness_faults(graph), *validity_faults(graph)] == []


def test_an_edge_in_two_blocks() -> None:
    faults = strictness_faults(block_graph(loop(), [BEFORE, BODY, AFTER, Part(3, frozenset({2}), [3])]))
    assert len(faults) == 1 and faults[0].startswith("edge 3 is in block")


def test_an_edge_in_no_block() -> None:
    assert completeness_faults(block_graph(loop(), [BEFORE, BODY])) == ["edge 2 is in no block", "edge 4 is in no block"]


def test_an_edge_that_does_not_exist() -> None:
    graph = block_graph(loop(), [BEFORE, BODY, AFTER])
    extra = Block("extra", 0, (2,), (17,), False, 0)
    assert completeness_faults(changed(graph, blocks=(*graph.blocks, extra))) == ["there is no edge 17"]


def test_a_location_inside_of_one_block_and_in_another() -> None:
    assert "location 3 is inside of block" in validity(
        BEFORE, Part(2, frozenset({2}), [1, 3]), AFTER, Part(3, frozenset({2}), [3])
    )


def test_an_exit_where_no_block_begins() -> None:
    assert "ends at location 2, where no block begins" in validity(BEFORE)


def test_an_end_that_is_no_exit() -> None:
    assert "ends at location 1, which is none of its exits" in validity(BEFORE, BODY, Part(2, frozenset(), [2, 4]))


def test_an_exit_that_is_never_reached() -> None:
    assert "never comes to its exit 1" in validity(BEFORE, Part(2, frozenset({2, 1}), [1, 3]), AFTER)


def test_a_block_that_goes_on_after_an_exit() -> None:
    assert "goes on after its exit 3" in validity(BEFORE, Part(2, frozenset({2, 3}), [1, 3]), AFTER)


def test_a_block_in_two_pieces() -> None:
    assert "which its entry does not reach" in validity(Part(0, frozenset({2}), [0, 4]), BODY, Part(2, frozenset({4}), [2]))


def test_a_program_entry_inside_of_no_block() -> None:
    assert "no block begins at the program's entry" in validity(BODY, AFTER)


def test_a_block_without_edges() -> None:
    assert "has no edges" in validity(BEFORE, BODY, AFTER, Part(4, frozenset(), []))


def test_a_wrong_loop_flag_and_wrong_neighbours() -> None:
    graph = linear(loop())
    lying = tuple(
        Block(item.id, item.entry, item.exits, item.edges, not item.contains_loop, item.component) for item in graph.blocks
    )
    assert len(validity_faults(changed(graph, blocks=lying))) == len(lying)
    nothing = {item.id: () for item in graph.blocks}
    assert any("successors" in fault for fault in validity_faults(changed(graph, successors=nothing)))
    assert any("predecessors" in fault for fault in validity_faults(changed(graph, predecessors=nothing)))


def test_a_loop_inside_passes_no_exit() -> None:
    (inside,) = block_graph(loop(), [Part(0, frozenset({1}), [0, 1, 2, 3, 4])]).blocks
    assert inside.contains_loop
    assert not any(block.contains_loop for block in block_graph(loop(), [BEFORE, BODY, AFTER]).blocks)
