"""Whole traces: which are possible, which give predicates, which blocks are told, and what these do then."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dss.coordinator import inline
from drystone.engines.dss.messages import COORDINATOR, Kind, Message, Step, Version, packed
from drystone.engines.dss.postconditions.coordinator import postcondition_specs
from drystone.engines.dss.predicates import interpolation, traces
from drystone.engines.dss.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.engines.dss.predicates.coordinator import PredicateCoordinator
from drystone.engines.dss.predicates.interpolation import Interpolation, predicates_along, shortest_traces
from drystone.engines.dss.predicates.traces import Traces
from drystone.engines.dss.preparation import Blocks, prepare_blocks
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.sorts import bitvec
from drystone.logic.terms import TRUE, Term
from drystone.pipeline import PreparedProgram
from tests.engines.dss.graphs import blocks_of, dss_2024_figure_2
from tests.engines.dss.programs import CASES, PRELUDE

POST, VCOND, UNREACHABLE = Kind.BLOCKPOSTCONDITION, Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE
x, y = (terms.state(name, bitvec(32)) for name in "xy")
SAME = terms.equal(x, y)


def figure() -> tuple[Blocks, str, str, str, int]:
    """Beyer, Kettl, Lemberger 2024, Figure 3: A before the loop, B an iteration, C after it; all meet at the loop's head."""
    blocks = blocks_of(dss_2024_figure_2(error_leads_on=False)[0], "merge:3")
    (head,) = blocks.locations
    before, iteration, after = blocks.blocks
    return blocks, before, iteration, after, head


def blocks_from(path: Path, text: str, kind: str = "loops") -> Blocks:
    path.write_text(PRELUDE + text)
    program = load([str(path)], FrontendOptions()).program
    return prepare_blocks(PreparedProgram(program), recursion_bound=1, max_edges=10_000, sliced=True, kind=kind)


def actor(blocks: Blocks, id: str) -> PredicateAnalysis:
    made = postcondition_specs(blocks, PredicateOptions())[id].actor()
    assert isinstance(made, PredicateAnalysis)
    return made


def test_the_relation_that_a_loop_keeps_is_found_from_its_first_iterations() -> None:
    blocks, a, b, c, head = figure()
    for iterations in range(4):
        assert predicates_along(blocks, [a, *[b] * iterations, c], TRUE) == {head: [SAME]}


def test_nothing_is_found_where_the_error_is_reached_or_the_path_is_too_long() -> None:
    blocks, a, b, c, _ = figure()
    assert predicates_along(blocks, [b, c], TRUE) == {}  # from any state
    assert predicates_along(blocks, [b, c], SAME) != {}
    assert predicates_along(blocks, [a, *[b] * interpolation.MOST_BLOCKS, c], TRUE) == {}
    assert predicates_along(blocks, [c], TRUE) == {}  # no cut point on the way


def test_variables_that_do_not_matter_are_left_out(tmp_path: Path) -> None:
    """Memory would keep Spacer from being asked at all."""
    text = "int a[9]; int main() { int x = 1, i = any(); while (any()) { a[i & 7] = x; } if (x != 1) reach_error(); if (a[i & 3] > 1 && x != 1) reach_error(); }"
    blocks = blocks_from(tmp_path / "program.c", text)
    entry, loop = blocks.blocks
    assert predicates_along(blocks, [entry, loop, loop], TRUE) == {}  # the second error depends on memory
    text = "int a[9]; int main() { int x = 1, i = any(); while (any()) { a[i & 7] = x; if (any()) x = 1; if (a[i & 3] > 5) i = 7; } if (x != 1) reach_error(); }"
    blocks = blocks_from(tmp_path / "program.c", text)
    entry, loop = blocks.blocks
    (found,) = predicates_along(blocks, [entry, loop, loop], TRUE).values()
    assert [str(each).replace("main::", "") for each in found] == ["x == 1"]


