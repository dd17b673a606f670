"""The error is the call, after its arguments: where they do not come to an end, it is not reached."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from drystone.claims.verdicts import Verdict
from tests.facts import bounded, ends, lowered

HEAD = """extern void exit(int); extern void abort(void); extern void __VERIFIER_assume(int); extern int __VERIFIER_nondet_int(void);
int n, a[4];
int exits(void) { exit(0); return 1; }
int aborts(void) { if (n == 0) abort(); return 1; }
int loops(void) { for (;;) ; return 1; }
int assumes(void) { __VERIFIER_assume(n != 0); return 1; }
int deep(int k) { if (k == 0) exit(0); return deep(k - 1); }
_Noreturn void die(void) { exit(1); }
int changes(void) { n = 5; return 1; }
int stores(void) { return a[a[0]] = 3; }
int any(void) { int k = __VERIFIER_nondet_int(); return k; }
"""

ENDS = (
    "exits()",
    "aborts()",
    "loops()",
    "assumes()",
    "deep(2)",
    "(die(), 1)",
    "({ exit(0); 1; })",
    "n + exits()",
    "n ? 1 : exits()",
)
GOES_ON = ("n++", "changes()", "stores()", "any()", "n ? exits() : 1", "n && exits()", "(n = 2)", "({ n++; 1; })", "a[n++]")

CALLS = {
    "an argument": ("void reach_error(int);", "reach_error({});"),
    "without prototype": ("void reach_error();", "reach_error({});"),
    "too many arguments": ("void reach_error();", "reach_error(1, 2.0, {});"),
    "with a result": ("int reach_error(int);", "n = reach_error({});"),
    "another name": ("void __VERIFIER_error();", "__VERIFIER_error({});"),
    "of a library": ("_Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);", '__assert_fail("", "", {}, "");'),
    "an assertion": ("void __VERIFIER_assert(int);", "__VERIFIER_assert(!(({}), 1));"),
    "through a pointer": ("void reach_error(int); void (*p)(int) = reach_error;", "p({});"),
    "in an expression": ("int reach_error(int);", "n = 3 + (n ? 4 : reach_error({}));"),
    "that does not return": ("_Noreturn void reach_error(int);", "reach_error({});"),
    "in another function": ("void reach_error(int); void f(int k) { reach_error(k); }", "f({});"),
}  # fmt: skip


def program(call: str, argument: str) -> str:
    declaration, statement = CALLS[call]
    return f"{HEAD}{declaration}\nint main(void) {{ {statement.replace('{}', argument)} return 0; }}\n"


@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_do_not_end(call: str, tmp_path: Path) -> None:
    for argument in ENDS:
        lowered_program = lowered(program(call, argument), tmp_path)
        assert "error" not in ends(lowered_program), argument
        if argument != "loops()":
            assert bounded(lowered_program) is not Verdict.FALSE, argument


@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_end(call: str, tmp_path: Path) -> None:
    for argument in GOES_ON:
        lowered_program = lowered(program(call, argument), tmp_path)
        assert ends(lowered_program) == {"error"}, argument
        assert bounded(lowered_program) is Verdict.FALSE, argument


def test_there_are_enough() -> None:
    assert len(list(product(CALLS, (*ENDS, *GOES_ON)))) >= 60


ASSERTIONS = {
    "int n = 1; int main(void) { assert(n++ == 1); assert(n == 2); return 0; }": False,
    "int n; int main(void) { assert(n++); return 0; }": True,
    "int f(void) { exit(0); return 0; } int main(void) { assert(f()); return 0; }": False,
    "int f(void) { exit(0); return 0; } int main(void) { assert(0 && f()); return 0; }": True,
    "int f(void) { abort(); return 0; } int main(void) { assert((f(), 0)); return 0; }": False,
    "int a[4]; int main(void) { assert((a[a[0]] = 5) == 5); return 0; }": False,
    "int a[4]; int main(void) { assert((a[a[0]] = 5) != 5); return 0; }": True,
}


@pytest.mark.parametrize("text", ASSERTIONS)
def test_assertions(text: str, tmp_path: Path) -> None:
    lowered_program = lowered(f"#include <assert.h>\nextern void exit(int); extern void abort(void);\n{text}\n", tmp_path)
    assert ("error" in ends(lowered_program)) == ASSERTIONS[text]
    assert bounded(lowered_program) is (Verdict.FALSE if ASSERTIONS[text] else Verdict.TRUE)


OPEN = (
    "int g(int a, int b) { return a + b; } int e(void) { exit(0); return 0; } int reach_error(void);"
    " int main(void) { return g(e(), reach_error()); }",
    "int e(void) { exit(0); return 0; } int reach_error(void); int main(void) { return e() + reach_error(); }",
    "int e(void) { exit(0); return 0; } int reach_error(void); int main(void) { return reach_error() - e(); }",
)


@pytest.mark.parametrize("text", OPEN)
def test_which_operand_comes_first_is_open(text: str, tmp_path: Path) -> None:
    assert bounded(lowered(f"extern void exit(int);\n{text}\n", tmp_path)) is Verdict.FALSE  # in one of the orders
