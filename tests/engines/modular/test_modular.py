"""Any number of threads: what is proved, and what must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided
from tests.threads.generator import random_program
from tests.threads.language import c_text, is_error_reachable

HEAD = """#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int lock, inside;
"""
MAIN = "int main(void) { pthread_t p; while (__VERIFIER_nondet_int()) pthread_create(&p, 0, work, 0); }\n"
ENTER = "__VERIFIER_atomic_begin(); if (lock) return 0; lock = 1; __VERIFIER_atomic_end();"
CRITICAL = "inside++; if (inside != 1) reach_error(); inside--;"


def program(body: str) -> str:
    return f"{HEAD}void *work(void *unused) {{ {body} return 0; }}\n{MAIN}"


WRONG = {
    "without a lock": CRITICAL,
    "a lock in two steps": f"if (lock) return 0; lock = 1; {CRITICAL} lock = 0;",
    "a lock given back too early": f"{ENTER} lock = 0; {CRITICAL}",
    "a lock of which only some know": f"if (__VERIFIER_nondet_int()) {{ {ENTER} }} {CRITICAL} lock = 0;",
    "three are too many": "__VERIFIER_atomic_begin(); inside++; __VERIFIER_atomic_end(); if (inside == 3) reach_error();",
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_of_many_threads_are_not_proved_away(name: str, tmp_path: Path) -> None:
    file = tmp_path / "many.c"
    file.write_text(program(WRONG[name]))
    assert decided(file, engine="modular", timeout=5).verdict == "UNKNOWN"


def test_it_agrees_with_a_search_through_all_interleavings(tmp_path: Path) -> None:
    proved = 0
    for seed in range(16):
        threads = random_program(seed)
        file = tmp_path / f"program{seed}.c"
        file.write_text(c_text(threads))
        verdict = decided(file, engine="modular", timeout=3).verdict
        proved += verdict == "TRUE"
        assert verdict != "TRUE" or is_error_reachable(threads, 300_000) is not True, file.read_text()
    assert proved
