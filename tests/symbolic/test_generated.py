"""Generated programs: symbolic execution does what the interpreter does, from any cut point and from the start.

`DRYSTONE_FULL=1` takes many more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.symbolic.check import check, loaded
from tests.symbolic.programs import generated, pointers

FULL = os.environ.get("DRYSTONE_FULL") == "1"


def compared(tmp_path: Path, text: str, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(text)
    report = check(loaded(str(path), "LP64" if seed % 2 else "ILP32"), seed)
    assert not report.differences, "\n".join(report.differences)
    assert report.counts["steps with symbols"] + report.counts["runs"] > 0


@pytest.mark.parametrize("first", range(0, 1000 if FULL else 50, 10))
@pytest.mark.parametrize("text", [generated, pointers])
def test_generated_programs(tmp_path: Path, text: Callable[[int], str], first: int) -> None:
    for seed in range(first, first + 10):
        compared(tmp_path, text(seed), seed)
