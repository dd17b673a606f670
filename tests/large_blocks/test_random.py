"""On random automata: encoding keeps paths and the reachability of errors, and weakest preconditions are what they say."""

from __future__ import annotations

from itertools import product

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from drystone.concrete.interpreter import ListedInputs, interpret
from drystone.ir.automaton import MarkKind, Procedure, Program
from drystone.ir.expressions import FALSE, Expression
from drystone.large_blocks.encoding import Encoded, Rule, encode
from drystone.large_blocks.guarded_commands import Single, nodes_of, single_edges, unfold, wp
from tests.large_blocks.automata import VARIABLES, WIDTH, automata, conditions
from tests.large_blocks.meaning import (
    Falling,
    Paths,
    State,
    all_values,
    executions,
    inputs_of,
    leaf_sequences,
    reached_sinks,
    tree_size,
    value,
)
from tests.structure import structural_faults

STATES: list[State] = [tuple(zip("xyz", values, strict=True)) for values in product(range(1 << WIDTH), repeat=len(VARIABLES))]
ZERO = STATES[0]
MANY_STEPS = 64 * 14 * 6 + 100  # more than there are states of the automaton and positions in the inputs
encodings = st.tuples(st.booleans(), st.sampled_from([0, 2, 16]))


def main_of(program: Program) -> Procedure:
    assert structural_faults(program.procedures["main"]) == []
    return program.procedures["main"]


@settings(max_examples=500, deadline=None)
@given(automata(), encodings, st.booleans(), st.lists(st.integers(0, 3), max_size=5))
def test_the_error_is_reached_after_encoding_exactly_when_it_was_before(
    program: Program, encoding: tuple[bool, int], prune: bool, listed: list[int]
) -> None:
    procedure = main_of(program)
    encoded = encode(program, *encoding, prune=prune)
    outcome = interpret(program, ListedInputs(listed), max_steps=MANY_STEPS)
    event(outcome.kind)
    found = reached_sinks(encoded, ZERO, listed)
    for kind in (MarkKind.ERROR, MarkKind.UNKNOWN):
        assert (encoded.sinks.get(kind) in found) == (outcome.kind == kind)
    if not prune:
        assert (encoded.sinks.get(MarkKind.HALT) in found) == (outcome.kind == "halt")
        assert (procedure.exit in found) == (outcome.kind == "returned")


@settings(max_examples=500, deadline=None)
@given(automata(), encodings)
def test_paths_are_kept_and_the_measure_falls_to_a_fixed_point(program: Program, encoding: tuple[bool, int]) -> None:
    procedure = main_of(program)
    falling = Falling(procedure)
    encoded = encode(program, *encoding, observe=falling)
    assert falling.measure == (len(encoded.locations), len(encoded.edges))
    assert falling.applied.count(Rule.ERROR_SINK) <= 1
    assert_fixed_point(encoded, *encoding)
    paths = Paths(encoded)
    paths.assert_same_as_procedure()
    for seed in range(3):
        outcome = interpret(program, ListedInputs([seed, 3 * seed + 1, seed // 2]), max_steps=300, record_path=True)
        location, at_location = paths.follow(outcome.path)
        if outcome.kind in ("error", "unknown", "halt"):
            assert at_location and location == paths.sink(MarkKind(outcome.kind))
        elif outcome.kind == "returned":
            assert at_location and location == procedure.exit


def assert_fixed_point(encoded: Encoded, advanced: bool, max_growth: int) -> None:
    """No rule applies: said again, directly from chapter 3."""
    pairs = [(edge.source, edge.target) for edge in encoded.edges]
    assert len(pairs) == len(set(pairs))  # choice
    for location in encoded.locations:
        ins = sum(target == location for _, target in pairs)
        outs = sum(source == location for source, _ in pairs)
        if location == encoded.entry or outs == 0 or (location, location) in pairs:
            continue
        assert ins > 1  # sequence
        assert not advanced or ins * outs - ins - outs > max_growth  # advanced sequence


@settings(max_examples=200, deadline=None)
@given(automata(), encodings)
def test_pruning_keeps_the_paths_to_errors_and_unknowns(program: Program, encoding: tuple[bool, int]) -> None:
    procedure = main_of(program)
    falling = Falling(procedure)
    encoded = encode(program, *encoding, prune=True, observe=falling)
    leading = {at for at, mark in procedure.marks.items() if mark.kind is not MarkKind.HALT}
    while more := {edge.source for edge in procedure.edges if edge.target in leading} - leading:
        leading |= more
    Paths(encoded).assert_same_as_procedure({number for number, edge in enumerate(procedure.edges) if edge.target in leading})
    assert set(encoded.locations) <= leading | {procedure.entry} | set(encoded.merged)


@settings(max_examples=300, deadline=None)
@given(automata(), encodings)
def test_an_unfolded_label_has_the_leaf_sequences_of_the_label(program: Program, encoding: tuple[bool, int]) -> None:
    for edge in encode(program, *encoding).edges:
        if tree_size(edge.label) > 2000:
            continue
        expected = leaf_sequences(edge.label)
        unfolded = unfold([edge.label])
        leaving = {step.source: [] for step in unfolded.steps}  # type: ignore[var-annotated]
        for step in unfolded.steps:
            assert step.source < step.target
            leaving[step.source].append(step)
        found: list[tuple[int, ...]] = []
        stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while stack:
            point, path = stack.pop()
            if point == unfolded.ends[0]:
                found.append(path)
            for step in leaving.get(point, []):
                stack.append((step.target, path if step.single is None else (*path, step.single.edge)))
        assert sorted(found) == sorted(expected)
        assert single_edges(edge.label) == sorted({number for path in expected for number in path})
        singles = [node.edge for node in nodes_of(edge.label) if isinstance(node, Single)]
        assert len(singles) == len(set(singles))  # shared, not copied


@settings(max_examples=300, deadline=None)
@given(automata(8), encodings, st.one_of(st.just(FALSE), conditions()))
def test_weakest_preconditions_are_those_of_all_executions(
    program: Program, encoding: tuple[bool, int], post: Expression
) -> None:
    checked = 0
    for edge in encode(program, *encoding).edges:
        computed = wp(edge.label, post)
        inputs = inputs_of(computed)
        if tree_size(edge.label) > 60 or len(inputs) > 3:
            continue
        checked += 1
        for state in STATES[:: 1 if len(inputs) < 3 else 5]:
            expected = all(value(post, dict(after), _none) for after, _ in executions(edge.label, state, 0, None))
            got = all(
                value(computed, dict(state), dict(zip(inputs, chosen, strict=True)).__getitem__) for chosen in all_values(inputs)
            )
            assert got == expected
    assume(checked)


def _none(input: object) -> int:
    raise AssertionError(input)
