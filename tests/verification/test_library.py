"""`drystone.verify`, `drystone.check` and `drystone.load`, as programs call them: from threads, with limits or none, interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

import drystone
from drystone.base.process_tree import children
from tests.places import EXAMPLES
from tests.runtime.test_limits import processes_named

BANK, LOCK = EXAMPLES / "bank.c", EXAMPLES / "lock.c"
ENDLESS = """extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) { unsigned x = __VERIFIER_nondet_uint(), n = 0;
  while (__VERIFIER_nondet_uint()) { x = (x ^ x >> 15) * 0x2c1b3c6du; n += x ^ x * 7; if (n == 12346 && x == 0xdeadbeef) reach_error(); } }
"""
MEASURED = ("wall_s", "cpu_s", "peak_mb")


def test_importing_it_costs_nothing() -> None:
    code = "import sys, drystone; print([name for name in sys.modules if name.startswith('drystone.') or name == 'msgspec'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['drystone.base', 'drystone.base.version']\n"
    assert {name for name in drystone.__all__ if not hasattr(drystone, name)} == set()
    with pytest.raises(AttributeError, match="no attribute 'prove'"):
        getattr(drystone, "prove")  # noqa: B009


def test_the_result_is_that_of_the_command(tmp_path: Path) -> None:
    words = ["--engine", "bmc", "--workers", "1", "--timeout", "60s", "--quiet", "--json", str(tmp_path / "result.json")]
    subprocess.run([sys.executable, "-m", "drystone", "verify", str(BANK), *words], capture_output=True, timeout=120, check=False)
    expected = json.loads((tmp_path / "result.json").read_text())
    heard: list[tuple[str, dict[str, int]]] = []
    options = drystone.Options(engine="bmc", workers=1, timeout=60, memory=4 << 30)
    result = drystone.verify(BANK, options, progress=lambda phase, counters: heard.append((phase, counters)))
    found = json.loads(msgspec.json.encode(result))
    assert {**found, **dict.fromkeys(MEASURED)} == {**expected, **dict.fromkeys(MEASURED)}
    assert result.verdict == "FALSE" and result.wall_s > 0
    assert heard[0] == ("reading", {}) and heard[-1] == ("replaying", {}) and any(counters for _, counters in heard)


@pytest.mark.parametrize("engine", ["auto", "bmc", "k-induction", "dss", "contracts", "execute"])
def test_limits_are_optional(engine: str) -> None:
    file = EXAMPLES / {"auto": "sum.c", "bmc": "sum.c", "contracts": "mccarthy.c", "execute": "bank.c"}.get(engine, "lock.c")
    result = drystone.verify(str(file), drystone.Options(engine=engine, workers=1))
    assert result.verdict == ("FALSE" if engine == "execute" else "TRUE"), result.reason
    assert result.timeout_s is None and result.memory_mb is None


def test_limits_hold(tmp_path: Path) -> None:
    file = tmp_path / "endless.c"
    file.write_text(ENDLESS)
    result = drystone.verify(file, drystone.Options(timeout=2, workers=1))
    assert (result.verdict, result.cause) == ("UNKNOWN", "time") and result.wall_s < 4


def test_a_certificate_is_written_and_checked(tmp_path: Path) -> None:
    certificate = tmp_path / "lock.json"
    assert drystone.verify(LOCK, drystone.Options(engine="dss", workers=1, certificate=str(certificate))).verdict == "TRUE"
    checked = drystone.check(certificate, LOCK, drystone.CheckOptions(solver="bitwuzla"))
    assert (checked.result, checked.checked_by) == ("valid", "bitwuzla")
    assert drystone.check(certificate, BANK).result == "rejected"
    with pytest.raises(drystone.Refusal, match="its data model is LP64"):
        drystone.check(certificate, LOCK, drystone.CheckOptions(data_model="ILP32"))
    with pytest.raises(drystone.Unwritten, match="/dev/full: cannot be written") as problem:
        drystone.verify(LOCK, drystone.Options(engine="dss", workers=1, certificate="/dev/full"))
    assert problem.value.result.verdict == "TRUE"


def test_a_program_is_loaded() -> None:
    files = [EXAMPLES / "account" / "main.c", EXAMPLES / "account" / "account.c"]
    loaded = drystone.load(files, drystone.ProgramOptions(defines=("START=1000",)))
    assert loaded.program.entry == "main" and len(loaded.program.procedures) > 1
    before = sys.getrecursionlimit()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(drystone.load, [LOCK, BANK, LOCK, BANK]))
    assert [list(each.program.procedures) for each in found[:2]] == [list(each.program.procedures) for each in found[2:]]
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (drystone.Options(engine="prove"), "engine: there is no 'prove', only auto, "),
        (drystone.Options(candidates=("affine", "guess")), "candidates: there is no 'guess', only "),
        (drystone.Options(summaries="none"), "--summaries: there is no 'none', only "),
        (drystone.Options(timeout=0), r"Options: Expected `float` > 0.0 - at `\$.timeout`"),
        (drystone.Options(workers=0), r"at `\$.workers`"),
        (drystone.Options(data_model="LP32"), r"Options: Invalid enum value 'LP32' - at `\$.data_model`"),  # type: ignore[arg-type]
        (drystone.Options(record="x"), "--record is about blocks"),
        (drystone.Options(error_function="main", property="none.prp"), "none.prp: no such file"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: drystone.Options, message: str) -> None:
    with pytest.raises(drystone.Refusal, match=message):
        drystone.verify(BANK, options)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text("int main(void) {")
    for files in ("none.c", [], tmp_path / "wrong.c", [tmp_path], os.fsdecode(b"\xff.c")):
        with pytest.raises(drystone.Refusal):
            drystone.verify(files)
        with pytest.raises(drystone.Refusal):
            drystone.load(files)


def test_threads_do_not_disturb_each_other() -> None:
    """Nor the processes that the program starts meanwhile, nor its handlers of signals."""
    handler = signal.getsignal(signal.SIGINT)
    others: list[subprocess.Popen[bytes]] = []

    def start_another(phase: str, counters: dict[str, int]) -> None:
        if phase == "reading":
            others.append(subprocess.Popen(["sleep", "60"]))

    def verdict(file: Path) -> str:
        return drystone.verify(file, drystone.Options(workers=1), progress=start_another).verdict

    with ThreadPoolExecutor(2) as threads:
        verdicts = list(threads.map(verdict, [BANK, LOCK, BANK]))
    assert verdicts == ["FALSE", "TRUE", "FALSE"] and signal.getsignal(signal.SIGINT) is handler
    assert [other.poll() for other in others] == [None, None, None]
    for other in others:
        other.kill()
        other.wait()


def test_what_progress_raises_ends_the_work(tmp_path: Path) -> None:
    file = tmp_path / "endless.c"
    file.write_text(ENDLESS)
    before = set(children(os.getpid()))

    def stop(phase: str, counters: dict[str, int]) -> None:
        if counters:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        drystone.verify(file, drystone.Options(workers=2), progress=stop)
    assert set(children(os.getpid())) == before


CALLING = """
import sys, drystone
try:
    drystone.verify(sys.argv[1], drystone.Options(engine="bmc"), progress=lambda phase, counters: print(phase, flush=True))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_control_c_works_and_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "endless.c"
    file.write_text(ENDLESS)
    with subprocess.Popen([sys.executable, "-c", CALLING, str(file)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "query" not in process.stdout.readline():
            pass
        process.send_signal(number)
        said = process.stdout.read()
        process.wait(10)
    assert ("interrupted" in said) == (number == signal.SIGINT)
    until = time.monotonic() + 5
    while (left := processes_named(f"drystone.verification.apart\0{process.pid}\0")) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
