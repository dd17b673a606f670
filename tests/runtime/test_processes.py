"""Blocks on processes: the verdicts are those of one process, whatever happens to hosts and messages."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from drystone.base.deadline import Deadline
from drystone.base.frames import Damaged, Frames, frame
from drystone.claims.verdicts import Verdict
from drystone.engines.dss.engine import check, specs_of
from drystone.engines.dss.hosts import Call, Hosts, Inline, Lost, Reply
from drystone.engines.dss.messages import COORDINATOR, Kind, Message
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.packed_specs import pack_spec, unpack_spec
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram
from drystone.runtime.processes import ProcessHosts

SAFE = """
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned a = 0, b = 0, c = 0, n = 0;
  while (__VERIFIER_nondet_int()) { a = a + 2; if (a % 2) reach_error(); }
  while (__VERIFIER_nondet_int()) { b = b + 4; if (n < 5) n = n + 1; if (b % 4) reach_error(); }
  while (__VERIFIER_nondet_int()) { c = a + b; if (c % 2 != 0 || n > 5) reach_error(); }
  return 0; }
"""
UNSAFE = SAFE.replace("n > 5", "n > 4")


def program_of(folder: Path, text: str) -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load([str(path)], FrontendOptions()).program


def verdict(program: Program, make_hosts: Callable[[int], Hosts], workers: int = 2, **options: Any) -> EngineResult:
    setting = Setting(workers, make_hosts)
    return check(PreparedProgram(program), DssOptions(**options), Deadline.after(100.0), unobserved, setting)


@pytest.mark.parametrize("summaries", SUMMARIES)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_as_in_one_process(tmp_path: Path, summaries: str, workers: int) -> None:
    for text, expected in ((SAFE, Verdict.TRUE), (UNSAFE, Verdict.FALSE)):
        result = verdict(program_of(tmp_path, text), ProcessHosts, workers, summaries=summaries, candidates=())
        assert result.verdict is expected, result.reason
        assert result.counters["calls"] > 0 and result.counters["lost_hosts"] == 0


@pytest.mark.parametrize("summaries", SUMMARIES)
def test_blocks_as_bytes(tmp_path: Path, summaries: str) -> None:
    blocks = prepare_blocks(
        PreparedProgram(program_of(tmp_path, SAFE)), recursion_bound=1, max_edges=10_000, sliced=True, kind="loops"
    )
    for spec in specs_of(blocks, DssOptions(summaries=summaries)).values():
        again = unpack_spec(pack_spec(spec))
        assert (again.predecessors, again.component, again.exits) == (spec.predecessors, spec.component, spec.exits)
        assert again.options == spec.options
        before, after = spec.block.transformer, again.block.transformer
        assert before.start == after.start and before.violation is after.violation and list(before.exits) == list(after.exits)
        for location, way in before.exits.items():
            assert after.exits[location].guard is way.guard and after.exits[location].values == way.values
            assert all(after.exits[location].sorts[name] == way.sorts[name] for name in way.values)


class Killing(ProcessHosts):
    """A host dies while it is at the number-th call."""

    def __init__(self, count: int, number: int) -> None:
        super().__init__(count)
        self.number, self.killed = number, 0

    def submit(self, host: int, call: Call) -> None:
        if call.number == self.number:
            self.killed = self.processes[host]
            os.kill(self.killed, signal.SIGKILL)
        super().submit(host, call)


@pytest.mark.parametrize("summaries", SUMMARIES)
@pytest.mark.parametrize("number", [1, 7, 15])
def test_a_host_that_dies_is_replaced(tmp_path: Path, summaries: str, number: int) -> None:
    for text, expected in ((SAFE, Verdict.TRUE), (UNSAFE, Verdict.FALSE)):
        result = verdict(program_of(tmp_path, text), lambda count: Killing(count, number), summaries=summaries, candidates=())
        assert result.verdict is expected, result.reason
        assert result.counters["lost_hosts"] == 1


class Deadly(ProcessHosts):
    """Whoever is at one of the blocks dies."""

    def submit(self, host: int, call: Call) -> None:
        if call.block != "entry":
            os.kill(self.processes[host], signal.SIGKILL)
        super().submit(host, call)


def test_a_block_that_is_the_end_of_hosts_is_given_up(tmp_path: Path) -> None:
    result = verdict(program_of(tmp_path, SAFE), Deadly, candidates=())
    assert result.verdict is Verdict.UNKNOWN
    assert "signal 9 (SIGKILL)" in result.reason and "line" in result.reason


class Flipping:
    """One byte of some frames is changed on the way."""

    def __init__(self, every: int) -> None:
        self.every, self.count, self.random = every, 0, random.Random(every)

    def __call__(self, data: bytes) -> bytes:
        self.count += 1
        if self.count % self.every:
            return data
        place = self.random.randrange(len(data))
        return data[:place] + bytes([data[place] ^ 1 << self.random.randrange(8)]) + data[place + 1 :]


@pytest.mark.parametrize("every", [11, 23])
def test_damaged_messages_are_refused(tmp_path: Path, every: int) -> None:
    for text, expected in ((SAFE, Verdict.TRUE), (UNSAFE, Verdict.FALSE)):
        make_hosts = partial(ProcessHosts, disturb=Flipping(every))
        result = verdict(program_of(tmp_path, text), make_hosts, candidates=())
        if result.verdict is Verdict.UNKNOWN:  # if it hits the same block too often
            assert "damaged" in result.reason or "exit code 2" in result.reason
        else:
            assert result.verdict is expected
        assert result.counters["lost_hosts"] > 0


def test_frames() -> None:
    parts = [b"", b"x" * 1000, b"abc"]
    for compress in (False, True):
        stream = b"".join(frame(part, compress) for part in parts)
        frames = Frames()
        found = [part for place in range(0, len(stream), 7) for part in frames.feed(stream[place : place + 7])]
        assert found == parts
        for place in range(len(stream)):
            damaged = stream[:place] + bytes([stream[place] ^ 64]) + stream[place + 1 :]
            with pytest.raises(Damaged):
                Frames().feed(damaged)


@pytest.mark.parametrize("summaries", SUMMARIES)
def test_predictable_runs_are_the_same_for_any_number_of_workers(tmp_path: Path, summaries: str) -> None:
    """Also with random delays on every message: counters, messages between blocks, the final summaries."""
    for text in (SAFE, UNSAFE):
        program, seen = program_of(tmp_path, text), []
        for workers in (0, 1, 2, 3):
            delays = random.Random(workers)

            def delayed(data: bytes, delays: random.Random = delays) -> bytes:
                time.sleep(delays.random() / 300)
                return data

            def make(count: int, delayed: Callable[[bytes], bytes] = delayed) -> Hosts:
                return ProcessHosts(count, disturb=delayed) if count else Inline()

            result = verdict(program, make, workers, summaries=summaries, predictable=True)
            assert result.verdict is not Verdict.UNKNOWN and result.details is not None
            about = [(each.id, each.received, each.sent, each.counters) for each in result.details.blocks]
            seen.append((result.verdict, result.counters, result.certificate, result.inputs, about, result.details.messages))
        assert all(each == seen[0] for each in seen)


@pytest.mark.parametrize("summaries", SUMMARIES)
def test_all_messages_to_all_blocks(tmp_path: Path, summaries: str) -> None:
    """The model of Beyer, Kettl, Lemberger 2024: the same verdict, more messages."""
    for text, expected in ((SAFE, Verdict.TRUE), (UNSAFE, Verdict.FALSE)):
        program = program_of(tmp_path, text)
        counts = []
        for broadcast in (False, True):
            result = verdict(program, lambda count: Inline(), 1, summaries=summaries, candidates=(), broadcast=broadcast)
            assert result.verdict is expected
            counts.append(result.counters["messages"])
        assert counts[0] < counts[1]


def test_compressed(tmp_path: Path) -> None:
    result = verdict(program_of(tmp_path, SAFE), lambda count: ProcessHosts(count, compress=True))
    assert result.verdict is Verdict.TRUE


def test_new_blocks_while_a_host_is_busy(tmp_path: Path) -> None:
    """What it was at is not heard of any more."""
    blocks = prepare_blocks(
        PreparedProgram(program_of(tmp_path, SAFE)), recursion_bound=1, max_edges=10_000, sliced=True, kind="loops"
    )
    specs = specs_of(blocks, DssOptions())
    hosts = ProcessHosts(2)
    try:
        placement = dict.fromkeys(specs, 0)
        hosts.load(specs, placement)
        start = Message(kind=Kind.START, sender=COORDINATOR, receiver="entry", level=1, epoch=1)
        hosts.submit(0, Call(1, "entry", (start,), 60.0))
        hosts.load(specs, placement)
        hosts.submit(0, Call(2, "entry", (start,), 60.0))
        found: list[Reply | Lost] = []
        while not found:
            found = hosts.wait(60.0)
        (reply,) = found
        assert isinstance(reply, Reply) and reply.number == 2
    finally:
        hosts.close()


_COORDINATOR = """
import sys, time
from drystone.runtime.processes import ProcessHosts
hosts = ProcessHosts(2)
hosts.load({}, {"a block": 0, "another": 1})
print(*hosts.processes, hosts._zygote.process, flush=True)
time.sleep(600)
"""


def test_the_death_of_the_coordinator_ends_all_hosts() -> None:
    with subprocess.Popen([sys.executable, "-c", _COORDINATOR], stdout=subprocess.PIPE, text=True) as coordinator:
        assert coordinator.stdout is not None
        processes = [int(each) for each in coordinator.stdout.readline().split()]
        assert len(processes) == 3 and all(is_alive(each) for each in processes)
        coordinator.kill()
    for _ in range(600):
        if not any(is_alive(each) for each in processes):
            return
        time.sleep(0.05)
    pytest.fail("a host is left")


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
