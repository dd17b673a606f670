"""Contracts of recursive functions in witnesses: written for proofs that have some, and validated."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.verification.result import ValidationResult
from tests.running import verify
from tests.witnesses.reading import Json, entry_of, pointed_at
from tests.witnesses.test_validate import HEADER, said, validated

ADD = (
    HEADER
    + """\
static int add(int a, int b) {
  if (b <= 0) return a;
  return add(a, b - 1) + 1;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100000) return 0;
  if (add(3, n) != 3 + n) reach_error();
}
"""
)
NINETY_ONE = (
    HEADER
    + """\
int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
int main(void) { int n = __VERIFIER_nondet_int(); if (n <= 101 && f(n) != 91) reach_error(); return 0; }
"""
)
COUNTER = (
    HEADER
    + """\
int g;
void f(int n) { if (n <= 0) return; g++; f(n - 1); g--; f(n - 2); }
int main(void) { g = 3; f(__VERIFIER_nondet_int()); if (g != 3) reach_error(); return 0; }
"""
)


def contract(text: str, requires: object, ensures: object, function: str = "f", **more: object) -> Json:
    line = next(number for number, each in enumerate(text.splitlines(), 1) if f"{function}(" in each)
    where = {"file_name": "p.c", "line": line, "column": 1, "function": function}
    clauses = {"requires": requires, "ensures": ensures}
    return {"type": "function_contract", "location": where, **clauses, "format": "ext_c_expression", **more}


def of_contract(text: str, told: Json, folder: Path, key: str = "contract") -> ValidationResult:
    return validated(text, said("invariant_set", [{key: told}]), folder)


def written(text: str, folder: Path) -> list[Json]:
    (folder / "p.c").write_text(text)
    done = verify(folder / "p.c", "--witness", folder / "w.yml", "--quiet", "--engine", "contracts")
    assert done.stdout.startswith("TRUE"), done.stdout + done.stderr
    entry = entry_of(folder / "w.yml")
    assert entry["metadata"]["format_version"] == ("2.1" if entry["content"] else "2.0")
    return [each["contract"] for each in entry["content"]]


@pytest.mark.parametrize(("text", "start"), [(ADD, "static int add"), (NINETY_ONE, "int f(")])
def test_what_is_written_is_valid_and_not_if_it_is_falsified(text: str, start: str, tmp_path: Path) -> None:
    (told,) = written(text, tmp_path)
    assert pointed_at(text, told["location"]).startswith(start)
    assert "\\result" in told["ensures"]
    found = of_contract(text, told, tmp_path)
    assert found.result == "valid", found.reason
    for clause in ("requires", "ensures"):
        if told[clause] != "1":
            found = of_contract(text, told | {clause: f"!({told[clause]})"}, tmp_path)
            assert found.result == "rejected" and "does not hold at" in found.reason, found.reason


def test_a_requirement_without_words_leaves_no_contract(tmp_path: Path) -> None:
    """It is about a variable of the program, which the contract is not allowed to speak of."""
    assert all("g" not in each["requires"] + each["ensures"] for each in written(COUNTER, tmp_path))


@pytest.mark.parametrize(
    ("requires", "ensures", "result", "reason"),
    [
        ("1", "\\result >= 91", "valid", "so do all 2 invariants"),
        ("n <= 111", "\\result == 91 || \\old(n) > 101", "valid", ""),
        (["n <= 111", "n > -2147483647 - 1 || n < 0"], ["\\result >= 91", "\\result < 102"], "valid", ""),
        ("n <= 110", "1", "rejected", "n <= 110 does not hold at p.c:3"),
        ("1", "\\result == 91", "rejected", "\\result == 91 does not hold at p.c:3"),
        ("1", "\\result == \\at(n, Pre) - 10", "rejected", "does not hold"),
        ("1", "\\result == n", "undecided", "n in ensures (its value at the call is \\at(x, Old))"),
        ("1", "\\result == \\at(m, Old)", "undecided", "m in ensures is no parameter"),
        ("1", "\\at(n, LastPrev) == 1", "undecided", "is not an expression of C alone"),
        ("\\result > 1", "1", "undecided", "is not an expression of C alone"),
        ("g == 0", "1", "undecided", "g in requires"),
        ("1) || (1", "1", "rejected", "is no expression"),
        ("n = 5", "1", "rejected", "has an effect"),
        ("", "1", "undecided", "a contract has no requires"),
    ],
)
def test_what_a_contract_says(requires: object, ensures: object, result: str, reason: str, tmp_path: Path) -> None:
    found = of_contract(NINETY_ONE, contract(NINETY_ONE, requires, ensures), tmp_path)
    assert found.result == result and reason in found.reason.replace(f"{tmp_path}/", ""), found.reason


def test_where_a_contract_stands(tmp_path: Path) -> None:
    told = contract(NINETY_ONE, "1", "\\result >= 91")
    assert of_contract(NINETY_ONE, told, tmp_path, "invariant").result == "valid"  # as earlier versions have it
    for line, column, result in ((3, 5, "valid"), (3, 14, "valid"), (3, None, "valid"), (3, 20, "rejected"), (2, 1, "rejected")):
        where = {"file_name": "p.c", "line": line, "function": "f"} | ({"column": column} if column else {})
        found = of_contract(NINETY_ONE, told | {"location": where}, tmp_path)
        assert found.result == result, (line, column, found.reason)
    found = of_contract(NINETY_ONE, told | {"labels": ["inductive"]}, tmp_path)
    assert found.result == "undecided" and "labels is not understood here" in found.reason


@pytest.mark.parametrize(
    ("function", "ensures", "result"),
    [
        ("char f(int n) { return n + 256; }", "\\result == (char)\\old(n)", "valid"),
        ("char f(int n) { return n + 256; }", "\\result == \\old(n) + 256", "rejected"),
        ("int f(int n) { int k = n; n = 7; { int n = 1; if (k) return k; } return 0; }", "\\result == \\old(n)", "valid"),
        ("int f(int n) { int k = n; n = 7; if (k) return n; return 0; }", "\\result == \\old(n)", "rejected"),
        ("int f(int n) { if (n) return 1, n; else return 0; }", "\\result == \\old(n)", "valid"),
        ("int f(int n) { if (n > 2) return 3; }", "\\result == 3", "rejected"),
        ("int f(int n) { switch (n) { case 1: return 1; default: for (;;) if (n != 5) return n; } }", "\\result >= 0", "valid"),
        (
            "int f(int n) { switch (n) { case 1: return 1; default: for (;;) if (n != 5) return n; } }",
            "\\result >= 1",
            "rejected",
        ),
        ("int f(n) int n;\n{ return n; }", "\\result == \\old(n)", "valid"),
        ("void f(int n) { if (n) return; n++; }", "\\old(n) < 6", "valid"),
        ("void f(int n) { if (n) return; n++; }", "\\old(n) != 3", "rejected"),
        ("void f(int n) { if (n) return; n++; }", "\\old(n) != 0", "rejected"),
        ("void f(int n) { n++; }", "\\result == 0", "rejected"),
        ("#define R return 5\nint f(int n) { if (n) R; return 0; }", "\\result >= 0", "undecided"),
        ("#define D(x) x\nint f(int n) { if (n) D(return 5;) return 0; }", "\\result >= 0", "undecided"),
        ('int f(int n) {\n#include "none.h"\nreturn 0; }', "\\result == 0", "undecided"),
        ("struct S { int a; };\nstruct S f(int n) { struct S s = {n}; return s; }", "\\old(n) < 6", "undecided"),
        ("#define long int\nlong f(int n) { return n; }", "\\old(n) < 6", "undecided"),
    ],
)
def test_every_return_is_looked_at(function: str, ensures: str, result: str, tmp_path: Path) -> None:
    (tmp_path / "none.h").write_text("if (n) return 1;\n")
    text = HEADER + function + "\nint main(void) { int k = 0; for (int i = 0; i < 6; i++) f(i); if (k) reach_error(); }\n"
    found = of_contract(text, contract(text, "1", ensures), tmp_path)
    assert found.result == result, found.reason
