"""Functions without a body that are declared not to return end the path; others return."""

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

HEAD = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n"
USE = "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) die(1); if (x == 3) reach_error(); return 0; }\n"
DIE = {
    "by an attribute": "void die(int) __attribute__((noreturn));",
    "by an attribute in front": "__attribute__((__noreturn__)) void die(int);",
    "by a specifier": "_Noreturn void die(int);",
    "by stdnoreturn.h": "#include <stdnoreturn.h>\nnoreturn void die(int);",
    "by an attribute of C23": "[[noreturn]] void die(int);",
    "by an older attribute of C23": "[[_Noreturn]] void die(int);",
    "by an attribute with a scope": "[[gnu::noreturn]] void die(int);",
    "by a macro": "#define NORETURN __attribute__((noreturn))\nextern NORETURN void die(int);",
    "on the second declaration": "void die(int); void die(int) __attribute__((noreturn));",
    "on the first declaration": "void die(int) __attribute__((noreturn)); void die(int);",
    "by a typedef": "typedef void end(int) __attribute__((noreturn)); end die;",
    "with a result": "int die(int) __attribute__((noreturn));",
    "among other attributes": 'void die(int) __attribute__((cold, noreturn, nothrow, visibility("hidden")));',
    "under another name": '_Noreturn void die(int) __asm__("really_die");',
    "with a variable number of arguments": "void die(int, ...) __attribute__((noreturn));",
    "with a body that does not return": "void exit(int); __attribute__((noreturn)) void die(int x) { exit(x); }",
    "with a body that loops": "_Noreturn void die(int x) { for (;;) ; }",
    "of a pointer to it": "void end(int) __attribute__((noreturn)); void (*pointer)(int) __attribute__((noreturn)) = end;\n#define die pointer",
}

RETURNS = {
    "without an attribute": ("void die(int);", Verdict.FALSE),
    "of a parameter": ("void die(int); void other(void (*f)(int) __attribute__((noreturn)));", Verdict.FALSE),
    "of another function": ("void die(int); void other(int) __attribute__((noreturn));", Verdict.FALSE),
    "of a function that returns a pointer": ("void (*die(int))(int) __attribute__((noreturn));", Verdict.TRUE),
    "of the result": ("typedef void end(int) __attribute__((noreturn)); end *die(int);", Verdict.FALSE),
    "in a comment": ("void die(int) /* __attribute__((noreturn)) */;", Verdict.FALSE),
    "with a body that returns": ("__attribute__((noreturn)) void die(int x) { }", Verdict.UNKNOWN),
}


def verdict(text: str, folder: Path) -> Verdict:
    file = folder / "a.c"
    file.write_text(HEAD + text)
    program = PreparedProgram(load([str(file)], FrontendOptions()).program)
    return check("bmc", program, Settings(), Deadline.after(20), unobserved).verdict


@pytest.mark.parametrize("name", DIE)
def test_it_ends_the_path(name: str, tmp_path: Path) -> None:
    assert verdict(DIE[name] + "\n" + USE, tmp_path) is Verdict.TRUE


@pytest.mark.parametrize("name", RETURNS)
def test_it_returns(name: str, tmp_path: Path) -> None:
    text, expected = RETURNS[name]
    assert verdict(text + "\n" + USE, tmp_path) is expected


def test_a_declaration_of_another_file_is_believed(tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text("_Noreturn void die(int); void stop(void) { die(2); }\n")
    (tmp_path / "a.c").write_text(HEAD + "void die(int); void stop(void);\n" + USE.replace("die(1)", "{ die(1); stop(); }"))
    program = load([str(tmp_path / "a.c"), str(tmp_path / "b.c")], FrontendOptions()).program
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(20), unobserved).verdict is Verdict.TRUE


def test_a_result_that_is_not_null(tmp_path: Path) -> None:
    text = "{} int *get(void); int main(void) {{ int *p = get(); if (!p) reach_error(); return 0; }}\n"
    assert verdict(text.format("__attribute__((returns_nonnull))"), tmp_path) is Verdict.TRUE
    assert verdict(text.format(""), tmp_path) is Verdict.FALSE
