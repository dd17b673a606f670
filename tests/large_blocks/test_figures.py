"""Mertens 2014, chapters 3 and 4, figure by figure; and what keeps labels printable and computable."""

from __future__ import annotations

import pytest

from drystone.ir.automaton import MarkKind, Program
from drystone.ir.expressions import FALSE, TRUE, Address, Expression, Input, InputKind, load
from drystone.ir.nodes import TooManyNodes, subexpressions
from drystone.ir.operations import Assign, Assume, Operation, Skip, Store
from drystone.ir.text import expression_text
from drystone.large_blocks.encoding import Encoded, Rule, encode
from drystone.large_blocks.guarded_commands import (
    Choice,
    Label,
    NotOverVariables,
    Sequence,
    Single,
    input_of_edge,
    label_lines,
    label_text,
    nodes_of,
    single_edges,
    unfold,
    wp,
)
from tests.building import INT, Builder, num, op, program, var
from tests.large_blocks.meaning import Falling, Paths, tree_size, value

x, y, z, w = var("x"), var("y"), var("z"), var("w")


def step(name: str) -> Skip:
    return Skip(name)


def edges_of(encoded: Encoded) -> dict[tuple[int, int], str]:
    return {(edge.source, edge.target): label_text(edge.label).replace("skip ", "") for edge in encoded.edges}


def encoded_with(builder: Builder, advanced: bool = False, max_growth: int = 16) -> tuple[Encoded, list[Rule]]:
    built = program(builder)
    falling = Falling(built.procedures["main"])
    encoded = encode(built, advanced, max_growth, observe=falling)
    assert falling.measure == (len(encoded.locations), len(encoded.edges))
    return encoded, falling.applied


def test_error_sink_rule_figure_3_1() -> None:
    """Error locations become one, edges that leave them go, and what only they led to."""
    builder = Builder("main")
    builder.locations = 6
    for source, target in ((0, 2), (0, 3), (2, 4), (3, 5), (4, 1), (5, 0)):
        builder.edge(source, step(f"{source}-{target}"), target)
    builder.mark(4)
    builder.mark(5)
    encoded, applied = encoded_with(builder)
    assert applied[:2] == [Rule.ERROR_SINK, Rule.PRUNE]
    assert encoded.locations == [0, 4]
    assert encoded.merged == {4: [4, 5]} and encoded.sinks == {MarkKind.ERROR: 4}
    mark = encoded.mark(4)
    assert mark is not None and mark.what == "any of 2: reach_error(), …"
    assert edges_of(encoded) == {(0, 4): "(0-2); (2-4) □ (0-3); (3-5)"}


def test_sequence_rule_figure_3_2() -> None:
    """l1 -> l2 -> {l3, l4}: l2 goes, its incoming operation is executed before either outgoing one."""
    builder = Builder("main")
    builder.locations = 5
    builder.edge(0, step("a"), 2)
    builder.edge(2, step("b"), 3)
    builder.edge(2, step("c"), 4)
    encoded, applied = encoded_with(builder)
    assert applied == [Rule.PRUNE, Rule.SEQUENCE]  # the exit is not reached
    assert edges_of(encoded) == {(0, 3): "(a); (b)", (0, 4): "(a); (c)"}
    first, second = (edge.label for edge in encoded.edges)
    assert isinstance(first, Sequence) and isinstance(second, Sequence) and first.first is second.first  # shared


def test_choice_rule_figure_3_3() -> None:
    builder = Builder("main")
    for name in "abc":
        builder.edge(0, step(name), 1)
    encoded, applied = encoded_with(builder)
    assert applied == [Rule.CHOICE, Rule.CHOICE]
    assert edges_of(encoded) == {(0, 1): "(a) □ (b) □ (c)"}


def crossing(ins: int, outs: int) -> Builder:
    """`ins` loop heads enter location 2, from which `outs` others are reached (all with loops of their own, so they stay)."""
    builder = Builder("main")
    builder.new()
    heads = [builder.edge(0, step(f"to{k}")) for k in range(ins)]
    for k, head in enumerate(heads):
        builder.edge(head, step("loop"), head)
        builder.edge(head, step(f"in{k}"), 2)
    for k in range(outs):
        end = builder.edge(2, step(f"out{k}"))
        builder.edge(end, step("loop"), end)
    return builder


