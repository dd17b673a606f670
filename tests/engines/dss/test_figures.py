"""The runs of the tables in Kettl 2022 and in Beyer, Kettl, Lemberger 2024, message by message: all blocks wake up at the same time, round by round."""

from __future__ import annotations

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.dss.coordinator import inline
from drystone.engines.dss.engine import check as dss_check
from drystone.engines.dss.hosts import Inline
from drystone.engines.dss.messages import Kind, Message
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.engines.dss.predicates.coordinator import PredicateCoordinator
from drystone.engines.dss.preparation import Blocks
from drystone.engines.outcome import unobserved
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.sorts import bitvec
from drystone.logic.terms import Term
from drystone.pipeline import PreparedProgram
from tests.engines.dss.graphs import blocks_of, dss_2024_figure_2, kettl_2022_figure_10

POST, VCOND, UNREACHABLE = Kind.BLOCKPOSTCONDITION, Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE


def said(messages: list[Message], names: dict[int, str]) -> list[tuple[Kind, str, str]]:
    """Kind, location and formula: postconditions are a disjunction, violation conditions a conjunction."""
    found = []
    for message in messages:
        joined = " or " if message.kind is POST else " and "
        text = joined.join(sorted(map(str, message.conjuncts())))
        found.append((message.kind, names.get(message.location, ""), text or ("false" if message.kind is POST else "")))
    return found


def run(blocks: Blocks, start: str = "top") -> PredicateCoordinator:
    return PredicateCoordinator(blocks, PredicateOptions(start=start), inline(unobserved, rounds=True))


def actors_of(coordinator: PredicateCoordinator) -> dict[str, PredicateAnalysis]:
    assert isinstance(coordinator.hosts, Inline)
    return coordinator.hosts.actors


def rounds(
    coordinator: PredicateCoordinator, names: dict[int, str], blocks: dict[str, str]
) -> list[dict[str, list[tuple[Kind, str, str]]]]:
    """What each block says in each round; blocks that are not woken, or say nothing, are idle."""
    return [{blocks[id]: said(sent, names) for id, sent in each.items() if sent} for each in coordinator.rounds]


def test_dss_2024_table_1() -> None:
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    blocks = blocks_of(figure, "merge:3")
    a, b, c = blocks.blocks
    coordinator = run(blocks)
    ended = coordinator.run(Deadline())
    (l3,) = blocks.locations
    i0, i1, i2, *rest = rounds(coordinator, {l3: "l3"}, {a: "A", b: "B", c: "C"})
    # Iteration 0: A and B prove, with the trivial summary; C has a violation.
    assert i0 == {"A": [(POST, "l3", "true")], "B": [(POST, "l3", "true")], "C": [(VCOND, "l3", "!more and y != x")]}
    # Iteration 1: A proves, B has a violation (its pre-image of x != y is simplified to x != y), C is idle.
    assert i1["A"] == [(UNREACHABLE, "l3", "y != x"), (POST, "l3", "y == x")]
    assert (VCOND, "l3", "more and y != x") in i1["B"]
    assert "C" not in i1
    # Iteration 2: B knows what A says and ignores its own postcondition: it proves, too. A proves, its postcondition is the same.
    # C still knows B's old one.
    refuted = (UNREACHABLE, "l3", "y != x")
    assert i2 == {"A": [refuted], "B": [refuted, refuted, (POST, "l3", "y == x")]}
    # Iteration 3: C proves; the fixed point is reached.
    assert rest == [{}]  # and what is refuted was told before
    assert not any(status.is_open for status in coordinator.status.values())
    assert ended.invariants == {l3: [terms.equal(int_("y"), int_("x"))]}


def test_dss_2024_figure_1_is_safe_for_all_decompositions() -> None:
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    for kind in ("loops", "merge:3", "default", "linear", "edge", "region"):
        for start in ("top", "bottom"):
            options = DssOptions(summaries="predicates", decomposition=kind, start=start, candidates=())
            assert dss_check(PreparedProgram(figure), options, Deadline(), unobserved).verdict is Verdict.TRUE


def int_(name: str) -> Term:
    return terms.state(name, bitvec(32))


def is_(name: str, value: int) -> Term:
    return terms.equal(int_(name), terms.constant(bitvec(32), value))


def figure_10() -> tuple[Program, Blocks, dict[str, str], dict[int, str]]:
    """The worker of the block that ends the program has nothing to say: nobody waits for it."""
    figure = kettl_2022_figure_10()
    blocks = blocks_of(figure, "linear")
    w0, w2, w1, w4 = blocks.blocks
    l2, l5 = blocks.locations
    return figure, blocks, {w0: "W0", w1: "W1", w2: "W2", w4: "W4"}, {l2: "l2", l5: "l5"}


def test_kettl_2022_tables_6_to_8() -> None:
    """Where the tables have formulas of paths, predicates tell apart what the tables tell apart."""
    _, blocks, workers, names = figure_10()
    coordinator = run(blocks)
    l2, l5 = blocks.locations
    for id, worker in workers.items():
        if worker == "W0":
            actors_of(coordinator)[id].refine(l2, [is_("x", 1)])
        elif worker != "W4":
            actors_of(coordinator)[id].refine(l5, [is_("x", 0), is_("x", 2)])
    ended = coordinator.run(Deadline())
    table_6, table_7, last = rounds(coordinator, names, workers)
    assert table_6["W0"] == [(POST, "l2", "x == 1")]
    assert table_6["W1"] == [(POST, "l5", "x != 0 && x != 2 or x != 0 && x == 2")] or table_6["W1"] == [(POST, "l5", "x != 0")]
    assert [text for _, _, text in table_6["W2"]] in (["x == 2"], ["x != 0 && x == 2"])
    assert table_6["W4"] == [(VCOND, "l5", "x != 0")]
    # W1's way is not possible, so it refutes the error condition; W2's is. What W4 says again is no news.
    assert (POST, "l5", "false") in table_7["W1"] and (UNREACHABLE, "l5", "") in table_7["W1"]
    assert (VCOND, "l2", "x != -1 and x == 1") in table_7["W2"]
    assert "W4" not in table_7
    assert str(actors_of(coordinator)[next(id for id, name in workers.items() if name == "W4")].precondition) in (
        "x == 2",
        "x != 0 && x == 2",
    )
    assert last["W0"][-1][0] is Kind.RESULT
    assert ended.trace is not None
    assert [workers[step.block] for step in ended.trace] == ["W0", "W2", "W4"]


def test_kettl_2022_figure_10_is_unsafe_for_all_decompositions() -> None:
    figure = kettl_2022_figure_10()
    for kind in ("loops", "merge:3", "default", "linear", "edge", "region"):
        for start in ("top", "bottom"):
            options = DssOptions(summaries="predicates", decomposition=kind, start=start, candidates=())
            assert dss_check(PreparedProgram(figure), options, Deadline(), unobserved).verdict is Verdict.FALSE
