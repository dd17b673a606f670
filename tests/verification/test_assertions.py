"""Every assertion counts, wherever it stands; where there is none, the answer says what was looked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.gcc.compiler import missing
from tests.places import EXAMPLES
from tests.running import report, verify

COMMAND = (sys.executable, "-m", "drystone")
MIXED = """#include <assert.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 5 && x < 3) reach_error();
    assert(x != 77);
    return 0;
}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "program.c"
    file.write_text(text)
    return file


def lines(folder: Path, text: str, *options: str | Path) -> list[str]:
    """What a user sees, without the folder and without the line about time."""
    done = verify(written(folder, text), *options, "--timeout", "30s")
    return [line.replace(f"{folder}/", "") for line in done.stdout.splitlines()][:-1]


def test_a_failing_assertion_counts_beside_an_error_function(tmp_path: Path) -> None:
    assert lines(tmp_path, MIXED)[:2] == ["FALSE  the error can be reached", "  program.c:7: assertion x != 77 in main"]


def test_a_property_means_what_it_says(tmp_path: Path) -> None:
    assert report(written(tmp_path, MIXED), "--property", EXAMPLES / "unreach-call.prp")["verdict"] == "TRUE"


@pytest.mark.parametrize(
    "statement",
    [
        '__CPROVER_assert(x != 7, "seven");',
        '__ESBMC_assert(x != 7, "seven");',
        "__VERIFIER_assert(x != 7);",
        'if (x == 7) __assert_func("f.c", 3, "main", "x != 7");',
        'if (x == 7) __assert2("f.c", 3, "main", "x != 7");',
        'if (x == 7) __assert_rtn("main", "f.c", 3, "x != 7");',
        'if (x == 7) _assert("x != 7", "f.c", 3);',
        "if (x == 7) __VERIFIER_error();",
    ],
)
@pytest.mark.parametrize("input", ["__VERIFIER_nondet_int", "nondet_int", "nondet_of_mine"])
def test_assertions_of_other_tools_and_libraries(statement: str, input: str, tmp_path: Path) -> None:
    if problem := missing("LP64"):
        pytest.skip(problem)
    text = f"extern int {input}(void);\nint main(void) {{ int x = {input}(); {statement} return 0; }}\n"
    found = report(written(tmp_path, text), "--replay", "native")
    assert found["verdict"] == "FALSE"
    assert found["evidence"]["counterexample"]["native"]["reproduced"], found["evidence"]["counterexample"]["native"]["reason"]


@pytest.mark.parametrize("assume", ["__CPROVER_assume", "__ESBMC_assume", "__VERIFIER_assume", "__builtin_assume"])
def test_assumptions_of_other_tools(assume: str, tmp_path: Path) -> None:
    if problem := missing("LP64"):
        pytest.skip(problem)
    text = (
        'extern int nondet_int(void);\nint main(void) { int x = nondet_int(); ASSUME(x < 7); __CPROVER_assert(x < BOUND, ""); }\n'
    )
    text = text.replace("ASSUME", assume)
    assert report(written(tmp_path, text.replace("BOUND", "7")))["verdict"] == "TRUE"
    found = report(written(tmp_path, text.replace("BOUND", "6")), "--replay", "native")
    assert found["verdict"] == "FALSE" and found["evidence"]["counterexample"]["native"]["reproduced"]


def test_an_assertion_of_the_program_that_has_no_error_in_its_body(tmp_path: Path) -> None:
    """It may print and go on, or end the program: that its argument holds is what is to be shown."""
    own = 'int printf(const char *, ...);\nvoid __VERIFIER_assert(int c) { if (!c) printf("oh"); }\n'
    text = (
        own
        + "extern int nondet_int(void);\nint main(void) {\n  int x = nondet_int();\n  __VERIFIER_assert(x != 3);\n  return 0; }\n"
    )
    assert lines(tmp_path, text)[1] == "  program.c:6: assertion x != 3 in main"


def test_a_library_that_defines_what_assert_calls(tmp_path: Path) -> None:
    own = "_Noreturn void __assert_fail(const char *e, const char *f, unsigned l, const char *g) { for (;;) ; }\n"
    text = (
        "#include <assert.h>\n" + own + "extern int nondet_int(void);\nint main(void) { assert(nondet_int() != 3); return 0; }\n"
    )
    assert report(written(tmp_path, text))["verdict"] == "FALSE"


def test_a_function_of_the_program_that_only_has_such_a_name(tmp_path: Path) -> None:
    text = "static void _assert(int c) { if (!c) __builtin_trap(); }\nvoid reach_error(void);\n"
    text += "extern int nondet_int(void);\nint main(void) { int x = nondet_int(); _assert(x == 3); if (x != 3) reach_error(); return 0; }\n"
    assert report(written(tmp_path, text))["verdict"] == "TRUE"


