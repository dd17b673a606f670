"""Compiled programs with threads: they follow a schedule, and by a random one do nothing that no interleaving does.
`DRYSTONE_FULL=1` takes more programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from drystone.counterexamples.native.baton import baton_text, schedule_lines
from drystone.counterexamples.native.build import Build, installed_compiler, sandboxed
from drystone.counterexamples.native.harness import ERROR_CODE, Recorded, harness_text, words_of
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import NOWHERE, Mark, MarkKind
from tests.running import report
from tests.threads.generator import random_program
from tests.threads.language import ERROR, c_text, outcomes

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS, SEEDS = (300, 10) if FULL else (8, 3)
_MOST_STATES = 300_000
_FINAL = """#include <stdio.h>
extern int x, y, z;
void drystone_final(void) { fprintf(stderr, "%d %d %d\\n", x, y, z); }
"""

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
int x, y; _Atomic int k; __thread int own; pthread_t t, u; sem_t s;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
"""
START, BOTH = "pthread_create(&t, 0, f, 0);", "pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);"
JOIN = "pthread_join(t, 0);"
PROGRAMS_WITH_ERRORS = {
    "a lost update": ("x++;", f"{BOTH} {JOIN} pthread_join(u, 0); if (x == 1) reach_error();"),
    "inputs of each thread": (
        "int v = __VERIFIER_nondet_int(); if (v == 3) x = v; else if (v == 4) y = v;",
        f"{BOTH} {JOIN} pthread_join(u, 0); if (x == 3 && y == 4) reach_error();",
    ),
    "a lock": ("pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);",
        f"{START} pthread_mutex_lock(&m); if (x == 1) reach_error(); pthread_mutex_unlock(&m);"),
    "a lock that is tried": ("pthread_mutex_lock(&m);", f"{START} if (pthread_mutex_trylock(&m) != 0) reach_error();"),
    "a condition variable": (
        "pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
        f"{START} pthread_mutex_lock(&m); if (x == 0) {{ pthread_cond_wait(&c, &m); if (x == 1) reach_error(); }}",
    ),
    "a semaphore": ("x = 1; sem_post(&s); x = 2;", f"sem_init(&s, 0, 0); {START} sem_wait(&s); if (x == 1) reach_error();"),
    "an atomic section": (
        "__VERIFIER_atomic_begin(); x++; y++; __VERIFIER_atomic_end(); x++;",
        f"{START} if (x == 2 && y == 1) reach_error();",
    ),
    "a function that is an atomic section": (
        "__VERIFIER_atomic_f();", f"{BOTH} if (x == 1) reach_error();", "void __VERIFIER_atomic_f(void) {\n x++; y++; }"
    ),
    "atomic operations": ("atomic_fetch_add(&k, 1); k++;", f"{BOTH} {JOIN} if (k == 3) reach_error();"),
    "a result": ("x = 1; return (void *)7;", f"void *r; {START} pthread_join(t, &r); if (r == (void *)7) reach_error();"),
    "a pointer to a local": ("*(int *)p = 6;", "int v = 5; pthread_create(&t, 0, f, &v); if (v == 6) reach_error();"),
    "who has ended main": ("if (x == 1) reach_error();", f"{START} x = 1;"),
    "who fails an assumption": ("if (x == 1) reach_error();", f"{START} x = 1; __VERIFIER_assume(own == 1);"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS_WITH_ERRORS)
def test_a_schedule_is_followed(name: str, tmp_path: Path) -> None:
    thread, main, *more = PROGRAMS_WITH_ERRORS[name]
    file = tmp_path / "threads.c"
    file.write_text(f"{HEAD}{' '.join(more)}\nvoid *f(void *p) {{ {thread} return 0; }}\nint main(void) {{ {main} return 0; }}\n")
    result = report(file, "--replay", "native", "--timeout", "20s")
    native = result["evidence"]["counterexample"]["native"]
    assert native["reproduced"], native["reason"]


def test_nothing_is_compiled_if_that_is_forbidden(tmp_path: Path) -> None:
    file = tmp_path / "threads.c"
    file.write_text(f"{HEAD}void *f(void *p) {{ x = 1; return 0; }}\nint main(void) {{ {START} if (x == 1) reach_error(); }}\n")
    result = report(file, "--no-native")
    assert result["verdict"] == "FALSE" and result["evidence"]["counterexample"]["native"] is None


def test_the_harness_is_two_files_and_a_command(tmp_path: Path) -> None:
    file, harness = tmp_path / "threads.c", tmp_path / "harness.c"
    file.write_text(f"{HEAD}void *f(void *p) {{ x = 1; return 0; }}\nint main(void) {{ {START} if (x == 1) reach_error(); }}\n")
    report(file, "--replay", "native", "--harness", harness)
    command = next(line.strip() for line in harness.read_text().splitlines() if line.strip().startswith("gcc"))
    subprocess.run(f"{command} -o binary", shell=True, check=True, cwd=tmp_path)
    done = subprocess.run([f"{tmp_path}/binary"], capture_output=True, text=True)
    assert done.returncode == 42 and "drystone: error reached" in done.stderr


def _random_outcomes(text: str, folder: Path) -> list[str]:
    """Of a program under random schedules; without those that do not end."""
    compiler, options = installed_compiler(), FrontendOptions()
    assert compiler is not None
    build = Build(options, compiler, folder, has_threads=True)
    for name, content in (("program.c", text), ("baton.c", baton_text()), ("final.c", _FINAL)):
        (folder / name).write_text(content)
    objects = [build.own_object(folder / "baton.c"), build.object(str(folder / "program.c"), folder / "program.c")]
    found = []
    for seed in range(1, SEEDS + 1):
        harness = harness_text(
            entry="main", error=Mark(MarkKind.ERROR, "reach_error()", NOWHERE), found=Recorded(), undefined=build.missing(objects),
            void=(), words=words_of(options), command="", schedule=list(schedule_lines((), {}, seed)),
        )  # fmt: skip
        (folder / "harness.c").write_text(harness)
        code, errors = sandboxed([str(build.linked(objects, folder / "harness.c", folder / "final.c"))], folder, 1.0)
        if code is not None:
            found.append(ERROR if code == ERROR_CODE else errors.strip())
    return found


def test_random_schedules_do_what_some_interleaving_does(tmp_path: Path) -> None:
    seen = 0
    for seed in range(PROGRAMS):
        program = random_program(seed)
        expected = outcomes(program, _MOST_STATES)
        if expected is None:
            continue
        folder = tmp_path / str(seed)
        folder.mkdir()
        text = c_text(program)
        for outcome in _random_outcomes(text, folder):
            seen += 1
            assert outcome in expected, f"{seed}: {outcome} is none of {sorted(expected)}\n{text}"
    assert seen > PROGRAMS
