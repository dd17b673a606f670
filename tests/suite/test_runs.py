"""`drystone suite` as people run it: one table, one exit code, and nothing is lost when it is interrupted, however roughly."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from drystone.report.junit import junit
from drystone.report.suite import Rows
from drystone.report.summary import summary
from drystone.suite.budget import Budget
from drystone.suite.kept import Kept
from drystone.suite.outcome import Outcome
from drystone.suite.programs import programs_of
from drystone.suite.running import Observer, Suite
from drystone.verification.options import Options
from tests.places import ROOT
from tests.running import left_behind, with_scratch

_SAFE = "void reach_error(void);\nint main(void) { int x = 1; if (x != 1) reach_error(); return 0; }\n"
_UNSAFE = _SAFE.replace("!=", "==")
_UNKNOWN = 'void reach_error(void);\nunsigned f(unsigned);\nint main(void) { asm goto("" : : : : out); out: reach_error(); }\n'
_LONG = """void reach_error(void);
unsigned in(void);
int main(void) {
  unsigned long long a = in(), b = in();
  if (a > 1 && b > 1 && a * b == 10780379821730533709ull) reach_error();
}
"""  # to find these two prime numbers takes long


def suite(folder: Path, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=120, check=False, cwd=folder, **options)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "drystone", "suite", *words]


@pytest.fixture(autouse=True)
def from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def rows(folder: Path, *words: str) -> dict[str, dict[str, Any]]:
    done = suite(folder, *words, "--json", "-")
    return {each["name"]: each for each in json.loads(done.stdout)["programs"]}


def test_the_exit_code_is_that_of_the_worst(tmp_path: Path) -> None:
    (tmp_path / "safe.c").write_text(_SAFE)
    (tmp_path / "unsafe.c").write_text(_UNSAFE)
    (tmp_path / "broken.c").write_text("int main(void) {\n  return 0\n}\n")
    (tmp_path / "unknown.c").write_text(_UNKNOWN)
    done = suite(tmp_path, "safe.c", "broken.c", "unsafe.c", "unknown.c", "--jobs", "1")
    assert done.returncode == 1
    verdicts = [line.split("  ")[0] for line in done.stdout.splitlines()]
    assert sorted(verdicts[:-1]) == ["BAD INPUT", "FALSE", "TRUE", "UNKNOWN"]
    assert verdicts[-1].startswith("4 programs: 1 TRUE, 1 FALSE, 1 UNKNOWN, 1 not usable")
    assert "broken.c:2:11: error: expected ';'" in done.stdout
    assert suite(tmp_path, "safe.c").returncode == 0
    assert suite(tmp_path, "safe.c", "broken.c").returncode == 3
    assert suite(tmp_path, "missing.c").returncode == 3
    assert suite(tmp_path, "--jobs", "2").returncode == 3


def test_what_is_decided_is_known_until_a_text_or_an_option_changes(tmp_path: Path) -> None:
    (tmp_path / "safe.c").write_text('#include "value.h"\n' + _SAFE.replace("x = 1;", "x = VALUE;"))
    (tmp_path / "value.h").write_text("#define VALUE 1\n")
    assert not rows(tmp_path, "safe.c")["safe.c"]["is_kept"]
    again = rows(tmp_path, "safe.c")["safe.c"]
    assert (again["is_kept"], again["verdict"]) == (True, "TRUE")
    assert not rows(tmp_path, "safe.c", "--fresh")["safe.c"]["is_kept"]
    assert not rows(tmp_path, "safe.c", "--data-model", "ILP32")["safe.c"]["is_kept"]
    (tmp_path / "value.h").write_text("#define VALUE 2\n")
    changed = rows(tmp_path, "safe.c")["safe.c"]
    assert (changed["is_kept"], changed["verdict"]) == (False, "FALSE")


def test_a_result_is_not_kept_for_a_text_that_was_changed_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "long.c").write_text(_LONG)
    (tmp_path / "safe.c").write_text(_SAFE)
    words = ["long.c", "safe.c", "--jobs", "1", "--timeout", "2s"]
    with subprocess.Popen(command(*words), cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        while not _below(running.pid):
            time.sleep(0.02)
        (tmp_path / "safe.c").write_text(_UNSAFE)
        assert running.stdout is not None
        assert [line.split()[0] for line in running.stdout][:2] == ["UNKNOWN", "FALSE"]
    (tmp_path / "safe.c").write_text(_SAFE)
    again = rows(tmp_path, "safe.c")["safe.c"]
    assert (again["is_kept"], again["verdict"]) == (False, "TRUE")


def test_large_programs_begin_first_where_several_run(tmp_path: Path) -> None:
    (tmp_path / "safe.c").write_text(_SAFE)
    (tmp_path / "unsafe.c").write_text(_UNSAFE + "// a long text\n")
    (tmp_path / "longest.c").write_text(_SAFE + "// the longest one of all texts\n")
    asked: list[str] = []

    class Begun(Observer):
        def begins(self, name: str, at: float) -> None:
            asked.append(name)

    for jobs, first in ((1, "safe.c"), (2, "longest.c")):
        programs = programs_of([str(tmp_path / name) for name in ("safe.c", "unsafe.c", "longest.c")], [], [], Options())
        Suite(programs, Budget(60, None, jobs), Kept(str(tmp_path / f"kept{jobs}"), fresh=False), [Begun()]).run()
        assert Path(asked[-3]).name == first


def test_what_is_open_is_tried_again_in_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "unknown.c").write_text(_UNKNOWN)
    assert [rows(tmp_path, "unknown.c")["unknown.c"]["is_kept"] for _ in range(2)] == [False, False]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_suite_goes_on_where_it_was(tmp_path: Path, how: signal.Signals) -> None:
    names = [f"safe{number}.c" for number in range(3)]
    for name in names:
        (tmp_path / name).write_text(_SAFE)
    (tmp_path / "long.c").write_text(_LONG)
    words = [*names, "long.c", "--jobs", "1", "--timeout", "100s", "--report", "r.html"]
    (tmp_path / "scratch").mkdir()
    environment = with_scratch(tmp_path / "scratch")
    with subprocess.Popen(
        command(*words), cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        before = [running.stdout.readline() for _ in names]
        while not list((tmp_path / "scratch").glob("*/*")):
            time.sleep(0.02)  # until there is something that could be left
        below = _below(running.pid)
        running.send_signal(how)
        assert running.wait() == (130 if how is signal.SIGINT else -how)
    assert all(line.startswith("TRUE") for line in before)
    for _ in range(200):
        if not any(Path(f"/proc/{each}").exists() for each in below):
            break
        time.sleep(0.05)
    assert [each for each in below if Path(f"/proc/{each}").exists()] == []
    assert left_behind(tmp_path / "scratch") == []
    (tmp_path / "long.c").write_text(_UNSAFE)  # so that the test ends
    assert not (tmp_path / "r.html").exists() and len(list((tmp_path / "r-pages").iterdir())) == 3
    found = rows(tmp_path, *words)
    assert list(found) == [*names, "long.c"]
    index = data_of(tmp_path / "r.html")["rows"]
    assert [(row["name"], row["verdict"]) for row in index] == [*((name, "TRUE") for name in names), ("long.c", "FALSE")]
    assert all((tmp_path / row["page"]).exists() for row in index)
    assert [found[name]["is_kept"] for name in names] == [True] * 3
    assert found["long.c"]["verdict"] == "FALSE"


def _below(process: int) -> list[int]:
    from drystone.base.process_tree import descendants

    return descendants(process)


def test_programs_share_a_budget(tmp_path: Path) -> None:
    (tmp_path / "long.c").write_text(_LONG)
    (tmp_path / "safe.c").write_text(_SAFE)
    found = rows(tmp_path, "long.c", "safe.c", "--budget", "6s", "--jobs", "1")
    assert found["safe.c"]["verdict"] == "TRUE"
    assert found["long.c"]["verdict"] == "UNKNOWN"
    assert found["long.c"]["result"]["timeout_s"] < 6  # of 60, and some of it was for the other one


def test_two_suites_do_not_share_a_folder(tmp_path: Path) -> None:
    import fcntl

    (tmp_path / "safe.c").write_text(_SAFE)
    (tmp_path / "kept").mkdir()
    with (tmp_path / "kept" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = suite(tmp_path, "safe.c", "--results", "kept")
    assert done.returncode == 3
    assert "another suite" in done.stderr


def test_files_for_servers_and_people(tmp_path: Path) -> None:
    name = 'a "b" <c> & `d` | é.c'
    (tmp_path / name).write_text(_UNSAFE)
    (tmp_path / "safe.c").write_text(_SAFE)
    done = suite(tmp_path, name, "safe.c", "--junit", "j.xml", "--summary", "s.md")
    assert done.returncode == 1
    root = ElementTree.fromstring((tmp_path / "j.xml").read_bytes())
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {name: ["failure", "system-out"], "safe.c": ["system-out"]}
    text = (tmp_path / "s.md").read_text()
    assert r'a "b" \<c\> \& \`d\` \| é.c' in text
    assert "2 programs: 1 TRUE, 1 FALSE" in text
    assert suite(tmp_path, name, "--junit", "nowhere/j.xml").returncode == 3


_LOOP = """void reach_error(void);
int in(void);
int main(void) { int x = 0; while (in()) { if (x != 0) reach_error(); x = 1; x = 0; } return 0; }
"""


def data_of(page: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.read_text().partition('id="contents">')[2].partition("</script>")[0])
    return found


def test_pages_are_the_same_when_results_are_known(tmp_path: Path) -> None:
    (tmp_path / "loop.c").write_text(_LOOP)
    (tmp_path / "broken.c").write_text("int main(void) {")
    words = ("loop.c", "broken.c", "--engine", "dss", "--report", "out/r.html")
    assert suite(tmp_path, *words).returncode == 3  # no such folder
    (tmp_path / "out").mkdir()
    assert suite(tmp_path, *words).returncode == 3  # broken.c
    page = tmp_path / "out" / "r-pages" / "0001-loop.c.html"
    first, index = data_of(page), data_of(tmp_path / "out" / "r.html")
    assert first["story"]["messages"] and first["coverage"] and first["index"] == "../r.html"
    assert [(row["name"], row["verdict"], row["page"]) for row in index["rows"]] == [
        ("loop.c", "TRUE", "r-pages/0001-loop.c.html"),
        ("broken.c", "BAD INPUT", ""),
    ]
    page.unlink()
    assert suite(tmp_path, *words).returncode == 3
    assert data_of(page) == first and data_of(tmp_path / "out" / "r.html")["rows"][0]["is_kept"]


def test_what_is_known_has_a_page_though_nothing_was_told(tmp_path: Path) -> None:
    (tmp_path / "loop.c").write_text(_LOOP)
    assert suite(tmp_path, "loop.c", "--engine", "dss").returncode == 0
    assert suite(tmp_path, "loop.c", "--engine", "dss", "--report", "r.html").returncode == 0
    assert data_of(tmp_path / "r-pages" / "0001-loop.c.html")["story"] is None
    assert rows(tmp_path, "loop.c", "--engine", "dss")["loop.c"]["is_kept"]  # a report asks no other question


def test_a_page_that_cannot_be_written_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "safe.c").write_text(_SAFE)
    (tmp_path / "r-pages" / "0001-safe.c.html").mkdir(parents=True)
    done = suite(tmp_path, "safe.c", "--report", "r.html")
    assert done.returncode == 3 and "TRUE" in done.stdout
    assert "r-pages/0001-safe.c.html: cannot be written: Is a directory" in done.stderr
    assert data_of(tmp_path / "r.html")["rows"][0]["page"] == ""
    (tmp_path / "s-pages").write_text("")
    assert suite(tmp_path, "safe.c", "--report", "s.html").returncode == 3


def test_a_program_that_is_tried_again_is_done_once() -> None:
    observed = Rows(StringIO(), 2, 100, 10, quiet=False)
    for _ in range(2):
        observed.ends(Outcome("a.c", "UNKNOWN", "", None, 1.0), None)
    assert observed.done == {"a.c"}


def test_control_characters_do_not_break_the_files() -> None:
    outcomes = [Outcome("a\x00\x1b[31m\ud800.c", "BAD INPUT", "]]> \x07 </testsuite>", None, None)]
    (case,) = ElementTree.fromstring(junit(outcomes, 0.0)).iter("testcase")
    (problem,) = case
    assert problem.get("message") == "]]> \N{REPLACEMENT CHARACTER} </testsuite>"
    assert r"\]\]\>" in summary(outcomes, 0.0)
