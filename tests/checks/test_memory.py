"""Checks of memory: programs that violate one in their only execution, and the same programs repaired."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from drystone.checks.registry import CHECKS, GROUPS, MEMORY
from drystone.concrete.inputs import ZeroInputs
from drystone.concrete.interpreter import Interpreter
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import ErrorKind, MarkKind, Program
from drystone.ir.conventions import NONE
from tests.checks.memory_programs import PAIRS, Pair
from tests.gcc.compiler import missing_sanitizers
from tests.inside import decided
from tests.running import report

NAMED = [pytest.param(pair, id=pair.name) for pair in PAIRS]
SOME = NAMED[::6]
_ALL = GROUPS["memory"]


def written(folder: Path, text: str) -> Path:
    file = folder / "program.c"
    file.write_text(text)
    return file


def program(folder: Path, text: str, checks: tuple[str, ...] = _ALL, data_model: str = "LP64") -> Program:
    return load([str(written(folder, text))], FrontendOptions(errors=NONE, checks=checks, data_model=data_model)).program


def found(program: Program) -> ErrorKind | None:
    """The check that the only execution violates."""
    outcome = Interpreter(program).run(ZeroInputs())
    assert outcome.kind in ("error", "returned", "halt"), (outcome.kind, outcome.what)
    marks = [mark for each in program.procedures.values() for mark in each.marks.values() if mark.kind is MarkKind.ERROR]
    met = {mark.convention for mark in marks if mark.what == outcome.what and mark.origin == outcome.origin}
    return next(iter(met)) if outcome.kind == "error" else None


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("pair", NAMED)
def test_executions(tmp_path: Path, pair: Pair, data_model: str) -> None:
    assert found(program(tmp_path, pair.text(pair.wrong), data_model=data_model)) == pair.check
    assert found(program(tmp_path, pair.text(pair.right), data_model=data_model)) is None


@pytest.mark.parametrize("left_out", _ALL)
def test_each_check_finds_something_of_its_own(tmp_path: Path, left_out: str) -> None:
    rest = tuple(name for name in _ALL if name != left_out)
    missed = [pair for pair in PAIRS if pair.check == left_out and found(program(tmp_path, pair.text(pair.wrong), rest)) is None]
    others = [found(program(tmp_path, pair.text(pair.wrong), rest)) for pair in PAIRS if pair.check == left_out]
    assert missed or left_out not in others


@pytest.mark.parametrize("pair", NAMED)
def test_proofs_and_counterexamples(tmp_path: Path, pair: Pair) -> None:
    wrong = decided(written(tmp_path, pair.text(pair.wrong)), check=_ALL)
    assert wrong.verdict == "FALSE" or (wrong.verdict == "UNKNOWN" and "where objects lie" in wrong.reason)
    right = decided(written(tmp_path, pair.text(pair.right)), check=_ALL)
    assert right.verdict == "TRUE", right.reason


@pytest.mark.parametrize("pair", SOME)
def test_the_same_as_gccs_sanitizers(tmp_path: Path, pair: Pair) -> None:
    if reason := missing_sanitizers("LP64"):
        pytest.skip(reason)
    for body, is_wrong in ((pair.wrong, True), (pair.right, False)):
        file, binary = written(tmp_path, pair.text(body)), tmp_path / "binary"
        flags = ["-std=gnu11", "-w", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        subprocess.run(["gcc", *flags, str(file), "-o", str(binary)], check=True)
        environment = {**os.environ, "ASAN_OPTIONS": "detect_stack_use_after_return=1"}
        code = subprocess.run([str(binary)], capture_output=True, env=environment).returncode
        assert (code != 0) is (is_wrong and pair.sanitizer)


def test_words(tmp_path: Path) -> None:
    body = "int a[8], *p = malloc(4); a[8] = 1; *p = 1; p[a[0]] = 2; free(p);"
    text = f"#include <stdlib.h>\nint main(void) {{ {body} return 0; }}\n"
    marks = [mark for each in program(tmp_path, text).procedures.values() for mark in each.marks.values()]
    assert "out-of-bounds write of a[8]: index 8, 8 elements" in {mark.what for mark in marks}


def test_without_checks_nothing_is_added(tmp_path: Path) -> None:
    text = PAIRS[0].text(PAIRS[0].wrong)
    plain = load([str(written(tmp_path, text))], FrontendOptions(errors=NONE)).program
    assert not plain.has_slots and not any("extents" in name for name in plain.objects)


LOOP = """#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  int a[100];
  if (n > 100) return 0;
  for (unsigned i = 0; i < n; i++) a[i] = 1;
  return 0;
}
"""


def test_property_files_of_sv_comp(tmp_path: Path) -> None:
    stated = "".join(f"CHECK( init(main()), LTL(G {name}) )\n" for name in ("valid-free", "valid-deref", "valid-memtrack"))
    (tmp_path / "valid-memsafety.prp").write_text(stated)
    right = report(written(tmp_path, LOOP), "--property", tmp_path / "valid-memsafety.prp")
    assert (right["verdict"], right["evidence"]["certificate"]["checked"]) == ("TRUE", True)
    wrong = report(written(tmp_path, LOOP.replace("n > 100", "n > 101")), "--property", tmp_path / "valid-memsafety.prp")
    assert wrong["verdict"] == "FALSE" and wrong["errors"][0]["kind"] == "bounds"


def test_names_for_several(tmp_path: Path) -> None:
    text = "int main(void) { unsigned x = 0; char c = --x; int *p = 0; return c + *p; }\n"
    kinds = {"all": {"unsigned-overflow", "conversion", "null"}, "memory": {"null"}, "none": set()}
    for name, expected in kinds.items():
        found = report(written(tmp_path, text), "--check", name, "--all")["errors"]
        assert {error["kind"] for error in found} >= expected
    assert GROUPS["all"] == tuple(CHECKS)


def test_cleanup(tmp_path: Path) -> None:
    kept = "#include <stdlib.h>\nint *kept; int main(void) { kept = malloc(4); return 0; }\n"
    assert decided(written(tmp_path, kept), check=("cleanup",)).verdict == "FALSE"
    assert decided(written(tmp_path, kept), check=("leak",)).verdict != "FALSE"
    freed = kept.replace("return 0", "free(kept); return 0")
    assert decided(written(tmp_path, freed), check=MEMORY).verdict == "TRUE"


ENDS = {
    "abort()": "FALSE",
    "_Exit(1)": "FALSE",
    "raise(SIGABRT)": "FALSE",
    "assert(!kept)": "FALSE",
    "reach_error()": "FALSE",
    "die()": "UNKNOWN",  # whether it ends the program at all
    "for (;;)": "TRUE",
    "__VERIFIER_assume(0)": "TRUE",
}


@pytest.mark.parametrize("end", ENDS)
def test_cleanup_before_any_end(tmp_path: Path, end: str) -> None:
    headers = "#include <assert.h>\n#include <signal.h>\n#include <stdlib.h>\n"
    declared = "void reach_error(void); void die(void) __attribute__((noreturn)); void __VERIFIER_assume(int); int nondet(void);"
    kept = f"{headers}{declared}\nint *kept; int main(void) {{ kept = malloc(4); if (nondet()) {end}; free(kept); return 0; }}\n"
    stated = tmp_path / "valid-memcleanup.prp"
    stated.write_text("CHECK( init(main()), LTL(G valid-memcleanup) )")
    found = decided(written(tmp_path, kept), engine="auto", property=str(stated))
    assert found.verdict == ENDS[end], found.reason


@pytest.mark.parametrize("size", ["n", "n, 1"])
def test_allocations_that_fit_nowhere(tmp_path: Path, size: str) -> None:
    """SV-COMP says that allocations do not fail; where they run, they do."""
    call = f"calloc({size})" if "," in size else f"malloc({size})"
    head = "#include <stdlib.h>\nunsigned long nondet(void);\nint main(void) { unsigned long n = nondet(); if (n < 1ul << 62) return 0;"
    file = written(tmp_path, f"{head} char *p = {call}; *p = 1; free(p); return 0; }}\n")
    stated = tmp_path / "valid-memsafety.prp"
    stated.write_text("CHECK( init(main()), LTL(G valid-free) ) CHECK( init(main()), LTL(G valid-deref) )")
    assert decided(file, property=str(stated)).verdict == "UNKNOWN"
    assert decided(file, check=_ALL).verdict == "FALSE"


def test_handlers_give_back(tmp_path: Path) -> None:
    handled = "#include <stdlib.h>\nint *kept; void give(void) { free(kept); }\n"
    handled += "int main(void) { kept = malloc(4); atexit(give); if (*kept) exit(1); return 0; }\n"
    assert decided(written(tmp_path, handled), check=MEMORY).verdict == "TRUE"
    assert decided(written(tmp_path, handled.replace("return 0", "free(kept); return 0")), check=MEMORY).verdict == "FALSE"


COMPARED = """int *p = malloc(4), *r; free(p); int *q = malloc(4); r = q; if (%s) free(q); free(q);"""


@pytest.mark.parametrize("condition", ["p == q", "!(p != q)", "(p ? p : r) == r", "p + 1 == q + 1"])
def test_a_block_in_the_place_of_another_one(tmp_path: Path, condition: str) -> None:
    """Whether a pointer to what was given back equals one to a later block is open; gcc's program mostly finds them equal."""
    text = "#include <stdlib.h>\nint main(void) {\n%s\nreturn 0; }\n"
    assert decided(written(tmp_path, text % COMPARED % condition), check=_ALL).verdict == "UNKNOWN"
    assert decided(written(tmp_path, text % COMPARED % "q != r"), check=_ALL).verdict == "TRUE"


def test_blocks_that_live_are_apart(tmp_path: Path) -> None:
    turns = "int *p = malloc(4), *q = malloc(4); for (int i = 0; i < sink; i++) { free(q); q = malloc(4); } if (p == q) free(p); free(p); free(q);"
    text = f"#include <stdlib.h>\nint nondet(void);\nint main(void) {{\nint sink = nondet(); if (sink > 3) sink = 3;\n{turns}\nreturn 0; }}\n"
    assert decided(written(tmp_path, text), check=_ALL).verdict == "TRUE"
