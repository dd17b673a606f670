"""Allocations are aligned as they are asked to be; where only a run knows how, nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Interpreter, ZeroInputs
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

HEAD = """#include <stdlib.h>
#include <stdint.h>
#include <malloc.h>
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
"""
PROGRAMS = {
    "aligned_alloc": "void *p = aligned_alloc(64, 128); if (p && (uintptr_t)p % 64) reach_error();",
    "after other allocations": "char *q = malloc(3); void *p = aligned_alloc(256, 256); if (p && (uintptr_t)p % 256) reach_error();",
    "memalign": "void *p = memalign(4096, 10); if (p && (uintptr_t)p % 4096) reach_error();",
    "valloc": "void *p = valloc(10); if (p && (uintptr_t)p % 4096) reach_error();",
    "posix_memalign": "void *p; if (posix_memalign(&p, 128, 10) == 0 && (uintptr_t)p % 128) reach_error();",
    "alloca": "void *p = __builtin_alloca_with_align(10, 1024); if ((uintptr_t)p % 128) reach_error();",
    "two objects": "char *p = aligned_alloc(32, 32), *q = aligned_alloc(64, 64); p[31] = 1; q[0] = 2; if (p[31] != 1 || p == q) reach_error();",
    "a small one": "int *p = aligned_alloc(sizeof(int), 4); *p = 5; if (*p != 5) reach_error();",
}
LOOP = "int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) { void *p = aligned_alloc(64, 64); if (p && (uintptr_t)p % 64) reach_error(); }"
OPEN = {
    "by a number": "size_t n = 16u << (__VERIFIER_nondet_int() & 3); void *p = aligned_alloc(n, 64); if ((uintptr_t)p % n) reach_error();",
    "no power of two": "void *p = aligned_alloc(48, 64); if ((uintptr_t)p % 48) reach_error();",
    "too small": "void *p = 0; if (posix_memalign(&p, 2, 8) == 0) reach_error();",
    "through a pointer": "void *(*f)(size_t, size_t) = aligned_alloc; void *p = f(64, 64); if ((uintptr_t)p % 64) reach_error();",
}


def decided(text: str, engine: str, data_model: str, folder: Path) -> Verdict:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {text} return 0; }}\n")
    program = load([str(file)], FrontendOptions(data_model=data_model)).program
    assert Interpreter(program).run(ZeroInputs()).kind != "error"
    return check(engine, PreparedProgram(program), Settings(), Deadline.after(30), unobserved).verdict


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_asked(name: str, data_model: str, tmp_path: Path) -> None:
    assert decided(PROGRAMS[name], "bmc", data_model, tmp_path) is Verdict.TRUE


def test_in_a_loop(tmp_path: Path) -> None:
    assert decided(LOOP, "k-induction", "LP64", tmp_path) is Verdict.TRUE


@pytest.mark.parametrize("name", OPEN)
def test_nothing_is_said(name: str, tmp_path: Path) -> None:
    assert decided(OPEN[name], "bmc", "LP64", tmp_path) is Verdict.UNKNOWN
