"""Call graphs: direct calls, calls through pointers, recursion."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drystone.base.graphs import strongly_connected_components
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import Variable
from drystone.ir.operations import Call, CallPointer, Skip
from drystone.logic.sorts import bitvec
from tests.building import Builder, program, var


def calling(name: str, *callees: str) -> Builder:
    builder = Builder(name)
    builder.chain(0, *(Call(callee, (), None) for callee in callees), Skip(), to=1)
    return builder


def test_direct_calls_and_recursion() -> None:
    graph = call_graph(program(calling("main", "even"), calling("even", "odd"), calling("odd", "even", "leaf"), calling("leaf")))
    assert graph.callees["odd"] == ("even", "leaf")
    assert graph.recursive == {"even", "odd"}


def test_a_self_call_is_recursion_a_plain_call_is_not() -> None:
    graph = call_graph(program(calling("main", "f"), calling("f", "f")))
    assert graph.recursive == {"f"}


def test_callees_come_before_callers() -> None:
    graph = call_graph(program(calling("main", "f", "g"), calling("f", "g"), calling("g")))
    assert graph.components == [("g",), ("f",), ("main",)]


def test_a_pointer_may_call_every_function_whose_address_is_taken() -> None:
    main = Builder("main")
    pointer: Variable = main.local("p", bitvec(64))
    main.edge(0, CallPointer(pointer, (var("x"),), None), 1)
    taken = {"f": "f", "printf": None}
    graph = call_graph(program(main, calling("f"), calling("g"), functions=taken))
    assert graph.callees["main"] == ("f",)


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4), max_size=13))
def test_components_are_the_classes_of_mutual_reachability(edges: dict[int, list[int]]) -> None:
    successors = {node: [target for target in targets if target in edges] for node, targets in edges.items()}

    def reachable(start: int) -> set[int]:
        seen, stack = {start}, [start]
        while stack:
            for target in successors[stack.pop()]:
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen

    components = strongly_connected_components(successors)
    component_of = {node: number for number, component in enumerate(components) for node in component}
    assert sorted(component_of) == sorted(successors)
    assert sum(len(component) for component in components) == len(successors)
    reach = {node: reachable(node) for node in successors}
    for one in successors:
        for other in successors:
            assert (component_of[one] == component_of[other]) == (other in reach[one] and one in reach[other])
        for target in successors[one]:
            assert component_of[target] <= component_of[one]


def test_a_long_chain_of_calls_needs_no_python_stack() -> None:
    successors = {number: [number + 1] for number in range(50_000)} | {50_000: [0]}
    assert len(strongly_connected_components(successors)) == 1
