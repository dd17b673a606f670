"""No engine contradicts the enumeration; what it finds replays, what it proves has a certificate that is accepted.

`DRYSTONE_FULL=1` takes many more programs; `python -m tests.explicit.campaign` also counts what is decided.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from drystone.claims.verdicts import Verdict
from tests.explicit.comparison import compared, kind
from tests.explicit.engines import CONFIGURATIONS, Configuration
from tests.explicit.generator import decided_program
from tests.running import report

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 500
BATCH = 30


BATCHES = [
    pytest.param(configuration, range(first, min(first + BATCH, programs)), id=f"{configuration.name}-{first}")
    for configuration in CONFIGURATIONS
    for programs in [configuration.full if FULL else configuration.sample]
    for first in range(0, programs, BATCH)
]


@pytest.mark.parametrize(("configuration", "seeds"), BATCHES)
def test_engines(tmp_path: Path, configuration: Configuration, seeds: range) -> None:
    total, decided = Counter[str](), Counter[str]()
    for seed in seeds:
        truth, result = compared(tmp_path, configuration, seed)
        total[kind(truth)] += 1
        decided[kind(truth)] += result.verdict is not Verdict.UNKNOWN
    floors = {"unsafe": configuration.finds, "safe": configuration.proves, "safe endless": configuration.proves_endless}
    for what, floor in floors.items():
        assert decided[what] >= floor * total[what] - 1, f"{what}: {decided[what]} of {total[what]} decided"


@pytest.mark.parametrize("seed", range(0, PROGRAMS if FULL else 60, 5 if FULL else 10))
def test_the_command(tmp_path: Path, seed: int) -> None:
    truth = decided_program(seed)
    path = tmp_path / "program.c"
    path.write_text(truth.text)
    found = report(path, "--timeout", "5s")
    assert found["verdict"] in ("UNKNOWN", "TRUE" if truth.enumeration.is_safe else "FALSE"), truth.text
    if found["verdict"] == "FALSE":
        assert found["evidence"]["counterexample"]["line"] in truth.reachable_lines
    if found["verdict"] == "TRUE":
        assert found["evidence"]["certificate"]["checked"]


def test_programs_are_of_all_kinds() -> None:
    kinds = Counter(kind(decided_program(seed)) for seed in range(60))
    assert kinds["unsafe"] >= 15 and kinds["safe"] >= 8 and kinds["safe endless"] >= 8, kinds
    assert sum(len(decided_program(seed).lines) > 1 for seed in range(60)) > 30


def test_the_same_seed_makes_the_same_program() -> None:
    assert decided_program.__wrapped__(7).text == decided_program.__wrapped__(7).text
