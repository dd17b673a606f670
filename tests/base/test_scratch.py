"""A scratch folder is gone when whoever needed it is, however it has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drystone.base.process_tree import children
from drystone.base.scratch import scratch_folder
from tests.places import ROOT

_SCRIPT = """
import os, sys, time
from drystone.base.process_tree import end_with
from drystone.base.scratch import scratch_folder
with scratch_folder() as folder:
    folder.mkdir()
    parent = os.getpid()
    if os.fork() == 0:
        end_with(parent)
    (folder / str(os.getpid())).touch()
    time.sleep(60)
"""


def test_it_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = children(os.getpid())
    with pytest.raises(KeyError), scratch_folder() as folder:
        (folder / "deep").mkdir(parents=True)
        raise KeyError
    assert list(tmp_path.iterdir()) == [] and children(os.getpid()) == before


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("is_group", [False, True])
def test_it_is_removed_when_processes_are_killed(tmp_path: Path, how: signal.Signals, is_group: bool) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen([sys.executable, "-c", _SCRIPT], cwd=ROOT, env=environment, start_new_session=True)
    _wait(lambda: sum(1 for _ in tmp_path.glob("*/*")) == 2)
    below = children(running.pid)
    (os.killpg if is_group else os.kill)(running.pid, how)
    running.wait()
    _wait(lambda: not list(tmp_path.iterdir()))
    _wait(lambda: not any(_is_alive(each) for each in below))


def _is_alive(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def _wait(is_so: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.02)
