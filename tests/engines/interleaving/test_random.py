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
_SECONDS = 3 if FULL else 20
"""For each program; long enough that what is answered does not depend on what else the machine does."""


@pytest.mark.parametrize(("abstraction", "reduction"), KINDS)
def test_abstractions_and_reductions_agree_with_the_search(abstraction: str, reduction: str, tmp_path: Path) -> None:
    answered = 0
    seeds = range(PROGRAMS) if FULL else range(KINDS.index((abstraction, reduction)), PROGRAMS, len(KINDS) // 2)
    for seed in seeds:
        program = random_program(seed)
        expected = is_error_reachable(program, _MOST_STATES)
        file = tmp_path / f"program{seed}.c"
        file.write_text(c_text(program))
        result = decided(file, engine="interleaving", timeout=_SECONDS, abstraction=abstraction, reduction=reduction)
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


HEAD = """#include <pthread.h>
extern void reach_error(void);
int x, y, z; pthread_t t, u;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
"""
HIDDEN = {  # the first thread, the second one, main
    "who may block is not enough": (
        "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);", "y = 1; if (y) reach_error();",
        "pthread_mutex_lock(&m); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0);",
    ),
    "who goes on for ever is not enough": (
        "while (1) z = 1 - z;", "x = 1; if (x) reach_error();",
        "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0);",
    ),
    "nor is who does so alone": (
        "int r = 0; while (1) r = 1 - r;", "x = 1; if (x) reach_error();",
        "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0);",
    ),
    "who is created later may have to be first": (
        "pthread_create(&u, 0, g, 0); y = 1;", "x = 2;",
        "pthread_create(&t, 0, f, 0); x = 1; while (!y) ; x = 1; if (x == 2) reach_error();",
    ),
    "who ends the process is one that waits": (
        "y = 1; __builtin_exit(0);", "if (y == 1) reach_error();", "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); while (1) ;",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("reduction", ["por", "coi-por", "por-coi"])
def test_no_reduction_hides_an_error(name: str, reduction: str, tmp_path: Path) -> None:
    first, second, main = HIDDEN[name]
    file = tmp_path / "hidden.c"
    file.write_text(
        f"{HEAD}void *g(void *p) {{ {second} return 0; }}\nvoid *f(void *p) {{ {first} return 0; }}\nint main(void) {{ {main} }}\n"
    )
    result = decided(file, engine="interleaving", timeout=20, reduction=reduction)
    assert result.verdict == "FALSE" and result.counters["proof_iterations"] == 0, result.reason
