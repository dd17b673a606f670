"""bench/speedup.py and its families: all programs are safe, and what was measured is not measured again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.dss import engine
from drystone.engines.dss.options import DssOptions
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.places import BENCH


@pytest.mark.parametrize("name", ("unreachable:2:1", "reachable:2:1", "sequence:2:1", "chain:2:1"))
def test_families_are_safe(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from families import program_of

    path = tmp_path / "program.c"
    path.write_text(program_of(name))
    program = load([str(path)], FrontendOptions()).program
    assert (
        engine.check(PreparedProgram(program), DssOptions(candidates=()), Deadline.after(60.0), unobserved).verdict
        is Verdict.TRUE
    )


def test_what_is_measured_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "speedup.json"
    command = [
        sys.executable,
        str(BENCH / "speedup.py"),
        "--family",
        "chain:1:1",
        "--runs",
        "1",
        "--timeout",
        "30",
        "--json",
        str(out),
    ]
    first = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert first.returncode == 0, first.stdout + first.stderr
    entry = json.loads(out.read_text())["tasks"]["chain:1:1"]
    runs = [(each["engine"], each["workers"], each["verdict"]) for each in entry["runs"]]
    assert runs == [(engine, workers, "TRUE") for engine in ("dss", "auto") for workers in (1, 2)]
    assert entry["trace"]["blocks"] == 2
    again = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "chain:1:1" in again.stdout and json.loads(out.read_text())["tasks"]["chain:1:1"] == entry
    other = subprocess.run([*command, "--timeout", "29"], capture_output=True, text=True, timeout=60)
    assert other.returncode == 1 and "other settings" in other.stderr
