"""Executions that are cut off: the same runs within the bound, none beyond it; and what a result says of it."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.concrete.inputs import ListedInputs
from drystone.concrete.interpreter import interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.passes.unwinding import UNWINDING
from tests.places import ROOT
from tests.running import report, verify
from tests.structure import structural_faults

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
WHILE = "int main(void) { int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (i == n) reach_error(); }"
DO = "int main(void) { int n = __VERIFIER_nondet_int(), i = -1; do i++; while (i < n); if (i == n) reach_error(); }"
NESTED = """int main(void) { int n = __VERIFIER_nondet_int(), s = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < 1; k++) s++;
  if (s == n * n && n > 0) reach_error(); }"""
GOTO = """int main(void) { int n = __VERIFIER_nondet_int(), i = 0; again: if (i < n) { i++; goto again; } if (i == n) reach_error(); }"""
MIDDLE = """int main(void) { int n = __VERIFIER_nondet_int(), i = 0;
  for (int round = 0; round < 2; round++) { i = 0; if (n & 1) goto inside; while (i < n) { i++; inside: if (i >= n) break; i++; } }
  if (i >= n) reach_error(); }"""
RECURSION = """int f(int n) { return n <= 1 ? 1 : 1 + f(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0 && f(n) == n) reach_error(); }"""
MUTUAL = """int g(int); int f(int n) { return n <= 1 ? 1 : 1 + g(n); } int g(int n) { return f(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0 && f(n) == n) reach_error(); }"""
TWICE = """int f(int n) { return n <= 1 ? 1 : 1 + f(n - 1); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0 && f(n) == f(n)) reach_error(); }"""
PROGRAMS = {
    "while": WHILE, "do": DO, "nested": NESTED, "goto": GOTO, "recursion": RECURSION, "mutual": MUTUAL, "twice": TWICE,
}  # fmt: skip


def loaded(folder: Path, text: str, bound: int | None) -> Program:
    file = folder / "p.c"
    file.write_text(HEAD + text)
    return load([str(file)], FrontendOptions(unwind=bound)).program


def reaches(program: Program, value: int) -> bool:
    return interpret(program, ListedInputs([value]), max_steps=100_000).kind == "error"


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
@pytest.mark.parametrize("bound", [1, 2, 3, 7])
def test_executions_within_the_bound_are_the_same_and_others_end(text: str, bound: int, tmp_path: Path) -> None:
    whole, cut = loaded(tmp_path, text, None), loaded(tmp_path, text, bound)
    assert [structural_faults(each) for each in cut.procedures.values()] == [[]] * len(cut.procedures)
    for value in range(12):
        assert reaches(cut, value) == (reaches(whole, value) and value <= bound), value


@pytest.mark.parametrize("bound", [2, 3, 5, 8])
def test_a_loop_that_is_entered_in_the_middle(bound: int, tmp_path: Path) -> None:
    """It is not clear what its iterations are: it is not cut off, and so not assumed to end."""
    cut = loaded(tmp_path, MIDDLE, bound)
    assert [structural_faults(each) for each in cut.procedures.values()] == [[]] * len(cut.procedures)
    assert all(reaches(cut, value) for value in range(30))


SAME_PLACE = {
    "do": "do { while (j < 2) { j++; n++; } j = 0; } while (n < 8);",
    "for": "for (;;) { for (; j < 2; j++) n++; j = 0; if (n >= 8) break; }",
    "while": "while (1) while (1) { if (j == 2) { j = 0; break; } if (n >= 8) goto out; j++; n++; } out:",
    "labels": "again: inner: if (j < 2) { j++; n++; goto inner; } j = 0; if (n < 8) goto again;",
    "label of a loop": "again: while (j < 2) { j++; n++; } j = 0; if (n < 8) goto again;",
    "forward": "for (;;) { goto in; in: if (j < 2) { j++; n++; goto in; } j = 0; if (n >= 8) break; }",
    "into": "for (int i = 0; i < 4; i++) { if (j) goto in; for (j = 0; j < 2; j++) { in: n++; } j = 0; }",
}


@pytest.mark.parametrize("text", SAME_PLACE.values(), ids=SAME_PLACE.keys())
def test_loops_that_begin_at_the_same_place_are_counted_apart(text: str, tmp_path: Path) -> None:
    """Four times two iterations: no loop runs more than four times, though something starts again eight times."""
    program = f"int main(void) {{ int n = 0, j = 0; {text} if (n >= 8) reach_error(); return 0; }}"
    assert interpret(loaded(tmp_path, program, 4), ListedInputs([]), max_steps=1000).kind == "error"


def test_what_is_assumed_is_listed(tmp_path: Path) -> None:
    program = loaded(tmp_path, NESTED + "\nint unused(void) { for (;;); }", 4)
    assumed = [each for each in program.approximations if each.kind == UNWINDING]
    assert [each.origin.line for each in assumed] == [3, 3, 3] or len({each.origin.column for each in assumed}) == 3
    assert {each.what for each in assumed} == {"at most 4 iterations of this loop; executions that need more are not looked at"}
    (call,) = [each for each in loaded(tmp_path, RECURSION, 4).approximations if each.kind == UNWINDING]
    assert call.what == "at most 4 nested calls of f; executions that need more are not looked at"
    straight = loaded(tmp_path, "int main(void) { reach_error(); }", 4)
    assert not [each for each in straight.approximations if each.kind == UNWINDING]


def test_loops_of_the_library_are_left_alone(tmp_path: Path) -> None:
    text = '#include <string.h>\nint main(void) { char s[40]; strcpy(s, "a text of many characters"); if (strlen(s) == 25) reach_error(); }'
    assert interpret(loaded(tmp_path, text, 2), ListedInputs([]), max_steps=100_000).kind == "error"


SUM = """#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), s = 0;
  for (int i = 0; i < n; i++)
    s += 2;
  assert(s < 20);
  return 0;
}
"""


def test_a_result_says_it_first(tmp_path: Path) -> None:
    file = tmp_path / "sum.c"
    file.write_text(SUM)
    done = verify(file, "--unwind", "9", "--certificate", tmp_path / "c.json", "--verbose")
    assert done.returncode == 0
    assert re.match(r"TRUE  if no loop runs more than 9 times: \w", done.stdout), done.stdout
    assumed = "assumes unwinding: at most 9 iterations of this loop; executions that need more are not looked at"
    assert f"{assumed} ({file}:5)" in done.stdout
    command = [sys.executable, "-m", "drystone", "check", str(tmp_path / "c.json"), str(file), "--unwind", "9", "--check", "none"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert checked.stdout.startswith("valid  the certificate proves the program if no loop runs more than 9 times\n"), (
        checked.stdout
    )
    assert verify(file, "--unwind", "10").returncode == 1
    result = report(file, "--unwind", "9")
    assert result["options"]["unwind"] == 9 and result["reason"].startswith("if no loop runs more than 9 times: ")


@pytest.mark.parametrize("engine", ["bmc", "k-induction", "dss", "execute"])
def test_engines_see_the_same_program(engine: str, tmp_path: Path) -> None:
    file = tmp_path / "sum.c"
    file.write_text(SUM if engine != "execute" else SUM.replace("__VERIFIER_nondet_int(),", "30,"))
    assert report(file, "--unwind", "9", "--engine", engine, "--timeout", "60s")["verdict"] == "TRUE"
    assert report(file, "--unwind", "40", "--engine", engine, "--timeout", "60s")["verdict"] == "FALSE"


def test_a_bound_that_cannot_be_meant(tmp_path: Path) -> None:
    file = tmp_path / "sum.c"
    file.write_text(SUM)
    for bound, message in (("0", "must be at least 1, not 0"), ("9" * 30, "at most 1000000000")):
        done = verify(file, "--unwind", bound)
        assert done.returncode == 3 and message in done.stderr


def test_calls_are_named_in_the_headline(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(HEAD + RECURSION.replace("f(n) == n", "f(n) == 6"))
    done = verify(file, "--unwind", "5")
    assert done.returncode == 0 and done.stdout.startswith("TRUE  if no calls are nested more than 5 deep: "), done.stdout
    assert verify(file, "--unwind", "6").returncode == 1


class _Loops:
    """Random nested loops that count the iterations of each visit themselves."""

    def __init__(self, seed: int, bound: int) -> None:
        self.chance, self.bound, self.loops = random.Random(seed), bound, 0

    def program(self) -> str:
        body = self.statements(3)
        counters = ", ".join(f"c{number} = 0" for number in range(self.loops)) or "unused"
        draw = "static unsigned s = 1; static int draw(int k) { s = s * 1103515245u + 12345u; return (s >> 16) % k; }"
        return f"{draw}\nint main(void) {{ int over = 0, {counters}; s = __VERIFIER_nondet_int(); {body} if (!over) reach_error(); }}"

    def statements(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.chance.choice([1, 1, 2])))

    def statement(self, depth: int) -> str:
        if depth == 0:
            return ";"
        counter, self.loops = f"c{self.loops}", self.loops + 1
        count = f"if (++{counter} > {self.bound}) over = 1; if ({counter} > 40) break;"
        inner = self.statements(depth - 1)
        goes_on, leaves = f"draw({self.chance.randint(2, 4)})", f"if (!draw({self.chance.randint(2, 6)})) break;"
        again = self.chance.choice(["", "if (draw(2)) continue;"])
        body = self.chance.choice([f"{inner} {count} {again}", f"{count} {again} {inner}"])
        loop = self.chance.choice(
            [
                f"while ({goes_on}) {{ {body} }}",
                f"do {{ {body} }} while ({goes_on});",
                f"for (;;) {{ {body} {leaves} }}",
                f"for (;; draw(2)) {{ {body} {leaves} }}",
                f"l{counter}: if ({goes_on}) {{ if (++{counter} > {self.bound}) over = 1; if ({counter} < 40) {{ {inner} goto l{counter}; }} }}",
            ]
        )
        return f"{loop} {counter} = 0;"


@pytest.mark.parametrize("seed", range(40))
def test_what_is_cut_off_has_more_iterations(seed: int, tmp_path: Path) -> None:
    """An execution in which no loop runs more often than the bound is not lost."""
    bound = 2 + seed % 3
    text = _Loops(seed, bound).program()
    whole, cut = loaded(tmp_path, text, None), loaded(tmp_path, text, bound)
    for value in range(25):
        run = interpret(whole, ListedInputs([value]), max_steps=20_000)
        if run.kind == "error":
            assert interpret(cut, ListedInputs([value]), max_steps=100_000).kind == "error", text
