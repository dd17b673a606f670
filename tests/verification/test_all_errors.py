"""`--all`: one execution for each assertion that fails, and what became of the others."""

from __future__ import annotations

from pathlib import Path

from tests.running import report, verify

THREE = """#include <assert.h>
extern int nondet_int(void);
int main(void) {
    int x = nondet_int(), y = nondet_int();
    assert(x != 5);
    int z = x > 100 ? 1 : 2;
    assert(z < 3);
    if (y == 12345) assert(x != 77);
    return 0;
}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "three.c"
    file.write_text(text)
    return file


def test_two_of_three_assertions_fail(tmp_path: Path) -> None:
    done = verify(written(tmp_path, THREE), "--all", "--timeout", "30s")
    lines = [line.replace(f"{tmp_path}/", "") for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert lines[:4] == [
        "FALSE  2 errors can be reached",
        "  three.c:5: assertion x != 5 in main",
        "  three.c:8: assertion x != 77 in main",
        "  three.c:5: how assertion x != 5 fails",
    ]
    assert "  three.c:8: how assertion x != 77 fails" in lines
    assert "  three.c:7: assertion z < 3 in main: holds in all executions that do not fail before" in lines
    assert any(line.startswith("  certificate of what holds: bounded, checked by") for line in lines)


def test_each_failure_has_an_execution_of_its_own(tmp_path: Path) -> None:
    for engine in ("auto", "bmc", "k-induction", "dss"):
        found = report(written(tmp_path, THREE), "--all", "--engine", engine, "--timeout", "60s")
        verdicts = {error["line"]: error["verdict"] for error in found["errors"]}
        assert (found["verdict"], verdicts) == ("FALSE", {5: "FALSE", 7: "TRUE", 8: "FALSE"}), engine
        evidence = found["evidence"]
        assert sorted(each["line"] for each in (evidence["counterexample"], *evidence["others"])) == [5, 8]


def test_without_it_the_others_are_named(tmp_path: Path) -> None:
    lines = verify(written(tmp_path, THREE), "--engine", "execute", "--timeout", "30s").stdout.splitlines()
    assert f"  {tmp_path}/three.c:7: assertion z < 3 in main: not decided (--all looks at each)" in lines


def test_a_program_without_errors_is_looked_at_once(tmp_path: Path) -> None:
    text = THREE.replace("x != 5", "x == x").replace("x != 77", "y != 0")
    found = report(written(tmp_path, text), "--all", "--timeout", "30s")
    assert found["verdict"] == "TRUE" and found["evidence"]["others"] == []


def test_it_contradicts_a_recording(tmp_path: Path) -> None:
    done = verify(written(tmp_path, THREE), "--all", "--engine", "dss", "--record", tmp_path / "r")
    assert done.returncode == 3 and "--all looks at the program several times" in done.stderr


def test_errors_on_one_line(tmp_path: Path) -> None:
    text = "void reach_error(void); extern int nondet_int(void); int main(void) { switch (nondet_int()) {\n"
    text += "case 0: reach_error(); break; case 1: reach_error(); break; case 2: reach_error(); } return 0; }\n"
    found = report(written(tmp_path, text), "--all", "--timeout", "30s")
    assert len(found["evidence"]["others"]) == 2 and len({each["id"] for each in found["errors"]}) == 3


def test_proofs_about_nothing_are_told_here_too(tmp_path: Path) -> None:
    text = 'extern int nondet_int(void);\nint main(void) {\n  int x = nondet_int();\n  if (x == 3) __CPROVER_assert(0, "");\n'
    text += '  __CPROVER_assume(x > 5 && x < 5);\n  __CPROVER_assert(x == 1, "");\n  return 0;\n}\n'
    found = report(written(tmp_path, text), "--all", "--timeout", "30s")
    assert [each.partition(" at ")[0] for each in found["warnings"]] == [
        "no execution reaches assertion x == 1",
        "no execution passes the assumption __CPROVER_assume(x > 5 && x < 5)",
    ]
