"""Small programs as people write them with threads: each holds as it is, and fails with the mistake that `BUG` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

PROGRAMS = Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.c"))
OPEN = frozenset({"barrier_phases", "c11_condition", "keys", "producer_consumer", "struct_argument", "thread_pool"})
"""Proofs that take longer than a test may, or are not found."""


@pytest.mark.parametrize("name", NAMES)
def test_a_program_holds(name: str) -> None:
    result = decided(PROGRAMS / f"{name}.c", engine="auto", timeout=2 if name in OPEN else 60)
    assert result.verdict == "TRUE" or (result.verdict == "UNKNOWN" and name in OPEN), result.reason


@pytest.mark.parametrize("name", NAMES)
def test_its_mistake_is_found(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.c"
    file.write_text("#define BUG\n" + (PROGRAMS / f"{name}.c").read_text())
    result = decided(file, engine="auto", timeout=60)
    assert result.verdict == "FALSE", result.reason


REFUSED = {  # what it says, and what main does
    "pthread_join of a detached thread": "pthread_detach(t); pthread_join(t, 0);",
    "pthread_detach of a detached thread": "pthread_detach(t); pthread_detach(t);",
    "pthread_exit in a program with clean-up handlers": "pthread_cleanup_push(g, 0); pthread_exit(0); pthread_cleanup_pop(0);",
    "pthread_key_create": "pthread_key_t k; pthread_key_create(&k, g);",  # with a destructor
    "pthread_rwlock_unlock": "pthread_rwlock_t l; pthread_rwlock_init(&l, 0); pthread_rwlock_unlock(&l);",  # nobody has it
    "pthread_cancel": "pthread_cancel(t);",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_not_modelled_is_refused(words: str, tmp_path: Path) -> None:
    file = tmp_path / "refused.c"
    file.write_text(
        "#include <assert.h>\n#include <pthread.h>\nstatic void g(void *p) { assert(0); }\n"
        "static void *f(void *p) { return 0; }\n"
        f"int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {REFUSED[words]} assert(0); return 0; }}\n"
    )
    result = decided(file, engine="auto", timeout=4)
    assert result.verdict == "UNKNOWN" and words in str(result.reason)
