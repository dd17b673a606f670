"""Benchmark tasks keep their paths when they are encoded, and test_locks comes down to three locations (Table 5.1).

Every eighth sequential task runs in `make test`; all of them with DRYSTONE_FULL=1.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from drystone.concrete.interpreter import Interpreter, SeededInputs
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind, Program
from drystone.large_blocks.encoding import encode
from drystone.large_blocks.guarded_commands import unfold
from drystone.passes.inline import TooLarge, inline
from drystone.passes.slicing import slice_program
from tests.large_blocks.meaning import Falling, Paths
from tests.places import BENCHMARKS, sequential_tasks

FULL = os.environ.get("DRYSTONE_FULL") == "1"
MAX_EDGES = 60_000 if FULL else 10_000


TASKS = [(row["file"], row["data_model"]) for row in sequential_tasks()]
LOCKS = [task for task in TASKS if task[0].startswith("locks/")]
SAMPLE = TASKS if FULL else TASKS[::8]


def name(task: object) -> str:
    return Path(task).stem[:60] if isinstance(task, str) else str(task)


def inlined(file: str, data_model: str) -> Program:
    program = load([str(BENCHMARKS / file)], FrontendOptions(data_model=data_model)).program
    try:
        return inline(program, recursion_bound=3, max_edges=MAX_EDGES)
    except TooLarge as problem:
        pytest.skip(str(problem))


@pytest.mark.parametrize(("file", "data_model"), SAMPLE, ids=name)
def test_a_task_keeps_its_paths(file: str, data_model: str) -> None:
    program = inlined(file, data_model)
    procedure = program.procedures[program.entry]
    interpreter = Interpreter(program)
    outcomes = [interpreter.run(SeededInputs(seed), max_steps=3_000, record_path=True) for seed in range(4)]
    for advanced in (False, True):
        falling = Falling(procedure)
        encoded = encode(program, advanced, observe=falling)
        assert falling.measure == (len(encoded.locations), len(encoded.edges))
        paths = Paths(encoded)
        paths.assert_same_as_procedure()
        if not advanced:  # then every label is linear in the edges between its ends
            for edge in encoded.edges:
                unfolded = unfold([edge.label])
                assert sum(step.single is not None for step in unfolded.steps) <= len(procedure.edges)
                assert len(unfolded.steps) <= 3 * len(procedure.edges)
        for outcome in outcomes:
            location, at_location = paths.follow(outcome.path)
            if outcome.kind in ("error", "unknown", "halt"):
                assert at_location and location == paths.sink(MarkKind(outcome.kind))
            elif outcome.kind == "returned":
                assert at_location and location == procedure.exit


@pytest.mark.parametrize(("file", "data_model"), LOCKS, ids=name)
def test_locks_have_three_locations(file: str, data_model: str) -> None:
    """Entry, loop head and error, once the way out of the loop is pruned (as slicing does)."""
    program = inlined(file, data_model)
    for advanced in (False, True):
        encoded = encode(program, advanced, prune=True)
        entry, error = encoded.entry, encoded.sinks[MarkKind.ERROR]
        (head,) = set(encoded.locations) - {entry, error}
        assert {(edge.source, edge.target) for edge in encoded.edges} == {(entry, head), (head, head), (head, error)}
        Paths(encode(program, advanced)).assert_same_as_procedure()


@pytest.mark.parametrize(("file", "data_model"), LOCKS, ids=name)
def test_sliced_locks_have_three_locations(file: str, data_model: str) -> None:
    for advanced in (False, True):
        encoded = encode(slice_program(inlined(file, data_model)).program, advanced)
        assert len(encoded.locations) == len(encoded.edges) == 3
        assert MarkKind.ERROR in encoded.sinks