def test_a_function_that_gives_any_value_may_write_what_it_is_given(tmp_path: Path) -> None:
    text = "extern int nondet_fill(char *);\nvoid reach_error(void);\n"
    text += "int main(void) { char c = 3; nondet_fill(&c); if (c == 7) reach_error(); return 0; }\n"
    assert report(written(tmp_path, text))["verdict"] == "FALSE"


CHECK = """extern int nondet_int(void);
void check(int holds, const char *text) { if (!holds) __builtin_trap(); }
int main(void) {
    int x = nondet_int();
    check(x != 3, "three");
    return 0;
}
"""


def test_more_functions_that_assert(tmp_path: Path) -> None:
    assert lines(tmp_path, CHECK)[0] == "UNKNOWN  nothing to prove: main reaches no assertion"
    assert lines(tmp_path, CHECK, "--assert", "check")[1] == "  program.c:5: assertion x != 3 in main"
    assert "  --assert chekc: no function of this name is called" in lines(tmp_path, MIXED, "--assert", "chekc")


@pytest.mark.parametrize("other", [("--error-function", "f"), ("--property", EXAMPLES / "unreach-call.prp")])
def test_more_assertions_contradict_the_only_error(other: tuple[str, str | Path], tmp_path: Path) -> None:
    done = verify(written(tmp_path, CHECK), "--assert", "check", *other)
    assert done.returncode == 3 and "--assert adds to all assertions of a program" in done.stderr


LOOKED_FOR = (
    "  looked for: call of reach_error or __VERIFIER_error, "
    "failed assertion (assert, __CPROVER_assert, __ESBMC_assert, __VERIFIER_assert), label ERROR"
)
TRY = "  try: assert what should hold, --assert NAME for a function of your own, or --entry FUNCTION to start elsewhere"


@pytest.mark.parametrize(
    ("text", "near_misses"),
    [
        ("int main(void) { return 0; }\n", []),
        (
            "int main(int n, char **v) { asert(n < 3); return 0; }\n",
            ["  program.c:1: asert(), which is not declared and has no body: did you mean assert?"],
        ),
        (
            "void my_assert(int); int main(int n, char **v) { my_assert(n < 3); return 0; }\n",
            ["  program.c:1: my_assert(), which has no body: --assert my_assert makes it an assertion"],
        ),
        (
            "int main(int n, char **v) { return chekc(n); }\n",
            ["  program.c:1: chekc(), which is not declared and has no body"],
        ),
        (
            "#define NDEBUG\n#include <assert.h>\nint main(int n, char **v) { assert(n < 3); return 0; }\n",
            ["  program.c:3: assert, which NDEBUG removes"],
        ),
        (
            "#include <assert.h>\nint main(void) { assert(sizeof(char) == 1); return 0; }\n",
            ["  program.c:2: assertion sizeof(char) == 1, which always holds or is never reached"],
        ),
        (
            "#include <assert.h>\nvoid f(int n) {\n  assert(n < 3);\n}\nint main(void) { return 0; }\n",
            ["  program.c:3: assert(n < 3), which main does not reach"],
        ),
    ],
)
def test_nothing_to_prove(text: str, near_misses: list[str], tmp_path: Path) -> None:
    assert lines(tmp_path, text) == ["UNKNOWN  nothing to prove: main reaches no assertion", LOOKED_FOR, *near_misses, TRY]
    assert verify(tmp_path / "program.c").returncode == 2
    assert verify(tmp_path / "program.c", "--property", EXAMPLES / "unreach-call.prp").returncode == 0


def test_a_near_miss_is_told_beside_other_assertions(tmp_path: Path) -> None:
    text = "#include <assert.h>\nint main(int n, char **v) { assert(n >= 0); asert(n < 3); return 0; }\n"
    assert lines(tmp_path, text)[1] == "  program.c:2: asert(), which is not declared and has no body: did you mean assert?"


def test_calls_that_constants_exclude_are_something(tmp_path: Path) -> None:
    text = "void reach_error(void); int main(void) { if (sizeof(char) != 1) reach_error(); return 0; }\n"
    assert report(written(tmp_path, text))["verdict"] == "TRUE"


def test_an_error_function_that_the_program_does_not_know(tmp_path: Path) -> None:
    text = "void fail(void); int main(void) { if (sizeof(char) != 1) fail(); return 0; }\n"
    assert report(written(tmp_path, text), "--error-function", "fail")["verdict"] == "TRUE"
    assert report(written(tmp_path, text), "--error-function", "fial")["cause"] == "nothing"
    assert report(written(tmp_path, text), "--error-function", "abort")["verdict"] == "TRUE"


