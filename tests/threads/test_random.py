"""Random programs with threads: no engine contradicts a search through all interleavings. `DRYSTONE_FULL=1` takes more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.inside import decided
from tests.threads.generator import random_program, with_creation_in_a_loop
from tests.threads.language import c_text, is_error_reachable, is_race_reachable

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 1000 if FULL else 40
ENGINES = ("explicit", "bmc", "dss", "k-induction", "auto")
_MOST_STATES = 300_000


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree_with_the_search(engine: str, tmp_path: Path) -> None:
    answered = 0
    for seed in range(ENGINES.index(engine), PROGRAMS, 1 if FULL else len(ENGINES)):
        program = random_program(seed)
        expected = is_error_reachable(program, _MOST_STATES)
        file = tmp_path / f"program{seed}.c"
        file.write_text(c_text(program))
        result = decided(file, engine=engine, timeout=5)
        if expected is not None and result.verdict != "UNKNOWN":
            answered += 1
            assert result.verdict == ("FALSE" if expected else "TRUE"), f"{seed}:\n{file.read_text()}"
        assert "internal error" not in result.reason
    assert answered > PROGRAMS // len(ENGINES) // 2


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree_with_the_search_about_data_races(engine: str, tmp_path: Path) -> None:
    count = PROGRAMS if FULL else 24
    found = {"TRUE": 0, "FALSE": 0}
    for seed in range(ENGINES.index(engine), count, 1 if FULL else len(ENGINES)):
        program = random_program(seed, is_careful=seed % 4 != 0)
        expected = is_race_reachable(program, _MOST_STATES)
        file = tmp_path / f"program{seed}.c"
        file.write_text(c_text(program))
        result = decided(file, engine=engine, timeout=3, check=("data-race",))
        if expected is not None and result.verdict != "UNKNOWN":
            found[result.verdict] += 1
            assert result.verdict == ("FALSE" if expected else "TRUE"), f"{seed}:\n{file.read_text()}"
        assert "internal error" not in result.reason
    assert min(found.values()) > 0 and sum(found.values()) > count // len(ENGINES) // 2


@pytest.mark.parametrize("engine", [*ENGINES, "modular"])
def test_engines_agree_with_the_search_about_creation_in_loops(engine: str, tmp_path: Path) -> None:
    answered = 0
    kinds = (False, True) if FULL or engine == "modular" else (False,)
    for seed in range(PROGRAMS if FULL else 2):
        for is_endless in kinds:
            program = with_creation_in_a_loop(seed, is_endless)
            expected = is_error_reachable(program, _MOST_STATES)
            file = tmp_path / f"program{seed}.c"
            file.write_text(c_text(program))
            verdict = decided(file, engine=engine, timeout=2 if FULL else 1).verdict
            answered += verdict != "UNKNOWN"
            assert verdict != "TRUE" or expected is not True, f"{seed}:\n{file.read_text()}"
            assert verdict != "FALSE" or is_endless or expected is not False, f"{seed}:\n{file.read_text()}"
    assert answered
