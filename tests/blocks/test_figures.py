"""The decompositions of the figures in Kettl 2022 and in Beyer, Kettl, Lemberger 2024, block by block."""

from __future__ import annotations

from drystone.blocks.decompositions import default, linear
from drystone.blocks.graph import BlockGraph
from drystone.blocks.registry import decomposition
from drystone.ir.automaton import MarkKind, Program
from drystone.ir.operations import Assign, Assume, Skip
from drystone.logic.sorts import BOOL
from tests.blocks.automata import faults
from tests.building import Builder, nondet, num, op, program
from tests.structure import structural_faults


def kettl_2022_figure_2() -> Program:
    """Locations as in the figure, but the last, l5, is 1 here: 0 = l0, 2 = l1, 3 = l2, 4 = l3, 5 = l4, 1 = l5."""
    main = Builder("main")
    x = main.local("x")
    l1 = main.edge(0, Assign(x, num(0)))
    l2, l3 = main.branch(l1, op("bvsle", x, num(0)))
    l4 = main.edge(l2, Assign(x, op("bvadd", x, num(1))))
    main.edge(l3, Assign(x, op("bvsub", x, num(1))), l4)
    main.edge(l4, Skip("last statement"), 1)
    result = program(main)
    assert not structural_faults(result.procedures["main"])
    return result


L0, L5, L1, L2, L3, L4 = range(6)


def shape(graph: BlockGraph) -> list[tuple[int, tuple[int, ...], set[tuple[int, int]]]]:
    """Entry, exits and edges of each block."""
    edges = graph.procedure.edges
    assert not faults(graph)
    return [
        (block.entry, block.exits, {(edges[number].source, edges[number].target) for number in block.edges})
        for block in graph.blocks
    ]


B0 = (L0, (L1,), {(L0, L1)})
B1 = (L1, (L4,), {(L1, L2), (L2, L4)})
B2 = (L1, (L4,), {(L1, L3), (L3, L4)})
B3 = (L4, (L5,), {(L4, L5)})
B1_MERGED = (L1, (L4,), {(L1, L2), (L2, L4), (L1, L3), (L3, L4)})
LAST_MERGED = (L1, (L5,), {(L1, L2), (L2, L4), (L1, L3), (L3, L4), (L4, L5)})


def test_kettl_2022_figure_7_linear() -> None:
    assert shape(linear(kettl_2022_figure_2())) == [B0, B1, B2, B3]


def test_kettl_2022_figure_8_merged_to_three_blocks() -> None:
    assert shape(decomposition("merge:3")(kettl_2022_figure_2())) == [B0, B1_MERGED, B3]


def test_kettl_2022_figure_9_merged_to_two_blocks() -> None:
    assert shape(decomposition("merge:2")(kettl_2022_figure_2())) == [B0, LAST_MERGED]


def test_kettl_2022_four_blocks_need_no_merge_and_one_block_is_everything() -> None:
    assert shape(decomposition("merge:4")(kettl_2022_figure_2())) == [B0, B1, B2, B3]
    (everything,) = shape(decomposition("merge:1")(kettl_2022_figure_2()))
    assert everything == (L0, (L5,), B0[2] | LAST_MERGED[2])


def test_kettl_2022_definitions_3_and_4_predecessors_and_successors() -> None:
    graph = linear(kettl_2022_figure_2())
    b0, b1, b2, b3 = (block.id for block in graph.blocks)
    assert graph.successors == {b0: (b1, b2), b1: (b3,), b2: (b3,), b3: ()}
    assert graph.predecessors == {b0: (), b1: (b0,), b2: (b0,), b3: (b1, b2)}


def dss_2024_figure_2(error_leads_on: bool = True) -> tuple[Program, dict[str, int]]:
    """The loop reads its condition ahead, so that the branch is at the loop head, l3, as in the figure."""
    main = Builder("main")
    x, y, more = main.local("x"), main.local("y"), main.local("more", BOOL)
    choice = Assign(more, nondet("nondet", BOOL))
    increments = (Assign(x, op("bvadd", x, num(1))), Assign(y, op("bvadd", y, num(1))))
    names = {"l1": 0, "lf": 1}
    names["l3"] = main.chain(0, Assign(x, num(0)), Assign(y, num(0)), choice)
    names["l4"], names["l6"] = main.branch(names["l3"], more)
    main.chain(names["l4"], *increments, choice, to=names["l3"])
    equal = op("=", x, y)
    main.edge(names["l6"], Assume(equal), 1)
    names["le"] = main.edge(names["l6"], Assume(op("not", equal)))
    main.mark(names["le"], MarkKind.ERROR)
    if error_leads_on:
        main.edge(names["le"], Skip("to the end"), 1)
    return program(main), names


def ends(graph: BlockGraph, names: dict[str, int]) -> list[tuple[str, tuple[str, ...], int]]:
    """Entry, exits and the number of edges of each block, in the figure's words."""
    assert not faults(graph)
    word = {location: name for name, location in names.items()}
    return [(word[block.entry], tuple(word[location] for location in block.exits), len(block.edges)) for block in graph.blocks]


LB1, LB2, LB3 = ("l1", ("l3",), 3), ("l3", ("l3",), 4), ("l3", ("l6",), 1)


def test_dss_2024_figure_5_linear() -> None:
    figure, names = dss_2024_figure_2()
    assert ends(linear(figure), names) == [LB1, LB2, LB3, ("l6", ("lf",), 1), ("l6", ("lf",), 2)]


def test_dss_2024_figure_5_horizontal_merge() -> None:
    figure, names = dss_2024_figure_2()
    assert ends(decomposition("merge:4")(figure), names) == [LB1, LB2, LB3, ("l6", ("lf",), 3)]


def test_dss_2024_figure_3_vertical_merge() -> None:
    figure, names = dss_2024_figure_2()
    for target in ("merge:3", "merge:2", "merge:1"):  # three blocks cannot be merged further
        graph = decomposition(target)(figure)
        assert ends(graph, names) == [LB1, LB2, ("l3", ("lf",), 4)]
        a, b, c = (block.id for block in graph.blocks)
        assert graph.successors == {a: (b, c), b: (b, c), c: ()}
        assert [block.component for block in graph.blocks] == [0, 1, 2]


def test_dss_2024_figure_3_is_the_default_decomposition_too() -> None:
    figure, names = dss_2024_figure_2()
    assert ends(default(figure), names) == [LB1, LB2, ("l3", ("lf",), 4)]


def test_dss_2024_figure_3_where_the_error_is_an_end() -> None:
    figure, names = dss_2024_figure_2(error_leads_on=False)
    assert not structural_faults(figure.procedures["main"])
    for kind in ("merge:3", "default"):
        assert ends(decomposition(kind)(figure), names) == [LB1, LB2, ("l3", ("lf", "le"), 3)]
