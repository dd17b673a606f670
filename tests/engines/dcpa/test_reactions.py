"""Who reacts to which message, and how: Kettl 2022, Tables 4 and 5, the cases of the proceed operator, and the optimisations."""

from __future__ import annotations

from typing import Any

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dcpa.predicates import Path
from drystone.engines.dcpa.roles import ResultWorker, RootWorker, TimeoutWorker
from drystone.engines.dcpa.worker import Worker
from drystone.engines.dss.messages import COORDINATOR, Failure, Kind, Message, Step, packed
from drystone.engines.dss.preparation import Blocks
from drystone.logic import terms
from drystone.logic.terms import TRUE
from drystone.symbolic.transformers import ENTRY
from tests.engines.dcpa.runs import int_, is_, small_values, worker
from tests.engines.dss.graphs import blocks_of, kettl_2022_figure_10

POST, CONDITION, UNREACHABLE = Kind.BLOCKPOSTCONDITION, Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE
IS_2 = packed([TRUE, int_("x"), terms.constant(int_("x").sort, 2)])
IS_5 = packed([TRUE, int_("x"), terms.constant(int_("x").sort, 5)])


def graph() -> tuple[Blocks, str, str, str, str]:
    """The blocks of Figure 10 as the paper numbers them: W0, W1 (x != 1), W2 (x = 1), W4 (the error)."""
    blocks = blocks_of(kettl_2022_figure_10(), "linear")
    w0, w2, w1, w4 = blocks.blocks
    return blocks, w0, w1, w2, w4


def begun(id: int, **options: Any) -> tuple[Worker[Path], Blocks]:
    """A worker of the graph after its first forward analysis."""
    blocks, *ids = graph()
    actor = worker(blocks, ids[id], **options)
    actor.receive([Message(kind=Kind.START, sender=COORDINATOR)])
    return actor, blocks


def post(sender: str, location: int, data: bytes = IS_2, level: int = 1) -> Message:
    return Message(kind=POST, sender=sender, location=location, terms=data, level=level)


def condition(location: int, *literals: terms.Term) -> Message:
    trace = (Step("W", "W#1"),)
    return Message(kind=CONDITION, sender="W", location=location, id="W#1", terms=packed(literals), trace=trace, level=1)


# Table 4: analysis worker


@pytest.mark.parametrize(
    ("kind", "answers"),
    [(POST, {POST}), (CONDITION, {CONDITION}), (UNREACHABLE, set()), (Kind.RESULT, set()), (Kind.ERROR, set())],
)
def test_table_4_analysis_worker(kind: Kind, answers: set[Kind]) -> None:
    """Forward analysis, backward analysis, nothing; where RESULT and ERROR shut workers down, no message is delivered any more."""
    actor, blocks = begun(2)
    l2, l5 = blocks.locations
    _, w0, *_ = graph()
    one = terms.constant(int_("x").sort, 1)
    message = {
        POST: post(w0, l2, packed([TRUE, int_("x"), one]), 7),
        CONDITION: condition(l5, is_("x", 2)),
    }.get(kind, Message(kind=kind, sender="W", location=l5, epoch=0))
    assert {answer.kind for answer in actor.receive([message])} == answers


def test_table_4_an_error_condition_is_refuted_or_answered() -> None:
    """Table 5: an analysis worker sends postconditions, error conditions, their refutations, and errors."""
    actor, blocks = begun(2)
    _, l5 = blocks.locations
    (stronger,) = actor.receive([condition(l5, is_("x", 2))])
    assert stronger.kind is CONDITION and stronger.parent == "W#1" and [step.block for step in stronger.trace][1:] == ["W"]
    assert small_values(terms.conjunction(stronger.conjuncts())) == {1}
    (refuted,) = actor.receive([condition(l5, is_("x", 0))])
    assert refuted.kind is UNREACHABLE and refuted.parent == "W#1" and refuted.receiver == "W"
    actor.give(Deadline.after(0))
    (failed,) = actor.receive([condition(l5, is_("x", 2))])
    assert failed.kind is Kind.ERROR and isinstance(failed.content, Failure)


def test_table_5_a_merged_block_sends_both() -> None:
    """A postcondition and an error condition, from one forward analysis (section 4.1.4)."""
    from drystone.ir.automaton import MarkKind
    from tests.building import Builder, num, op, program

    main = Builder("main")
    x = main.local("x")
    below, above = main.branch(0, op("bvult", x, num(3)))
    main.mark(below, MarkKind.ERROR)
    head = main.edge(above, main_assign(x))
    again, ends = main.branch(head, op("=", x, num(7)))
    main.edge(again, main_assign(x), head)
    main.edge(ends, main_assign(x), 1)
    blocks = blocks_of(program(main), "loops")
    actor = worker(blocks, next(iter(blocks.blocks)))
    said = actor.receive([Message(kind=Kind.START, sender=COORDINATOR)])
    assert sorted(message.kind for message in said) == [POST, CONDITION]


def main_assign(x: Any) -> Any:
    from drystone.ir.operations import Assign
    from tests.building import num

    return Assign(x, num(7))


# Tables 4 and 5: the roles without a block


@pytest.mark.parametrize("kind", [POST, CONDITION, UNREACHABLE])
def test_tables_4_and_5_roles(kind: Kind) -> None:
    message = Message(kind=kind, sender="W", location=ENTRY, id="W#2", trace=(Step("W", "W#2"),))
    root, denies = RootWorker(lambda _: True), RootWorker(lambda _: False)
    answers = {answer.kind if answer is not None else None for answer in (root.react(message), denies.react(message))}
    assert answers == ({Kind.RESULT, UNREACHABLE} if kind is CONDITION else {None})
    counting = ResultWorker()
    counting.react(message, ["A", "B"])
    assert counting.open == (2 if kind is CONDITION else 0)
    ended = TimeoutWorker(Deadline.after(0))
    ended.react(message)
    last = ended.result()
    assert last is not None and last.kind is Kind.RESULT and TimeoutWorker(Deadline()).result() is None


