"""Programs with few states, however large they are: all of these are an invariant, or one of them leads to an error."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.few_states import FewStates, look_for_few_states
from drystone.invariants.exploration import explore
from drystone.invariants.sampling import Constants
from drystone.symbolic.transformers import ENTRY, TransitionSystem
from tests.inside import decided
from tests.invariants.checking import PRELUDE, is_inductive, proves, system_of

LIGHTS = """
int main(void) {
  int red = 1, green = 0, broken = 0;
  while (1) {
    int event = __VERIFIER_nondet_int();
    if (event == 3 && red) { red = 0; green = 1; }
    else if (event == 70 && green) { green = 0; red = 1; }
    else if (event > 500) { broken = 1; red = 0; green = 0; }
    else if (event == -9) return 0;
    CHECK
  }
}"""


def few(system: TransitionSystem) -> FewStates:
    return look_for_few_states(system, "bitwuzla", 0, Deadline.after(60.0), {})


def test_all_states_are_an_invariant(tmp_path: Path) -> None:
    """The exact one: three of eight combinations."""
    system = system_of(tmp_path, LIGHTS.replace("CHECK", "check(red + green + broken == 1);"))
    found = few(system)
    assert found.count == 3
    assert is_inductive(system, found.invariants) and proves(system, found.invariants)


def test_the_way_to_an_error_has_its_inputs(tmp_path: Path) -> None:
    system = system_of(tmp_path, LIGHTS.replace("CHECK", "check(!(green && event == 500));"))
    way = few(system).way
    assert way[0].cut == ENTRY and [list(move.inputs.values()) for move in way[1:]] == [[3], [500]]


def test_a_state_that_exploration_misses_is_added(tmp_path: Path) -> None:
    """The input is compared with a product only, so its interesting value is not among those that are tried."""
    body = LIGHTS.replace("event == 3 ", "event * 5 == 35 ").replace("CHECK", "check(red + green + broken == 1);")
    system = system_of(tmp_path, body)
    explored = explore(system, Constants(system.all_terms()), 0, Deadline())
    (states,) = explored.sets.values()
    assert len(states.tuples) == 2
    found = few(system)
    assert found.count == 3 and is_inductive(system, found.invariants) and proves(system, found.invariants)


@pytest.mark.parametrize(
    "step",
    ["count = count + 1;", "count = __VERIFIER_nondet_int();", "int *place = malloc(4); *place = count; count = *place;"],
    ids=["many", "any", "memory"],
)
def test_other_programs_are_left_to_others(tmp_path: Path, step: str) -> None:
    system = system_of(tmp_path, f"int main(void) {{ int count = 0; while (1) {{ check(count != 1234567); {step} }} }}")
    assert few(system) == FewStates()


def controller(rules: int, seed: int, is_safe: bool) -> str:
    """Rules that react to an event where some of many flags have certain values; few combinations of these occur."""
    random = Random(seed)
    flags = [f"a{number}" for number in range(24)]
    lines = [f"int {flag} = {random.randrange(2)};" for flag in flags]
    lines += ["int phase = 0;", "int main(void) {", "  while (1) {", "    int event = __VERIFIER_nondet_int();"]
    lines += ["    if (event < 1 || event > 5) return 0;", "    if (event == 1 && phase < 6) phase = phase + 1;"]
    for _ in range(rules):
        asked = [f"a{random.randrange(24)} {random.choice(('==', '!='))} {random.randrange(2)}" for _ in range(5)]
        condition = f"{asked[0]} && ({asked[1]} || {asked[2]}) && {asked[3]} && {asked[4]} && event == {random.randrange(1, 6)}"
        changed = " ".join(f"{random.choice(flags[:6])} = {random.choice(flags[:6])};" for _ in range(3))
        lines.append(f"    else if ({condition} && phase == {random.randrange(7)}) {{ {changed} }}")
    bits = " && ".join(f"{flag} <= 1" for flag in flags)
    lines += [f"    check(phase != {7 if is_safe else 6} && {bits});", "  }", "}"]
    return PRELUDE + "\n".join(lines)


@pytest.mark.parametrize("is_safe", [True, False])
def test_the_states_of_a_large_controller_decide_about_it(tmp_path: Path, is_safe: bool) -> None:
    file = tmp_path / "controller.c"
    file.write_text(controller(120, 3, is_safe))
    result = decided(file, engine="dss", timeout=60)
    assert result.verdict == ("TRUE" if is_safe else "FALSE")
    if is_safe:
        assert result.reason.startswith("by all ") and result.counters["states"] > 6
    else:
        assert result.counters["queries"] == 1  # with all inputs known
