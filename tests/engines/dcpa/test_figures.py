"""The worked example of Kettl 2022, Tables 6 to 8, message by message, and what the order of Table 13 does to it."""

from __future__ import annotations

from drystone.base.deadline import Deadline
from drystone.engines.dcpa.coordinator import DcpaCoordinator
from drystone.engines.dcpa.predicates import PREDICATES
from drystone.engines.dss.messages import Kind, Message
from drystone.engines.dss.preparation import Blocks
from drystone.logic import terms
from tests.engines.dcpa.runs import SMALL, coordinator, small_values
from tests.engines.dss.graphs import blocks_of, kettl_2022_figure_10

POST, CONDITION, UNREACHABLE = Kind.BLOCKPOSTCONDITION, Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE
ANY = set(SMALL)

Said = tuple[Kind, str, set[int] | None]


def figure_10() -> tuple[Blocks, dict[str, str], dict[int, str]]:
    """The worker of the block that ends the program has nothing to say: nobody waits for it."""
    blocks = blocks_of(kettl_2022_figure_10(), "linear")
    w0, w2, w1, w4 = blocks.blocks
    l2, l5 = blocks.locations
    return blocks, {w0: "W0", w1: "W1", w2: "W2", w4: "W4"}, {l2: "l2", l5: "l5", -1: "l0"}


def said(message: Message, names: dict[int, str]) -> Said:
    """Kind, place, and the values of x that it allows."""
    conjuncts = message.conjuncts()
    if message.kind is UNREACHABLE:
        return message.kind, names[message.location], None
    formula = PREDICATES.post(conjuncts) if message.kind is POST else terms.conjunction(conjuncts)
    return message.kind, names[message.location], small_values(formula)


def rounds(run: DcpaCoordinator, workers: dict[str, str], names: dict[int, str]) -> list[dict[str, list[Said]]]:
    return [{workers[id]: [said(message, names) for message in sent] for id, sent in each.items() if sent} for each in run.rounds]


def test_tables_6_to_8() -> None:
    """There, postconditions are taken before error conditions, and W4 says again what it can still reach."""
    blocks, workers, names = figure_10()
    run = coordinator(blocks, rounds=True, precedence="postconditions", switches=("repeat",))
    ended = run.run(Deadline())
    table_6, table_7, last = rounds(run, workers, names)
    assert table_6 == {
        "W0": [(POST, "l2", {1})],
        "W1": [(POST, "l5", ANY - {0})],  # x.1 != 1 and x = x.1 - 1
        "W2": [(POST, "l5", {2})],  # x.2 = 1 and x = x.2 + 1
        "W4": [(CONDITION, "l5", ANY - {0})],
    }
    # The precondition of W4 is x = 2 or x != 0; it still reaches the error, and says the same again.
    assert table_7["W4"] == [(CONDITION, "l5", ANY - {0})]
    # W1's way is not possible any more: false, and it refutes the error condition (case 2.2). W2 says what it said before, which
    # is not sent again; it enters the backward analysis (case 2.1).
    assert table_7["W1"] == [(POST, "l5", set()), (UNREACHABLE, "l5", None)]
    assert (CONDITION, "l2", {1}) in table_7["W2"]
    assert "W0" not in table_7
    # W0 can reach it, and its error condition is about no variable any more.
    assert (CONDITION, "l0", ANY) in last["W0"]
    assert ended.trace is not None
    assert [workers[step.block] for step in ended.trace] == ["W0", "W2", "W4"]


def test_the_order_of_table_13() -> None:
    """Error conditions first: W1 has not been told yet that it is not reached, and asks W0, who refutes it."""
    blocks, workers, _ = figure_10()
    paper, other = coordinator(blocks), coordinator(blocks, precedence="postconditions")
    for run in (paper, other):
        ended = run.run(Deadline())
        assert ended.trace is not None and [workers[step.block] for step in ended.trace] == ["W0", "W2", "W4"]
    count = {run: run.counters() for run in (paper, other)}
    assert count[paper]["conditions"] >= count[other]["conditions"]
    assert count[paper]["forward"] < count[other]["forward"]


def test_all_decompositions_and_domains_agree() -> None:
    figure = kettl_2022_figure_10()
    for domain in ("predicates", "values"):
        for kind in ("linear", "merge:3", "loops", "edge"):
            for start in ("top", "bottom"):
                ended = coordinator(blocks_of(figure, kind), start, domain=domain).run(Deadline())
                assert ended.trace is not None, (domain, kind, start)
