"""Every program in tests/programs says in its first comment which verdict is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.places import PROGRAMS
from tests.running import report

FILES = sorted(PROGRAMS.glob("*.c"))


def stated(file: Path, what: str) -> str | None:
    """`// what: VALUE` in the comments at the top."""
    found = re.search(rf"^// {what}: (\w+)$", file.read_text(), re.MULTILINE)
    return found[1] if found else None


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_execute_finds_the_errors_and_proves_nothing(file: Path) -> None:
    expected = stated(file, "execute") or {"FALSE": "FALSE"}.get(stated(file, "expected") or "", "UNKNOWN")
    result = report(file, "--engine", "execute", "--timeout", "8s")
    assert result["verdict"] == expected, result["reason"]
    if expected == "FALSE":
        example = result["evidence"]["counterexample"]
        assert example["replayed"] and example["steps"]
        relies = "// relies on undefined behaviour" in file.read_text()
        assert bool(example["undefined"]) == relies


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_auto_is_right(file: Path) -> None:
    result = report(file, "--timeout", "30s")
    assert result["verdict"] == (stated(file, "auto") or stated(file, "expected")), result["reason"]


def test_every_program_states_its_verdict() -> None:
    for file in FILES:
        assert re.match(r"// expected: (TRUE|FALSE|UNKNOWN)\n", file.read_text()), file
