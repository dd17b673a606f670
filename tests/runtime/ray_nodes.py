"""A Ray cluster of two nodes on this machine, one CPU each, and verifications on it, all in a process of their own: Ray's threads
stay out of the process of the tests.

    python ray_nodes.py FOLDER

FOLDER is for Ray's files. It prints the address, then a line of JSON for each that it reads (`Job`, `Outcome`), and ends with its
standard input.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.process_tree import descendants
from drystone.engines.dss.engine import check
from drystone.engines.dss.hosts import Call
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.tree import engine
from drystone.engines.tree import hosted as tree
from drystone.engines.tree.distribution import WorkerHosts
from drystone.engines.tree.log import Log
from drystone.engines.tree.master import Concluded, Precision
from drystone.engines.tree.options import Options as TreeOptions
from drystone.engines.tree.setting import Setting as TreeSetting
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram
from drystone.runtime.ray_hosts import RayHosts
from drystone.runtime.workers import RayWorkers


class Job(msgspec.Struct):
    file: str
    kill_at: int = 0  # the number of a call, after which the second node is killed
    damaged: list[int] = []  # numbers of frames of which a bit is flipped
    late: int = 0  # of the engine tree instead of dss: the number of a call, after which the second worker may join


class Outcome(msgspec.Struct):
    verdict: str
    reason: str
    lost: int
    nodes_before: list[str]  # of hosts, at the tenth call
    nodes: list[str]  # at the end
    is_killed: bool
    told: str = ""  # by `tree`: iterations, counterexamples, predicates, sizes of trees


class Nodes:
    """The cluster; its second node can be killed, and there can be another one then (bench/faults.py)."""

    def __init__(self, folder: str) -> None:
        os.environ.update(RAY_TMPDIR=folder, RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
        os.makedirs(f"{folder}/ray", exist_ok=True)
        from ray.cluster_utils import Cluster

        self._node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
        less = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
        self.cluster = Cluster(initialize_head=True, head_node_args={**self._node, **less, "temp_dir": f"{folder}/ray"})
        self.second = self.cluster.add_node(**self._node)
        self.is_killed = False

    def kill(self) -> None:
        """All of the second node at once, its hosts too, as if the machine had lost power."""
        started = [each.process.pid for listed in self.second.all_processes.values() for each in listed]
        for process in [*started, *(child for each in started for child in descendants(each))]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.is_killed = True

    def mend(self) -> None:
        if self.is_killed:
            self.cluster.remove_node(self.second)
            self.second, self.is_killed = self.cluster.add_node(**self._node), False
            self.cluster.wait_for_nodes()  # until Ray knows that the other one is dead


class Hosts(RayHosts):
    """To which something happens."""

    def __init__(self, nodes: Nodes, job: Job) -> None:
        self._calls = self._frames_seen = 0
        self._chance = random.Random(0)
        self._cluster, self._job = nodes, job
        self.nodes_before: list[str] = []
        self.nodes_at_last: list[str] = []
        super().__init__(nodes.cluster.address, disturb=self._damage)

    def submit(self, host: int, call: Call) -> None:
        super().submit(host, call)
        self._calls += 1
        if self._calls == 10:
            self.nodes_before = self.nodes
        if self._calls == self._job.kill_at:
            self._cluster.kill()

    def close(self) -> None:
        self.nodes_at_last = self.nodes
        super().close()

    def _damage(self, data: bytes) -> bytes:
        self._frames_seen += 1
        if self._frames_seen not in self._job.damaged or not data:
            return data
        at = self._chance.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << self._chance.randrange(8)]) + data[at + 1 :]


class Workers(RayWorkers):
    """Of a tree: the second one comes late, and its node dies."""

    def __init__(self, nodes: Nodes, job: Job) -> None:
        self._calls, self._cluster, self._job = 0, nodes, job
        super().__init__(nodes.cluster.address)
        self.at_once = 1

    def submit(self, host: int, call: tree.Call) -> None:
        super().submit(host, call)
        self._calls += 1
        if self._calls == self._job.late:
            self.at_once = 2
        if self._calls == self._job.kill_at:
            self._cluster.kill()


class Told(Log):
    def __init__(self) -> None:
        self.all: list[object] = []

    def concluded(self, concluded: Concluded) -> None:
        self.all.append((concluded.way and concluded.way.transitions, concluded.sizes, concluded.targets))

    def refined(self, precision: Precision, seconds: float) -> None:
        self.all.append(precision.packed)


def run_tree(program: Program, make_hosts: Callable[[int], WorkerHosts], workers: int) -> tuple[EngineResult, str]:
    told, options = Told(), TreeOptions(encoding="single", abstraction="cartesian")
    setting = TreeSetting(workers, make_hosts, told)
    result = engine.check(PreparedProgram(program), options, Deadline.after(60.0), unobserved, setting)
    return result, str(told.all)


def run_workers(nodes: Nodes, job: Job) -> Outcome:
    made: list[Workers] = []

    def make_hosts(count: int) -> Workers:
        made.append(Workers(nodes, job))
        return made[0]

    result, told = run_tree(load([job.file], FrontendOptions()).program, make_hosts, 2)
    lost, used = result.counters["lost_hosts"], [str(number) for number in range(result.counters["workers"])]
    return Outcome(result.verdict.value, result.reason, lost, used, used, nodes.is_killed, told)


def run(nodes: Nodes, job: Job) -> Outcome:
    nodes.mend()
    if job.late:
        return run_workers(nodes, job)
    made: list[Hosts] = []

    def make_hosts(count: int) -> Hosts:
        made.append(Hosts(nodes, job))
        return made[0]

    program = load([job.file], FrontendOptions()).program
    result = check(PreparedProgram(program), DssOptions(candidates=()), Deadline.after(60.0), unobserved, Setting(2, make_hosts))
    before, after = made[0].nodes_before, made[0].nodes_at_last
    return Outcome(result.verdict.value, result.reason, result.counters["lost_hosts"], before, after, nodes.is_killed)


def main(folder: str) -> None:
    nodes = Nodes(folder)
    print(nodes.cluster.address, flush=True)
    for line in sys.stdin:
        print(msgspec.json.encode(run(nodes, msgspec.json.decode(line, type=Job))).decode(), flush=True)
    nodes.cluster.shutdown()


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
