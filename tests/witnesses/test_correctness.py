"""`--witness` for TRUE: invariants as C expressions that compile at their places, and hold there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gcc.compiler import missing
from tests.running import verify
from tests.witnesses.compiling import compiles
from tests.witnesses.reading import Json, entry_of, pointed_at

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"


def invariants_of(body: str, folder: Path, *options: str) -> list[Json]:
    file = folder / "p.c"
    file.write_text(HEADER + body)
    done = verify(file, "--witness", folder / "w.yml", "--quiet", *options)
    assert done.stdout.startswith("TRUE"), done.stdout + done.stderr
    entry = entry_of(folder / "w.yml")
    assert entry["entry_type"] == "invariant_set"
    return [each["invariant"] for each in entry["content"]]


def told(invariants: list[Json], body: str) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for each in invariants:
        found.setdefault((each["type"], pointed_at(HEADER + body, each["location"])), set()).add(each["value"])
    return found


def test_of_a_loop(tmp_path: Path) -> None:
    body = "int main(void) {\n  unsigned n = __VERIFIER_nondet_int(), x = 0, y = n;\n  while (y > 0) {\n x++; y--; }\n  if (x != n) reach_error();\n}\n"
    found = told(invariants_of(body, tmp_path, "--engine", "k-induction"), body)
    assert list(found) == [("loop_invariant", "while (y > 0) {")]
    assert "n == y + x" in found["loop_invariant", "while (y > 0) {"]


def test_of_a_loop_that_is_inlined_twice_one_of_its_copies_holds(tmp_path: Path) -> None:
    body = """\
int count(int n) { int i = 0;
  while (i < n)
    i++;
  return i; }
int main(void) { if (count(50000) != 50000 || count(100000) != 100000) reach_error(); }
"""
    found = told(invariants_of(body, tmp_path, "--engine", "k-induction"), body)
    (said,) = found.values()
    assert any("(n == 50000" in each and "||" in each and "(n == 100000" in each for each in said), said
    assert not any(each == "n == 50000" for each in said)


def test_callers_variables_are_projected_out(tmp_path: Path) -> None:
    body = """\
void step(int k) {
  while (k > 0) k--;
}
int main(void) { int secret = __VERIFIER_nondet_int(); if (secret < 3 || secret > 8) return 0;
  step(100000); if (secret > 8) reach_error(); }
"""
    for each in invariants_of(body, tmp_path, "--engine", "k-induction"):
        assert each["location"]["function"] != "step" or "secret" not in each["value"]


def test_variables_of_one_name_are_told_apart(tmp_path: Path) -> None:
    body = """\
int x = 1;
int main(void) {
  int i = 7; { int x = 5;
    while (__VERIFIER_nondet_int()) { x = 12 - x; for (int i = 0; i < 2; i++) ; }
    if (x != 5 && x != 7) reach_error(); }
  while (__VERIFIER_nondet_int()) { if (i < 7) i++; }
  if (x != 1 || i != 7) reach_error();
}
"""
    found = invariants_of(body, tmp_path, "--engine", "k-induction")
    assert found and not any(each["value"] == "x == 1" and each["location"]["line"] == 6 for each in found)


def test_a_do_loop_has_invariants_where_its_body_begins(tmp_path: Path) -> None:
    body = """\
int main(void) {
  unsigned k = 0;
  do {
    k += 2;
  } while (__VERIFIER_nondet_int());
  if (k % 2) reach_error();
}
"""
    found = told(invariants_of(body, tmp_path, "--engine", "k-induction"), body)
    assert list(found) == [("location_invariant", "k += 2;")]


@pytest.mark.parametrize(
    "body", ["int main(void) { int x = 3; if (x != 3) reach_error(); }\n", "int main(void) { return 0; reach_error(); }\n"]
)
def test_proofs_without_invariants(body: str, tmp_path: Path) -> None:
    assert invariants_of(body, tmp_path) == []


@pytest.mark.skipif(bool(missing("LP64")), reason="gcc is not installed")
def test_expressions_compile_at_their_places(tmp_path: Path) -> None:
    body = """\
struct S { int a, b; } st; int arr[10];
static int steps(void) { static int count = 0; while (count < 100000) count++; return count; }
int main(void) {
  unsigned n = __VERIFIER_nondet_int(), x = 0;
  for (unsigned i = n; i > 0; i--) { x++; st.a = x; }
  if (x != n || steps() != 100000) reach_error();
  int k = 0;
again:
  k = k + 2 > 1000 ? 0 : k + 2;
  if (__VERIFIER_nondet_int()) goto again;
  if (k % 2) reach_error();
}
"""
    found = invariants_of(body, tmp_path, "--engine", "k-induction")
    assert {each["type"] for each in found} == {"loop_invariant", "location_invariant"}
    assert {each["location"]["function"] for each in found} == {"main", "steps"}
    assert compiles(tmp_path / "p.c", found) == ""


def test_of_executions_that_are_cut_off_there_is_none(tmp_path: Path) -> None:
    """Others would take it for a proof of all executions."""
    file, witness = tmp_path / "p.c", tmp_path / "w.yml"
    file.write_text(HEADER + "int main(void) { for (int i = 0; i < 9; i++) if (i == 8) reach_error(); }\n")
    done = verify(file, "--witness", witness, "--unwind", "3")
    assert done.stdout.startswith("TRUE") and "no witness is written: the proof is only about" in done.stderr
    assert not witness.exists()