def test_advanced_sequence_rule_figure_3_4() -> None:
    """Two in, two out, no loop: four edges out of four, and one location less; the standard rules cannot."""
    standard, _ = encoded_with(crossing(2, 2))
    assert 2 in standard.locations
    advanced, applied = encoded_with(crossing(2, 2), advanced=True)
    assert applied.count(Rule.ADVANCED_SEQUENCE) == 1
    assert set(standard.locations) - set(advanced.locations) == {2}
    crossed = {pair: text for pair, text in edges_of(advanced).items() if "in" in text}
    assert sorted(crossed.values()) == ["(in0); (out0)", "(in0); (out1)", "(in1); (out0)", "(in1); (out1)"]


def test_the_advanced_rule_respects_its_cap() -> None:
    for cap, expected in ((6, True), (7, False), (8, False)):
        encoded, _ = encoded_with(crossing(3, 5), advanced=True, max_growth=cap)  # 15 edges for 8
        assert (2 in encoded.locations) is expected
    encoded, _ = encoded_with(crossing(9, 1), advanced=True, max_growth=0)
    assert 2 not in encoded.locations


def test_the_minimal_automaton_figure_3_5() -> None:
    """Without loops everything comes down to two locations and one edge."""
    builder = Builder("main")
    at = 0
    for k in range(5):
        yes, no = builder.branch(at, op("=", x, num(k)))
        at = builder.edge(yes, step(f"t{k}"))
        builder.edge(no, step(f"f{k}"), at)
    builder.edge(at, step("end"), 1)
    encoded, _ = encoded_with(builder)
    assert (encoded.locations, len(encoded.edges)) == ([0, 1], 1)
    assert single_edges(encoded.edges[0].label) == list(range(21))


def test_locations_that_stay() -> None:
    """A loop of one edge stops both sequence rules, the entry stays even inside a loop, ends stay."""
    builder = Builder("main")
    head = builder.edge(0, step("a"))
    body = builder.edge(head, step("b"))
    builder.edge(body, step("c"), head)
    builder.edge(head, step("d"), 0)
    for advanced in (False, True):
        encoded, _ = encoded_with(builder, advanced)
        assert edges_of(encoded) == {(0, head): "(a)", (head, head): "(b); (c)", (head, 0): "(d)"}


def test_one_sink_of_each_kind() -> None:
    builder = Builder("main")
    ends = [builder.edge(0, step(str(k))) for k in range(6)]
    for end, kind in zip(ends, [MarkKind.ERROR, MarkKind.UNKNOWN, MarkKind.HALT] * 2, strict=True):
        builder.mark(end, kind)
    encoded, _ = encoded_with(builder)
    assert encoded.locations == [0, *ends[:3]]
    assert encoded.sinks == {MarkKind.ERROR: ends[0], MarkKind.UNKNOWN: ends[1], MarkKind.HALT: ends[2]}
    pruned = encode(program(builder), prune=True)
    assert pruned.locations == [0, *ends[:2]]


def test_only_one_procedure_can_be_encoded() -> None:
    with pytest.raises(ValueError, match="one procedure"):
        encode(program(Builder("main"), Builder("f")))


# Weakest preconditions


def label(*operations: Operation) -> Label:
    result: Label = Single(0, operations[0])
    for position, operation in enumerate(operations[1:], 1):
        result = Sequence(result, Single(position, operation))
    return result


def holds(condition: Expression, **state: int) -> bool:
    return bool(value(condition, {name: number & 0xFFFFFFFF for name, number in state.items()}, lambda _: 0))