def test_shortest_traces() -> None:
    blocks, a, b, c, _ = figure()
    assert shortest_traces(blocks) == {a: (a,), b: (a, b), c: (a, c)}


def case(name: str, path: Path) -> Blocks:
    (text,) = (each.text for each in CASES if each.name == name)
    return blocks_from(path, text)


def test_a_trace_is_possible_if_control_can_go_along_it(tmp_path: Path) -> None:
    blocks = case("three iterations", tmp_path / "program.c")
    entry, loop = blocks.blocks
    known = Traces(blocks)
    for passes in (*range(1, 7), 4, 3):  # what is known of a shorter trace is used for a longer one
        assert known.is_possible((entry, *[loop] * passes)) == (passes == 4)
    assert Traces(blocks).is_possible((loop,))  # from some state
    assert not Traces(blocks).is_possible((entry,))  # it has no error
    blocks, a, b, c, _ = figure()
    known = Traces(blocks, "z3")
    assert not any(known.is_possible((a, *[b] * passes, c)) for passes in range(4))


def test_each_pass_of_a_trace_has_its_own_inputs(tmp_path: Path) -> None:
    blocks = case("two iterations", tmp_path / "program.c")
    entry, loop = blocks.blocks
    assert Traces(blocks).is_possible((entry, loop))
    same = "int main() { int x = 0, n = 0; while (any()) { if (n == 1 && any() == x + 1) reach_error(); x = any(); n++; } }"
    blocks = blocks_from(tmp_path / "program.c", same)
    entry, loop = blocks.blocks
    assert Traces(blocks).is_possible((entry, loop, loop))


def test_what_is_not_known_is_no_counterexample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = case("three iterations", tmp_path / "program.c")
    entry, loop = blocks.blocks
    assert not Traces(blocks).is_possible((entry, *[loop] * 4), 0.0)
    monkeypatch.setattr(traces, "LARGEST", 3)
    assert not Traces(blocks).is_possible((entry, *[loop] * 4))


def test_a_trace_that_is_possible_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpolation, "FIRST", 0)
    blocks = case("three iterations", tmp_path / "program.c")
    entry, loop = blocks.blocks
    (head,) = blocks.locations
    asked = Interpolation(blocks)
    assert asked.note(vcond("1", (loop, loop, loop), head)) == []
    (result,) = asked.note(vcond("2", (loop, loop, loop, loop), head))
    assert (result.kind, result.receiver) == (Kind.RESULT, COORDINATOR)
    assert [step.block for step in result.trace] == [entry, *[loop] * 4]
    assert asked.note(vcond("3", (loop, loop, loop, loop), head)) == []  # once is enough
    free = Interpolation(blocks.without_context())
    assert free.note(vcond("4", (loop, loop, loop, loop), head)) == []  # from any state: no counterexample


@pytest.mark.parametrize("rounds", (False, True))
def test_bugs_are_found_by_their_trace(tmp_path: Path, rounds: bool) -> None:
    """Where violation conditions, one cube of values at a time, would take long."""
    text = "int main() { int x = any(), y = any(), n = 0; while (n < 9) { if (x * y + n == 77 && n == 6 && y > 5 && x > 5) reach_error(); x = x ^ any() & 3; n++; } }"
    blocks = blocks_from(tmp_path / "program.c", text)
    coordinator = PredicateCoordinator(blocks, PredicateOptions(), inline(unobserved, rounds=rounds))
    assert coordinator.run(Deadline.after(60.0)).trace is not None


