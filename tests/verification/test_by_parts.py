"""C files without a word about checks: what is checked, and what the answer says of each kind of errors by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from drystone.checks.registry import DEFAULT, GROUPS
from drystone.cli.main import main
from drystone.verification.options import Options
from drystone.verification.tasks import resolve
from tests.places import EXAMPLES
from tests.running import verify_as_by_default

MEANT = {*GROUPS["memory"], "division", "shift", "overflow"}
HEAD = "#include <assert.h>\nextern int nondet_int(void);\n"
HELD = f"""{HEAD}int main(void) {{
  int a[4], i = nondet_int();
  if (i < 0 || i > 3) return 1;
  a[i] = 7 << i;
  assert(a[i] >= 7);
  return 12 / (i + 1);
}}
"""
OVERFLOW = f"""{HEAD}int main(void) {{
  int x = nondet_int(), y = x + 1;
  assert(x != 7 || y == 8);
  return y;
}}
"""
BEHIND = f"""{HEAD}int main(void) {{
  int x = nondet_int();
  if (x < 2147483647) return 0;
  x = x + 1;
  assert(x > 0);
  return 0;
}}
"""
ALWAYS = f"{HEAD}int main(void) {{ int x = 2147483647; x = x + 1; assert(x > 0); return 0; }}\n"
OPEN = f"""{HEAD}typedef int four __attribute__((vector_size(16)));
int main(void) {{
  int n = nondet_int();
  four a = {{n, n, n, n}}, b = a + a;
  assert(n != 5 || nondet_int() == n || n > 4);
  return 0;
}}
"""
THREADS = """#include <assert.h>
#include <pthread.h>
int x;
void *set(void *unused) { x = 1; return 0; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  pthread_join(thread, 0);
  assert(x == 1);
  return 10 / x;
}
"""
LARGE = "int table[200000];\nint main(void) { int *p = table; *p = 1; return 3 / *p; }\n"
NOTHING_ASSERTED = "extern int nondet_int(void);\nint main(void) { int x = nondet_int(); return x == 0 ? 0 : 7 / x; }\n"
MISSPELT = "extern int nondet_int(void);\nint main(void) { int x = nondet_int(); asert(x); return x == 0 ? 0 : 7 / x; }\n"
UNREACHED = NOTHING_ASSERTED + "#include <assert.h>\nvoid other(int x) {\n  assert(x);\n}\n"


def written(folder: Path, text: str) -> Path:
    file = folder / "program.c"
    file.write_text(text)
    return file


def answered(folder: Path, text: str, *words: str | Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The result, and its parts by their names."""
    done = verify_as_by_default(written(folder, text), "--workers", "1", "--timeout", "60s", "--json", "-", *words)
    result = json.loads(done.stdout)
    assert done.returncode == ["TRUE", "FALSE", "UNKNOWN"].index(result["verdict"])
    return result, {part["name"]: part for part in result["parts"]}


def verdicts(parts: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: part["verdict"] for name, part in parts.items()}


def checks_of(*files: str | Path, is_verified: bool = True, **options: Any) -> set[str]:
    return {*resolve([str(file) for file in files], Options(**options), is_verified=is_verified)[1].checks}


def test_what_is_checked_by_default() -> None:
    file, task = EXAMPLES / "lock.c", EXAMPLES / "lock.yml"
    assert checks_of(file) == MEANT and DEFAULT == ("memory", "division", "shift", "overflow")
    assert checks_of(file, check=("shift",)) == {"shift"}
    assert checks_of(file, check=()) == checks_of(task) == checks_of(file, is_verified=False) == set()
    assert checks_of(file, property=str(EXAMPLES / "unreach-call.prp")) == set()
    assert checks_of(file, error_function="reach_error") == set()
    assert checks_of(task, check=("division",)) == {"division"}


def test_all_is_proved_at_once(tmp_path: Path) -> None:
    result, parts = answered(tmp_path, HELD)
    assert result["verdict"] == "TRUE" and set(verdicts(parts).values()) == {"TRUE"}
    assert list(parts) == ["assertions", "memory", "division", "shift", "overflow"]
    assert parts["assertions"]["errors"] == 1 and parts["memory"]["errors"] >= 2 and parts["memory"]["checks"]
    assert all(part["certificate"] is None for part in parts.values()) and result["evidence"]["certificate"]["checked"]
    assert {*result["options"]["checks"]} == MEANT


def test_without_checks_there_are_no_parts(tmp_path: Path) -> None:
    result, parts = answered(tmp_path, OVERFLOW, "--check", "none")
    assert result["verdict"] == "TRUE" and not parts and result["options"]["checks"] == []


def test_assertions_are_proved_beside_an_overflow(tmp_path: Path) -> None:
    result, parts = answered(tmp_path, OVERFLOW)
    assert result["verdict"] == "FALSE" and "overflow of int: x + 1" in result["reason"]
    assert verdicts(parts) == {**dict.fromkeys(parts, "TRUE"), "overflow": "FALSE"}
    assert parts["assertions"]["certificate"]["checked"] and "fail before" not in parts["assertions"]["reason"]
    assert {error["kind"]: error["verdict"] for error in result["errors"]} == {"assertion": "TRUE", "overflow": "FALSE"}


