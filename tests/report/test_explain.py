"""`verify --explain`, and invariants as people read them: C over the variables of the source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.running import report, verify

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\nvoid reach_error(void) {}\n"
PARITY = HEAD + (
    "int main(void) {\n  unsigned n = 0;\n  while (__VERIFIER_nondet_int())\n    n += 2;\n"
    "  if (n % 2) reach_error();\n  return 0;\n}\n"
)
ENDLESS = HEAD + (  # x runs through all numbers, so for every k there are k states before the error without one
    "int main(void) {\n  unsigned x = 1;\n  while (__VERIFIER_nondet_int())\n    x = x * 1664525 + 1013904223;\n"
    "  if (x == 5) reach_error();\n  return 0;\n}\n"
)
INDUCTION = ("--engine", "k-induction")


def written(folder: Path, text: str) -> Path:
    file = folder / "p.c"
    file.write_text(text)
    return file


def test_a_proof_says_which_candidates_held_and_which_were_used(tmp_path: Path) -> None:
    file = written(tmp_path, PARITY)
    lines = report(file, *INDUCTION)["explanation"]
    assert lines[0].startswith(f"loop at {file}:6: ") and " of them hold" in lines[0]
    assert any(" hold: " in line and "(n & 1) == 0" in line for line in lines[1:]), lines
    assert any(line.startswith("  the proof uses: ") for line in lines)
    assert "the proof uses" in verify(file, *INDUCTION, "--explain").stdout
    assert "the proof uses" not in verify(file, *INDUCTION).stdout


def test_an_unknown_says_where_the_induction_failed(tmp_path: Path) -> None:
    file = written(tmp_path, ENDLESS)
    result = report(file, *INDUCTION, "--timeout", "5s", "--candidates", "none")
    assert result["verdict"] == "UNKNOWN"
    last = result["explanation"][-1]
    assert last.startswith("the induction step with k = ")
    assert "was not answered" in last or (f"from {file}:6 with x == " in last and f"reach_error() at {file}:8 is reached" in last)


def test_nothing_to_explain(tmp_path: Path) -> None:
    done = verify(written(tmp_path, "int main(void) { return 0; }\n"), "--explain")
    assert "there is nothing more to explain" in done.stdout


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("unsigned n = 0;\n while (__VERIFIER_nondet_int()) n += 2;\n if (n % 2) reach_error();", "n & 1"),
        ("int n = 0;\n while (n < 100) n++;\n if (n != 100) reach_error();", "n < 101"),
        ("int n = 0, m = 0;\n while (__VERIFIER_nondet_int()) { n++; m++; }\n if (n != m) reach_error();", "m == n"),
    ],
)
def test_invariants_are_c_over_the_variables_of_the_source(tmp_path: Path, body: str, expected: str) -> None:
    text = HEAD + "void work(void) {\n" + body + "\n}\nint main(void) { work(); return 0; }\n"
    result = report(written(tmp_path, text), *INDUCTION)
    certificate = result["evidence"]["certificate"]
    texts = [text for loop in certificate["invariants"] for text in loop["invariant"]]
    assert result["verdict"] == "TRUE" and (certificate["kind"] == "bounded" or any(expected in each for each in texts)), texts


def test_what_drystone_has_added_is_not_shown(tmp_path: Path) -> None:
    text = "#include <stdlib.h>\n" + HEAD
    text += "int main(void) {\n  int x = 0, *p = 0;\n  while (__VERIFIER_nondet_int()) {\n    p = malloc(4);\n    if (!p) return 0;\n    x = 1;\n  }\n"
    text += "  if (x && !p) reach_error();\n  return 0;\n}\n"
    result = report(written(tmp_path, text), *INDUCTION)
    assert result["verdict"] == "TRUE", result["reason"]
    shown = [text for loop in result["evidence"]["certificate"]["invariants"] for text in loop["invariant"]]
    assert shown and not any(re.search(r"%\w", text) for text in shown + result["explanation"]), shown
