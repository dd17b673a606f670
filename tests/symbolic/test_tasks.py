"""Benchmark tasks: symbolic execution does what the interpreter does.

A sample of the small ones in `make test`; with DRYSTONE_FULL=1 all sequential ones that have at most 50,000 edges when inlined.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from drystone.passes.inline import TooLarge
from tests.places import BENCHMARKS, sequential_tasks
from tests.symbolic.check import check, loaded

FULL = os.environ.get("DRYSTONE_FULL") == "1"


def tasks() -> list[tuple[str, str]]:
    """File and data model of the sequential tasks; none where the set is absent."""
    rows = sequential_tasks()
    return [(row["file"], row["data_model"]) for row in (rows if FULL else rows[::12])]


@pytest.mark.parametrize(("file", "data_model"), tasks(), ids=lambda part: Path(part).stem[:60])
def test_tasks(file: str, data_model: str) -> None:
    program = loaded(str(BENCHMARKS / file), data_model)
    try:
        if FULL:
            report = check(program, 1)
        else:
            report = check(
                program,
                1,
                max_edges=3_000,
                max_bytes=1 << 15,
                heads=3,
                states=2,
                max_order=1_500,
                steps=4,
                runs=2,
                max_terms=10_000,
            )
    except TooLarge as problem:
        pytest.skip(str(problem))
    assert not report.differences, "\n".join(report.differences)