def test_weakest_preconditions_figure_4_2() -> None:
    q, b = op("bvslt", x, num(5)), op("=", y, num(0))
    increment, guard = Assign(x, op("bvadd", x, num(1))), Assume(b)
    assert expression_text(wp(label(increment), q)) == "x + 1 < 5"
    assert expression_text(wp(label(guard), q)) == "y != 0 || x < 5"
    assert expression_text(wp(label(guard, increment), q)) == "y != 0 || x + 1 < 5"
    assert expression_text(wp(label(Assign(y, num(0)), guard, increment), q)) == "x + 1 < 5"
    choice = Choice(label(guard), Single(7, increment))
    assert expression_text(wp(choice, q)) == "(y != 0 || x < 5) && x + 1 < 5"
    assert wp(label(Skip("nothing")), q) == q
    assert wp(label(increment), TRUE) == TRUE


def test_substitution_figure_4_4() -> None:
    """x := x + 1; x := x + 2; y := y + 2; [x > 2]: each assignment sees the one before."""
    steps = label(
        Assign(x, op("bvadd", x, num(1))),
        Assign(x, op("bvadd", x, num(2))),
        Assign(y, op("bvadd", y, num(2))),
        Assume(op("bvslt", num(2), x)),
    )
    blocked = wp(steps, FALSE)
    assert [holds(blocked, x=k, y=0) for k in (-2, -1, 0, 1)] == [True, True, False, False]
    after = wp(steps, op("and", op("=", x, num(7)), op("=", y, num(9))))
    assert holds(after, x=4, y=7) and not holds(after, x=4, y=8) and not holds(after, x=5, y=7) and holds(after, x=-3, y=0)


def test_propagation_figures_4_8_and_4_9() -> None:
    """A variable that one alternative assigns keeps its value in the others."""
    gcd = Choice(
        label(Assume(op("bvsle", x, y)), Assign(y, op("bvsub", y, x))),
        label(Assume(op("not", op("bvsle", x, y))), Assign(x, op("bvsub", x, y))),
    )
    after = wp(gcd, op("and", op("=", x, num(4)), op("=", y, num(6))))
    assert holds(after, x=4, y=10) and holds(after, x=10, y=6) and not holds(after, x=4, y=6) and not holds(after, x=10, y=4)
    arms = [(3, w, 7), (2, y, 5), (1, z, 3)]
    first, second, third = (label(Assume(op("=", x, num(at))), Assign(target, num(to))) for at, target, to in arms)
    kept = [op("=", target, num(100)) for target in (w, y, z)]
    after = wp(Choice(Choice(first, second), third), op("and", op("and", kept[1], kept[2]), op("=", w, num(7))))
    assert holds(after, x=3, w=0, y=100, z=100) and not holds(after, x=3, w=0, y=100, z=1)
    assert not holds(after, x=2, w=7, y=100, z=100) and holds(after, x=9, w=0, y=0, z=0)


def test_inputs_are_kept_apart() -> None:
    """Two edges that read their input 0 read two values; each is one of the edge."""
    nondet = Input(0, INT, InputKind.NONDET, "nondet")
    condition = wp(label(Assign(x, nondet), Assign(y, nondet)), op("=", x, y))
    found = {part for part in subexpressions(condition) if isinstance(part, Input)}
    assert found == {input_of_edge(nondet, 0), input_of_edge(nondet, 1)}
    with pytest.raises(ValueError, match="inputs"):
        wp(label(Skip()), op("=", x, nondet))


@pytest.mark.parametrize(
    "operation",
    [
        Store(Address("cell", INT), num(1)),
        Assign(x, load(INT, Address("cell", INT))),
        Assume(op("=", load(INT, x), num(1))),
    ],
)
def test_memory_is_refused(operation: Operation) -> None:
    with pytest.raises(NotOverVariables, match=r"memory|about variables only"):
        wp(label(Skip(), operation), TRUE)


# Sharing


def ladder(rungs: int) -> Program:
    """Location k leads to k+1 and k+2: as a tree, its label has a Fibonacci number of leaves."""
    builder = Builder("main")
    rails = [0, *(builder.new() for _ in range(rungs)), 1]
    for here, next_, after in zip(rails, rails[1:], [*rails[2:], 1], strict=False):
        builder.edge(here, Assume(op("=", x, num(here))), next_)
        builder.edge(here, Assume(op("not", op("=", x, num(here)))), after)
    return program(builder)


