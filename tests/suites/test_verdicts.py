"""Programs that check themselves, written by others: what `drystone verify` says of them is not wrong (bench/suites.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from gcc.amount import ALL, SUITE_PROGRAMS
from gcc.compiler import missing

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT.parent / "shared" / "suites"


@pytest.mark.gcc
@pytest.mark.parametrize("suite", ("c-torture", "c-testsuite"))
def test_no_verdict_is_wrong(suite: str) -> None:
    if not (SUITES / suite).is_dir():
        pytest.skip("the suites are not here")
    if reason := missing():
        pytest.skip(reason)
    command = [
        sys.executable,
        str(ROOT / "bench" / "suites.py"),
        str(SUITES / suite),
        "--timeout",
        "10" if ALL else "4",
        "--jobs",
        "1",
    ]
    command += [] if ALL else ["--sample", str(SUITE_PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "CRASH" not in done.stdout, done.stdout + done.stderr
