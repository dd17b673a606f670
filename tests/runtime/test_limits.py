"""Limits hold, and nothing is left: no process, no temporary file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.places import PROGRAMS
from tests.running import command, left_behind, report, verify, with_scratch

SLOW = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned a = 1;
  while (__VERIFIER_nondet_int() != 77777777) a = a * 3 + __VERIFIER_nondet_int();
  if (a == 123456789) reach_error();
  return 0;
}
"""

HARD = """
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned long long x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  if (x > 1 && y > 1 && x * y == 9223372036854775783ull) reach_error(); /* a prime */
  return 0;
}
"""

WORK = """
import os, subprocess, sys, time
from drystone.runtime.watchdog import Limits, supervise

def work(send):
    send(b"begun")
    {body}

usage = supervise(work, Limits({seconds}, {megabytes} << 20), lambda message: print(message.decode(), flush=True))
print(usage.end, round(usage.wall, 2), usage.peak >> 20, usage.detail)
"""


def watched(body: str, seconds: float = 20, megabytes: int = 500) -> list[str]:
    script = WORK.format(body=body, seconds=seconds, megabytes=megabytes)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def processes_named(word: str) -> list[int]:
    """Processes with this word in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                if b"Z" not in (folder / "stat").read_bytes().rpartition(b")")[2].split()[0]:
                    found.append(int(folder.name))
        except OSError:
            pass
    return found


def test_work_that_returns() -> None:
    lines = watched("send(b'x' * 100_000)")
    assert lines[0] == "begun" and len(lines[1]) == 100_000 and lines[2].startswith("done")


def test_work_that_spins_is_ended_in_time() -> None:
    end, wall, *_ = watched("while True: pass", seconds=1.0)[-1].split()
    assert end == "time" and 1.0 <= float(wall) <= 2.05


def test_work_that_fills_memory_is_ended() -> None:
    end, _, peak, *_ = watched("x = []\n    while True: x.append(bytearray(1 << 20)); time.sleep(0.001)", megabytes=200)[
        -1
    ].split()
    assert end == "memory" and int(peak) < 400


def test_memory_that_grows_fast_is_noticed_near_the_limit() -> None:
    end, _, peak, *_ = watched("x = []\n    while True: x.append(bytearray(1 << 20)); time.sleep(0.0005)", megabytes=200)[
        -1
    ].split()
    assert end == "memory" and int(peak) <= 210


def test_the_memory_of_all_descendants_counts() -> None:
    body = "hog = 'x = bytearray(150 << 20); import time; time.sleep(30)'\n    [subprocess.Popen([sys.executable, '-c', hog]) for _ in range(2)]\n    time.sleep(30)"
    end, wall, *_ = watched(body, megabytes=250)[-1].split()
    assert end == "memory" and float(wall) < 15


def test_pages_that_processes_share_count_once() -> None:
    """Three forks of a process with 150 MB take no more than that."""
    body = "x = bytearray(os.urandom(1 << 20)) * 150\n    [os.fork() or (time.sleep(1), os._exit(0)) for _ in range(3)]\n    time.sleep(0.5)"
    assert watched(body, megabytes=300)[-1].startswith("done")
    end, _, peak, *_ = watched(body, megabytes=2_000)[-1].split()
    assert end == "done" and 150 <= int(peak) < 300  # not four times that


def test_a_signal_that_was_not_ours_is_a_crash() -> None:
    assert watched("os.kill(os.getpid(), 11)")[-1].startswith("crashed") and "SIGSEGV" in watched("os.kill(os.getpid(), 11)")[-1]


def test_no_descendant_survives() -> None:
    word = f"drystone-test-{os.getpid()}"
    daemon = f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', '{word}'], start_new_session=True); "
    body = f"{daemon}subprocess.Popen(['sh', '-c', 'sleep 60 & sleep 60 {word}' ], start_new_session=True); time.sleep(30)"
    assert watched(body, seconds=1.0)[-1].startswith("time")
    assert processes_named(word) == []


@pytest.mark.parametrize(("engine", "text"), [("execute", SLOW), ("auto", HARD)])
def test_the_time_limit_of_the_command(tmp_path: Path, engine: str, text: str) -> None:
    file, scratch = tmp_path / "slow.c", tmp_path / "scratch"
    file.write_text(text)
    scratch.mkdir()
    start = time.monotonic()
    result = report(file, "--engine", engine, "--timeout", "3s", env=with_scratch(scratch))
    assert time.monotonic() - start < 3 * 1.05 + 1 + 1  # and a second to start and end Python on a busy machine
    assert result["verdict"] == "UNKNOWN" and result["reason"]
    assert left_behind(scratch) == []


def test_the_memory_limit_of_the_command() -> None:
    result = report(PROGRAMS / "hidden_product.c", "--memory", "20MB")
    assert (result["verdict"], result["cause"]) == ("UNKNOWN", "memory")
    assert "out of memory" in result["reason"] and result["hint"] == "a larger --memory"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    file, scratch = tmp_path / f"slow{os.getpid()}.c", tmp_path / "scratch"
    file.write_text(SLOW)
    scratch.mkdir()
    process = subprocess.Popen(
        command(file, "--engine", "execute", "--timeout", "60s"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=with_scratch(scratch),
        start_new_session=True,
    )
    assert process.stderr is not None
    while "runs" not in process.stderr.readline():
        pass
    assert len(processes_named(file.name)) == 3  # the command, its work, and who removes what they leave
    process.send_signal(number)
    output, errors = process.communicate(timeout=10)
    assert process.returncode == 130 and "interrupted" in errors and "Traceback" not in errors
    assert output.startswith("UNKNOWN  interrupted")
    assert processes_named(file.name) == []
    assert left_behind(scratch) == []


def test_killed_outright_the_child_goes_too(tmp_path: Path) -> None:
    file = tmp_path / f"slow{os.getpid()}.c"
    file.write_text(SLOW)
    process = subprocess.Popen(command(file, "--engine", "execute"), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "runs" not in process.stderr.readline():
        pass
    process.kill()
    process.communicate(timeout=10)
    for _ in range(50):
        if not processes_named(file.name):
            break
        time.sleep(0.1)
    assert processes_named(file.name) == []


def test_no_temporary_file_stays_after_a_native_replay(tmp_path: Path) -> None:
    verify(PROGRAMS / "magic_number.c", "--engine", "execute", "--replay", "native", env=with_scratch(tmp_path))
    assert left_behind(tmp_path) == []
