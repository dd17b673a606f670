"""Random automata of one procedure, and paths through block graphs."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from drystone.blocks.graph import BlockGraph
from drystone.blocks.properties import completeness_faults, strictness_faults, validity_faults
from drystone.ir.automaton import Edge, Frame, Mark, MarkKind, MemoryObject, ObjectKind, Procedure, Program
from drystone.ir.expressions import Address, Variable, load
from drystone.ir.operations import Assign, Assume, Declare, Operation, Skip, Store
from drystone.logic.sorts import bitvec
from tests.building import at, nondet, num, op

INT = bitvec(32)
LOCALS = [Variable(name, INT) for name in "abc"]
GLOBALS = [Variable(name, INT) for name in "gh"]
VARIABLES = LOCALS + GLOBALS
LOCAL_OBJECT = Address("o", bitvec(64))

KINDS = ["default", "whole", "edge", "linear", "merge:1", "merge:3", "function", "region"]
WITHOUT_LOOPS_INSIDE = ["default", "edge", "linear", "merge:1", "merge:3", "region"]


def variables() -> st.SearchStrategy[Variable]:
    return st.sampled_from(VARIABLES)


def operations() -> st.SearchStrategy[Operation]:
    return st.one_of(
        st.just(Skip()),
        st.builds(lambda x, y: Assign(x, op("bvadd", y, num(1))), variables(), variables()),
        st.builds(lambda x, value: Assign(x, num(value)), variables(), st.integers(0, 3)),
        st.builds(lambda x: Assign(x, nondet()), variables()),
        st.builds(lambda x: Assign(x, load(INT, LOCAL_OBJECT)), variables()),
        st.builds(lambda x: Store(LOCAL_OBJECT, x), variables()),
        st.just(Declare("o")),
    )


@st.composite
def automata(draw: st.DrawFn, max_locations: int = 14, frames: int = 3) -> Program:
    """Any graph that the structural rule allows: irreducible loops, self loops, unreachable parts, several ends."""
    count = draw(st.integers(2, max_locations))
    targets = st.integers(0, count - 1)
    edges: list[Edge] = []
    marks: dict[int, Mark] = {}
    for location in range(count):
        if location == 1:  # the exit
            continue
        leaving = draw(st.sampled_from([0, 1, 1, 1, 2, 2, 2]))
        line = at(draw(st.integers(1, 5)))
        if leaving == 0:
            marks[location] = Mark(draw(st.sampled_from(list(MarkKind))), "an end", line)
        elif leaving == 1:
            edges.append(Edge(location, draw(targets), draw(operations()), line))
        else:
            condition = op("bvslt", draw(variables()), draw(variables()))
            sides = [Assume(condition), Assume(op("not", condition))]
            edges += [Edge(location, draw(targets), side, line) for side in draw(st.permutations(sides))]
    procedure = Procedure(
        name="main",
        parameters=(),
        result=None,
        variables={item.name: item for item in LOCALS},
        objects={"o": MemoryObject("o", 4, 4, ObjectKind.LOCAL)},
        entry=0,
        exit=1,
        edges=list(draw(st.permutations(edges))),
        marks=marks,
        locations=count,
        frames=[Frame("main"), *(Frame(f"f{number}", 0, at(number)) for number in range(1, frames))],
        frame_of=draw(st.lists(st.integers(0, frames - 1), min_size=count, max_size=count)),
    )
    return Program(
        entry="main",
        procedures={"main": procedure},
        variables={item.name: item for item in GLOBALS},
        initial={},
        objects={},
        functions={},
        pointer_width=64,
        files=["test.c"],
        approximations=[],
    )


def faults(graph: BlockGraph) -> list[str]:
    return [*strictness_faults(graph), *completeness_faults(graph), *validity_faults(graph)]


def follow(graph: BlockGraph, path: Sequence[int]) -> None:
    """A path from the program's entry, as indices of edges, goes from block to block as the block graph says."""
    edges = graph.procedure.edges
    by_id = graph.by_id()
    containing = {edge: block.id for block in graph.blocks for edge in block.edges}
    current: str | None = None  # the block that control is in; none at the start and after an exit
    previous = ""
    for number in path:
        block = by_id[containing[number]]
        if current is None:
            assert edges[number].source == block.entry, "a block was entered in the middle"
            assert not previous or block.id in graph.successors[previous], "a block was followed by one that is no successor"
        else:
            assert block.id == current, "a block was left at a location that is no exit"
        previous = block.id
        current = None if edges[number].target in block.exits else block.id
