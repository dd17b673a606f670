"""A proof about nothing says so: assertions that no execution reaches, and assumptions that none passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.places import EXAMPLES
from tests.running import report, verify

HEAD = "#include <assert.h>\nextern int nondet_int(void);\nextern void __VERIFIER_assume(int);\n"
CONTRADICTION = (
    HEAD
    + """int main(void) {
    int x = nondet_int();
    __VERIFIER_assume(x > 3);
    __VERIFIER_assume(x < 2);
    assert(x == 17);
    return 0;
}
"""
)
LINES = [
    "  no execution reaches assertion x == 17 at program.c:8",
    "  no execution passes the assumption __VERIFIER_assume(x < 2) at program.c:7",
]


def written(folder: Path, text: str) -> Path:
    file = folder / "program.c"
    file.write_text(text)
    return file


def warnings(folder: Path, text: str, *options: str | Path) -> list[str]:
    found = report(written(folder, text), *options, "--timeout", "30s")
    assert found["verdict"] == "TRUE", found["reason"]
    return [each.replace(f"{folder}/", "") for each in found["warnings"]]


def test_contradictory_assumptions(tmp_path: Path) -> None:
    done = verify(written(tmp_path, CONTRADICTION), "--timeout", "30s")
    assert done.returncode == 0
    assert [line.replace(f"{tmp_path}/", "") for line in done.stdout.splitlines()][1:3] == LINES


def test_as_an_error(tmp_path: Path) -> None:
    found = report(written(tmp_path, CONTRADICTION), "--vacuity", "error", "--timeout", "30s")
    assert (found["verdict"], found["cause"]) == ("UNKNOWN", "vacuous")
    assert "no execution passes the assumption __VERIFIER_assume(x < 2) at " in found["reason"]


def test_tasks_and_who_does_not_want_to_know(tmp_path: Path) -> None:
    assert warnings(tmp_path, CONTRADICTION, "--vacuity", "off") == []
    assert warnings(tmp_path, CONTRADICTION, "--property", EXAMPLES / "unreach-call.prp") == []
    assert warnings(tmp_path, CONTRADICTION, "--property", EXAMPLES / "unreach-call.prp", "--vacuity", "warn") != []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = nondet_int(); if (x > 3 && x < 2) assert(x == 9);", ["no execution reaches assertion x == 9 at program.c:4"]),
        ("int x = nondet_int(); __VERIFIER_assume(x > 3); assert(x > 2);", []),
        ("int x = nondet_int(); __VERIFIER_assume(x == 123456789); assert(x > 2);", []),  # random inputs do not pass it
        ("int x = nondet_int(); while (x < 1000000) x++; assert(x >= 1000000);", []),
        ("for (int i = 0; i < 3; i++) assert(i < 3);", []),
        ("int x = nondet_int(); if (x < 10) __VERIFIER_assume(0); assert(x > 9);", []),
        ("int x = nondet_int(); if (x < 10) x = 10; if (x < 10) { for (int i = 0; i < x; i++) ; fail(); }", []),
    ],
)
def test_what_is_reached(body: str, expected: list[str], tmp_path: Path) -> None:
    fail = "void fail(void) { assert(0); } "
    assert warnings(tmp_path, f"{HEAD}{fail}int main(void) {{ {body} return 0; }}\n") == expected


def test_an_assertion_in_a_function_is_reached_by_its_calls(tmp_path: Path) -> None:
    check = "void reach_error(void); void __VERIFIER_assert(int c) { if (!c) reach_error(); }\n"
    assert (
        warnings(tmp_path, f"{HEAD}{check}int main(void) {{ int x = nondet_int(); __VERIFIER_assert(x == x); return 0; }}\n")
        == []
    )


def test_assumptions_in_models_of_the_library_are_not_the_users(tmp_path: Path) -> None:
    text = '#include <stdio.h>\n#include <assert.h>\nint main(void) { FILE *f = fopen("a", "r"); int c = 3; if (f) c = getc(f);\n'
    assert warnings(tmp_path, f"{text}  assert(c != -2); return 0; }}\n") == []
