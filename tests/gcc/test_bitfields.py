"""Arithmetic with bit-fields has the types that gcc gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gcc.amount import BITFIELD_PROGRAMS, FIRST_SEED
from tests.gcc.compiler import checksum_of_file, missing
from tests.gcc.generator.bitfield_programs import bitfield_program
from tests.gcc.interpreted import checksum

pytestmark = pytest.mark.gcc


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
def test_bitfields_of_all_widths(data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    differences = []
    for seed in range(FIRST_SEED, FIRST_SEED + BITFIELD_PROGRAMS):
        file = tmp_path / f"bitfields{seed}.c"
        file.write_text(bitfield_program(seed))
        expected, actual = checksum_of_file(file, data_model, tmp_path), checksum(file, data_model)
        if actual != expected:
            differences.append(f"{file}: gcc {expected}, interpreter {actual}")
    assert not differences, "\n".join(differences)
