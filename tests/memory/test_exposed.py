"""What is stored through an address that went through numbers is stored where gcc's program stores it, or nobody says where."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.gcc.compiler import build, missing, run
from tests.memory.exposed_programs import HEAD, OPEN, OUTSIDE, PROGRAMS, PROVED, REACHED


def function(name: str) -> str:
    declarations, statements = PROGRAMS[name]
    return f"{HEAD}{declarations}\nint test(void) {{ int happened = 0;\n  {statements}\n  return happened; }}\n"


NAMES: dict[str, list[str]] = {"LP64": [], "ILP32": []}
for _number, _name in enumerate(PROGRAMS):
    NAMES["ILP32" if _number % 4 == 3 else "LP64"].append(_name)


@cache
def natively(data_model: str) -> dict[str, bool]:
    """What happened in each of the compiled programs."""
    names = NAMES[data_model]
    with TemporaryDirectory(prefix="drystone-exposed-") as folder:
        sources = []
        for number, name in enumerate(names):
            sources.append(Path(folder) / f"program{number}.c")
            sources[-1].write_text(f"#define test test{number}\n{function(name)}")
        calls = "\n".join(f"  int test{number}(void); putchar('0' + test{number}());" for number in range(len(names)))
        sources.append(Path(folder) / "main.c")
        sources[-1].write_text(f"#include <stdio.h>\nint main(void) {{\n{calls}\n  return 0; }}\n")
        build(sources, Path(folder) / "main", data_model)
        result = run(Path(folder) / "main")
    assert result.code == 0 and len(result.output) == len(names)
    return {name: digit == "1" for name, digit in zip(names, result.output, strict=True)}


def verdict(name: str, error: str, data_model: str, folder: Path) -> Verdict:
    path = folder / "program.c"
    path.write_text(f"{function(name)}int main(void) {{ int happened = test(); if ({error}) reach_error(); return 0; }}\n")
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    return check("bmc", PreparedProgram(program), Settings(), Deadline.after(30), unobserved).verdict


@pytest.mark.parametrize(("name", "data_model"), [(name, model) for model, names in NAMES.items() for name in names])
def test_as_gcc_does(name: str, data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    happened = natively(data_model)[name]
    for error, expected in (("happened", happened), ("!happened", not happened)):
        found = verdict(name, error, data_model, tmp_path)
        assert found is (Verdict.FALSE if expected else Verdict.TRUE) or (name in OPEN and found is Verdict.UNKNOWN)


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", [*REACHED, *PROVED])
def test_numbers_from_outside(name: str, data_model: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}{OUTSIDE}\n{REACHED.get(name) or PROVED[name]}\n")
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    expected = Verdict.FALSE if name in REACHED else Verdict.TRUE
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(30), unobserved).verdict is expected