REVIEWED = {
    "static": (
        "static void __VERIFIER_assert(int c) { if (!c) __builtin_trap(); }\n"
        "int main(void) { int x = nondet_int(); __VERIFIER_assert(x != 5); return 0; }",
        "FALSE",
    ),
    "calls itself": (
        "void __VERIFIER_assert(int c) { if (c > 0) __VERIFIER_assert(1); }\n"
        "int main(void) { __VERIFIER_assert(nondet_int()); return 0; }",
        "FALSE",
    ),
    "another error in its body": (
        "void reach_error(void); void __CPROVER_assert(int c, const char *m) { if (!m) reach_error(); if (!c) __builtin_trap(); }\n"
        'int main(void) { int x = nondet_int(); __CPROVER_assert(x != 5, "m"); return 0; }',
        "FALSE",
    ),
    "an alias": (
        'void own(int c) { if (!c) __builtin_trap(); } void __VERIFIER_assert(int c) __attribute__((alias("own")));\n'
        "int main(void) { int x = nondet_int(); __VERIFIER_assert(x != 5); return 0; }",
        "FALSE",
    ),
    "a failure through a pointer": (
        "void __assert_fail(const char *a, const char *b, unsigned c, const char *d) { for (;;) ; }\n"
        "int main(void) { void (*h)(const char *, const char *, unsigned, const char *) = __assert_fail;\n"
        '  if (nondet_int() == 7) h("a", "b", 1, "d"); return 0; }',
        "FALSE",
    ),
    "the condition behind a text": (
        "void __VERIFIER_error(void); void _assert(const char *m, int c) { if (!c) __VERIFIER_error(); }\n"
        'int main(void) { int x = nondet_int(); if (x > 0) _assert("positive", x > 0); return 0; }',
        "TRUE",
    ),
    "a label beside a call that is excluded": (
        "void reach_error(void); int main(void) { int x = nondet_int(); if (0) reach_error(); if (x == 2) goto ERROR; return 0;\n"
        "ERROR: return 1; }",
        "FALSE",
    ),
    "a result of its own": (
        'double __VERIFIER_assert(double); int main(void) { if (__VERIFIER_assert(1.0) > 3) __CPROVER_assert(0, ""); return 0; }',
        "FALSE",
    ),
    "written without a prototype": (
        'int nondet_fill(); int main(void) { char b = 0; nondet_fill(&b); __CPROVER_assert(b == 0, ""); return 0; }',
        "FALSE",
    ),
}


@pytest.mark.parametrize("what", REVIEWED)
def test_functions_with_names_of_assertions(what: str, tmp_path: Path) -> None:
    text, verdict = REVIEWED[what]
    assert report(written(tmp_path, f"extern int nondet_int(void);\n{text}\n"))["verdict"] == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("int check(int); int main(void) { int r = check(1); __CPROVER_assert(r < 100, \"\"); return 0; }", "FALSE"),
        ("void check(int, int *); int main(void) { int y = 0; check(1, &y); __CPROVER_assert(y == 0, \"\"); return 0; }", "FALSE"),
        ("float check(float); int main(void) { __CPROVER_assert(check(1.0f) != 2.5f, \"\"); return 0; }", "FALSE"),
        ("struct S { int a; }; void check(struct S s) { } int main(void) { struct S s = {0}; check(s); return 0; }", "UNKNOWN"),
        ("void check(void) { } int main(void) { check(); return 0; }", "UNKNOWN"),
        ("void check(int); int main(void) { void (*p)(int) = check; p(nondet_int()); return 0; }", "UNKNOWN"),
        (
            "struct R { int a[5]; }; struct R check(int c) { struct R r = {{0}}; return r; }\n"
            "int main(void) { struct R (*p)(int) = check; p(nondet_int() != 4); return 0; }",
            "FALSE",
        ),
    ],
)  # fmt: skip
def test_functions_that_a_user_takes_for_assertions(text: str, verdict: str, tmp_path: Path) -> None:
    file = written(tmp_path, f"extern int nondet_int(void);\n{text}\n")
    assert report(file, "--assert", "check", "--timeout", "10s")["verdict"] == verdict


def test_functions_of_the_library_are_no_assertions(tmp_path: Path) -> None:
    done = verify(written(tmp_path, MIXED), "--assert", "malloc")
    assert done.returncode == 3 and "malloc is a function of the C library" in done.stderr


def test_an_execution_ends_at_every_assertion(tmp_path: Path) -> None:
    """Also where `drystone run` shows it."""
    done = subprocess.run([*COMMAND, "run", str(written(tmp_path, MIXED)), "--inputs", "77"], capture_output=True, text=True)
    assert done.returncode == 1 and "assertion x != 77" in done.stdout
