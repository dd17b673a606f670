"""Reads of what was never written: programs that do one in their only execution, and the same programs repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checks.memory_programs import Pair
from tests.checks.test_memory import found, program, written
from tests.inside import decided

CHECK = ("uninitialised",)


def _pair(name: str, wrong: str, right: str, before: str = "") -> Pair:
    return Pair(name, CHECK[0], wrong, right, before, sanitizer=False)


PAIRS = (
    _pair("scalar", "int x; sink = x;", "int x; x = 1; sink = x;"),
    _pair("one way", "int x; if (sink) x = 1; sink = x;", "int x; if (!sink) x = 1; sink = x;"),
)
NAMED = [pytest.param(pair, id=pair.name) for pair in PAIRS]


@pytest.mark.parametrize("pair", NAMED)
def test_executions(tmp_path: Path, pair: Pair) -> None:
    assert found(program(tmp_path, pair.text(pair.wrong), CHECK)) == pair.check
    assert found(program(tmp_path, pair.text(pair.right), CHECK)) is None


@pytest.mark.parametrize("pair", NAMED[::3])
def test_proofs_and_counterexamples(tmp_path: Path, pair: Pair) -> None:
    assert decided(written(tmp_path, pair.text(pair.wrong)), check=CHECK).verdict == "FALSE"
    right = decided(written(tmp_path, pair.text(pair.right)), check=CHECK)
    assert right.verdict == "TRUE", right.reason
