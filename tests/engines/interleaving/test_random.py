"""Random programs with threads: every abstraction and reduction agrees with a search through all interleavings.

An error that a reduction has lost would be found by the unreduced search that makes the proof, so the verdict is not enough: the
search with the reduction has to find it itself. `DRYSTONE_FULL=1` takes more programs.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from drystone.engines.interleaving.engine import ABSTRACTIONS, REDUCTIONS
from tests.inside import decided
from tests.threads.generator import random_program
from tests.threads.language import c_text, is_error_reachable

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 1000 if FULL else 20
KINDS = list(product(ABSTRACTIONS, REDUCTIONS))
_MOST_STATES = 300_000


@pytest.mark.parametrize(("abstraction", "reduction"), KINDS)
def test_abstractions_and_reductions_agree_with_the_search(abstraction: str, reduction: str, tmp_path: Path) -> None:
    answered = 0
    seeds = range(PROGRAMS) if FULL else range(KINDS.index((abstraction, reduction)), PROGRAMS, len(KINDS) // 2)
    for seed in seeds:
        program = random_program(seed)
        expected = is_error_reachable(program, _MOST_STATES)
        file = tmp_path / f"program{seed}.c"
        file.write_text(c_text(program))
        result = decided(file, engine="interleaving", timeout=3, abstraction=abstraction, reduction=reduction)
        assert "internal error" not in result.reason
        if expected is None or result.verdict == "UNKNOWN":
            continue
        answered += 1
        assert result.verdict == ("FALSE" if expected else "TRUE"), f"{seed}:\n{file.read_text()}"
        if expected:
            assert result.counters["proof_iterations"] == 0, f"{reduction} has lost the error of {seed}:\n{file.read_text()}"
    assert answered > len(seeds) // 2


def test_locations_that_passes_add_belong_to_the_thread_before_them(tmp_path: Path) -> None:
    file = tmp_path / "structure.c"
    file.write_text(
        "#include <pthread.h>\nextern void reach_error(void);\nstruct s { int a, b; } s;\n"
        "void *f(void *p) { s.a = 1; s.b = 1; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); struct s r; r.b = s.b; r.a = s.a; "
        "if (r.a == 0 && r.b == 1) reach_error(); return 0; }\n"
    )
    assert decided(file, engine="interleaving", timeout=20).verdict == "TRUE"