@pytest.mark.parametrize("text", [BEHIND, ALWAYS])
def test_an_assertion_that_only_fails_behind_an_overflow_fails(text: str, tmp_path: Path) -> None:
    result, parts = answered(tmp_path, text)
    assert result["verdict"] == "FALSE"
    assert (parts["assertions"]["verdict"], parts["overflow"]["verdict"]) == ("FALSE", "FALSE")
    examples = [result["evidence"]["counterexample"], *result["evidence"]["others"]]
    assert {example["error"] for example in examples} == {"overflow of int: x + 1", "assertion x > 0"}
    assert all(example["given"] == (["nondet_int() = 2147483647"] if text == BEHIND else []) for example in examples)


def test_what_is_open_is_told_apart_from_what_holds(tmp_path: Path) -> None:
    """Arithmetic on vectors is not modelled where it is checked, and the assertion stands behind it."""
    result, parts = answered(tmp_path, OPEN)
    still = "division, shift, overflow are not decided: the analysis ends in every execution at what is not modelled: checks of "
    assert result["verdict"] == "UNKNOWN" and result["reason"].startswith(f"assertions hold, but {still}")
    assert verdicts(parts) == {
        "assertions": "TRUE",
        "memory": "TRUE",
        **dict.fromkeys(("division", "shift", "overflow"), "UNKNOWN"),
    }
    assert parts["overflow"]["cause"] == "unsupported" and parts["overflow"]["hint"] and parts["overflow"]["unmodelled"]


def test_all_violations_with_all(tmp_path: Path) -> None:
    text = HELD.replace("i > 3", "i > 4").replace("assert(a[i] >= 7)", "assert(a[i] != 28)")
    result, parts = answered(tmp_path, text, "--all")
    assert verdicts(parts) == {"assertions": "FALSE", "memory": "FALSE", "division": "TRUE", "shift": "TRUE", "overflow": "TRUE"}
    assert {error["kind"] for error in result["errors"] if error["verdict"] == "FALSE"} == {"assertion", "bounds"}


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        (THREADS, (), "programs with threads"),
        (LARGE, ("--data-model", "ILP32"), "the size of table is not known, or too large"),
    ],
)
def test_a_check_that_does_not_know_the_program_is_left_out_by_name(
    text: str, words: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    sarif = tmp_path / "found.sarif"
    result, parts = answered(tmp_path, text, *words, "--sarif", sarif)
    assert result["verdict"] == "TRUE" and result["reason"].endswith(f"; memory not checked: {reason}")
    assert (parts["memory"]["verdict"], parts["memory"]["reason"]) == ("not checked", reason)
    assert set(result["options"]["checks"]) == {"division", "shift", "overflow"}
    said = [each["message"]["text"] for each in json.loads(sarif.read_text())["runs"][0]["results"] if each["kind"] == "open"]
    assert said == [f"memory: not checked: {reason}."]
    asked, parts = answered(tmp_path, text, *words, "--check", "memory", "--timeout", "3s")
    assert (asked["verdict"], parts["memory"]["verdict"]) == ("UNKNOWN", "UNKNOWN")


def test_it_is_told_in_the_first_line(tmp_path: Path) -> None:
    lines = verify_as_by_default(written(tmp_path, THREADS), "--timeout", "60s").stdout.splitlines()
    assert lines[0] == "TRUE  no error can be reached; not checked: memory"
    assert "  proved: assertions (1), division (1), shift, overflow" in lines
    assert "  memory: not checked: programs with threads" in lines


@pytest.mark.parametrize(("text", "verdict"), [(NOTHING_ASSERTED, "not checked"), (MISSPELT, "UNKNOWN"), (UNREACHED, "UNKNOWN")])
def test_no_assertion_is_told(text: str, verdict: str, tmp_path: Path) -> None:
    result, parts = answered(tmp_path, text)
    assert result["verdict"] == ("TRUE" if verdict == "not checked" else "UNKNOWN")
    assert parts["assertions"]["verdict"] == verdict and "main reaches no assertion" in parts["assertions"]["reason"]
    assert parts["division"]["verdict"] == "TRUE"


def test_nothing_to_check_is_nothing_to_prove(tmp_path: Path) -> None:
    result, _ = answered(tmp_path, "int main(void) { return 0; }\n")
    assert (result["verdict"], result["cause"]) == ("UNKNOWN", "nothing")


def test_certificates_are_about_what_was_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, certificate = written(tmp_path, HELD), tmp_path / "proof.json"
    assert verify_as_by_default(file, "--certificate", certificate).returncode == 0
    assert main(["check", str(certificate), str(file)]) == 0
    assert main(["check", str(certificate), str(file), "--check", "none"]) == 3
    assert "add --check division,shift,overflow,null" in capsys.readouterr().err
    assert verify_as_by_default(file, "--certificate", certificate, "--check", "none").returncode == 0
    assert main(["check", str(certificate), str(file)]) == 3
    assert "add --check none" in capsys.readouterr().err


def test_a_proof_of_parts_has_no_certificate_in_a_file(tmp_path: Path) -> None:
    done = verify_as_by_default(written(tmp_path, OVERFLOW), "--certificate", tmp_path / "proof.json", "--quiet")
    assert done.returncode == 1 and not (tmp_path / "proof.json").exists()


def test_witnesses_are_about_one_property(tmp_path: Path) -> None:
    witness = tmp_path / "witness.yml"
    verify_as_by_default(written(tmp_path, OVERFLOW), "--witness", witness)
    assert "CHECK( init(main()), LTL(G ! overflow) )" in witness.read_text()
    verify_as_by_default(written(tmp_path, HELD), "--witness", witness)
    assert "CHECK( init(main()), LTL(G ! call(reach_error())) )" in witness.read_text()
    assert main(["validate", str(witness), str(tmp_path / "program.c"), "--timeout", "60s"]) == 0
