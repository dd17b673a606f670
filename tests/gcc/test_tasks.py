"""Benchmark tasks reach or miss the error as their gcc build does, on the same inputs."""

from __future__ import annotations

import random

import pytest

from .amount import TASKS, VECTORS
from .compiler import missing, missing_sanitizers
from .native import Task, tasks
from .tasks import compare

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


def test_there_are_tasks() -> None:
    if not tasks():
        pytest.skip("the benchmark set is not here: ../shared/benchmarks")
    assert len(tasks()) > 200
