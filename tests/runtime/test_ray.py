"""Blocks on a Ray cluster: the verdicts are those of one process, also when a node dies; and what people are told if there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
import pytest

from tests.engines.test_predicate import HEAD
from tests.engines.tree.test_workers import FLAGS
from tests.places import EXAMPLES, ROOT
from tests.running import left_behind, verify
from tests.runtime.ray_nodes import Job, Outcome
from tests.runtime.test_processes import SAFE, UNSAFE

PRIME = """extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
    unsigned p = __VERIFIER_nondet_uint(), q = __VERIFIER_nondet_uint();
    while (__VERIFIER_nondet_uint()) p += 2;
    if (p > 1 && q > 1 && (unsigned long long)p * q == 4611686018427387847ULL) reach_error();
    return 0;
}
"""  # the greatest prime of 62 bits: no solver shows within seconds that it is one


TREE = HEAD + FLAGS


class Nodes:
    """Two nodes in another process."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process, self.folder = process, folder
        self.address = self._line()

    def run(self, text: str, kill_at: int = 0, damaged: tuple[int, ...] = (), late: int = 0) -> Outcome:
        file = self.folder / "program.c"
        file.write_text(text)
        job = Job(str(file), kill_at, list(damaged), late)
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(job).decode() + "\n")
        self.process.stdin.flush()
        return msgspec.json.decode(self._line(), type=Outcome)

    def _line(self) -> str:
        output: IO[str] | None = self.process.stdout
        assert output is not None
        line = output.readline()
        assert line, (self.folder / "errors").read_text()
        return line.strip()


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    folder = Path(tempfile.mkdtemp(prefix="ds-"))  # a short name: that of a socket has a limit
    script = ROOT / "tests" / "runtime" / "ray_nodes.py"
    with open(folder / "errors", "w") as errors:
        process = subprocess.Popen(
            [sys.executable, script, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        yield Nodes(process, folder)
        process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def test_verdicts_on_two_nodes(nodes: Nodes) -> None:
    """All that needs the cluster, one after the other: it is started once."""
    proved = nodes.run(SAFE)
    assert (proved.verdict, proved.lost) == ("TRUE", 0), proved.reason
    assert len(set(proved.nodes)) == len(proved.nodes) == 2, "a host on each node"

    damaged = nodes.run(UNSAFE, damaged=(9, 16))
    assert damaged.verdict == "FALSE" and damaged.lost >= 1, damaged

    alone = nodes.run(TREE, late=10**6)
    helped = nodes.run(TREE, late=60)
    bereft = nodes.run(TREE, late=30, kill_at=70)
    assert [each.verdict for each in (alone, helped, bereft)] == ["TRUE"] * 3, (alone.reason, helped.reason, bereft.reason)
    assert [len(each.nodes) for each in (alone, helped, bereft)] == [1, 2, 2], "the second worker comes late, or not at all"
    assert bereft.is_killed and bereft.lost >= 1
    assert alone.told == helped.told == bereft.told, "nobody's coming or going has an influence on the trees"

    survived = nodes.run(SAFE, kill_at=12)
    assert survived.verdict == "TRUE", survived.reason
    assert survived.is_killed and survived.lost >= 1
    assert len(set(survived.nodes_before)) == 2 and len(set(survived.nodes)) == 1, "both hosts are on the node that is left"


def test_a_cluster_of_its_own(tmp_path: Path) -> None:
    """It ends with the verification, and nothing is left of it; also if time runs out."""
    folder = Path(tempfile.mkdtemp(prefix="ds-"))  # as above
    mark = f"DRYSTONE_TEST_{os.getpid()}"
    environment = {**os.environ, "TMPDIR": str(folder), "HOME": str(tmp_path), "RAY_ADDRESS": "local", mark: "1"}
    endless = folder / "endless.c"
    endless.write_text(PRIME)
    try:
        done = verify(endless, "--engine", "dss", "--cluster", "auto", "--quiet", "--timeout", "8s", env=environment)
        assert (done.returncode, done.stdout, done.stderr) == (2, "UNKNOWN\n", "")
        endless.unlink()
        assert left_behind(folder) == [] and left_behind(tmp_path) == []
        assert marked_processes(mark) == []
    finally:
        shutil.rmtree(folder)


def marked_processes(mark: str) -> list[int]:
    found = []
    for process in os.listdir("/proc"):
        if process.isdecimal() and int(process) != os.getpid():
            try:
                if mark.encode() in Path(f"/proc/{process}/environ").read_bytes():
                    found.append(int(process))
            except OSError:
                pass
    return found


def test_without_ray() -> None:
    script = (
        "import sys; sys.modules['ray'] = None\n"
        "from drystone.cli.main import main\n"
        f"sys.exit(main(['verify', {str(EXAMPLES / 'sum.c')!r}, '--engine', 'dss', '--cluster', 'auto']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert done.returncode == 3
    assert done.stderr == "drystone: --cluster needs Ray, which is not installed: pip install 'drystone[cluster]'\n"


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("127.0.0.1:9", "nobody answers there"),
        ("head", "an address is HOST:PORT, or auto"),
        ("ray://head:10001", "start drystone on a node of the cluster"),
    ],
)
def test_no_cluster(address: str, problem: str) -> None:
    start = time.monotonic()
    done = verify(EXAMPLES / "sum.c", "--engine", "dss", "--cluster", address)
    assert done.returncode == 3
    assert done.stderr.startswith(f"drystone: --cluster {address}: {problem}"), done.stderr
    assert time.monotonic() - start < 30
