"""Programs of several files mean what gcc and ld make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gcc.amount import FIRST_SEED, LINKED
from tests.gcc.compiler import missing
from tests.gcc.generator.linkage import generate
from tests.gcc.linked import interpreted, native, write

pytestmark = pytest.mark.gcc
CHUNK = 10


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
@pytest.mark.parametrize("start", range(FIRST_SEED, FIRST_SEED + LINKED, CHUNK))
def test_generated_programs_link_as_with_ld(start: int, data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    differences = []
    for seed in range(start, min(start + CHUNK, FIRST_SEED + LINKED)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        files = write(folder, generate(seed))
        expected, actual = native(files, data_model), interpreted(files, data_model)
        if expected != actual:
            differences.append(f"{folder} ({data_model}, seed {seed}): gcc {expected}, interpreter {actual}")
    assert not differences, "\n".join(differences)


def test_generation_is_repeatable() -> None:
    assert generate(3) == generate(3) != generate(4)
