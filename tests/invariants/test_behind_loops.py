"""Behind a loop that no sampled run gets through there are candidates, too."""

from __future__ import annotations

from pathlib import Path

from drystone.base.deadline import Deadline
from drystone.engines.found_invariants import find_invariants
from drystone.invariants.behind_loops import SOURCE, BehindLoops
from drystone.invariants.candidates import Context
from drystone.invariants.houdini import QUERY_SECONDS
from drystone.invariants.query_limits import QueryLimits
from drystone.logic.evaluation import evaluate_one
from tests.invariants.checking import is_inductive, proves, system_of

PROGRAM = """
int main(void) {
  int i = 0, sum = 0, k = 0;
  while (i < 100000) { i = i + 1; sum = sum + 2; }
  int twice = sum;
  while (k < 70000) { k = k + 1; twice = twice - 1; }
  while (__VERIFIER_nondet_int()) check(twice == 130000 && sum == 200000);
  return 0;
}"""


def limits() -> QueryLimits:
    return QueryLimits("bitwuzla", 1, Deadline.after(100), QUERY_SECONDS)


def test_invariants_behind_long_loops(tmp_path: Path) -> None:
    system = system_of(tmp_path, PROGRAM)
    first, second, third = system.cut_points
    context = Context(system, 1, Deadline.after(100))
    assert [context.has_samples(cut) for cut in system.cut_points] == [True, False, False], "otherwise the loops are too short"
    counters = {"queries": 0}
    found = find_invariants(system, None, "bitwuzla", 1, Deadline.after(100), lambda event: None, counters)
    assert found.complete and set(found.kept) == {first, second, third}
    assert SOURCE in {each.source for each in found.kept[second]}
    invariants = found.formulas()
    assert is_inductive(system, invariants) and proves(system, invariants)


def test_states_in_which_a_loop_is_left(tmp_path: Path) -> None:
    system = system_of(tmp_path, PROGRAM)
    first, second, third = system.cut_points
    context = Context(system, 1, Deadline.after(100))
    facts = find_invariants(
        system, ["intervals", "affine"], "bitwuzla", 1, Deadline.after(100), lambda event: None, {"queries": 0}
    )
    known = {first: facts.formulas()[first]}
    behind = BehindLoops(system, known, [second, third], limits(), context.constants)
    assert set(behind.states) == {second}, "only from loops that have been reached"
    for state in behind.states[second]:
        for candidate in behind.carried.values():
            assert candidate.cut == second
            assert evaluate_one(candidate.term, state), "what holds in the loop holds where it is left"
