"""Every program that once meant something else than in gcc. A file may begin with `// LP64 only` or `// ILP32 only`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gcc.compiler import checksum_of_file, missing
from tests.gcc.interpreted import checksum

pytestmark = pytest.mark.gcc
PROGRAMS = sorted(Path(__file__).with_name("regressions").glob("*.c"))


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_regression(file: Path, data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    text = file.read_text()
    if " only" in text.partition("\n")[0] and f"// {data_model} only" not in text:
        pytest.skip("for the other data model")
    assert checksum(file, data_model) == checksum_of_file(file, data_model, tmp_path)
