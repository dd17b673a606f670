"""A sample of the programs with planted violations: compiled, they do what was planned; checks find it, and nothing in the twins.

`DRYSTONE_FULL=1` takes 300 of each kind; `python -m tests.checks.planted.campaign` counts, and goes on where it was interrupted.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest

from tests.checks.planted.comparison import compared
from tests.checks.planted.kinds import KINDS, is_checked, pair
from tests.checks.planted.native import Compiled, Unconfirmed, tried
from tests.gcc.compiler import missing_sanitizers

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 300 if FULL else 4


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    if reason := missing_sanitizers("LP64"):
        pytest.skip(reason)
    return Compiled(tmp_path_factory.mktemp("compiled"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if is_checked(kind)])
def test_planted_violations_are_found(kind: str, compiled: Compiled, tmp_path: Path) -> None:
    """Of a twin, a proof is not asked for: what is decided is right."""
    confirmed = None if KINDS[kind].by_valgrind and not FULL else compiled  # which takes seconds, and others are, below
    decided = [compared(kind, number, confirmed, tmp_path)[1] for number in range(PROGRAMS)]
    assert sum(decided) >= len(decided) / 2


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_programs_do_what_was_planned(kind: str, compiled: Compiled) -> None:
    for seed in range(100, 500 if FULL else 102):
        compiled.confirm(pair(kind, seed))


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_differ_and_are_the_same_each_time(kind: str) -> None:
    pairs = [pair(kind, seed) for seed in range(30)]
    texts = [(each.violated, each.repaired, each.line) for each in pairs]
    assert texts == [(each.violated, each.repaired, each.line) for each in (pair(kind, seed) for seed in range(30))]
    assert all(each.violated != each.repaired for each in pairs)
    assert len({each.violated for each in pairs}) == len(pairs)


def test_a_twin_that_is_not_repaired_is_noticed(compiled: Compiled) -> None:
    """Inputs that are tried contain those of the violation."""
    both = pair("division", 0)
    assert next(iter(tried(both))) == [given.trigger for given in both.inputs]
    broken = type(both)(both.kind, both.seed, both.violated, both.violated, both.line, both.inputs)
    with pytest.raises(Unconfirmed, match="the twin reports"):
        compiled.confirm(broken)


def test_a_violation_elsewhere_is_noticed(compiled: Compiled) -> None:
    both = next(islice((pair("shift", seed) for seed in range(9)), 1))
    with pytest.raises(Unconfirmed, match="not in line"):
        compiled.confirm(type(both)(both.kind, both.seed, both.violated, both.repaired, both.line + 1, both.inputs))