def test_the_result_worker_counts() -> None:
    """A refutation or a stronger error condition is an answer; when nobody is missing, the paper says TRUE."""
    counting = ResultWorker()
    counting.react(Message(kind=CONDITION, sender="W4", id="W4#1"), ["W1", "W2"])
    counting.react(Message(kind=UNREACHABLE, sender="W1", parent="W4#1"))
    assert counting.open == 1 and not counting.has_balanced
    counting.react(Message(kind=CONDITION, sender="W2", id="W2#1", parent="W4#1"), ["W0"])
    assert counting.open == 1
    counting.react(Message(kind=UNREACHABLE, sender="W0", parent="W2#1"))
    counting.react(Message(kind=UNREACHABLE, sender="W0", parent="W2#1"))  # twice: of no effect
    assert counting.is_balanced and counting.has_balanced


# Section 4.2.2: proceed


def test_case_1_1_1_all_predecessors_have_spoken() -> None:
    actor, blocks = begun(3)
    _, _, w1, w2, _ = graph()
    _, l5 = blocks.locations
    assert actor.proceed(post(w1, l5)) == (False, ())
    said = actor.proceed(post(w2, l5))
    assert said.goes_on and {message.sender for message in said.messages} == {w1, w2}
    newer = post(w2, l5, IS_5)
    assert newer in actor.proceed(newer).messages and len(actor.proceed(newer).messages) == 2


def test_case_1_1_2_a_predecessor_is_missing() -> None:
    """The definition analyses from any state; the worked example waits."""
    _, _, w1, _, _ = graph()
    for switches, goes_on in ((("impatient",), True), ((), False)):
        actor, blocks = begun(3, switches=switches)
        assert actor.proceed(post(w1, blocks.locations[1])) == (goes_on, ())


def test_case_1_2_another_location() -> None:
    actor, blocks = begun(3)
    assert actor.proceed(post(graph()[1], blocks.locations[0])) == (False, ())


def test_case_2_is_the_error_condition_reached() -> None:
    actor, blocks = begun(2)
    l2, l5 = blocks.locations
    reached, other = condition(l5, is_("x", 2)), condition(l5, is_("x", 0))
    assert actor.proceed(reached) == (True, (reached,))  # case 2.1
    refused = actor.proceed(other)  # case 2.2
    assert not refused.goes_on and [message.kind for message in refused.messages] == [UNREACHABLE]
    assert actor.proceed(condition(l2, is_("x", 2))) == (False, ())  # it ends elsewhere


@pytest.mark.parametrize("kind", [UNREACHABLE, Kind.RESULT, Kind.ERROR])
def test_case_3_other_messages(kind: Kind) -> None:
    actor, blocks = begun(3)
    assert actor.proceed(Message(kind=kind, sender="W", location=blocks.locations[1])) == (False, ())


# the optimisations


def test_no_error_condition_is_sent_twice() -> None:
    _, _, w1, w2, _ = graph()
    for switches, again in (((), 0), (("repeat",), 1), (("repeat-in-loops",), 0)):
        actor, blocks = begun(3, switches=switches)
        l5 = blocks.locations[1]
        said = actor.receive([post(w1, l5), post(w2, l5)])
        assert [message.kind for message in said] == [CONDITION] * again


def test_many_predecessors_save_the_check() -> None:
    blocks, _, _, w2, _ = graph()
    for switches, skipped in (((), 0), (("skip-checks",), 1)):
        actor = worker(blocks, w2, switches=switches)
        actor.predecessors = ("A", "B", "C", "D")
        actor.receive([Message(kind=Kind.START, sender=COORDINATOR)])
        actor.receive([condition(blocks.locations[1], is_("x", 0))])
        assert actor.figures()["skipped"] == skipped


def test_a_fast_worker_analyses_once() -> None:
    _, _, w1, w2, _ = graph()
    for switches, count in (((), 2), (("one-by-one", "impatient"), 3)):
        actor, blocks = begun(3, switches=switches)
        actor.receive([post(w1, blocks.locations[1]), post(w2, blocks.locations[1])])
        assert actor.figures()["forward"] == count


def test_states_are_kept_apart_up_to_a_cap() -> None:
    _, _, w1, w2, _ = graph()
    for most, count in ((1, 1), (2, 2), (7, 2)):
        actor, blocks = begun(3, max_states=most)
        l5 = blocks.locations[1]
        messages = (post(w1, l5), post(w2, l5, IS_5))
        states, level = actor.combine(messages)
        assert len(states) == count and level > 1
        formula = terms.disjunction(state.formula() for state in states)
        assert small_values(formula) == {2}


def test_one_direction_only() -> None:
    forward, blocks = begun(3, direction="forward")
    assert forward.is_open and forward.figures()["conditions"] == 0
    backward, _ = begun(3, direction="backward")
    assert backward.figures()["conditions"] == 1
    between, _ = begun(2, direction="backward")
    l5 = blocks.locations[1]
    assert [message.kind for message in between.receive([condition(l5, is_("x", 2))])] == [CONDITION]
    assert [message.kind for message in between.receive([condition(l5, is_("x", 0))])] == [UNREACHABLE]
