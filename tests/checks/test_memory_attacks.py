"""No access outside of a living object is proved away, and none is found where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.checks.registry import MEMORY
from tests.checks.memory_attacks import ATTACKS, HARMLESS
from tests.inside import decided


def written(folder: Path, text: str) -> Path:
    file = folder / "program.c"
    file.write_text(text + "\n")
    return file


@pytest.mark.parametrize("engine", ["bmc", "execute"])
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks(tmp_path: Path, name: str, engine: str) -> None:
    assert decided(written(tmp_path, ATTACKS[name]), engine=engine, check=MEMORY).verdict != "TRUE"


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(tmp_path: Path, name: str) -> None:
    result = decided(written(tmp_path, HARMLESS[name]), check=MEMORY, external="pure", timeout=20)
    assert result.verdict == "TRUE", result.reason