def test_a_proof_that_is_found_by_interpolants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each refuted violation condition is about one more iteration of a loop that is never entered."""
    (text,) = (each.text for each in CASES if each.name == "error in dead code")
    blocks = blocks_from(tmp_path / "program.c", text, "edge")
    coordinator = PredicateCoordinator(blocks, PredicateOptions(), inline(unobserved))
    coordinator.most_calls = 1_000
    assert coordinator.run(Deadline()).invariants is not None
    monkeypatch.setattr(interpolation, "interpolants", lambda *_: None)
    coordinator = PredicateCoordinator(blocks, PredicateOptions(), inline(unobserved))
    coordinator.most_calls = 1_000
    assert coordinator.run(Deadline()).is_open


def vcond(id: str, blocks: tuple[str, ...], location: int) -> Message:
    return Message(kind=VCOND, sender=blocks[0], location=location, id=id, trace=tuple(Step(block, id) for block in blocks))


def refutation(id: str, sender: str, receiver: str) -> Message:
    return Message(kind=UNREACHABLE, sender=sender, receiver=receiver, parent=id)


def test_the_trace_that_was_refuted_most_is_looked_at_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpolation, "PATIENCE", 4)
    blocks, a, b, c, head = figure()
    asked = Interpolation(blocks)
    assert asked.note(vcond("c#1", (c,), head)) == asked.note(vcond("b#1", (b, c), head)) == []
    assert [asked.note(refutation(id, a, c)) for id in ("c#1", "b#1", "b#1")] == [[]] * 3
    told = asked.note(refutation("b#1", a, b))
    assert {message.receiver for message in told} == {a, b}  # all that end at the head
    for message in told:
        assert (message.kind, message.sender, message.location) == (UNREACHABLE, COORDINATOR, head)
        assert message.conjuncts() == [SAME]
    for _ in range(3):
        assert asked.note(refutation("b#1", a, b)) == []
    assert asked.note(refutation("b#1", a, b))  # after twice as many: the trace that is left
    assert asked.last_resort([c]) == []
    assert len({message.id for message in told}) == 1


def test_last_resort_when_all_is_quiet() -> None:
    blocks, a, b, c, _ = figure()
    asked = Interpolation(blocks)
    assert {message.receiver for message in asked.last_resort([c])} == {a, b}
    assert asked.last_resort([c]) == []
    assert Interpolation(blocks).last_resort([b]) == []  # it has no error


def test_a_block_that_gets_predicates_says_more() -> None:
    blocks, a, _, _, head = figure()
    first = actor(blocks, a)
    start = Message(kind=Kind.START, sender=COORDINATOR)
    assert [message.conjuncts() for message in first.receive([start]) if message.kind is POST] == [[TRUE]]
    predicates = Message(kind=UNREACHABLE, sender=COORDINATOR, receiver=a, location=head, terms=packed([SAME]))
    assert [message.conjuncts() for message in first.receive([predicates]) if message.kind is POST] == [[SAME]]
    assert [message for message in first.receive([predicates]) if message.kind is POST] == []  # no news
    assert list(first.predicates) == [SAME]


def test_a_component_starts_again_when_predicates_come_from_outside() -> None:
    """B's own postcondition, true, must not keep it from what A says."""
    blocks, a, b, _, head = figure()
    loop = actor(blocks, b)
    loop.receive([post(a, head, [SAME], 1)])
    own = [message for message in loop.receive([Message(kind=Kind.START, sender=COORDINATOR)]) if message.kind is POST]
    assert own == []
    loop.receive([post(b, head, [TRUE], 1)])
    assert loop.precondition is TRUE and loop.epoch == 0
    predicates = Message(kind=UNREACHABLE, sender=COORDINATOR, receiver=b, location=head, terms=packed([SAME]))
    (said,) = (message for message in loop.receive([predicates]) if message.kind is POST)
    assert loop.epoch == said.epoch == 1
    assert loop.precondition is SAME and said.conjuncts() == [SAME]


def post(sender: str, location: int, cubes: list[Term], version: int) -> Message:
    return Message(kind=POST, sender=sender, location=location, terms=packed(cubes), content=Version(version))


def test_what_a_refuted_block_tells_the_one_that_asked_is_no_predicate() -> None:
    blocks, a, b, _, head = figure()
    first = actor(blocks, a)
    first.receive([Message(kind=UNREACHABLE, sender=b, receiver=a, location=head, terms=packed([SAME]))])
    assert not first.predicates
