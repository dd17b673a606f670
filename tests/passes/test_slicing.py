"""Slicing and scalarising keep the answer: a run reaches the error before exactly when it does after."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drystone.concrete.interpreter import Outcome, interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Input
from drystone.memory.regions import Regions
from drystone.passes.inline import TooLarge, inline
from drystone.passes.scalarise import scalarise
from drystone.passes.slicing import explain, slice_program
from tests.large_blocks.automata import automata
from tests.places import BENCHMARKS, NO_BENCHMARKS, sequential_tasks
from tests.structure import structural_faults

FULL = bool(os.environ.get("DRYSTONE_FULL"))
MAX_STEPS = 20_000


class ByPlace:
    """Inputs that depend on the place that asks and how often it asked: the same before and after slicing."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.asked: Counter[object] = Counter()

    def _random(self, *place: object) -> random.Random:
        self.asked[place] += 1
        return random.Random(repr((self.seed, place, self.asked[place])))

    def value(self, input: Input, edge: Edge) -> int:
        source = self._random(edge.origin, input.index, input.name)
        return source.choice([0, 1, 2, 3, source.getrandbits(64)])

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return self._random(edge.origin, what).randbytes(size)


def reaches(outcome: Outcome) -> tuple[str, object] | None:
    return (outcome.kind, outcome.origin) if outcome.kind in ("error", "unknown") else None


def compare(before: Program, after: Program, seeds: range) -> None:
    for seed in seeds:
        first = interpret(before, ByPlace(seed), max_steps=MAX_STEPS)
        second = interpret(after, ByPlace(seed), max_steps=MAX_STEPS)
        if first.kind == "crash" or "limit" in (first.kind, second.kind):
            continue  # the slice may go on where the original dereferences a null pointer; shorter runs pass the limit later
        assert reaches(first) == reaches(second), f"seed {seed}: {first.kind} {first.what}, sliced {second.kind} {second.what}"


@given(automata(), st.integers(0, 1000))
@settings(max_examples=500, deadline=None)
def test_random_automata(program: Program, seed: int) -> None:
    sliced = slice_program(program)
    assert not structural_faults(sliced.program.procedures[program.entry])
    assert len(sliced.origins) == len(sliced.program.procedures[program.entry].edges)
    compare(program, sliced.program, range(seed, seed + 4))


def tasks() -> list[tuple[str, str]]:
    rows = sequential_tasks()
    return [(row["file"], row["data_model"]) for row in (rows if FULL else rows[::9])]


@pytest.mark.skipif(not tasks(), reason=NO_BENCHMARKS)
@pytest.mark.parametrize(("file", "data_model"), tasks())
def test_tasks(file: str, data_model: str) -> None:
    program = load([str(BENCHMARKS / file)], FrontendOptions(data_model=data_model)).program
    try:
        flat = inline(program, recursion_bound=3, max_edges=200_000 if FULL else 20_000)
    except TooLarge as problem:
        pytest.skip(str(problem))
    scalar = scalarise(flat, Regions(flat))
    sliced = slice_program(scalar)
    assert not structural_faults(sliced.program.procedures[flat.entry])
    compare(scalar, sliced.program, range(4))


def sliced_text(tmp_path: Path, text: str) -> tuple[Program, list[str]]:
    path = tmp_path / "program.c"
    path.write_text(text)
    flat = inline(load([str(path)], FrontendOptions()).program)
    sliced = slice_program(flat)
    return sliced.program, explain(flat, sliced)


def test_a_loop_that_does_not_end_stays(tmp_path: Path) -> None:
    program, _ = sliced_text(tmp_path, "void reach_error(void); int main(void) { while (1) {} reach_error(); }")
    assert not any(mark.kind == "error" for mark in program.procedures["main"].marks.values())


def test_a_loop_without_effect_stays_for_its_end(tmp_path: Path) -> None:
    text = "int n(void); void reach_error(void); int main(void) { int i = 0; while (i != 10) i += 3; reach_error(); }"
    program, removed = sliced_text(tmp_path, text)
    assert not any("i :=" in line for line in removed), removed
    assert any(edge.target <= edge.source for edge in program.procedures["main"].edges)


def test_a_loop_without_effect_goes_where_the_error_lies_on_one_side_behind_it(tmp_path: Path) -> None:
    text = (
        "int nondet(void); void reach_error(void); int main(void) { int x = nondet(), i = 0, a[10];\n"
        " for (i = 0; i < 10; i++) { if (nondet()) a[i] = i; else a[i] = 1; }\n if (x == 7) reach_error(); return a[0]; }"
    )
    program, removed = sliced_text(tmp_path, text)
    assert any("i :=" in line for line in removed), removed
    assert len(program.procedures["main"].edges) <= 4


def test_a_branch_without_effect_in_a_loop_goes(tmp_path: Path) -> None:
    text = (
        "int nondet(void); void reach_error(void); int main(void) { int x = 0, y = 0;\n"
        " while (1) { x = nondet(); if (nondet()) y = 1; else y++; if (x == 7) reach_error(); } }"
    )
    program, removed = sliced_text(tmp_path, text)
    assert any("y :=" in line for line in removed) and not any("x :=" in line for line in removed), removed
    assert any(edge.target <= edge.source for edge in program.procedures["main"].edges), "the loop stays"


def test_a_loop_that_does_the_same_in_every_round_is_an_assumption(tmp_path: Path) -> None:
    text = (
        "int nondet(void); void reach_error(void); int main(void) { int x = nondet(), y;\n"
        " while (1) { y = x; if (y < 3) break; }\n if (nondet()) return 0; if (x > 5) reach_error(); return 0; }"
    )
    program, removed = sliced_text(tmp_path, text)
    assert not any("y :=" in line for line in removed), removed
    for seed in range(20):
        assert interpret(program, ByPlace(seed), max_steps=MAX_STEPS).kind != "error"


def test_what_does_not_matter_goes_with_a_reason(tmp_path: Path) -> None:
    text = (
        "int nondet(void); void reach_error(void); int main(void) { int x = nondet(), y = nondet(), z = 0;\n"
        " if (y > 3) z = 1; else z = 2;\n if (x == 7) reach_error();\n z = z + 1; return z; }"
    )
    program, removed = sliced_text(tmp_path, text)
    reasons = "\n".join(removed)
    assert "decides nothing" in reasons and "does not matter" in reasons and "leads to no error" in reasons
    assert len(program.procedures["main"].edges) <= 4
