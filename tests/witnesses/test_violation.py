"""`--witness` for FALSE: valid against the schema, and every waypoint says of its place what the execution does there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.running import verify
from tests.witnesses.reading import Json, entry_of, pointed_at, waypoints_of

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"


def told(waypoint: Json, text: str) -> tuple[str, str, str]:
    """Type, value and what stands there, a word or a sign."""
    rest = pointed_at(text, waypoint["location"])
    word = rest[:1] if not rest[:1].isalpha() else "".join(iter_word(rest))
    return waypoint["type"], waypoint.get("constraint", {}).get("value", ""), word


def iter_word(text: str) -> list[str]:
    return list(text[: next((at for at, each in enumerate(text) if not (each.isalnum() or each == "_")), len(text))])


def witness_of(body: str, folder: Path) -> list[tuple[str, str, str]]:
    file = folder / "p.c"
    file.write_text(HEADER + body)
    done = verify(file, "--witness", folder / "w.yml", "--quiet")
    assert done.stdout.startswith("FALSE"), done.stdout + done.stderr
    return [told(each, HEADER + body) for each in waypoints_of(folder / "w.yml")]


def test_inputs_and_branches_in_their_order(tmp_path: Path) -> None:
    body = """\
int twice(int a) { int r = __VERIFIER_nondet_int(); if (r > a) return r; else return a; }
int main(void) {
  int x = twice(3), n = 0;
  while (n < 1) { n++; }
  if (!(x == 77)) return 1;
  do { n++; } while (n < 2);
  if (n == 2) { reach_error(); }
}
"""
    assert witness_of(body, tmp_path) == [
        ("function_return", "\\result == 77", ")"),
        ("branching", "true", "if"),
        ("branching", "true", "while"),
        ("branching", "false", "while"),
        ("branching", "false", "if"),
        ("branching", "false", "do"),
        ("branching", "true", "if"),
        ("target", "", "reach_error"),
    ]


def test_of_several_calls_in_a_statement_each_has_its_value(tmp_path: Path) -> None:
    body = "int main(void) { int x = 100 * __VERIFIER_nondet_int() + __VERIFIER_nondet_int();\n  if (x == 7) reach_error(); }\n"
    returns = [value for kind, value, _ in witness_of(body, tmp_path) if kind == "function_return"]
    first, second = (int(value.split()[-1]) for value in returns)
    assert (100 * first + second - 7) % 2**32 == 0
    columns = [each["location"]["column"] for each in waypoints_of(tmp_path / "w.yml") if each["type"] == "function_return"]
    assert columns == sorted(columns) and len(set(columns)) == 2


def test_variables_without_a_value_are_assumed_where_they_are_in_scope(tmp_path: Path) -> None:
    body = "int main(void) {\n  int u, v;\n  u = u + 1;\n  if (u == 8 && v == -3) reach_error();\n}\n"
    assert witness_of(body, tmp_path)[0] == ("assumption", "u == 7 && v == -3", "u")


@pytest.mark.parametrize(
    ("ctype", "value", "constant"),
    [
        ("unsigned", "4000000000U", "4000000000U"),
        ("long", "-9223372036854775807L - 1", "(-9223372036854775807L - 1)"),
        ("char", "-5", "-5"),
    ],
)
def test_values_are_constants_of_c(ctype: str, value: str, constant: str, tmp_path: Path) -> None:
    name = {"unsigned": "uint"}.get(ctype, ctype)
    body = f"extern {ctype} __VERIFIER_nondet_{name}(void);\nint main(void) {{ if (__VERIFIER_nondet_{name}() == {value}) reach_error(); }}\n"
    assert witness_of(body, tmp_path)[0] == ("function_return", f"\\result == {constant}", ")")


def test_the_task_is_told_with_its_hash(tmp_path: Path) -> None:
    witness_of("int main(void) { reach_error(); }\n", tmp_path)
    metadata = entry_of(tmp_path / "w.yml")["metadata"]
    file = str(tmp_path / "p.c")
    assert metadata["task"]["input_files"] == [file]
    assert metadata["task"]["input_file_hashes"] == {file: hashlib.sha256((tmp_path / "p.c").read_bytes()).hexdigest()}
    assert metadata["task"]["specification"] == "CHECK( init(main()), LTL(G ! call(reach_error())) )"


def test_what_has_no_witness_says_why(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(HEADER + 'int main(void) { asm goto("" : : : : out);\n out: reach_error(); }\n')
    done = verify(file, "--witness", tmp_path / "w.yml")
    assert done.stdout.startswith("UNKNOWN") and not (tmp_path / "w.yml").exists()
    assert "no witness is written: the verdict is UNKNOWN" in done.stderr


def test_with_all_it_is_of_the_first_violation(tmp_path: Path) -> None:
    file, witness = tmp_path / "p.c", tmp_path / "w.yml"
    file.write_text(
        HEADER
        + "int main(void) {\n  if (__VERIFIER_nondet_int() == 7) reach_error();\n  int x = 1;\n  if (!x) reach_error();\n}\n"
    )
    done = verify(file, "--witness", witness, "--quiet", "--all")
    assert done.stdout.startswith("FALSE") and "no witness" not in done.stderr
    assert waypoints_of(witness)[-1]["location"]["line"] == 4


def test_branches_of_calls_in_no_order_are_left_out(tmp_path: Path) -> None:
    """Of `f(1) + f(2)`, either may come first."""
    body = """\
int f(int a) { if (a > 1) return a; return 1; }
int main(void) {
  int x = f(1) + f(2);
  if (f(x) == 3)
    f(x), reach_error();
}
"""
    branches = [each for each in witness_of(body, tmp_path) if each[0] == "branching"]
    assert branches == 3 * [("branching", "true", "if")]


@pytest.mark.parametrize("kind", ["float", "double"])
def test_floating_point_numbers(kind: str, tmp_path: Path) -> None:
    body = f"extern {kind} __VERIFIER_nondet_{kind}(void);\n"
    body += f"int main(void) {{ {kind} x = __VERIFIER_nondet_{kind}();\n  if (x * 4 == -5.0) reach_error(); }}\n"
    assert ("function_return", "\\result == -1.25", ")") in witness_of(body, tmp_path)


def test_of_a_long_execution_the_first_branches_and_all_inputs_are_told(tmp_path: Path) -> None:
    body = """\
int main(void) {
  for (int i = 0; i < 1500; i++);
  int y, x = __VERIFIER_nondet_int();
  for (int i = 0; i < 1500; i++);
  if (x == 4) reach_error();
}
"""
    found = witness_of(body, tmp_path)
    assert sum(each[0] == "branching" for each in found) == 1_000
    assert [each[1] for each in found if each[0] == "function_return"] == ["\\result == 4"] and found[-1][0] == "target"
