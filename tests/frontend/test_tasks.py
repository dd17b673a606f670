"""Benchmark tasks become programs: nothing unsupported, exclusive branches, every export works.

Every eighth task runs in `make test`; all of them with DRYSTONE_FULL=1.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.ir.graphviz import dot_lines
from drystone.ir.jsonform import automaton_object
from drystone.ir.text import program_text
from drystone.passes.inline import TooLarge, inline
from tests.places import BENCHMARKS, NO_BENCHMARKS, benchmark_tasks
from tests.structure import structural_faults

EVERY = 1 if os.environ.get("DRYSTONE_FULL") == "1" else 8
MAX_EDGES = 20_000


def sample() -> list[tuple[str, str]]:
    """File and data model of every eighth task, and the first of each category; none where the set is absent."""
    rows = benchmark_tasks()
    first = {row["category"]: number for number, row in reversed(list(enumerate(rows)))}
    chosen = sorted({*range(0, len(rows), EVERY), *first.values()})
    return [(rows[number]["file"], rows[number]["data_model"]) for number in chosen]


TASKS = sample()


@pytest.mark.skipif(not TASKS, reason=NO_BENCHMARKS)
def test_the_sample_is_large_enough() -> None:
    assert len(TASKS) >= 40


@pytest.mark.parametrize(("file", "data_model"), TASKS, ids=[Path(file).stem[:60] for file, _ in TASKS])
def test_a_task_becomes_a_program(file: str, data_model: str) -> None:
    loaded = load([str(BENCHMARKS / file)], FrontendOptions(data_model=data_model))
    program = loaded.program
    assert loaded.unsupported == []
    assert faults(program) == []
    assert program_text(program).count("procedure ") >= len(program.procedures)
    try:
        inlined = inline(program, max_edges=MAX_EDGES)
    except TooLarge:
        return
    assert faults(inlined) == []
    exports_agree(inlined)


def faults(program: Program) -> list[str]:
    return [fault for procedure in program.procedures.values() for fault in structural_faults(procedure)]


def exports_agree(program: Program) -> None:
    """Each form shows every edge."""
    procedure = program.procedures[program.entry]
    text = program_text(program)
    assert text.count("procedure ") >= 1 and len(text.splitlines()) > len(procedure.edges)
    found = msgspec.json.decode(msgspec.json.encode(automaton_object(program, procedure)))
    assert len(found["edges"]) == len(procedure.edges) and len(found["locations"]) == procedure.locations
    assert sum(" -> " in line for line in dot_lines(program, procedure)) >= len(procedure.edges)
