"""A skip that nobody expects fails the run; one for a part that is not there is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import places, skips
from tests.places import ROOT, TESTS

EXPECTED = """
import pytest

def test_passes(): pass

@pytest.mark.xfail
def test_known(): assert False

def test_skips(): pytest.skip("runexec does not work here: no cgroups")
"""
UNEXPECTED = 'import pytest\n\ndef test_skips(): pytest.skip("no such engine yet")\n'
NO_MODULE = 'import pytest\n\npytest.importorskip("drystone.ir.gone")\n\ndef test_hidden(): pass\n'
ABSENT = "not here, so what needs it was not tested: "


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *arguments, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=120)


def test_expected_skips_pass_and_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "test_expected.py").write_text(EXPECTED)
    done = run(tmp_path)
    assert done.returncode == 0 and done.stdout.splitlines().count(f"{ABSENT}cgroups for runexec") == 1, done.stdout


@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n", "1")], ids=["alone", "in processes"])
def test_other_skips_fail(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    for name, text in (("expected", EXPECTED), ("unexpected", UNEXPECTED), ("no_module", NO_MODULE)):
        (tmp_path / f"test_{name}.py").write_text(text)
    done = run(tmp_path, *arguments)
    lines = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED without an expected reason")]
    assert done.returncode == 1 and len(lines) == 2, done.stdout
    assert "no such engine yet" in "".join(lines) and "drystone.ir.gone" in "".join(lines)


def test_what_is_there_is_no_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reason = places.NO_BENCHMARKS
    monkeypatch.setattr(places, "BENCHMARKS", tmp_path / "benchmarks")
    assert skips.verdict([("t", reason)]) == (f"{ABSENT}benchmarks", [])
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "INDEX.csv").touch()
    assert skips.verdict([("t", reason)]) == ("no optional part was missed", [f"t: {reason}"])
    assert skips.verdict([("t", "seed 3: gcc: no")]) == ("no optional part was missed", [])