def test_labels_are_shared_and_everything_on_them_is_linear() -> None:
    sizes = []
    for rungs in (100, 200):
        encoded = encode(ladder(rungs))
        (edge,) = encoded.edges
        assert tree_size(edge.label) > 2 ** (rungs // 2)
        unfolded = unfold([edge.label])
        text = label_text(edge.label)
        sizes.append((sum(1 for _ in nodes_of(edge.label)), len(unfolded.steps), len(text)))
        assert single_edges(edge.label) == list(range(2 * (rungs + 1)))
        assert len(list(subexpressions(wp(edge.label, FALSE)))) < 30 * rungs
        Paths(encoded).assert_same_as_procedure()
    for small, large in zip(*sizes, strict=True):
        assert large < 2.3 * small


def test_a_chain_of_branches_to_different_places_is_gathered_in_n_log_n() -> None:
    """Every label ever made is part of the result, so their number is the work: bottom-up or top-down it would be quadratic."""
    counts = []
    for size in (500, 1000, 2000):
        builder = Builder("main")
        at = 0
        for k in range(size):
            head = builder.edge(at, step(f"to{k}"))
            builder.edge(head, step("loop"), head)
            at = builder.edge(at, step("on"))
        builder.edge(at, step("end"), 1)
        encoded, _ = encoded_with(builder)
        assert len(encoded.locations) == size + 2
        counts.append(len({id(node) for edge in encoded.edges for node in nodes_of(edge.label)}))
    assert counts[1] < 2.3 * counts[0] and counts[2] < 2.3 * counts[1], counts


def test_shared_parts_are_printed_once() -> None:
    shared = Sequence(Single(0, step("a")), Single(1, step("b")))
    both = Choice(Sequence(shared, Single(2, step("c"))), Sequence(shared, Choice(Single(3, step("d")), Single(4, step("e")))))
    text = label_text(both).replace("skip ", "")
    assert text == "@1; (c) □ @1; ((d) □ (e)) where @1 = {(a); (b)}"
    assert label_text(both, 20) == label_text(both)[:18] + " …"
    lines = list(label_lines(both, 24))
    assert all(len(line) <= 40 for line in lines) and " ".join("".join(lines).split()) != ""
    assert "".join("".join(lines).split()) == "".join(label_text(both).split())


def test_depth_is_no_limit() -> None:
    """A chain of 100,000 edges, a nest of 3,000 branches."""
    builder = Builder("main")
    at = 0
    for k in range(100_000):
        at = builder.edge(at, Assign(x, op("bvadd", x, num(1))) if k % 1000 == 0 else Skip())
    builder.edge(at, Assume(op("=", x, num(0))), 1)
    (edge,) = encode(program(builder)).edges
    assert len(single_edges(edge.label)) == 100_001
    condition = wp(edge.label, FALSE)
    assert holds(condition, x=0) and not holds(condition, x=-100)
    assert label_text(edge.label).count("skip") == 99_900
    builder = Builder("main")
    at, joins = 0, []
    for k in range(3_000):
        at, join = builder.branch(at, op("=", x, num(k)))
        joins.append(join)
    for join in reversed(joins):
        at = builder.edge(at, Skip(), join)
    builder.edge(at, Skip(), 1)
    (edge,) = encode(program(builder)).edges
    assert not any(holds(wp(edge.label, FALSE), x=k) for k in (0, 1, 2_999, 3_000))  # some way through is always open
    assert sum(len(line) for line in label_lines(edge.label, 120)) > 0


def test_an_explosion_of_a_weakest_precondition_is_said() -> None:
    builder = Builder("main")
    at, names = 0, [var(f"v{k}") for k in range(40)]
    for k, name in enumerate(names):
        yes, no = builder.branch(at, op("=", x, num(k)))
        at = builder.edge(yes, Assign(name, num(1)))
        builder.edge(no, Skip(), at)
    builder.edge(at, Skip(), 1)
    (edge,) = encode(program(builder)).edges
    post: Expression = TRUE
    for name in names:
        post = op("or", op("and", post, op("=", name, num(1))), op("=", name, num(2)))
    with pytest.raises(TooManyNodes):
        wp(edge.label, post, max_nodes=20_000)
