"""Benchmark tasks reach or miss the error as their gcc build does, on the same inputs."""

from __future__ import annotations

import random

import pytest

from tests.gcc.amount import ALL, TASKS, VECTORS
from tests.gcc.compiler import missing, missing_sanitizers
from tests.gcc.native import Task, tasks
from tests.gcc.tasks import compare, compare_all
from tests.places import NO_BENCHMARKS

pytestmark = pytest.mark.gcc


def chosen_tasks() -> list[Task]:
    """All, or a sample that has every category in it."""
    everything = tasks()
    if len(everything) <= TASKS:
        return everything
    shuffled = random.Random(0).sample(everything, len(everything))
    seen: set[str] = set()
    first = [task for task in shuffled if not (task.category in seen or seen.add(task.category))]  # type: ignore[func-returns-value]
    return (first + [task for task in shuffled if task not in first])[:TASKS]


@pytest.mark.parametrize("task", chosen_tasks(), ids=lambda task: f"{task.category}/{task.name}")
def test_task_ends_as_its_gcc_build_does(task: Task) -> None:
    for reason in (missing(task.data_model), missing_sanitizers(task.data_model)):
        if reason:
            pytest.skip(reason)
    comparison = compare(task, VECTORS)
    assert not comparison.differences, "\n".join(comparison.differences)
    if not comparison.compared:
        pytest.skip(comparison.why())


@pytest.mark.skipif(not ALL, reason="in `make test-gcc` only")
def test_most_tasks_can_be_compared() -> None:
    """At least 180 link, have a run without undefined behaviour, and end within the limits."""
    if not tasks():
        pytest.skip(NO_BENCHMARKS)
    for reason in (missing("ILP32"), missing_sanitizers("ILP32")):
        if reason:
            pytest.skip(reason)
    assert sum(1 for comparison in compare_all(tasks(), 2) if comparison.compared) >= 180
