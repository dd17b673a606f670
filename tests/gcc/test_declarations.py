"""Declarations mean what gcc and ld make of them: linkage, attributes in every syntax, pragmas, asm labels.

Each program of `declarations.txt` computes `seen`, natively and in the interpreter (`linked.py`); its first line has its name and what
it computes for LP64. A line `// unknown` says that drystone does not model it: then an unknown location or a refusal is
right, and nothing else. `// file` begins another file.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.gcc.amount import ALL
from tests.gcc.compiler import missing
from tests.gcc.linked import interpreted, native, write

pytestmark = pytest.mark.gcc
SEEN = "unsigned seen;\n"
PROGRAMS = Path(__file__).with_name("declarations.txt").read_text()
CASES = {
    name: (value, text) for name, value, text in re.findall(r"^=== (.*) => (.*)\n((?:(?!=== ).*\n)*)", PROGRAMS, re.MULTILINE)
}
COMPILED = list(CASES) if ALL else list(CASES)[::10]


def written(name: str, folder: Path) -> list[Path]:
    first, *others = CASES[name][1].split("// file\n")
    return write(folder, [SEEN + first, *others])


def complaint(name: str, expected: int | str, actual: int | str) -> str:
    """What is wrong about the interpreter's result; empty if nothing is."""
    if expected == "refused":
        allowed: tuple[int | str, ...] = ("refused", "unknown")
    elif expected == "crash" or "// unknown" in CASES[name][1]:
        allowed = ("unknown", "refused", "crash")
    else:
        allowed = (expected,)
    return "" if actual in allowed else f"{name}: gcc {expected}, drystone {actual}"


def test_names_are_different() -> None:
    assert len(CASES) == len(re.findall(r"^=== ", PROGRAMS, re.MULTILINE)) > 180


@pytest.mark.parametrize("name", CASES)
def test_it_means_what_gcc_made_of_it(name: str, tmp_path: Path) -> None:
    value = CASES[name][0]
    assert not complaint(name, int(value) if value.isdigit() else value, interpreted(written(name, tmp_path), "LP64"))


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
@pytest.mark.parametrize("name", COMPILED)
def test_it_means_what_gcc_makes_of_it(name: str, data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    files = written(name, tmp_path)
    assert not complaint(name, native(files, data_model), interpreted(files, data_model))
