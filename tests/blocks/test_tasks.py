"""Every decomposition of benchmark tasks is strict, complete and valid, and runs of the tasks go along the block graph.

Every eighth task; all of them with DRYSTONE_FULL=1.
"""

from __future__ import annotations

import os

import msgspec
import pytest

from drystone.blocks.jsonform import blocks_object, read_blocks
from drystone.blocks.registry import decomposition
from drystone.concrete.interpreter import SeededInputs, interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.passes.inline import TooLarge, inline
from tests.blocks.automata import KINDS, WITHOUT_LOOPS_INSIDE, faults, follow
from tests.places import BENCHMARKS, sequential_tasks

MAX_EDGES = 200_000 if os.environ.get("DRYSTONE_FULL") else 50_000
SEEDS, STEPS = 3, 2_000


def tasks() -> list[dict[str, str]]:
    rows = sequential_tasks()
    return rows if os.environ.get("DRYSTONE_FULL") else rows[::8]


@pytest.mark.parametrize("task", tasks(), ids=lambda task: task["task"])
def test_decompositions(task: dict[str, str]) -> None:
    program = load([str(BENCHMARKS / task["file"])], FrontendOptions(data_model=task["data_model"])).program
    try:
        program = inline(program, max_edges=MAX_EDGES)
    except TooLarge:
        pytest.skip(f"has more than {MAX_EDGES} edges")
    numbers = {id(edge): number for number, edge in enumerate(program.procedures[program.entry].edges)}
    runs = [interpret(program, SeededInputs(seed), max_steps=STEPS, record_path=True).path for seed in range(SEEDS)]
    for kind in [*KINDS, "merge:20"]:
        graph = decomposition(kind)(program)
        assert faults(graph) == [], kind
        assert kind != "whole" or len(graph.blocks) == 1
        assert kind not in WITHOUT_LOOPS_INSIDE or not any(block.contains_loop for block in graph.blocks)
        for path in runs:
            follow(graph, [numbers[id(edge)] for edge in path])
    assert read_blocks(program, msgspec.json.encode(blocks_object(graph))) == graph
