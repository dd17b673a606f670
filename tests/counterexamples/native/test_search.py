"""The compiled program suggests inputs; the interpreter decides."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.property import error_marks
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Interpreter
from drystone.counterexamples.native.search import CompiledSearch, Found
from drystone.counterexamples.native.search_harness import choices, complete
from drystone.engines import execute
from drystone.engines.input_styles import Constants, SuggestedInputs
from drystone.engines.outcome import Happening, Violation
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Origin, Program
from tests.gcc.compiler import missing
from tests.places import ROOT
from tests.running import with_scratch

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

DECLARATIONS = (
    "extern int __VERIFIER_nondet_int(void); extern float __VERIFIER_nondet_float(void); extern void reach_error(void);\n"
)


def program_of(folder: Path, text: str, **options: Any) -> tuple[Program, CompiledSearch]:
    file = folder / "program.c"
    file.write_text(DECLARATIONS + text)
    frontend = FrontendOptions(**options)
    program = load([str(file)], frontend).program
    constants = Constants(program)
    search = CompiledSearch(
        program, error_marks(program)[0], [str(file)], frontend,
        integers=constants.integers, floats=constants.floats, seed=0, seconds=60,
    )  # fmt: skip
    return program, search


def first(search: CompiledSearch) -> Found | None:
    """What is found first; None if the search ends without, or is given up."""
    search.start()
    patience = Deadline.after(60)
    try:
        while search.is_running() and not patience.expired():
            found = search.take(0.1)
            if found is not None:
                return found
        return search.take()
    finally:
        search.close()


FOUND = {
    "a sequence": """
        int main(void) { int at = 0; while (at < 3) { int x = __VERIFIER_nondet_int(); if (x != 1 + at % 3) return 0; at++; }
                         reach_error(); return 0; }""",
    "most runs crash": """
        int main(void) { int x = __VERIFIER_nondet_int(), one = 1; volatile int *null = 0, zero = 0;
                         if (x == 13) return one / zero;
                         if (x != 12) return *null;
                         if (__VERIFIER_nondet_int() == 4711) reach_error(); return 0; }""",
    "most runs do not end": """
        int main(void) { while (__VERIFIER_nondet_int() != 31) ; if (__VERIFIER_nondet_int() == 32) reach_error(); return 0; }""",
    "memory": """
        void *malloc(unsigned long); struct pair { short a; long b; };
        int main(void) { int x; struct pair p; float f; char *m = malloc(3), v[x & 3 | 4];
                         if (x == 5 && p.b != 0 && f > 0.5f && m[2] != 0 && v[3] != 0) reach_error(); return 0; }""",
    "no input": "int main(void) { int n = 0; while (n < 300000) n++; reach_error(); return 0; }",
    "printed": 'int printf(const char *, ...); int main(void) { printf("hello"); if (__VERIFIER_nondet_int()) reach_error(); return 0; }',
    "a label": "int main(void) { if (__VERIFIER_nondet_int() == 7) { ERROR: return 1; } return 0; }",
}  # fmt: skip


@needs_gcc
@pytest.mark.parametrize("what", FOUND)
@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
def test_what_it_finds_reaches_the_error(tmp_path: Path, what: str, data_model: str) -> None:
    if problem := missing(data_model):
        pytest.skip(problem)
    program, search = program_of(tmp_path, FOUND[what], data_model=data_model)
    found = first(search)
    assert found is not None, search.problem
    assert Interpreter(program).run(SuggestedInputs(found), max_steps=3_000_000).kind == "error"


@needs_gcc
@pytest.mark.parametrize("what", ["a sequence", "most runs crash", "no input"])
def test_it_is_compiled_for_the_data_model_that_has_libraries(tmp_path: Path, what: str) -> None:
    program, search = program_of(tmp_path, FOUND[what], data_model="ILP32")
    found = first(search)
    assert found is not None, search.problem
    assert Interpreter(program).run(SuggestedInputs(found), max_steps=3_000_000).kind == "error"


def test_suggestions_of_another_data_model_are_cut_or_filled_up(tmp_path: Path) -> None:
    program, _ = program_of(tmp_path, "int main(void) { long n; if (n == 5) reach_error(); return 0; }", data_model="ILP32")
    for suggested in (b"\5", b"\5" + bytes(7), b"\5\0\0\0\7\0\0\0"):
        chosen: Found = {edge.origin: [suggested] for edge in program.procedures["main"].edges}
        assert Interpreter(program).run(SuggestedInputs(chosen)).kind == "error"


@needs_gcc
def test_what_is_found_is_made_smaller(tmp_path: Path) -> None:
    """Also where halves do not reach the error, and for negative numbers; what need not be a number becomes zero."""
    text = """
        int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
                         if (x > 70000 && x % 4096 != 0 && y < -2 && (z | 1)) reach_error(); return 0; }"""
    program, search = program_of(tmp_path, text)
    found: list[list[int]] = []
    search.start()
    patience = Deadline.after(60)
    while search.is_running() and not patience.expired() and [70001, -3, 0] not in found:
        taken = search.take(0.1)
        if taken is not None:
            found.append([int.from_bytes(value, "little", signed=True) for value in taken["__VERIFIER_nondet_int"]])
            assert Interpreter(program).run(SuggestedInputs(taken)).kind == "error"
    search.close()
    assert [70001, -3, 0] in found


@needs_gcc
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("int system(const char *); int main(void) { if (system(0) == 3) reach_error(); return 0; }", "it calls system"),
        ("int fork(void); int main(void) { if (fork() == 3) reach_error(); return 0; }", "it calls fork"),
        ('int main(void) { int x; __asm__("nop" : "=r"(x)); if (x == 3) reach_error(); return 0; }', ""),
    ],
)
def test_not_run(tmp_path: Path, text: str, problem: str) -> None:
    _, search = program_of(tmp_path, text)
    assert first(search) is None and search.problem == problem


def is_over(group: int) -> bool:
    """Has every process of the group ended, soon? What has not is ended here."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    os.killpg(group, signal.SIGKILL)
    return False


