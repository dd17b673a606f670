"""Every command of `examples/README.md` gives the answer that stands beside it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.places import EXAMPLES, ROOT

TABLE = (EXAMPLES / "README.md").read_text()
ROW = re.compile(r"^\| .* \| `drystone (.+)` \| (\w+) \|$", re.MULTILINE)
CODES = {"TRUE": 0, "valid": 0, "FALSE": 1, "error": 1}


def test_the_table_is_read_and_knows_all_examples() -> None:
    rows = ROW.findall(TABLE)
    assert len(rows) == TABLE.count("`drystone verify ") + TABLE.count("`drystone run ") + TABLE.count("`drystone check ")
    assert {answer for _, answer in rows} == set(CODES)
    for example in EXAMPLES.rglob("*.[cy]*"):
        assert f" examples/{example.relative_to(EXAMPLES)}" in TABLE, f"{example.name} is in no command"


def test_the_answers_are_those_of_the_table(tmp_path: Path) -> None:
    """One after the other, in a folder of their own: what one command writes another one reads."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    for words, answer in ROW.findall(TABLE):
        command = [sys.executable, "-m", "drystone", *shlex.split(words)]
        command += ["--workers", "1", "--timeout", "100s"] if words.startswith("verify") else []
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
        assert done.returncode == CODES[answer], f"{words}\n{done.stdout}{done.stderr}"
        assert answer == "error" or done.stdout.startswith(f"{answer}  "), f"{words}\n{done.stdout}"
    assert {path.name for path in tmp_path.iterdir()} >= {"harness.c", "lock.json"}


def test_answers_in_the_readme_are_those_that_are_printed() -> None:
    """All but the last line, which tells the time, and who else has confirmed the certificate, which depends on it."""
    shown = re.findall(r"^```text\n\$ drystone (.+)\n((?:.*\n)+?)```$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [answer.split()[0] for _, answer in shown] == ["FALSE", "TRUE"]
    for words, answer in shown:
        command = [sys.executable, "-m", "drystone", *shlex.split(words), "--workers", "1", "--timeout", "100s"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
        printed = done.stdout.replace("checked by z3 and bitwuzla", "checked by z3")
        assert printed.splitlines()[:-1] == answer.splitlines()[:-1]


def test_the_library_gives_the_same_answers() -> None:
    done = subprocess.run([sys.executable, EXAMPLES / "api.py"], capture_output=True, text=True, timeout=200, check=True)
    lines = [line.replace(f"{ROOT}/", "") for line in done.stdout.splitlines()]
    assert lines[:5] == [
        "bank.c has the functions deposit, main",
        "bank.c: FALSE, reach_error() at examples/bank.c:16 can be reached",
        "  __VERIFIER_nondet_int = 100",
        "  __VERIFIER_nondet_int = 100",
        "lock.c has the functions lock, main, unlock",
    ]
    assert lines[5].startswith("lock.c: TRUE, ") and lines[6].startswith("  its certificate is valid, says ") and len(lines) == 7
    assert done.stderr == ""


def test_the_lines_of_python_in_the_readme_run() -> None:
    (lines,) = re.findall(r"^```python\n((?:.*\n)+?)```$", (ROOT / "README.md").read_text(), re.MULTILINE)
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=120, check=True, cwd=ROOT)
    assert done.stdout.startswith("FALSE reach_error() at examples/bank.c:16 can be reached\n__VERIFIER_nondet_int() = 100\n")
