"""What comes from outside: pointers that nobody knows anything about, arguments of main."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.inside import decided as verified

HEAD = """extern void reach_error(void); extern void *__VERIFIER_nondet_pointer(void); extern unsigned long outside(void);
struct node { struct node *next; int value; }; extern struct node *get(void), *current; struct node mine, other;
int x = 1, called; void call(void) { called = 1; } extern void (*hook)(void);
"""
COMPARED = {
    "a nondeterministic pointer": "int *p = __VERIFIER_nondet_pointer(); if (p == &x) { *p = 5; if (x == 5) reach_error(); }",
    "an external pointer": "if (current == &mine) { current->value = 3; if (mine.value == 3) reach_error(); }",
    "compared before, in a value": "int same = current != &mine ? 0 : 1; current->value = 3; if (same && mine.value == 3) reach_error();",
    "compared with one of two": "struct node *p = x ? &mine : &other; if (current == p) { current->value = 3; if (mine.value == 3) reach_error(); }",
    "a number": "unsigned long n = outside(); if (n == (unsigned long)&x) { *(int *)n = 5; if (x == 5) reach_error(); }",
    "a pointer to a function": "if (hook == call) { hook(); if (called) reach_error(); }",
    "memory that leads to itself": "struct node *a = get(); if (a) { a->value = 1; struct node *b = a->next; if (b == a) { b->value = 2;"
    " if (a->value == 2) reach_error(); } }",
}


def verdict(text: str, folder: Path, engine: str) -> Verdict:
    path = folder / "program.c"
    path.write_text(HEAD + text + "\n")
    program = load([str(path)], FrontendOptions()).program
    return check(engine, PreparedProgram(program), Settings(), Deadline.after(20), unobserved).verdict


@pytest.mark.parametrize("engine", ["bmc", "dss"])
@pytest.mark.parametrize("name", COMPARED)
def test_a_pointer_that_is_compared_may_be_the_other_one(name: str, engine: str, tmp_path: Path) -> None:
    assert verdict(f"int main(void) {{ {COMPARED[name]} return 0; }}", tmp_path, engine) is not Verdict.TRUE


def test_a_pointer_that_is_not_compared_is_none_of_ours(tmp_path: Path) -> None:
    assert (
        verdict("int main(void) { current->value = 3; if (mine.value == 3) reach_error(); return 0; }", tmp_path, "bmc")
        is Verdict.TRUE
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int main(int argc, char **argv) { if (argc < 0) reach_error(); return 0; }", Verdict.TRUE),
        ("int main(int value) { if (value < 0) reach_error(); return 0; }", Verdict.FALSE),
        ("int main(int argc, char **argv) { if (argc == 3) reach_error(); return 0; }", Verdict.FALSE),
        (
            "int main(int argc, char **argv) { if (argc < 0) reach_error(); if (argc == 3) main(-1, argv); return 0; }",
            Verdict.FALSE,
        ),
    ],
)
def test_the_number_of_arguments_is_not_negative(text: str, expected: Verdict, tmp_path: Path) -> None:
    assert verdict(text, tmp_path, "bmc") is expected


@pytest.mark.parametrize(
    ("declared", "never", "sometimes"),
    [
        ("", "v = __VERIFIER_nondet_bool(); v != 0 && v != 1", "v = __VERIFIER_nondet_bool(); v == 1"),
        (
            "int __VERIFIER_nondet_uchar(void); int u;",
            "v = u = __VERIFIER_nondet_uchar(); v < 0 || v > 255",
            "v = __VERIFIER_nondet_uchar(); v == 255",
        ),
        (
            "long __VERIFIER_nondet_short(void);",
            "v = __VERIFIER_nondet_short(); v != (short)v",
            "v = __VERIFIER_nondet_short(); v == -32768",
        ),
        (
            "int __VERIFIER_nondet_ushort(void); int (*f)(void) = __VERIFIER_nondet_ushort;",
            "v = f(); v != (unsigned short)v",
            "v = f(); v == 40000",
        ),
    ],
)
def test_a_value_is_one_of_the_type_in_the_name(declared: str, never: str, sometimes: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    for condition, verdict in ((never, "TRUE"), (sometimes, "FALSE")):
        file.write_text(
            f"void reach_error(void); {declared} long v; int main(void) {{ if (({{ {condition}; }})) reach_error(); return 0; }}\n"
        )
        assert str(verified(file).verdict) == verdict
