"""No access outside of a living object is proved away, and none is found where there is none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.checks.registry import MEMORY
from drystone.claims.certificates import InductiveCertificate, KInductiveCertificate
from drystone.engines import induction
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.conventions import NONE
from drystone.pipeline import PreparedProgram
from tests.certificates.mutations import mutants
from tests.certificates.test_mutants import places
from tests.checks.memory_attacks import ATTACKS, HARMLESS
from tests.inside import decided


def written(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "program.c"
    file.write_text(text + "\n")
    return file


@pytest.mark.parametrize("engine", ["bmc", "execute"])
@pytest.mark.parametrize("name", ATTACKS)
def test_attacks(tmp_path: Path, name: str, engine: str) -> None:
    assert decided(written(tmp_path, ATTACKS[name]), engine=engine, check=MEMORY).verdict != "TRUE"


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(tmp_path: Path, name: str) -> None:
    result = decided(written(tmp_path, HARMLESS[name]), check=MEMORY, external="pure", timeout=20)
    assert result.verdict == "TRUE", result.reason


LOOPS = {
    "array": (
        "extern unsigned __VERIFIER_nondet_uint(void); int main(void) { unsigned n = __VERIFIER_nondet_uint(); int a[100];"
        " if (n > 100) return 0; for (unsigned i = 0; i < n; i++) a[i] = 1; return 0; }",
        ("n > 100", "n > 101"),
    ),
    "block": (
        "#include <stdlib.h>\nextern unsigned __VERIFIER_nondet_uint(void); int main(void) { unsigned n = __VERIFIER_nondet_uint();"
        " if (n < 1 || n > 100) return 0; char *p = malloc(n); for (unsigned i = 0; i < n; i++) p[i] = 1; free(p); return 0; }",
        ("i < n", "i <= n"),
    ),
    "freed": (
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void); int main(void) { int *p = malloc(4); *p = 0;"
        " while (__VERIFIER_nondet_int()) *p = 1; free(p); return 0; }",
        ("*p = 1;", "{ *p = 1; free(p); }"),
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_no_certificate_of_an_unsafe_program_is_accepted(tmp_path: Path, name: str) -> None:
    """Neither that of the program as it was before, nor one that was changed."""
    safe, change = LOOPS[name]
    options = FrontendOptions(errors=NONE, checks=MEMORY)
    right, wrong = (written(tmp_path / part, text) for part, text in (("right", safe), ("wrong", safe.replace(*change))))
    program = load([str(right)], options).program
    found = induction.check(
        PreparedProgram(program), induction.InductionOptions(max_k=4), Deadline.after(60), unobserved
    ).certificate
    assert isinstance(found, InductiveCertificate | KInductiveCertificate)
    assert check([str(right)], options, found, Deadline.after(60)).valid
    facts = places(load([str(wrong)], options).program, found.recursion)
    for claimed in [found, *(each.certificate for each in mutants(found, facts, random.Random(1), 12))]:
        assert not check([str(wrong)], options, claimed, Deadline.after(60)).valid, claimed
