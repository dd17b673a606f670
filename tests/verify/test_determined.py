"""A program in which nothing is chosen is proved by its only execution; nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.engines import execute
from drystone.engines.outcome import EngineResult, Verdict, unobserved
from drystone.evidence.certificate import check
from drystone.frontend.load import FrontendOptions, load
from drystone.program.proofs import SingleExecution
from drystone.solvers.deadline import Deadline

HEAD = "extern void reach_error(void); extern int outside(void);\n"
FIBONACCI = "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
DETERMINED = {
    "recursion": FIBONACCI + "int main(void) { if (fib(15) != 610) reach_error(); return 0; }",
    "an array": "int a[9]; int main(void) { for (int i = 0; i < 9; i++) a[i] = i; if (a[8] != 8) reach_error(); return 0; }",
    "the end of the program": "extern void exit(int); int g; int main(void) { if (g == 0) exit(0); reach_error(); return 0; }",
}
OTHERS = {
    "an error": FIBONACCI + "int main(void) { if (fib(15) == 610) reach_error(); return 0; }",
    "an input": "int main(void) { if (outside() == 7) reach_error(); return 0; }",
    "no value yet": "int main(void) { int x; if (x == 7) reach_error(); return 0; }",
    "the order of addresses": "int a, b; int main(void) { if ((unsigned long)&a > (unsigned long)&b) reach_error(); return 0; }",
    "a number that is an address": "int a; long k = (long)&a; int main(void) { if (k % 512 == 0) reach_error(); return 0; }",
    "an address as an argument": "int a; int f(long k) { return k % 512 == 0; } int main(void) { if (f((long)&a)) reach_error(); return 0; }",
    "outside of an array": "int a[9], i = 9; int main(void) { if (a[i] == 7) reach_error(); return 0; }",
    "no end": "int main(void) { for (;;) ; reach_error(); }",
}


def executed(folder: Path, text: str) -> tuple[list[str], EngineResult]:
    path = folder / "program.c"
    path.write_text(HEAD + text + "\n")
    files = [str(path)]
    options = execute.Options(runs=100, steps=(1_000, 100_000))
    return files, execute.check(load(files, FrontendOptions()).program, options, Deadline.after(20), unobserved)


@pytest.mark.parametrize("name", DETERMINED)
def test_the_only_execution(name: str, tmp_path: Path) -> None:
    files, result = executed(tmp_path, DETERMINED[name])
    assert result.verdict is Verdict.TRUE and isinstance(result.certificate, SingleExecution)
    assert all(each.verdict is Verdict.TRUE for each in result.errors)
    assert check(files, FrontendOptions(), result.certificate, Deadline.after(20)).valid
    fewer = SingleExecution(result.certificate.steps - 2)
    assert not check(files, FrontendOptions(), fewer, Deadline.after(20)).valid


@pytest.mark.parametrize("name", OTHERS)
def test_there_may_be_others(name: str, tmp_path: Path) -> None:
    files, result = executed(tmp_path, OTHERS[name])
    assert result.verdict is not Verdict.TRUE
    assert not check(files, FrontendOptions(), SingleExecution(100_000), Deadline.after(20)).valid
