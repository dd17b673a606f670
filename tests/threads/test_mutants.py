"""Evidence about programs with threads that was changed, or belongs to another program, is rejected.

Of two programs that differ in one word, one is unsafe: no certificate of the other one is accepted for it, as it is or changed. And
no schedule of the unsafe one, as it is or changed, shows an error in the safe one. `DRYSTONE_FULL=1` takes many more.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check_program
from drystone.claims.certificates import (
    BoundedCertificate,
    Certificate,
    ExploredCertificate,
    InductiveCertificate,
    KInductiveCertificate,
    ModularCertificate,
    PairClaim,
)
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import Consumed
from drystone.counterexamples.replay import NotReplayed, replay
from drystone.engines.interleaving import persistent
from drystone.engines.interleaving.data_flow import DataFlow
from drystone.engines.interleaving.persistent import PersistentSets, Touched
from drystone.engines.interleaving.turns import Turns
from drystone.engines.modular.situations import Situations
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.portfolio.auto import check as answer
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind, Program
from drystone.ir.expressions import InputKind
from drystone.ir.loops import loop_heads
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.terms import FALSE
from drystone.passes.inline import MAX_EDGES
from drystone.passes.readings import settled
from drystone.pipeline import PreparedProgram
from tests.certificates.mutations import Places
from tests.certificates.mutations import mutants as changed_invariants
from tests.threads.language import Threads, c_text
from tests.threads.siblings import siblings

FULL = os.environ.get("DRYSTONE_FULL") == "1"
SEEDS = 32 if FULL else 4
MUTANTS = 4  # of each certificate or schedule
ENGINES = ("explicit", "bmc", "dss", "k-induction", "modular")
SECONDS = 5.0


def read(program: Threads, folder: Path) -> Program:
    file = folder / "program.c"
    file.write_text(c_text(program))
    return load([str(file)], FrontendOptions(data_model="LP64")).program


def asked(engine: str, program: Program, **others: str) -> EngineResult:
    return answer(engine, PreparedProgram(settled(program)), Settings(**others), Deadline.after(SECONDS), unobserved)  # type: ignore[arg-type]


# certificates


def changed(certificate: Certificate, program: Program, chance: random.Random) -> Iterator[Certificate]:
    match certificate:
        case ExploredCertificate():
            for states in (0, certificate.states - 1, 10 * certificate.states, 10**9):
                yield msgspec.structs.replace(certificate, states=states)
        case ModularCertificate(claims):
            for _ in range(MUTANTS):
                yield msgspec.structs.replace(certificate, claims=chance.choice(_CLAIMS)(claims, chance))
        case BoundedCertificate() | InductiveCertificate() | KInductiveCertificate():
            for each in changed_invariants(certificate, _places(program, certificate.recursion), chance, MUTANTS):
                yield each.certificate


def _places(program: Program, recursion: int) -> Places:
    flat = PreparedProgram(settled(program)).flat(recursion_bound=recursion, max_edges=MAX_EDGES, sliced=False).program
    procedure = flat.procedures[flat.entry]
    errors = tuple(location for location, mark in procedure.marks.items() if mark.kind is MarkKind.ERROR)
    return Places(procedure.entry, errors, tuple(sorted(loop_heads(procedure))), procedure.locations)


def _without_a_claim(claims: list[PairClaim], chance: random.Random) -> list[PairClaim]:
    left = list(claims)
    if left:
        left.pop(chance.randrange(len(left)))
    return left


def _weakened(claims: list[PairClaim], chance: random.Random) -> list[PairClaim]:
    return _with_conjuncts(claims, chance, lambda conjuncts: conjuncts[1:])


def _negated(claims: list[PairClaim], chance: random.Random) -> list[PairClaim]:
    return _with_conjuncts(claims, chance, lambda conjuncts: [terms.negate(each) for each in conjuncts])


def _impossible(claims: list[PairClaim], chance: random.Random) -> list[PairClaim]:
    return _with_conjuncts(claims, chance, lambda conjuncts: [FALSE])


def _without_interference(claims: list[PairClaim], chance: random.Random) -> list[PairClaim]:
    """As if what others do did not matter: nothing is said about two threads."""
    return [each for each in claims if len(each.places) == 1]


def _with_conjuncts(
    claims: list[PairClaim], chance: random.Random, change: Callable[[list[terms.Term]], list[terms.Term]]
) -> list[PairClaim]:
    result = list(claims)
    if result:
        at = chance.randrange(len(result))
        conjuncts = change(result[at].conjuncts())
        result[at] = msgspec.structs.replace(result[at], text=["?"] * len(conjuncts), packed=pack(conjuncts))
    return result


_CLAIMS = (_without_a_claim, _weakened, _negated, _impossible, _without_interference)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_certificate_of_an_unsafe_program_is_accepted(engine: str, tmp_path: Path) -> None:
    refused = Counter[str]()
    for seed in range(SEEDS):
        pair = siblings(seed)
        if pair is None:
            continue
        certificate = asked(engine, read(pair.safe, tmp_path)).certificate
        if certificate is None:
            continue
        unsafe = read(pair.unsafe, tmp_path)
        for claimed in (certificate, *changed(certificate, unsafe, random.Random(seed))):
            checked = check_program(unsafe, claimed, Deadline.after(SECONDS))
            assert not checked.valid, f"{claimed}\n{c_text(pair.unsafe)}"
            refused[type(claimed).__name__] += 1
    assert refused.total() >= SEEDS // 2
    print(f"\n{engine}: refused {dict(refused)}")


# schedules


def _rescheduled(inputs: tuple[Consumed, ...], chance: random.Random) -> list[Consumed]:
    """Another thread is chosen somewhere, or two choices are exchanged."""
    result = list(inputs)
    places = [at for at, each in enumerate(inputs) if each.kind is InputKind.SCHEDULE]
    if len(places) > 1 and chance.random() < 0.5:
        first, second = chance.sample(places, 2)
        result[first], result[second] = result[second], result[first]
    elif places:
        at = chance.choice(places)
        result[at] = msgspec.structs.replace(result[at], value=chance.randrange(4))
    return result


def test_no_schedule_shows_an_error_in_a_safe_program(tmp_path: Path) -> None:
    refused = 0
    for seed in range(SEEDS):
        pair = siblings(seed)
        if pair is None:
            continue
        found = asked("explicit", read(pair.unsafe, tmp_path))
        if found.verdict is not Verdict.FALSE or found.error is None or found.inputs is None:
            continue
        safe, chance = read(pair.safe, tmp_path), random.Random(seed)
        for inputs in (found.inputs, *(_rescheduled(tuple(found.inputs), chance) for _ in range(MUTANTS))):
            with pytest.raises(NotReplayed):
                replay(safe, found.error, inputs)
            refused += 1
    assert refused >= SEEDS // 2
    print(f"\nschedules: refused {refused}")


# engines that are wrong


def _break_conflicts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Touched, "conflicts", lambda self, other: False)


def _break_futures(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PersistentSets, "_future", lambda self, thread, places: Touched(frozenset(), frozenset()))


def _break_cycles(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(persistent, "_closing_edges", lambda thread: set())


def _break_waiting(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Turns, "may_wait", lambda self, turn: False)
    patch.setattr(PersistentSets, "_joins", lambda self, turn: False)


def _break_data_flow(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(DataFlow, "_is_observed", lambda self, action, reachable: False)


BROKEN = {
    "no two statements conflict": _break_conflicts,
    "nobody does anything later": _break_futures,
    "threads may be left out for ever": _break_cycles,
    "nobody waits": _break_waiting,
    "nothing is observed": _break_data_flow,
}
LATE = """#include <pthread.h>
extern void reach_error(void);
int x;
void *f(void *p) { while (1) x = 1 - x; return 0; }
void *g(void *p) { reach_error(); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); while (1) x = x; return 0; }
"""


@pytest.mark.parametrize("how", BROKEN)
def test_a_wrong_reduction_proves_nothing_wrong(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its proof is made and checked without reductions."""
    BROKEN[how](monkeypatch)
    for seed in range(SEEDS):
        pair = siblings(seed)
        if pair is not None:
            found = asked("interleaving", read(pair.unsafe, tmp_path), reduction="por-coi")
            assert found.verdict is not Verdict.TRUE, c_text(pair.unsafe)
    file = tmp_path / "late.c"
    file.write_text(LATE)
    program = load([str(file)], FrontendOptions(data_model="LP64")).program
    assert asked("interleaving", program, reduction="por-coi").verdict is not Verdict.TRUE


HIDDEN = """#include <pthread.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
unsigned x;
void *f(void *p) { if (x == 1) reach_error(); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  if ((__VERIFIER_nondet_uint() ^ 0x1234u) * 7u == 0x98765u) x = 1;
  return 0;
}
"""


def test_claims_without_interference_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that does not ask what the steps of others do to claims finds some that are no proof."""
    file = tmp_path / "hidden.c"
    file.write_text(HIDDEN)
    program = load([str(file)], FrontendOptions(data_model="LP64")).program
    assert asked("modular", program).certificate is None
    all_ = Situations.all
    monkeypatch.setattr(Situations, "all", lambda self: (each for each in all_(self) if len(each.places) < 2))
    certificate = asked("modular", program).certificate
    assert certificate is not None
    checked = check_program(program, certificate, Deadline.after(SECONDS))
    assert not checked.valid and "is not preserved" in checked.reason
