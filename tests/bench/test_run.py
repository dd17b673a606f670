"""bench/run.py: runs tasks, resumes, counts, compares."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

from drystone import __version__
from tests.places import BENCH, EXAMPLES, PROGRAMS, ROOT

PROPERTY = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"


def tasks(folder: Path) -> Path:
    category = folder / "small"
    category.mkdir()
    (category / "reach.prp").write_text(PROPERTY)
    for name, expected in (("magic_number", "false"), ("no_error", "true"), ("threads", "false"), ("two_errors", "true")):
        (category / f"{name}.c").write_text((PROGRAMS / f"{name}.c").read_text())
        (category / f"{name}.yml").write_text(
            f"format_version: '2.0'\ninput_files: {name}.c\noptions: {{language: C, data_model: ILP32}}\n"
            f"properties:\n  - property_file: reach.prp\n    expected_verdict: {expected}\n"
        )
    return folder


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / "run.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_runs_resumes_and_compares(tmp_path: Path) -> None:
    folder, out = tasks(tmp_path), tmp_path / "out.json"
    settings = ("--engine", "execute", "--timeout", "3", "--json", out)
    first = bench(folder / "small" / "magic_number.yml", *settings)
    assert first.returncode == 0 and "[1/1] correct" in first.stdout, first.stdout + first.stderr
    second = bench(folder, *settings)
    assert "[3/3]" in second.stdout  # the fourth was there
    results = {row["task"]: row for row in json.loads(out.read_text())["results"]}
    assert {name: row["status"] for name, row in results.items()} == {
        "small/magic_number": "correct",
        "small/no_error": "correct",
        "small/threads": "correct",
        "small/two_errors": "wrong",  # it says true and is not
    }
    assert second.returncode == 1 and "WRONG  small/two_errors" in second.stdout
    assert json.loads(out.read_text())["score"] == 1 + 2 + 1 - 16
    (origin,) = json.loads(out.read_text())["origins"]  # both runs were the same program on the same machine
    assert origin["drystone"] == __version__ and origin["cores"] > 0 and origin["options"]["jobs"] == 2
    assert str(ROOT) not in json.dumps(origin) and (not platform.node() or platform.node() not in json.dumps(origin))
    assert "[" not in bench(folder, *settings).stdout.splitlines()[0]  # nothing to run any more
    other = bench(folder, "--engine", "execute", "--timeout", "4", "--json", out)
    assert other.returncode == 1 and "other settings" in other.stderr
    comparison = bench("--compare", out, out).stdout
    assert comparison.startswith("4 tasks in both, 0 in one; score -12 -> -12")


def test_what_the_parts_of_dss_did_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = bench(EXAMPLES / "lock.yml", "--engine", "dss", "--json", out)
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads(out.read_text())["results"]
    assert len(result["blocks"]) >= 1 and result["operators"] and result["messages"]["count"] >= 0
    assert str(ROOT) not in out.read_text()
    shown = subprocess.run([sys.executable, str(BENCH / "summary.py"), str(out)], capture_output=True, text=True, check=True)
    assert shown.stdout.count("| `out.json` |") == 2


def test_older_files_can_be_read(tmp_path: Path) -> None:
    """Those from before results had details."""
    older = BENCH / "results" / "bmc-60s-seed3.json"
    assert '"blocks": [' not in older.read_text()
    assert "score 225 -> 225" in bench("--compare", older, older).stdout


def test_the_table_of_kept_results_is_that_of_the_files() -> None:
    """But for the commits that added files which do not say what they were made with: a copy without history knows none."""
    command = [sys.executable, str(BENCH / "summary.py")]
    lines = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    written = (BENCH / "results" / "README.md").read_text()
    assert len(lines) > 5
    for line in lines:
        assert line.rsplit("|", 2)[0] in written


def test_tasks_for_checks_are_tasks(tmp_path: Path) -> None:
    """A reachability property is taken where there is one, otherwise a check."""
    for name, formula in (("reach", "G ! call(reach_error())"), ("overflow", "G ! overflow"), ("other", "F end")):
        (tmp_path / f"{name}.prp").write_text(f"CHECK( init(main()), LTL({formula}) )\n")
    texts = {
        "first": (("overflow", "true"), ("reach", "false")),
        "second": (("other", "true"), ("overflow", "true")),
        "third": (("other", "true"),),
    }
    for name, stated in texts.items():
        rows = "".join(f"  - property_file: {each}.prp\n    expected_verdict: {verdict}\n" for each, verdict in stated)
        (tmp_path / f"{name}.yml").write_text(f"format_version: '2.0'\ninput_files: a.c\nproperties:\n{rows}")
    script = "import sys, run; print([(task.path.stem, task.expected) for task in run.tasks_below(sys.argv[1:])])"
    told = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, cwd=BENCH, check=True)
    assert told.stdout == "[('first', False), ('second', True)]\n"
