"""The facts that verification is tested with hold in gcc, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts import program
from tests.frontend.test_types_and_literals import C23
from tests.frontend.test_types_and_literals import FACTS as TYPES
from tests.frontend.test_values_of_expressions import FACTS as VALUES
from tests.gcc.amount import ALL
from tests.gcc.compiler import BuildError, build, missing, run

pytestmark = pytest.mark.gcc
EVERY = 1 if ALL else 12
END = "void reach_error(void) { extern void _Exit(int); _Exit(7); }\n"


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
@pytest.mark.parametrize("facts, std", ((VALUES, "gnu11"), (TYPES, "gnu11"), (C23, "gnu2x")), ids=("values", "types", "C23"))
def test_facts_hold(facts: list[str], std: str, data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    source, binary = tmp_path / "fact.c", tmp_path / "fact"
    wrong = []
    for fact in facts[::EVERY]:
        source.write_text(program(fact, negated=False) + END)
        try:
            build([source], binary, data_model, flags=[f"-std={std}"])
        except BuildError as error:
            wrong.append(f"{fact}: {error}")
            continue
        if run(binary).code != 0:
            wrong.append(fact)
    assert not wrong, "\n".join(wrong)