@needs_gcc
def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    _, search = program_of(
        tmp_path, "int main(void) { while (1) { int x = __VERIFIER_nondet_int(); if (x > 5 && x < 3) reach_error(); } }"
    )
    search.start()
    while search._process is None and search.is_running():
        search.take(0.05)
    assert search._process is not None, search.problem
    group = search._process.pid
    search.close()
    assert os.listdir(tmp_path / "scratch") == []
    assert is_over(group)


@needs_gcc
def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Even if that is killed."""
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom tests.counterexamples.native.test_search import program_of\n"
        "_, search = program_of(Path(sys.argv[1]), 'int main(void) { int x = __VERIFIER_nondet_int();"
        " if (x > 5 && x < 3) reach_error(); return 0; }')\n"
        "search.start()\nwhile search._process is None and search.is_running(): search.take(0.05)\n"
        "print(search._process.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**with_scratch(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, env=environment, cwd=ROOT)
    group = int(done.stdout)
    assert is_over(group)


def test_a_search_that_is_closed_at_once_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    _, search = program_of(tmp_path, "int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }")
    search.start()
    search.close()
    assert not (tmp_path / "scratch").exists() or os.listdir(tmp_path / "scratch") == []


def test_records() -> None:
    one = struct.pack("<II", 3, 2) + b"ab" + struct.pack("<II", 0, 0)
    printed = struct.pack("<Q", len(one)) + one + struct.pack("<Q", 0) + struct.pack("<Q", 9) + b"part"
    found, rest = complete(printed)
    assert found == [one, b""] and rest == struct.pack("<Q", 9) + b"part"
    assert list(choices(one)) == [(3, b"ab"), (0, b"")] and list(choices(b"")) == []


class Told:
    """Suggestions that are there from the beginning."""

    def __init__(self, *values: int) -> None:
        self.values = list(values)
        self.is_closed = False

    def start(self) -> None:
        pass

    def is_running(self) -> bool:
        return bool(self.values)

    def take(self, seconds: float = 0.0) -> Mapping[str | Origin, Sequence[bytes]] | None:
        return {"__VERIFIER_nondet_int": [self.values.pop(0).to_bytes(4, "little")]} if self.values else None

    def close(self) -> None:
        self.is_closed = True


SQUARE = "int main(void) { unsigned x = __VERIFIER_nondet_int(); if (x * x + x == SUM && x < 70000) reach_error(); return 0; }"
SOLUTION = 21_433


def test_the_engine_believes_only_the_interpreter(tmp_path: Path) -> None:
    text = SQUARE.replace("SUM", f"{SOLUTION * SOLUTION + SOLUTION}u")
    program, _ = program_of(tmp_path, text)
    events: list[Happening] = []
    wrong = Told(1, 2, 3)
    result = execute.check(program, execute.Options(runs=20), Deadline.after(60), events.append, lambda _: wrong)
    assert result.verdict is Verdict.UNKNOWN and wrong.is_closed and result.counters["suggested"] == 3
    assert not any(isinstance(event, Violation) for event in events)
    result = execute.check(program, execute.Options(runs=20), Deadline.after(60), events.append, lambda _: Told(1, SOLUTION))
    assert result.verdict is Verdict.FALSE and [entry.value for entry in result.inputs] == [SOLUTION]
    assert any(isinstance(event, Violation) for event in events)


def test_suggestions_after_the_last_run(tmp_path: Path) -> None:
    program, _ = program_of(tmp_path, SQUARE.replace("SUM", f"{SOLUTION * SOLUTION + SOLUTION}u"))
    told = [1] * 30 + [SOLUTION]
    options = execute.Options(runs=5)
    assert execute.check(program, options, Deadline.after(60), lambda _: None, lambda _: Told(*told)).verdict is Verdict.FALSE
    options = execute.Options(runs=5, wait_for_compiled=False)
    assert execute.check(program, options, Deadline.after(60), lambda _: None, lambda _: Told(*told)).verdict is Verdict.UNKNOWN


def test_a_run_that_nothing_can_change_is_made_once_per_limit(tmp_path: Path) -> None:
    program, _ = program_of(tmp_path, "int main(void) { unsigned x = 1; while (x) x += 2; reach_error(); return 0; }")
    options = execute.Options(steps=(100, 1_000), most_steps=5_000)
    result = execute.check(program, options, Deadline.after(60), lambda _: None)
    random_memory = sum(style == "random" or number % 8 == 7 for number, (style, _) in enumerate(execute._schedule(options)))
    assert result.verdict is Verdict.UNKNOWN and result.counters["runs"] < 30 < random_memory


def test_a_long_run_without_choices_is_followed_to_its_end(tmp_path: Path) -> None:
    program, _ = program_of(
        tmp_path, "int main(void) { int a[9], n = 0; while (n < 2500) n++; if (!a[3]) reach_error(); return 0; }"
    )
    options = execute.Options(steps=(100, 1_000), most_steps=20_000)
    assert execute.check(program, options, Deadline.after(60), lambda _: None).verdict is Verdict.FALSE


def test_runs_that_bring_no_news_end_the_search(tmp_path: Path) -> None:
    text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 5) x = 6; if (x > 9 && x < 8) reach_error(); return 0; }"
    program, _ = program_of(tmp_path, text)
    options = execute.Options(runs=2_000, runs_without_news=100)
    assert 100 < execute.check(program, options, Deadline.after(60), lambda _: None).counters["runs"] < 400
    options = execute.Options(runs=1_000)
    assert execute.check(program, options, Deadline.after(60), lambda _: None).counters["runs"] == 1_000
