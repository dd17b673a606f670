"""What the tasks say of themselves is true of the compiled programs: the inputs that a task names show its violation, and others
show none where there is none. `DRYSTONE_FULL=1` looks at all of them; `bench/run.py tests/checks/tasks` verifies them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random

import pytest
import yaml

from drystone.verification.tasks import read_task
from tests.checks.planted.native import Compiled
from tests.gcc.compiler import missing_sanitizers

FOLDER = Path(__file__).parent
TASKS = sorted(FOLDER.glob("*/*.yml"))
FULL = os.environ.get("DRYSTONE_FULL") == "1"
SAMPLE = TASKS if FULL else TASKS[::7]
REPORTS = {
    "no-overflow": "cannot be represented|left shift of",
    "valid-deref": "buffer-overflow|buffer-underflow|out of bounds|insufficient space|null pointer|use-after|misaligned|SEGV",
    "valid-free": "attempting",
    "valid-memtrack": "blocks are left",
    "valid-memcleanup": "blocks are left",
}
RUNS = 12


def told(task: Path) -> tuple[str, bool, str]:
    """The program, whether the property holds, and which one does not."""
    (stated,) = yaml.safe_load(task.read_text())["properties"]
    name = stated.get("subproperty", Path(stated["property_file"]).stem)
    return task.with_suffix(".c").read_text(), stated["expected_verdict"], name


def inputs_of(text: str) -> list[int]:
    """With which the property is violated, as the program says."""
    named = re.search(r"Violated with the inputs ([-\d, ]+)\.", text.splitlines()[0])
    return [int(word) for word in named[1].split(",")] if named else []


def bits(values: list[int]) -> list[int]:
    return [value & 0xFFFFFFFF for value in values]


def test_there_are_as_many_of_both() -> None:
    verdicts = [told(task)[1] for task in TASKS]
    assert len(verdicts) >= 80 and 2 * sum(verdicts) == len(verdicts)
    assert all(read_task(str(task)).property for task in TASKS)


@pytest.mark.parametrize("task", SAMPLE, ids=lambda task: task.stem)
def test_what_a_task_says_is_true(task: Path, tmp_path: Path) -> None:
    if reason := missing_sanitizers("LP64"):
        pytest.skip(reason)
    compiled = Compiled(tmp_path)
    text, holds, name = told(task)
    binary = compiled.built(text)
    if not holds:
        assert re.search(REPORTS[name], compiled.said(binary, bits(inputs_of(text))))
        return
    wrong = inputs_of(told(task.with_stem(task.stem.removesuffix("1") + "2"))[0])
    random = Random(task.stem)
    assert not compiled.said(binary, bits(wrong))
    for _ in range(RUNS):
        values = [random.choice((value, 0, random.randint(-9, 9), random.randint(-(1 << 31), (1 << 31) - 1))) for value in wrong]
        assert not compiled.said(binary, bits(values)), values
