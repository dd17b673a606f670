"""BenchExec calls drystone by `drystone.tool_info`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import benchexec.util
import pytest
from benchexec.benchexec import BenchExec
from benchexec.model import Benchmark
from benchexec.tools.template import BaseTool2

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
    assert "'verify', '--json', '-', '--property', 'PROPERTY.PRP', 'INPUT.FILE'" in written and "ERROR" not in written


def ended(lines: list[str], exit_code: int) -> BaseTool2.Run:
    return BaseTool2.Run(
        cmdline=[],
        exit_code=benchexec.util.ProcessExitCode.create(value=exit_code),
        output=BaseTool2.RunOutput(lines),
        termination_reason=None,
    )


def written(*words: str) -> list[str]:
    """What BenchExec sees: standard output and standard error together."""
    command = [sys.executable, "-m", "drystone", "verify", *words, "--json", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment(), timeout=120)
    return done.stdout.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("verdict", "cause", "status"),
    [
        ("TRUE", "", "true"),
        ("FALSE", "", "false(unreach-call)"),
        ("UNKNOWN", "time", "TIMEOUT"),
        ("UNKNOWN", "memory", "OUT OF MEMORY"),
        ("UNKNOWN", "crash", "ERROR"),
        ("UNKNOWN", "engine", "unknown"),
    ],
)
def test_the_answer_is_a_value(verdict: str, cause: str, status: str) -> None:
    """Whatever the reason says, and whatever stands on standard error."""
    report = {
        "schema_version": 1,
        "verdict": verdict,
        "cause": cause,
        "reason": "out of time, TRUE",
        "counters": {"queries": 1142},
    }
    lines = ["drystone: FALSE\n", "{ no object\n", json.dumps(report) + "\n", "TRUE  really\n"]
    assert Tool().determine_result(ended(lines, 2)) == status
    assert Tool().get_value_from_output(BaseTool2.RunOutput(lines), "queries") == "1142"
    assert Tool().get_value_from_output(BaseTool2.RunOutput(lines), "lemmas") is None


def test_a_data_race_has_a_word_of_its_own() -> None:
    report = {"schema_version": 1, "verdict": "FALSE", "cause": "", "options": {"data_race": True}, "counters": {}}
    assert Tool().determine_result(ended([json.dumps(report)], 1)) == "false(no-data-race)"


def test_what_has_no_answer_is_an_error() -> None:
    assert Tool().determine_result(ended(["TRUE  so it says\n"], 4)) == "ERROR"
    assert Tool().determine_result(ended(["drystone: no such file\n"], 3)) == "ERROR(input)"
    assert Tool().get_value_from_output(BaseTool2.RunOutput([]), "queries") is None


def test_runs_give_answers_and_counters() -> None:
    proved = written("--engine", "dss", "--certificate", os.devnull, str(EXAMPLES / "sum.c"))
    assert Tool().determine_result(ended(proved, 0)) == "true"
    assert int(Tool().get_value_from_output(BaseTool2.RunOutput(proved), "messages") or 0) > 0
    late = written("--timeout", "1ms", str(EXAMPLES / "sum.c"))
    assert Tool().determine_result(ended(late, 2)) == "TIMEOUT"


def test_a_run_of_runexec(tmp_path: Path) -> None:
    output = tmp_path / "output.log"
    done = subprocess.run(
        [sys.executable, "-m", "benchexec.runexecutor", "--no-container", "--walltimelimit", "60", "--output", str(output), "--",
         sys.executable, "-m", "drystone", "verify", "--engine", "execute", "--json", "-", str(EXAMPLES / "bank.c")],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
    )  # fmt: skip
    if "cgroups" in done.stderr and not output.exists():
        pytest.skip("runexec does not work here: " + done.stderr[-200:])
    run = ended(output.read_text().splitlines(keepends=True), 1)
    assert Tool().determine_result(run) == "false(unreach-call)"
    assert Tool().get_value_from_output(run.output, "runs") is not None
    assert "returnvalue=1" in done.stdout


@pytest.mark.parametrize(
    ("kind", "result", "status"),
    [
        ("correctness", "valid", "true"),
        ("correctness", "rejected", "false(unreach-call)"),
        ("violation", "valid", "false(unreach-call)"),
        ("violation", "rejected", "true"),
        ("violation", "undecided", "unknown"),
    ],
)
def test_validators_answer_as_those_of_sv_comp(kind: str, result: str, status: str) -> None:
    report = {"schema_version": 1, "witness": "w.yml", "kind": kind, "result": result, "reason": "TRUE", "options": {}}
    lines = [json.dumps(report) + "\n"]
    assert Tool().determine_result(ended(lines, 2)) == status
    assert Tool().get_value_from_output(BaseTool2.RunOutput(lines), "queries") is None


def test_a_validation_as_benchexec_asks_for_it(tmp_path: Path) -> None:
    file, witness, wanted = EXAMPLES / "bank.c", tmp_path / "w.yml", tmp_path / "p.prp"
    written("--witness", str(witness), str(file))
    wanted.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    limits = BaseTool2.ResourceLimits(cputime=60, memory=4 * 10**9)
    task = BaseTool2.Task.with_files([str(file)], property_file=str(wanted))
    command = Tool().cmdline("drystone", ["validate", str(witness)], task, limits)
    assert command[:3] == ["drystone", "validate", str(witness)]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, env=environment(), timeout=120)
    assert Tool().determine_result(ended(done.stdout.splitlines(keepends=True), done.returncode)) == "false(unreach-call)"


@pytest.mark.parametrize("path", sorted((ROOT / "bench" / "benchexec").glob("*.xml")), ids=lambda path: path.stem)
def test_definitions_are_read_by_benchexec(path: Path, tmp_path: Path) -> None:
    """With tasks of their own: two programs, beside a folder of results."""
    folder = tmp_path / "a" / "b" / "definitions"
    benchmarks = tmp_path / "shared" / "benchmarks"
    (benchmarks / "some").mkdir(parents=True)
    (benchmarks / "properties").mkdir()
    (benchmarks / "properties" / "unreach-call.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    for name, verdict in (("good", "true"), ("bad", "false")):
        (benchmarks / "some" / f"{name}.c").write_text("int main(void) {}\n")
        (benchmarks / "some" / f"{name}.yml").write_text(
            f"format_version: '2.0'\ninput_files: {name}.c\nproperties:\n- property_file: ../properties/unreach-call.prp\n"
            f"  expected_verdict: {verdict}\noptions: {{language: C, data_model: ILP32}}\n"
        )
        kept = tmp_path / "results" / f"verify.{name}.yml"
        kept.mkdir(parents=True)
        (kept / "witness.yml").write_text("[]\n")
    folder.mkdir(parents=True)
    definition = folder / path.name
    definition.write_text(path.read_text().replace("LOGDIR", str(tmp_path / "results")))
    words = [str(definition), "--no-container", "--outputpath", f"{tmp_path}/"]
    config = BenchExec().create_argument_parser().parse_args(words)

    read = Benchmark(str(definition), config, datetime.now())
    read.executable = "drystone"
    runs = [run for each in read.run_sets for run in each.runs]
    expected = {"verify": {"good", "bad"}, "validate-correctness": {"good"}, "validate-violation": {"bad"}}[path.stem]
    assert {Path(run.identifier).stem for run in runs} == expected
    for run in runs:
        words = run.cmdline()
        assert words[1] == ("verify" if path.stem == "verify" else "validate") and "--property" in words
