"""Initialiser lists mean what gcc makes of them, or are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.errors import FrontendError
from tests.gcc.amount import FIRST_SEED, INITIALISERS
from tests.gcc.compiler import checksums, missing
from tests.gcc.generator.initialiser_programs import initialiser_program
from tests.gcc.interpreted import checksum

pytestmark = pytest.mark.gcc


def interpreted(file: Path, data_model: str) -> int | str:
    try:
        return checksum(file, data_model)
    except FrontendError as error:
        return f"unknown: {error}"


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
def test_lists_of_all_kinds(data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    programs = [initialiser_program(seed) for seed in range(FIRST_SEED, FIRST_SEED + INITIALISERS)]
    differences, same, file = [], 0, tmp_path / "initialiser.c"
    for number, (text, expected) in enumerate(zip(programs, checksums(programs, data_model, batch=5), strict=True)):
        file.write_text(text)
        if isinstance(expected, str):
            continue  # gcc does not accept it
        actual = interpreted(file, data_model)
        same += actual == expected
        if actual != expected and not str(actual).startswith("unknown: "):
            differences.append(f"{FIRST_SEED + number}: gcc {expected}, interpreter {actual}\n{text}")
    assert not differences, "\n".join(differences)
    assert same > INITIALISERS * 0.7
