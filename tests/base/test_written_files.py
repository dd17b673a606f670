"""Files that people asked for: written, or refused, and never a part of one."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.base.refusal import Refusal
from drystone.base.written_files import check_writable, write_file
from tests.places import ROOT


def test_what_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    for name, said in ((tmp_path, "Is a directory"), (tmp_path / "no" / "a", "there is no folder")):
        with pytest.raises(Refusal, match=said):
            check_writable(str(name))
    with pytest.raises(Refusal, match="name a file"):
        check_writable("-")
    check_writable(str(tmp_path / "a"))
    assert not (tmp_path / "a").exists()


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    script = "import sys; from drystone.base.written_files import write_file; write_file(sys.argv[1], 'x' * 100_000)"
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, tmp_path / "a"],
        cwd=ROOT,
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cannot be written: File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Refusal, match="No space left"):
        write_file("/dev/full", "x")
    assert Path("/dev/full").exists()
