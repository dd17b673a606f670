"""Houdini finds the largest inductive subset, in few queries, and nothing when it has no time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.invariants import flags, houdini, query_limits
from drystone.invariants.candidates import Candidate, propose
from drystone.invariants.houdini import prune
from drystone.logic import terms
from drystone.logic.terms import Term, negate
from drystone.solvers import Answer, make_solver
from drystone.symbolic.transformers import ENTRY, TransitionSystem
from tests.invariants.checking import is_inductive, proves, system_of

PROGRAM = """
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, j = 0;
  while (i < n) {
    i = i + 1;
    int k = 0;
    while (k < 3) { k = k + 1; j = j + 2; }
  }
  check(j >= -1);
  return 0;
}"""


def naive(system: TransitionSystem, candidates: Sequence[Candidate]) -> set[tuple[int, Term]]:
    """The definition: drop one candidate that some block falsifies, until there is none."""
    left = {(each.cut, each.term) for each in candidates}
    while True:
        falsified = None
        for block in system.all_blocks():
            context = make_solver("bitwuzla", 7)
            for cut, term in left:
                if cut == block.start and block.start != ENTRY:
                    context.add(term)
            for cut, term in sorted(left, key=lambda each: (each[0], each[1].hash)):
                exit = block.exits.get(cut)
                if exit is not None and context.check([exit.pre(negate(term))]) is not Answer.UNSAT:
                    falsified = (cut, term)
                    break
            if falsified is not None:
                break
        if falsified is None:
            return left
        left.remove(falsified)


def test_the_largest_inductive_subset_is_found(tmp_path: Path) -> None:
    system = system_of(tmp_path, PROGRAM)
    candidates = propose(system, ("intervals", "guards"), seed=2)
    pruned = prune(system, candidates)
    found = {(each.cut, each.term) for invariants in pruned.invariants.values() for each in invariants}
    assert pruned.complete
    assert 0 < len(found) < len(candidates)
    assert found == naive(system, candidates)


def test_blocks_are_asked_again_when_what_they_relied_on_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer block passes y on, and is asked before the inner one shows that y is not 0."""
    monkeypatch.setattr(houdini, "_LONGEST_RUN", 0)  # runs would find out, too
    system = system_of(
        tmp_path,
        """int main(void) {
             int x = 0, y = 0, z = 0;
             while (__VERIFIER_nondet_int()) {
               z = y;
               while (__VERIFIER_nondet_int()) { y = __VERIFIER_nondet_int(); x = x + z; }
             }
             check(x + y + z != 7);
             return 0;
           }""",
    )
    zeros = []
    for cut in system.cut_points:
        for variable in system.live_variables(cut):
            zeros.append(Candidate(cut, terms.equal(variable, terms.constant(variable.sort, 0)), "test"))
    assert len(system.cut_points) == 2 and len(zeros) >= 5
    assert prune(system, zeros).invariants == {}


def test_queries_are_few(tmp_path: Path) -> None:
    """Each query drops a candidate or settles a block; a block is asked again only when something at its start has fallen."""
    system = system_of(tmp_path, PROGRAM)
    candidates = [each for each in propose(system, ("intervals", "guards", "affine"), seed=2) if each.term.operator != "or"]
    pruned = prune(system, candidates)
    dropped = len(candidates) - sum(map(len, pruned.invariants.values()))
    assert pruned.queries <= dropped + pruned.rounds + 1
    assert pruned.queries < len(candidates)
    again = prune(system, [each for invariants in pruned.invariants.values() for each in invariants])
    assert again.queries <= len(system.all_blocks())
    assert {cut: set(found) for cut, found in again.invariants.items()} == {
        cut: set(found) for cut, found in pruned.invariants.items()
    }


def test_nothing_without_time(tmp_path: Path) -> None:
    system = system_of(tmp_path, PROGRAM)
    pruned = prune(system, propose(system, seed=2), deadline=Deadline.after(0))
    assert not pruned.complete and not pruned.invariants


def test_what_is_unknown_falls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unsure:
        def add(self, term: Term) -> None: ...

        def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
            return Answer.UNKNOWN

    monkeypatch.setattr(query_limits, "make_solver", lambda name, seed: Unsure())
    system = system_of(tmp_path, PROGRAM)
    candidates = [each for each in propose(system, seed=2) if each.valuations is None]
    pruned = prune(system, candidates)
    assert pruned.complete and pruned.unknown
    assert naive_without_questions(system, pruned.invariants)


def test_a_hard_query_has_half_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where little time is left, the one query that shows all candidates must have its time."""
    given: list[float | None] = []

    class Slow:
        def add(self, formula: Term) -> None:
            pass

        def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
            given.append(limit_seconds)
            return Answer.UNSAT

    monkeypatch.setattr(query_limits, "make_solver", lambda name, seed: Slow())
    system = system_of(tmp_path, PROGRAM)
    prune(system, [each for each in propose(system) if each.valuations is None], deadline=Deadline(0.4, clock=lambda: 0.0))
    assert given and given[0] == 0.2


def naive_without_questions(system: TransitionSystem, invariants: dict[int, list[Candidate]]) -> bool:
    """What is left needs no solver: each formula is true after a block, or one of those before it."""
    for block in system.all_blocks():
        before = {each.term for each in invariants.get(block.start, [])}
        for target, exit in block.exits.items():
            for each in invariants.get(target, []):
                after = exit.after(each.term)
                if after is not terms.TRUE and after not in before:
                    return False
    return True


def test_known_invariants_are_relied_on(tmp_path: Path) -> None:
    system = system_of(
        tmp_path,
        "int main(void) { unsigned x = 0, y = 0; while (__VERIFIER_nondet_int()) { y = y + x; } check(y == 0); return 0; }",
    )
    (cut,) = system.cut_points
    x, y = (terms.state(name, system.symbolic.sorts[name]) for name in ("x", "y"))
    zero = terms.constant(x.sort, 0)
    goal = Candidate(cut, terms.equal(y, zero), "test")
    assert not prune(system, [goal]).invariants
    assert prune(system, [goal], known={cut: [terms.equal(x, zero)]}).invariants == {cut: [goal]}


HIDDEN = """
int main(void) {
  int state = 1, other = 0, seen = 0;
  while (1) {
    unsigned in = __VERIFIER_nondet_uint();
    if (state == 1 && in == 3) state = 2;
    else if (state == 2) { state = 1; other = 1 - other; }
    else if (state == 1 && other == 1 && in * in == 1522756) { state = 5; seen = 1; }
    else if (state == 5) { state = 9; other = 0; }
    check(state != 9 || (seen == 1 && other == 0));
  }
}"""


def test_sets_of_valuations_grow_until_they_are_closed(tmp_path: Path) -> None:
    """No run guesses the square; the solver leads the set there, and the result is inductive."""
    system = system_of(tmp_path, HIDDEN)
    candidates = propose(system, ("valuations",), seed=1)
    pruned = prune(system, candidates)
    invariants = {cut: [each.term for each in found] for cut, found in pruned.invariants.items()}
    assert not is_inductive(system, {each.cut: [each.term] for each in candidates})
    assert is_inductive(system, invariants)
    assert proves(system, invariants)


def test_sets_that_are_too_large_lose_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "MOST_TUPLES", 4)
    system = system_of(tmp_path, HIDDEN)
    pruned = prune(system, propose(system, ("valuations",), seed=1))
    assert is_inductive(system, {cut: [each.term for each in found] for cut, found in pruned.invariants.items()})
