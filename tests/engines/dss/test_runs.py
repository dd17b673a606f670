"""What must be the same in every run, and what happens in cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dss.coordinator import Coordinator, Ended, inline
from drystone.engines.dss.engine import make_coordinator
from drystone.engines.dss.messages import Kind, Message, Version, packed
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.postconditions.coordinator import postcondition_specs
from drystone.engines.dss.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.engines.dss.predicates.coordinator import PredicateCoordinator
from drystone.engines.dss.preparation import Blocks, prepare_blocks
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.sorts import bitvec
from drystone.pipeline import PreparedProgram
from tests.engines.dss.graphs import blocks_of, dss_2024_figure_2
from tests.engines.dss.programs import CASES, PRELUDE


def prepared(path: Path, name: str, kind: str) -> Blocks:
    (case,) = (case for case in CASES if case.name == name)
    path.write_text(PRELUDE + case.text)
    program = load([str(path)], FrontendOptions()).program
    return prepare_blocks(PreparedProgram(program), recursion_bound=2, max_edges=10_000, sliced=True, kind=kind)


def run(blocks: Blocks, summaries: str) -> tuple[Ended, dict[str, int], Coordinator]:
    coordinator = make_coordinator(blocks, DssOptions(summaries=summaries), inline(unobserved))
    ended = coordinator.run(Deadline())
    return ended, coordinator.counters(), coordinator


@pytest.mark.parametrize("summaries", SUMMARIES)
@pytest.mark.parametrize("kind", ("loops", "linear"))
def test_runs_are_repeated_exactly(summaries: str, kind: str, tmp_path: Path) -> None:
    """The same end, messages, bytes, queries and predicates, whatever was done before in this process."""
    for name in ("x equals y in the inner loop of two", "three iterations", "two obligations, the second is met"):
        blocks = prepared(tmp_path / "program.c", name, kind)
        first, first_counters, _ = run(blocks, summaries)
        second, second_counters, _ = run(prepared(tmp_path / "program.c", name, kind), summaries)
        assert first == second
        assert first_counters == second_counters


@pytest.mark.parametrize("kind", ("loops", "linear", "edge"))
@pytest.mark.parametrize("start", ("top", "bottom"))
def test_rounds_end_as_urgency_does(kind: str, start: str) -> None:
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    blocks = blocks_of(figure, kind)
    for rounds in (False, True):
        coordinator = PredicateCoordinator(blocks, PredicateOptions(start=start), inline(unobserved, rounds=rounds))
        ended = coordinator.run(Deadline())
        assert ended.invariants is not None, ended.reason


def test_a_search_that_was_interrupted_goes_on() -> None:
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    coordinator = PredicateCoordinator(blocks_of(figure, "linear"), PredicateOptions(), inline(unobserved))
    assert coordinator.run(Deadline.after(0)).reason == "out of time"
    assert coordinator.run(Deadline()).invariants is not None


def test_known_invariants_are_used() -> None:
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    blocks = blocks_of(figure, "merge:3")
    (head,) = blocks.locations
    coordinator = PredicateCoordinator(blocks, PredicateOptions(), inline(unobserved))
    known = terms.equal(terms.state("x", bitvec(32)), terms.state("y", bitvec(32)))
    coordinator.know({head: [known]})
    ended = coordinator.run(Deadline())
    assert ended.invariants is not None and known in ended.invariants[head]
    assert coordinator.counters()["predicates"] == 0


def test_a_component_starts_again_at_false_when_a_predicate_is_new() -> None:
    """Otherwise B's postcondition, true, would be part of its own precondition for ever (Beyer, Kettl, Lemberger 2024, cyclic block graphs)."""
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    blocks = blocks_of(figure, "merge:3")
    a, b, _ = blocks.blocks
    (head,) = blocks.locations
    actor = postcondition_specs(blocks, PredicateOptions())[b].actor()
    assert isinstance(actor, PredicateAnalysis)
    x, y = (terms.state(name, bitvec(32)) for name in "xy")
    everything = Message(kind=Kind.BLOCKPOSTCONDITION, sender=a, location=head, terms=packed([terms.TRUE]), content=Version(1))
    own = [message for message in actor.receive([everything]) if message.kind is Kind.BLOCKPOSTCONDITION]
    actor.receive(own)
    assert actor.precondition is terms.TRUE and actor.epoch == 0
    equal = Message(kind=Kind.BLOCKPOSTCONDITION, sender=a, location=head, terms=packed([terms.equal(x, y)]), content=Version(2))
    sent = actor.receive([equal])
    assert actor.epoch == 1
    assert actor.precondition is terms.equal(x, y)  # its own postcondition of the epoch before does not count
    actor.receive(own)
    assert actor.precondition is terms.equal(x, y)
    (post,) = (message for message in sent if message.kind is Kind.BLOCKPOSTCONDITION)
    assert post.epoch == 1


def test_a_true_postcondition_of_the_component_counts_once_it_is_computed() -> None:
    """True is not the same as: nothing is known yet."""
    figure, _ = dss_2024_figure_2(error_leads_on=False)
    blocks = blocks_of(figure, "merge:3")
    a, b, _ = blocks.blocks
    (head,) = blocks.locations
    actor = postcondition_specs(blocks, PredicateOptions())[b].actor()
    assert isinstance(actor, PredicateAnalysis)
    x, y = (terms.state(name, bitvec(32)) for name in "xy")
    start = Message(kind=Kind.START, sender="coordinator")
    initial = [message for message in actor.receive([start]) if message.kind is Kind.BLOCKPOSTCONDITION]
    assert initial[0].content == Version(1, is_initial=True)
    equal = Message(kind=Kind.BLOCKPOSTCONDITION, sender=a, location=head, terms=packed([terms.equal(x, y)]), content=Version(1))
    sent = [message for message in actor.receive([*initial, equal]) if message.kind is Kind.BLOCKPOSTCONDITION]
    assert actor.precondition is terms.equal(x, y)
    assert sent[0].conjuncts() == [terms.TRUE] and sent[0].content == Version(2)
    actor.receive(sent)
    assert actor.precondition is terms.TRUE
