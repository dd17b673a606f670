"""Programs that check themselves, written by others: what `drystone verify` says of them is not wrong (bench/suites.py)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.gcc.amount import ALL, SUITE_PROGRAMS
from tests.gcc.compiler import missing
from tests.places import BENCH, NO_SUITES, SUITES


@pytest.mark.gcc
@pytest.mark.parametrize("suite", ("c-torture", "c-testsuite"))
def test_no_verdict_is_wrong(suite: str) -> None:
    if not (SUITES / suite).is_dir():
        pytest.skip(NO_SUITES)
    if reason := missing():
        pytest.skip(reason)
    command = [
        sys.executable,
        str(BENCH / "suites.py"),
        str(SUITES / suite),
        "--timeout",
        "10" if ALL else "4",
        "--jobs",
        "1",
    ]
    command += [] if ALL else ["--sample", str(SUITE_PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "CRASH" not in done.stdout, done.stdout + done.stderr
