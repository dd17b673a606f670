"""Certificates that were changed, and certificates of other programs.

For an unsafe program no certificate is accepted, whatever it says; the search of tests/explicit knows which programs are unsafe.
For a safe one, a changed certificate may be valid still; if it is accepted, the interpreter finds no reason against it.
`DRYSTONE_FULL=1` takes many more.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections import Counter
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.certificates import check as evidence
from drystone.claims.certificates import BoundedCertificate, InductiveCertificate, Invariant, KInductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines import bmc, induction
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind, Program
from drystone.ir.loops import loop_heads
from drystone.logic.packing import pack
from drystone.logic.terms import TRUE
from drystone.memory.regions import Regions
from drystone.passes.inline import MAX_EDGES, inline
from drystone.passes.scalarise import scalarise
from drystone.pipeline import PreparedProgram
from tests.certificates.mutations import Mutable, Places, mutants, with_conjuncts
from tests.certificates.refutation import NotEvaluated, Refuter
from tests.explicit.generator import decided_program, unsafe_sibling

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 300 if FULL else 40  # the certificates of the safe ones among these
BATCH = 20
MUTANTS = 6
SECONDS = 60.0


@lru_cache(maxsize=1_000)
def proof(seed: int) -> Mutable | None:
    """The certificate of a safe program, by induction, or every third time by bounded model checking."""
    decided = decided_program(seed)
    if not decided.enumeration.is_safe:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = read(Path(folder), decided.text)
    if seed % 3 == 0 and decided.enumeration.terminates:
        result = bmc.check(PreparedProgram(program), bmc.BmcOptions(max_steps=40), Deadline.after(SECONDS), unobserved)
    else:
        candidates = () if seed % 4 == 0 else None  # without invariants there is more induction over several blocks
        options = induction.InductionOptions(max_k=8, candidates=candidates)
        result = induction.check(PreparedProgram(program), options, Deadline.after(SECONDS), unobserved)
    found = result.certificate if result.verdict is Verdict.TRUE else None
    return found if isinstance(found, BoundedCertificate | InductiveCertificate | KInductiveCertificate) else None


def read(folder: Path, text: str) -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load([str(path)], FrontendOptions()).program


def places(program: Program, recursion: int) -> Places:
    flat = inline(program, recursion_bound=recursion, max_edges=MAX_EDGES)
    flat = scalarise(flat, Regions(flat))
    procedure = flat.procedures[flat.entry]
    errors = tuple(location for location, mark in procedure.marks.items() if mark.kind is MarkKind.ERROR)
    return Places(procedure.entry, errors, tuple(sorted(loop_heads(procedure))), procedure.locations)


def is_accepted(folder: Path, text: str, certificate: Mutable) -> bool:
    path = folder / "program.c"
    path.write_text(text)
    return evidence.check([str(path)], FrontendOptions(), certificate, Deadline.after(SECONDS)).valid


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_no_certificate_of_an_unsafe_program_is_accepted(tmp_path: Path, first: int) -> None:
    refused = 0
    for seed in range(first, first + BATCH):
        original = proof(seed)
        sibling = unsafe_sibling(seed) if original is not None else None
        if original is None or sibling is None:
            continue
        facts = places(read(tmp_path, sibling.text), original.recursion)
        chance = random.Random(seed)
        for claimed in [original, *(each.certificate for each in mutants(original, facts, chance, MUTANTS))]:
            assert not is_accepted(tmp_path, sibling.text, claimed), f"{claimed}\n{sibling.text}"
            refused += 1
    assert refused > BATCH


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_a_changed_certificate_is_refused_unless_it_is_valid(tmp_path: Path, first: int) -> None:
    counts = Counter[str]()
    for seed in range(first, first + BATCH):
        original = proof(seed)
        if original is None or isinstance(original, BoundedCertificate):
            continue
        text = decided_program(seed).text
        program = read(tmp_path, text)
        refuters = [Refuter(program, original.recursion, sliced) for sliced in (False, True)]
        assert not refutation(refuters, original, seed), f"{original}\n{text}"
        for mutant in mutants(original, places(program, original.recursion), random.Random(seed), MUTANTS):
            assert not isinstance(mutant.certificate, BoundedCertificate)
            accepted = is_accepted(tmp_path, text, mutant.certificate)
            counts["accepted" if accepted else "refused"] += 1
            reasons = refutation(refuters, mutant.certificate, seed)
            if reasons:
                counts["known to be wrong"] += 1
                assert not accepted, f"{mutant.how}: {reasons}\n{mutant.certificate}\n{text}"
    assert counts["refused"] > counts.total() / 10 and counts["known to be wrong"] > 0, counts


def refutation(refuters: list[Refuter], certificate: InductiveCertificate | KInductiveCertificate, seed: int) -> str:
    """Why the certificate is wrong, on the unsliced program and on the slice: it may rightly be accepted on either."""
    try:
        reasons = [refuter.refuted(certificate, seed) for refuter in refuters]
    except NotEvaluated:
        return ""
    return "; ".join(reasons) if all(reasons) else ""


@pytest.mark.parametrize("first", range(0, PROGRAMS, 2 * BATCH))
def test_fewer_steps_than_there_are_prove_nothing(tmp_path: Path, first: int) -> None:
    for seed in range(first - first % 3, first + 2 * BATCH, 3):
        original = proof(seed)
        if not isinstance(original, BoundedCertificate):
            continue
        text = decided_program(seed).text
        unrolled = [
            is_accepted(tmp_path, text, msgspec.structs.replace(original, steps=steps)) for steps in range(original.steps + 2)
        ]
        assert unrolled == sorted(unrolled), "what is enough stays enough"
        assert not unrolled[0] and unrolled[-1] and unrolled[-2]


def test_what_changes_nothing_is_accepted(tmp_path: Path) -> None:
    accepted = 0
    for seed in range(0, PROGRAMS, 2):
        original = proof(seed)
        if original is None or isinstance(original, BoundedCertificate):
            continue
        text = decided_program(seed).text
        heads = places(read(tmp_path, text), original.recursion).heads
        said = [with_conjuncts(each, [TRUE, *reversed(each.conjuncts()), *each.conjuncts()]) for each in original.invariants]
        silent = [Invariant(head, "?", [], pack([])) for head in heads if head not in {each.location for each in said}]
        changed = msgspec.structs.replace(original, invariants=[*silent, *reversed(said)])
        assert is_accepted(tmp_path, text, changed), f"{changed}\n{text}"
        accepted += 1
    assert accepted > PROGRAMS / 20
