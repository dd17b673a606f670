"""What people read: why a verdict is UNKNOWN and what to try, what a result relied on, which undefined behaviour was seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.report.console import report_lines
from drystone.report.reliance import reliance_lines
from drystone.verification.result import Assumption, Result, UndefinedReport
from drystone.verification.unknowns import unchecked
from tests.running import report, verify

ASSERT = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n"
ENDLESS = ASSERT + (
    "int main(void) {\n  unsigned x = 1;\n  while (__VERIFIER_nondet_int())\n    x = x * 1664525 + 1013904223;\n"
    "  assert(x != 5);\n  return 0;\n}\n"
)


def lines_of(folder: Path, text: str, *options: str) -> list[str]:
    """Without where the file lies, and without the last line, which says how long it took."""
    file = folder / "p.c"
    file.write_text(text)
    done = verify(file, *options)
    return [line.replace(f"{folder}/", "") for line in done.stdout.splitlines()][:-1]


# Undefined behaviour


def test_a_stack_smash_is_told_though_the_assertion_holds(tmp_path: Path) -> None:
    text = ASSERT + "int main(void) {\n  int x = 1;\n  char b[4];\n  int i = 8;\n  b[i] = 1;\n  assert(x == 1);\n  return 0;\n}\n"
    lines = lines_of(tmp_path, text)
    assert lines[0].startswith("TRUE") and lines[-1] == "  undefined behaviour seen: write outside every object at p.c:7"
    seen = report(tmp_path / "p.c")["undefined_seen"]
    assert seen == [
        {"what": "write outside every object", "file": str(tmp_path / "p.c"), "line": 7, "is_in_counterexample": False}
    ]


def test_undefined_behaviour_in_a_library_function_is_told_where_the_user_calls_it(tmp_path: Path) -> None:
    text = "#include <string.h>\n#include <stdlib.h>\n" + ASSERT
    text += "int main(void) {\n  char b[4], *p = malloc(4);\n"
    text += '  strcpy(b, "much too long");\n  free(p);\n  p[1] = 2;\n  assert(__VERIFIER_nondet_int() != 7 || b[0] == 109);\n}\n'
    lines = lines_of(tmp_path, text)
    assert "  undefined behaviour seen: write outside every object in strcpy() at p.c:7" in lines
    assert "  undefined behaviour seen: write of freed memory at p.c:9" in lines


def test_what_the_counterexample_does_is_told_once(tmp_path: Path) -> None:
    text = ASSERT + "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  int a[2] = {0, 0};\n  a[n & 15] = 1;\n"
    text += "  assert(n != 7);\n  return 0;\n}\n"
    lines = lines_of(tmp_path, text)
    assert lines[0].startswith("FALSE")
    assert [line for line in lines if "undefined behaviour" in line] == [
        "  relies on undefined behaviour: write outside every object at p.c:6"
    ]
    seen = report(tmp_path / "p.c")["undefined_seen"]
    assert [(each["what"], each["line"], each["is_in_counterexample"]) for each in seen] == [
        ("write outside every object", 6, True)
    ]


# What is not modelled


def test_a_missing_function_that_the_verdict_depends_on(tmp_path: Path) -> None:
    text = ASSERT + "struct node { struct node *next; int v; };\nvoid fill(struct node *n);\n"
    text += "int main(void) {\n  struct node n = {0, 1};\n  if (__VERIFIER_nondet_int() == 12345)\n    fill(&n);\n"
    text += "  for (int i = 0; i < 3; i++)\n    assert(n.v == 1);\n  return 0;\n}\n"
    lines = lines_of(tmp_path, text, "--engine", "dss")
    assert lines == [
        "UNKNOWN  the verdict depends on fill(), which has no body (p.c:8)",
        "  fill, which has no body, may write through &n",
        "  try: add the file that defines fill, or write a stub; --external pure, if it only returns a value",
    ]
    found = report(tmp_path / "p.c", "--engine", "dss")
    assert found["cause"] == "unsupported" and found["engine"] == "dss"
    assert (found["unmodelled"]["kind"], found["unmodelled"]["name"], found["unmodelled"]["line"]) == ("body", "fill", 8)


def test_a_builtin_is_told_at_the_line_of_the_user(tmp_path: Path) -> None:
    text = ASSERT + "int main(void) {\n  int y = __builtin_ia32_rdpkru();\n  assert(y != 7);\n  return 0;\n}\n"
    assert lines_of(tmp_path, text) == [
        "UNKNOWN  the analysis ends in every execution at __builtin_ia32_rdpkru, a builtin that is not modelled (p.c:4)",
        "  try: write a function for it, and put it there with -D __builtin_ia32_rdpkru=FUNCTION",
    ]


ENDS = ASSERT + (
    "static int port(void) { return __builtin_ia32_rdpkru(); }\nstatic int setup(void) { return port() + 1; }\n"
    "int main(void) {\n  unsigned n = 0;\n  while (__VERIFIER_nondet_int())\n    n++;\n  int x = setup();\n"
    "  assert(x > n);\n  return 0;\n}\n"
)


@pytest.mark.parametrize("engine", ["auto", "bmc", "k-induction"])
def test_where_all_executions_end_at_one_construct_it_stops_at_once(tmp_path: Path, engine: str) -> None:
    """There is no limit of time that could end it: the loop can go on for ever."""
    (tmp_path / "p.c").write_text(ENDS)
    found = report(tmp_path / "p.c", "--engine", engine)
    assert found["cause"] == "unsupported" and found["unmodelled"]["line"] == 3
    assert found["reason"].startswith(
        "the analysis ends in every execution at __builtin_ia32_rdpkru, a builtin that is not modelled ("
    )
    assert found["counters"].get("unrollings", 0) < 10


def test_what_is_inside_of_a_library_function_is_told_where_the_user_calls_it(tmp_path: Path) -> None:
    text = "#include <stdlib.h>\n" + ASSERT
    text += "int main(int argc, char **argv) {\n  void *q = aligned_alloc(argc * 64, 10);\n  assert(q == 0);\n  return 0;\n}\n"
    lines = lines_of(tmp_path, text)
    assert lines[0] == "UNKNOWN  the analysis ends in every execution at a call of aligned_alloc() that is not modelled (p.c:5)"
    assert lines[2] == "  try: write a function aligned_alloc of your own that does what this program needs"


@pytest.mark.parametrize(
    ("text", "first", "hint"),
    [
        (
            "#include <pthread.h>\nint g;\nvoid *w(void *p) { g++; return 0; }\n"
            "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_cancel(t);\n assert(g < 2); }\n",
            "the analysis ends in every execution at what is not modelled: thread operation pthread_cancel (p.c:6)",
            "write it in another way, or begin elsewhere: --entry FUNCTION",
        ),
        (
            "#include <setjmp.h>\njmp_buf env;\nint main(void) { int x = 0;\n"
            "  if (setjmp(env) == 0) { x = 1; longjmp(env, 1); }\n  assert(x == 1); }\n",
            "the analysis ends in every execution at what is not modelled: longjmp: jump to another activation (p.c:6)",
            "write it in another way, or begin elsewhere: --entry FUNCTION",
        ),
        (
            'int main(void) { int x = 0, *p = &x;\n  __asm__ volatile("movl $1, (%0)" : : "r"(p) : "memory");\n  assert(x == 1); }\n',
            "the analysis ends in every execution at inline assembly that is not modelled (p.c:4)",
            "write in C what it does, for instance under an #ifdef that -D selects",
        ),
        (
            "volatile int flag;\nint main(void) { flag = 0;\n  assert(flag == 0); }\n",
            "the verdict depends on volatile flag, which may change at any time (p.c:5)",
            "--volatile memory, if only the program changes it",
        ),
        (
            "#include <math.h>\nint main(void) {\n  double x = sin(1.0);\n  assert(x != 0.25); }\n",
            "the verdict depends on sin(), which is only approximated (p.c:5)",
            "assume what is known of it (__VERIFIER_assume), or write a function sin of your own with the values that matter",
        ),
    ],
)
def test_what_it_depends_on_and_what_to_try(tmp_path: Path, text: str, first: str, hint: str) -> None:
    lines = lines_of(tmp_path, ASSERT + text)
    assert lines[0] == f"UNKNOWN  {first}" and f"  try: {hint}" in lines


def test_recursion(tmp_path: Path) -> None:
    text = ASSERT + "int *sink;\nint f(int *n) {\n  *sink = *n;\n  if (*n <= 0) return 0;\n  int m = *n - 1;\n"
    text += "  return 1 + f(&m);\n}\nint main(void) {\n  int s, n = __VERIFIER_nondet_int();\n  sink = &s;\n"
    text += "  assert(f(&n) < 1000000);\n  return 0;\n}\n"
    assert lines_of(tmp_path, text, "--engine", "bmc") == [
        "UNKNOWN  f() calls itself (p.c:8), perhaps deeper than 80 calls; no error was found up to there",
        "  try: bound the depth by an assumption about its arguments (__VERIFIER_assume), or write a loop",
    ]
    assert report(tmp_path / "p.c", "--engine", "bmc")["cause"] == "recursion"


# Limits


def test_out_of_time(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(ENDLESS)
    found = report(file, "--timeout", "5s")
    assert found["cause"] == "time" and found["engine"] == "auto" and found["hint"] == "a longer --timeout"
    assert found["reason"].startswith("out of time after 4.5 s: no error is reached within ")
    end = f" loop iterations and no invariant that excludes the error was found for the loop at {file}:5"
    assert found["reason"].endswith(end), found["reason"]


def test_out_of_time_in_one_engine(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, ENDLESS, "--engine", "dss", "--timeout", "3s")
    assert lines == [
        "UNKNOWN  out of time after 2.7 s: no invariant that excludes the error was found for the loop at p.c:5",
        "  try: a longer --timeout",
    ]


def test_a_proof_without_a_valid_certificate() -> None:
    unknown = unchecked("out of time")
    assert unknown.reason == "a proof was found, but its check did not succeed: out of time"
    assert unknown.hint == "a longer --timeout; or --uncertified, to trust the engine"


# What a result relied on


def test_functions_without_a_body_are_named(tmp_path: Path) -> None:
    text = ASSERT + "unsigned crc32(const char *text);\nint send(int), receive(int);\n"
    text += 'int main(void) {\n  unsigned c = crc32("abc");\n  send(receive(3));\n  assert(c % 2 < 2);\n  return 0;\n}\n'
    assert [line for line in lines_of(tmp_path, text) if "assumes" in line] == [
        "  assumes of crc32(), receive(), send(), which have no body: any result, no side effect; keeps no pointer that it gets "
        "(p.c:6, p.c:7)"
    ]


def test_what_goes_without_saying_is_not_said(tmp_path: Path) -> None:
    text = "#include <stdio.h>\n#include <string.h>\n" + ASSERT
    text += 'int main(void) {\n  printf("%zu\\n", strlen("abc"));\n  assert(strlen("abc") == 3);\n  return 0;\n}\n'
    assert not [line for line in lines_of(tmp_path, text) if "assumes" in line]
    assert any("assumes library model: strlen" in line for line in lines_of(tmp_path, text, "--verbose"))


def result(**fields: object) -> Result:
    known = {"drystone": "0", "verdict": "TRUE", "reason": "by induction", "engine": "dss", "file": "a.c", "files": ["a.c"]}
    about = {"property": "", "entry": "main", "data_model": "LP64", "seed": 0, "timeout_s": 1.0, "memory_mb": 1}
    return Result(**{**known, **about, **fields})  # type: ignore[arg-type]


def test_at_most_ten_lines_the_most_important_first() -> None:
    seen = [UndefinedReport("x / y", "a.c", 3)]
    noted = [Assumption("preprocessor", f"__NAME{number}__ is what clang says", "a.c", number) for number in range(12)]
    body = Assumption("external function", "f: any result", "a.c", 99, "f", "any result")
    lines = list(reliance_lines(result(assumptions=[*noted, body], undefined_seen=seen)))
    assert lines[:3] == [
        "undefined behaviour seen: x / y at a.c:3",
        "assumes of f(), which has no body: any result (a.c:99)",
        "assumes preprocessor: __NAME0__ is what clang says (a.c:0)",
    ]
    assert len(lines) == 10 and lines[-1] == "and 5 more: --verbose, --json"


def test_an_unknown_relies_on_nothing() -> None:
    body = Assumption("external function", "f: any result", "a.c", 99, "f", "any result")
    assert not list(reliance_lines(result(verdict="UNKNOWN", assumptions=[body])))


def test_counters_are_for_those_who_ask() -> None:
    shown = [line for line, _ in report_lines(result(counters={"queries": 7}), verbose=False)][-1]
    assert shown == "  engine dss: 0.0 s, 0.0 s of processor time, 0 MB"
    asked = [line for line, _ in report_lines(result(counters={"queries": 7}), verbose=True)][-1]
    assert asked == "  engine dss: 0.0 s, 0.0 s of processor time, 0 MB; 7 queries"
