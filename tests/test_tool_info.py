"""BenchExec calls drystone by `drystone.tool_info`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import benchexec.util
import pytest
from benchexec.tools.template import BaseTool2

from drystone.engines.registry import ENGINES, FORGETFUL
from drystone.tool_info import Tool
from tests.places import EXAMPLES, ROOT


def environment() -> dict[str, str]:
    def before(folder: str | Path, variable: str) -> str:
        return os.pathsep.join([str(folder), os.environ.get(variable, "")])

    return {**os.environ, "PATH": before(Path(sys.executable).parent, "PATH"), "PYTHONPATH": before(ROOT, "PYTHONPATH")}


def test_benchexec_accepts_the_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchexec.test_tool_info", "drystone.tool_info", "--no-container"],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    written = done.stdout + done.stderr
    assert "'verify', '--property', 'PROPERTY.PRP', 'INPUT.FILE'" in written and "ERROR" not in written


def test_counters_of_every_engine() -> None:
    for engine in (*ENGINES, FORGETFUL):
        line = f"  {engine}: 1.6 s, 0.6 s of processor time, 104 MB; 1,142 queries, 35 messages, 3 lemmas"
        for name, value in {"queries": "1142", "messages": "35", "lemmas": "3", "runs": None}.items():
            assert Tool().get_value_from_output(["TRUE  by induction", line], name) == value, engine


def test_a_run_of_runexec(tmp_path: Path) -> None:
    output = tmp_path / "output.log"
    done = subprocess.run(
        [sys.executable, "-m", "benchexec.runexecutor", "--no-container", "--walltimelimit", "60", "--output", str(output), "--",
         sys.executable, "-m", "drystone", "verify", "--engine", "execute", str(EXAMPLES / "bank.c")],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )  # fmt: skip
    if "cgroups" in done.stderr and not output.exists():
        pytest.skip("runexec does not work here: " + done.stderr[-200:])
    run = BaseTool2.Run(
        cmdline=[],
        exit_code=benchexec.util.ProcessExitCode.create(value=1),
        output=BaseTool2.RunOutput(output.read_text().splitlines(keepends=True)),
        termination_reason=None,
    )
    assert Tool().determine_result(run) == "false(unreach-call)"
    assert Tool().get_value_from_output(run.output, "runs") is not None
    assert "returnvalue=1" in done.stdout
