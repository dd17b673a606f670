"""A domain that is one file (constants.py) takes part in everything: blocks in this process, in others, on a cluster; evidence.

`DRYSTONE_FULL=1` compares 300 programs with the enumeration.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from drystone.claims.verdicts import Verdict
from drystone.engines.dss import engine
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.records.recording import Begun
from drystone.engines.dss.repetition import Repetition
from drystone.engines.outcome import unobserved
from drystone.engines.recordings import NotARecording
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.engines.dss import constants
from tests.explicit.comparison import compared, kind
from tests.explicit.engines import Configuration
from tests.places import ROOT
from tests.running import report, verify

NAME = constants.ConstantOptions.__struct_config__.tag
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
FULL = os.environ.get("DRYSTONE_FULL") == "1"
SECONDS = 1.0  # many programs need a relation, and a violation moves through a loop for ever

SAFE = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int mode = 3, n = 0;
  while (__VERIFIER_nondet_int()) { n++; if (mode == 4) n = -1; }
  while (__VERIFIER_nondet_int()) { if (mode != 3) reach_error(); n--; }
  return 0; }
"""
UNSAFE = SAFE.replace("n--", "mode = 5")


def check(seconds: float = SECONDS, **options: Any) -> Configuration:
    chosen = DssOptions(summaries=str(NAME), candidates=(), **options)
    return Configuration(
        "constants",
        lambda program, deadline: engine.check(PreparedProgram(program), chosen, deadline, unobserved),
        0,
        seconds=seconds,
    )


@pytest.mark.parametrize("first", range(0, 300 if FULL else 20, 20))
def test_no_contradiction_to_the_enumeration(tmp_path: Path, first: int) -> None:
    decided = Counter[str]()
    for seed in range(first, first + 20):
        truth, result = compared(tmp_path, check(decomposition=("loops", "default", "merge:3")[seed % 3]), seed)
        decided[kind(truth)] += result.verdict is not Verdict.UNKNOWN
    assert decided.total() > 0


@pytest.mark.parametrize("where", [[], ["--workers", "2"]])
def test_the_command(tmp_path: Path, where: list[str]) -> None:
    for text, expected in ((SAFE, "TRUE"), (UNSAFE, "FALSE")):
        file = tmp_path / "program.c"
        file.write_text(text)
        options = ["--engine", "dss", "--candidates", "none", "--predictable", "--summaries", str(NAME), *where]
        found = report(file, *options, env=ENVIRONMENT)
        assert found["verdict"] == expected and len(found["blocks"]) > 1, found


def test_a_cluster(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="ds-"))  # a short name: that of a socket has a limit
    environment = {**ENVIRONMENT, "TMPDIR": str(folder), "HOME": str(tmp_path), "RAY_ADDRESS": "local"}
    file = folder / "program.c"
    file.write_text(SAFE)
    try:
        options = ["--engine", "dss", "--candidates", "none", "--predictable", "--summaries", str(NAME), "--cluster", "auto"]
        done = verify(file, *options, "--quiet", env=environment)
        assert (done.returncode, done.stdout) == (0, "TRUE\n"), done.stderr
    finally:
        shutil.rmtree(folder)


def test_a_recording_loads_no_module(tmp_path: Path) -> None:
    """Recordings come from anywhere."""
    file = tmp_path / "program.c"
    file.write_text(SAFE)
    again = Repetition(load([str(file)], FrontendOptions()).program, DssOptions(summaries=str(NAME)))
    with pytest.raises(NotARecording, match="not drystone's own"):
        again.take(Begun(1))
