"""Candidates, Houdini and one query per block prove what needs relations between variables; what is proved is inductive."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.invariants.candidates import propose
from drystone.invariants.houdini import prune
from drystone.invariants.sampling import sample
from drystone.logic.evaluation import evaluate_one
from tests.invariants.checking import is_inductive, proves, system_of
from tests.invariants.families import FAMILIES, programs


def test_at_least_45_of_50_programs_are_proved(tmp_path: Path) -> None:
    failed = []
    for name, text in programs():
        system = system_of(tmp_path, text, name)
        pruned = prune(system, propose(system, seed=3))
        invariants = {cut: [each.term for each in found] for cut, found in pruned.invariants.items()}
        if not proves(system, invariants):
            failed.append(name)
    assert len(failed) <= 5, failed


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("type_", ["int", "unsigned char"])
def test_survivors_hold_in_other_runs_and_are_inductive(tmp_path: Path, family: object, type_: str) -> None:
    assert callable(family)
    system = system_of(tmp_path, family(type_, 3))
    pruned = prune(system, propose(system, seed=1))
    assert pruned.complete and pruned.invariants
    assert is_inductive(system, {cut: [each.term for each in found] for cut, found in pruned.invariants.items()})
    for seed in (101, 102):
        samples = sample(system, seed, Deadline())
        for cut, found in pruned.invariants.items():
            for state in samples.at(cut):
                for candidate in found:
                    assert evaluate_one(candidate.term, state) == 1, f"{candidate} in {state}"
