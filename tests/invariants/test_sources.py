"""Each source proposes what it is for, on small programs; with Houdini it is found to be inductive."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.cli.main import main
from drystone.invariants.candidates import Candidate, propose
from drystone.invariants.houdini import prune
from drystone.invariants.registry import SOURCES
from drystone.logic.evaluation import evaluate_one
from drystone.logic.printing import c_text
from drystone.logic.terms import Term, free_symbols, has_inputs
from drystone.pipeline import Abstraction
from drystone.symbolic.transformers import TransitionSystem
from tests.invariants.checking import proves, system_of

STATE_MACHINE = """
int main(void) {
  int state = 1, armed = 0, fired = 0;
  while (1) {
    int in = __VERIFIER_nondet_int();
    if (state == 1 && in == 4711) { state = 3; armed = 1; }
    else if (state == 3 && in == -5) { state = 7; fired = 1; }
    else if (state == 7) { state = 1; armed = 0; fired = 0; }
    check(!fired || armed);
  }
}"""

PROGRAMS = {
    "intervals": """
int main(void) {
  int i = 0;
  while (i < 100) { i = i + 1; }
  check(i == 100);
  return 0;
}""",
    "affine": """
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0;
  while (x != 0) { x = x - 1; y = y + 3; }
  check(y == 3 * n);
  return 0;
}""",
    "congruences": """
int main(void) {
  unsigned x = 6;
  while (__VERIFIER_nondet_int()) { x = x + 4; }
  check(x % 4 == 2);
  return 0;
}""",
    "guards": """
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 0) return 0;
  while (i < n) { i = i + 1; }
  check(i == n);
  return 0;
}""",
    "valuations": STATE_MACHINE,
    "implications": """
int main(void) {
  int x = 0, y = 50;
  while (x < 100) { if (x >= 50) y = y + 1; x = x + 1; }
  check(y == 100);
  return 0;
}""",
    "elements": """
int main(void) {
  int a[100], n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100) return 0;
  for (int i = 0; i < n; i++) a[i] = 3 * i;
  for (int i = 0; i < n; i++) check(a[i] == 3 * i);
  return 0;
}""",
    "polynomials": """
int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x = a, y = 0;
  while (x != 0) { x = x - 1; y = y + b; }
  check(y == a * b);
  return 0;
}""",
    "memory": """
int main(void) {
  int *first = malloc(sizeof(int));
  if (!first) return 0;
  *first = 1;
  while (__VERIFIER_nondet_int()) {
    int *other = malloc(sizeof(int));
    if (!other) return 0;
    *other = 0;
    check(*first == 1);
  }
  return 0;
}""",
}
HELPERS = {
    "intervals": (),
    "affine": (),
    "polynomials": ("affine",),
    "congruences": (),
    "guards": ("intervals",),
    "valuations": (),
    "implications": ("intervals",),
    "elements": ("intervals", "guards"),
    "memory": ("intervals", "guards"),
}


def candidates_of(system: TransitionSystem, *sources: str) -> list[Candidate]:
    return propose(system, sources, seed=5)


def test_every_source_has_a_program() -> None:
    assert set(PROGRAMS) == set(HELPERS) == set(SOURCES)


def test_the_command_line_knows_every_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "no.c", "--candidates", ",".join(SOURCES)]) == 3
    assert "no such file" in capsys.readouterr().err
    assert main(["verify", "no.c", "--candidates", "affine,astrology"]) == 3
    assert "no source 'astrology'" in capsys.readouterr().err


def abstraction_for(source: str) -> Abstraction:
    return Abstraction.WITHOUT_MEMORY if source == "elements" else Abstraction.EXACT


@pytest.mark.parametrize("source", [source for source in PROGRAMS if source != "memory"])
def test_a_source_proves_the_program_that_needs_it(tmp_path: Path, source: str) -> None:
    system = system_of(tmp_path, PROGRAMS[source], abstraction=abstraction_for(source))
    with_source = prune(system, candidates_of(system, *HELPERS[source], source)).invariants
    without = prune(system, candidates_of(system, *HELPERS[source])).invariants
    assert proves(system, {cut: [each.term for each in found] for cut, found in with_source.items()})
    assert not proves(system, {cut: [each.term for each in found] for cut, found in without.items()})


def test_objects_lie_below_the_counter(tmp_path: Path) -> None:
    system = system_of(tmp_path, PROGRAMS["memory"])
    pruned = prune(system, candidates_of(system, "memory"))
    texts = [c_text(each.term) for found in pruned.invariants.values() for each in found]
    assert any("first" in text and "%heap" in text for text in texts), texts


@pytest.mark.parametrize("source", PROGRAMS)
def test_candidates_are_about_states_and_hold_in_the_samples(tmp_path: Path, source: str) -> None:
    from drystone.base.deadline import Deadline
    from drystone.invariants.context import Context

    for name, text in PROGRAMS.items():
        system = system_of(tmp_path, text, abstraction=abstraction_for(name))
        samples = Context(system, 5, Deadline()).samples
        for candidate in candidates_of(system, source):
            live = set(system.live(candidate.cut))
            assert not has_inputs(candidate.term)
            assert {symbol.payload for symbol in _symbols(candidate)} <= live
            for state in samples.at(candidate.cut):
                assert evaluate_one(candidate.term, state) == 1, candidate


def _symbols(candidate: Candidate) -> list[Term]:
    return free_symbols(candidate.term)


def test_candidates_depend_on_the_seed_alone(tmp_path: Path) -> None:
    system = system_of(tmp_path, STATE_MACHINE)
    assert propose(system, seed=9) == propose(system, seed=9)


def test_candidates_are_bounded(tmp_path: Path) -> None:
    variables = ", ".join(f"v{i} = {i}" for i in range(60))
    updates = " ".join(f"v{i} = v{(i * 7 + 1) % 60} + {i % 3};" for i in range(60))
    checks = " ".join(f"check(v{i} != 100000 + v{(i + 1) % 60});" for i in range(60))
    system = system_of(
        tmp_path, f"int main(void) {{ int {variables}; while (__VERIFIER_nondet_int()) {{ {updates} }} {checks} return 0; }}"
    )
    proposed = propose(system, seed=1)
    for cut in system.cut_points:
        assert sum(1 for each in proposed if each.cut == cut) <= 300
