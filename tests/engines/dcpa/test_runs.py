"""Verdicts of `--engine dcpa`: TRUE with a certificate that was checked, FALSE replayed; in this process and in others."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.engines.dcpa.programs import CASES, EVEN, TOGETHER, Case
from tests.inside import decided
from tests.places import EXAMPLES
from tests.running import report, verify

WITH_EXAMPLES = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdicts(tmp_path: Path, case: Case) -> None:
    file = tmp_path / "program.c"
    file.write_text(case.text)
    for domain in case.domains:
        for decomposition in ("loops", "linear", "merge:3"):
            result = decided(file, engine="dcpa", domain=domain, decomposition=decomposition, timeout=5)
            assert result.verdict == case.verdict, (domain, decomposition, result.reason)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_one_direction(tmp_path: Path, direction: str) -> None:
    """Forwards alone proves, backwards alone also finds bugs."""
    file = tmp_path / "program.c"
    for name, verdict in (("relation", "TRUE"), ("any bug", "FALSE")):
        file.write_text(BY_NAME[name].text)
        found = decided(file, engine="dcpa", direction=direction, decomposition="linear").verdict
        assert found == ("UNKNOWN" if (direction, name) == ("forward", "any bug") else verdict)


@pytest.mark.parametrize(
    "switches",
    [
        "skip-checks",
        "impatient",
        "repeat",
        "repeat-in-loops",
        "one-by-one",
        "impatient,repeat,one-by-one",
    ],
)
def test_switches_change_no_verdict(tmp_path: Path, switches: str) -> None:
    file = tmp_path / "program.c"
    for name in ("straight", "branches", "k-inductive"):
        file.write_text(BY_NAME[name].text)
        result = decided(file, engine="dcpa", decomposition="linear", switches=tuple(switches.split(",")))
        assert result.verdict == BY_NAME[name].verdict, (name, result.reason)


@pytest.mark.parametrize("precedence", ["errors", "postconditions"])
@pytest.mark.parametrize(("engine", "options"), [("dcpa", {}), ("dss", {}), ("dss", {"summaries": "predicates"})])
def test_the_order_of_table_13_changes_no_verdict(engine: str, options: dict[str, Any], precedence: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    for name in ("straight", "branches", "any bug", "bounded bug"):
        file.write_text(BY_NAME[name].text)
        result = decided(file, engine=engine, decomposition="linear", precedence=precedence, **options)
        assert result.verdict == BY_NAME[name].verdict, (name, result.reason)


def test_counting_alone_is_no_proof(tmp_path: Path) -> None:
    """Backwards from any state, all error conditions are refuted for a while; then one is not."""
    file = tmp_path / "program.c"
    file.write_text(BY_NAME["deep bug"].text)
    result = decided(file, engine="dcpa", domain="values", start="bottom", decomposition="linear", max_states=3)
    assert result.verdict != "TRUE" and "true_by_counting" in result.counters


@pytest.mark.parametrize("where", [["--workers", "2"], ["--transport", "processes", "--workers", "1"], ["--predictable"]])
def test_the_command(tmp_path: Path, where: list[str]) -> None:
    file = tmp_path / "program.c"
    for name in ("branches", "bounded bug"):
        file.write_text(BY_NAME[name].text)
        found = report(file, "--engine", "dcpa", "--decomposition", "linear", *where)
        assert found["verdict"] == BY_NAME[name].verdict and len(found["blocks"]) > 1, found


def test_a_predictable_run_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(BY_NAME["bounded"].text)
    options = ["--engine", "dcpa", "--decomposition", "linear", "--predictable", "--start", "bottom"]
    one, two = (report(file, *options, "--workers", count) for count in ("1", "2"))
    assert one["verdict"] == two["verdict"] == "TRUE" and one["counters"] == two["counters"]


def test_what_one_domain_finds_helps_the_next(tmp_path: Path) -> None:
    """Its postconditions are INVARIANT messages, and part of the certificate."""
    file = tmp_path / "program.c"
    file.write_text(TOGETHER)
    for domain, verdict in (("predicates", "UNKNOWN"), ("values", "UNKNOWN"), ("values,predicates", "TRUE")):
        result = decided(file, engine="dcpa", domain=domain, decomposition="linear", timeout=1.5 if verdict == "UNKNOWN" else 20)
        assert result.verdict == verdict, result.reason
    file.write_text(TOGETHER.replace("mode == 5", "mode == 3"))
    assert decided(file, engine="dcpa", domain="values,predicates", decomposition="linear").verdict == "FALSE"


def test_a_domain_of_ones_own(tmp_path: Path) -> None:
    """`examples/parity.py`: found by its name, by hosts in other processes as well."""
    file = tmp_path / "program.c"
    options = ["--engine", "dcpa", "--domain", "parity:PARITY", "--start", "bottom"]
    for text, verdict in ((EVEN, "TRUE"), (EVEN.replace("== 7", "== 8"), "FALSE")):
        file.write_text(text)
        for workers in ("1", "2"):
            found = report(file, *options, "--workers", workers, env=WITH_EXAMPLES)
            assert found["verdict"] == verdict or (verdict == "FALSE" and found["verdict"] == "UNKNOWN"), found
    done = verify(file, "--engine", "dcpa", "--domain", "parity:NOTHING", env=WITH_EXAMPLES)
    assert done.returncode == 3 and "--domain: there is no 'parity:NOTHING'" in done.stderr


def test_a_cluster(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="dc-"))  # a short name: that of a socket has a limit
    environment = {**os.environ, "TMPDIR": str(folder), "HOME": str(tmp_path), "RAY_ADDRESS": "local"}
    file = folder / "program.c"
    file.write_text(BY_NAME["branches"].text)
    try:
        options = ["--engine", "dcpa", "--decomposition", "linear", "--cluster", "auto", "--quiet"]
        done = verify(file, *options, env=environment)
        assert (done.returncode, done.stdout) == (0, "TRUE\n"), done.stderr
    finally:
        shutil.rmtree(folder)
