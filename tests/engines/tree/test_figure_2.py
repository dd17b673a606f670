"""Lopes, Rybalchenko 2011, Figure 2, under any order in which messages arrive."""

from __future__ import annotations

import pytest

from drystone.engines.tree.master import NAIVE, PREDICTABLE
from tests.engines.tree.figure_2 import PI_1, PI_2, PI_3, Cluster

SCENARIOS = {(PI_1,), (PI_2, PI_1), (PI_2, PI_3, PI_1), (PI_3, PI_1)}


def test_naive_selection_reaches_each_scenario() -> None:
    assert {tuple(Cluster(seed, 3, NAIVE).run()) for seed in range(1_000)} == SCENARIOS


@pytest.mark.parametrize("most", [1, 4])
def test_predictable_selection_always_takes_the_least(most: int) -> None:
    trees = set()
    for seed in range(1_000):
        cluster = Cluster(seed, 1 + seed % 5, PREDICTABLE, most)
        assert cluster.run() == [PI_1]
        trees.add(tuple(each.sizes for each in cluster.master.concluded))
    assert len(trees) == 1


def test_the_least_is_taken_when_others_were_found_first() -> None:
    """For the runs in which the candidate was another one for a while."""
    waited = 0
    for seed in range(300):
        cluster = Cluster(seed, 4, PREDICTABLE)
        master = cluster.master
        has_waited = False
        while not master.concluded:
            if master.targets:
                has_waited |= master.tree.first_counterexample(next(iter(master.targets))).transitions in (PI_2, PI_3)
            cluster.step()
        assert master.concluded[0].way is not None and master.concluded[0].way.transitions == PI_1
        waited += has_waited
    assert waited > 20


def test_workers_come_and_go() -> None:
    trees = set()
    for seed in range(500):
        cluster = Cluster(seed, 2, PREDICTABLE, 1 + seed % 3)
        steps = 0
        while not cluster.master.is_over:
            steps += 1
            alive = sorted(cluster.master.workers)
            if steps % 7 == 0:
                cluster.join()
            elif steps % 9 == 0 and len(alive) > 1:
                cluster.kill(cluster.chance.choice(alive))
            cluster.step()
        assert cluster.ways == [PI_1]
        trees.add(tuple(each.sizes for each in cluster.master.concluded))
    assert len(trees) == 1
