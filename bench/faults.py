"""Does a verdict survive what can happen to hosts and messages?

    python bench/faults.py [--runs 200] [--delay | --corrupt | --ray] [--benchmarks FOLDER] [--seed N] [--json FILE]

Each run verifies a task by `dss` on two hosts, and something happens at a random moment: a host is killed (kill -9); with --delay
every message is late, by a random time; with --corrupt a byte of a message is changed, by which a host is lost; with --ray a
node of a cluster of two is killed. A fault counts only if it was there before the verdict; if not, the run is repeated with an
earlier one. A run is right if the verdict is the expected one, it ended in time, and neither a process nor a file is left. The
undisturbed run of each task comes first. Results are kept per kind of fault. The exit code is 1 if any run was not right.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import msgspec
from run import BENCHMARKS, expected_verdict

from drystone.base.deadline import Deadline
from drystone.base.process_tree import descendants
from drystone.engines.dss.engine import check
from drystone.engines.dss.hosts import Lost, Reply
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from drystone.runtime.processes import ProcessHosts
from drystone.runtime.ray_hosts import RayHosts
from drystone.verification.tasks import read_task

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "bench" / "results" / "faults.json"
TASKS = (
    "drivers/m0_true-unreach-call_drivers-hwmon-ibmpex-ko--130_7a--d631323",
    "fault-localization/maxLoop1",
    "heap/list_false-unreach-call",
    "loop-invariants/nested6_true-unreach-call",
    "product-lines/minepump_spec3_product49_true-unreach-call.cil",
    "systemc/bist_cell_true-unreach-call_false-termination.cil",
    "systemc/kundu1_false-unreach-call_false-termination.cil",
    "systemc/pc_sfifo_1_true-unreach-call_false-termination.cil",
    "systemc/token_ring.03_true-unreach-call_false-termination.cil",
    "systemc/token_ring.05_false-unreach-call_false-termination.cil",
)
LIMIT = 120.0  # seconds for a verdict; busy machines are slow
GRACE = 30.0  # beyond which a run hangs
SETTLED = 10.0  # seconds until what a run has left is left for good
LATE = 0.004  # seconds, on average
TRIES = 6
MARK = "DRYSTONE_FAULTS"  # in the environment of all processes of a run


class Job(msgspec.Struct):
    task: str
    kind: str  # none, kill, delay, corrupt, ray
    seed: int
    after: float = 0.0  # seconds with hosts, until the fault
    frame: int = 0  # which one is damaged


class Done(msgspec.Struct):
    verdict: str
    reason: str
    hosts_s: float  # how long there were hosts
    frames: int
    fault_s: float | None  # when the fault came; None: not before the verdict
    lost: int


@dataclass(frozen=True)
class Run:
    """What is kept of one."""

    task: str
    expected: str
    verdict: str
    reason: str
    fault_s: float | None
    verdict_s: float  # both since there were hosts
    lost_hosts: int
    wall_s: float
    seed: int
    problems: list[str]


# in a process of its own: one run, or all runs on one cluster


class Faulty:
    """What happens to hosts, whatever they are."""

    def __init__(self, job: Job) -> None:
        self.job, self.chance = job, random.Random(job.seed)
        self.since, self.until = time.monotonic(), 0.0
        self.fault: float | None = None
        self.frames = 0

    def patience(self, seconds: float) -> float:
        """How long to wait, so that the fault comes at its time."""
        if self.fault is not None or self.job.kind not in ("kill", "ray"):
            return seconds
        return min(seconds, max(0.02, self.job.after - self.elapsed()))

    def is_time(self) -> bool:
        if self.fault is not None or self.job.kind not in ("kill", "ray") or self.elapsed() < self.job.after:
            return False
        self.fault = self.elapsed()
        return True

    def elapsed(self) -> float:
        return time.monotonic() - self.since

    def disturb(self, data: bytes) -> bytes:
        self.frames += 1
        if self.job.kind == "delay":
            self.fault = self.fault or self.elapsed()
            time.sleep(self.chance.expovariate(1 / LATE))
        if self.job.kind == "corrupt" and self.frames >= self.job.frame and self.fault is None and data:
            self.fault = self.elapsed()
            at = self.chance.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ self.chance.randrange(1, 256)]) + data[at + 1 :]
        return data


class FaultyProcesses(ProcessHosts):
    def __init__(self, count: int, faulty: Faulty) -> None:
        self.faulty = faulty
        super().__init__(count, disturb=faulty.disturb)

    def wait(self, seconds: float) -> list[Reply | Lost]:
        if self.faulty.is_time():
            os.kill(self.faulty.chance.choice(self.processes), signal.SIGKILL)
        return super().wait(self.faulty.patience(seconds))

    def close(self) -> None:
        self.faulty.until = self.faulty.elapsed()
        super().close()


class FaultyNodes(RayHosts):
    def __init__(self, nodes: Any, faulty: Faulty) -> None:
        self.faulty, self.cluster = faulty, nodes
        super().__init__(nodes.cluster.address, disturb=faulty.disturb)
        faulty.since = time.monotonic()

    def wait(self, seconds: float) -> list[Reply | Lost]:
        if all(self.nodes) and self.faulty.is_time():
            self.cluster.kill()
        return super().wait(self.faulty.patience(seconds))

    def close(self) -> None:
        self.faulty.until = self.faulty.elapsed()
        super().close()


def verified(job: Job, folder: Path, nodes: Any = None) -> Done:
    task = read_task(str(folder / f"{job.task}.yml"))
    given = FrontendOptions(data_model=task.data_model or "ILP32")
    if task.property is not None:
        given = msgspec.structs.replace(given, entry=task.property.entry, error_function=task.property.error_function)
    program = load(list(task.files), given).program
    made: list[Faulty] = []

    def make_hosts(count: int) -> FaultyProcesses | FaultyNodes:
        made.append(Faulty(job))
        return FaultyProcesses(count, made[0]) if nodes is None else FaultyNodes(nodes, made[0])

    options = DssOptions(seed=job.seed, candidates=())  # only blocks can give the verdict
    result = check(PreparedProgram(program), options, Deadline.after(LIMIT), unobserved, Setting(2, make_hosts))
    what = made[0]
    return Done(result.verdict.value, result.reason, what.until, what.frames, what.fault, result.counters["lost_hosts"])


def serve(folder: Path, is_cluster: bool) -> None:
    """Takes jobs from standard input."""
    nodes = None
    if is_cluster:
        sys.path.insert(0, str(ROOT))
        from tests.runtime.ray_nodes import Nodes

        nodes = Nodes(tempfile.mkdtemp())
        print("ready", flush=True)
    for line in sys.stdin:
        if nodes is not None:
            nodes.mend()
        done = verified(msgspec.json.decode(line, type=Job), folder, nodes)
        print(msgspec.json.encode(done).decode(), flush=True)
    if nodes is not None:
        nodes.cluster.shutdown()


# in the first process: jobs, and what is left of them


class Hung(Exception):
    pass


class Worker:
    """A process that takes jobs, in an environment by which everything that it starts can be found."""

    def __init__(self, folder: Path, is_cluster: bool) -> None:
        self.is_cluster = is_cluster
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self.scratch = tempfile.TemporaryDirectory(prefix="df")  # a short name, for the sockets of Ray
        self.errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115
        command = [sys.executable, __file__, "--serve", "--benchmarks", str(folder)] + ["--ray"] * is_cluster
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env={**os.environ, MARK: self.mark, "TMPDIR": self.scratch.name},
        )
        if is_cluster:
            self._line()

    def run(self, job: Job) -> Done:
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(job).decode() + "\n")
        self.process.stdin.flush()
        return msgspec.json.decode(self._line(), type=Done)

    def _line(self) -> str:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], LIMIT + GRACE)[0]:
            raise Hung(f"hangs: no answer after {LIMIT + GRACE:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise Hung(f"ended by {self.process.returncode}: {(self.errors.read().strip().splitlines() or [''])[-1][:300]}")
        return line

    def end(self) -> list[str]:
        """What is left of it."""
        with suppress(BrokenPipeError):
            self.process.stdin.close()  # type: ignore[union-attr]
        problems = []
        try:
            self.process.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            problems.append("does not end")
            self.process.kill()
            self.process.wait()
        until = time.monotonic() + SETTLED
        while (left := marked(self.mark)) and time.monotonic() < until:
            time.sleep(0.05)
        if left:
            problems.append(f"{len(left)} processes left: {', '.join(left.values())}")
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        files = list(Path(self.scratch.name).rglob("*"))
        if files and not self.is_cluster:  # those of the cluster are not drystone's
            problems.append(f"{len(files)} files left, as {files[0]}")
        self.scratch.cleanup()
        return problems


def marked(mark: str) -> dict[int, str]:
    """Processes with this mark, and what they are."""
    found = {}
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                if wanted in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found[int(name)] = Path(f"/proc/{name}/cmdline").read_text().replace("\0", " ")[:80]
    return found


@contextmanager
def worker(folder: Path, is_cluster: bool, problems: list[str]) -> Iterator[Worker]:
    made = Worker(folder, is_cluster)
    try:
        yield made
    except Hung as hung:
        problems.append(str(hung))
        for process in [*descendants(made.process.pid), made.process.pid]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    finally:
        problems += made.end()


class Campaign:
    def __init__(self, kind: str, options: argparse.Namespace) -> None:
        self.kind, self.folder, self.seed = kind, options.benchmarks, options.seed
        self.chance = random.Random(options.seed)
        self.expected = {task: "TRUE" if expected_verdict(self.folder / f"{task}.yml") else "FALSE" for task in TASKS}
        self.undisturbed: dict[str, Done] = {}
        self.runs: list[Run] = []
        self.problems: list[str] = []
        self.file: Path = options.json
        self.repeated = 0

    def run(self, count: int) -> None:
        if self.kind == "ray":
            with worker(self.folder, True, self.problems) as shared:
                self._all(count, shared)
        else:
            self._all(count, None)
        self.save()

    def _all(self, count: int, shared: Worker | None) -> None:
        for task in TASKS:
            job = Job(task, "none", self.seed)
            done, _, problems = self._done(job, shared)
            if done is None or done.verdict != self.expected[task]:
                problems.append(f"undisturbed: {done.verdict if done is not None else 'nothing'}, expected {self.expected[task]}")
            else:
                self.undisturbed[task] = done
                print(f"{task}: {done.verdict} in {done.hosts_s:.1f} s, {done.frames} frames", flush=True)
            self.problems += [f"{task}: {each}" for each in problems]
        for number in range(count):
            task = TASKS[number % len(TASKS)]
            if task in self.undisturbed:
                self._one(task, number, shared)
                if number % 10 == 9:
                    self.save()

    def _one(self, task: str, number: int, shared: Worker | None) -> None:
        before = self.undisturbed[task]
        job = Job(task, self.kind, self.seed + number + 1)
        job.after, job.frame = self.chance.uniform(0, before.hosts_s), self.chance.randint(1, before.frames)
        for _ in range(TRIES):
            done, wall, problems = self._done(job, shared)
            if done is None or problems or (done.fault_s is not None and (done.lost or self.kind != "corrupt")):
                break
            self.repeated += 1
            job.after, job.frame = job.after / 2, job.frame // 2
        else:
            problems.append("the fault never came before the verdict")
        if done is None:
            done = Done("NONE", "", 0.0, 0, None, 0)
        if done.verdict != self.expected[task]:
            problems.append(f"{done.verdict}, expected {self.expected[task]}: {done.reason}")
        run = Run(
            task,
            self.expected[task],
            done.verdict,
            done.reason,
            rounded(done.fault_s),
            round(done.hosts_s, 3),
            done.lost,
            round(wall, 2),
            job.seed,
            problems,
        )
        self.runs.append(run)
        said = "; ".join(problems) or "right"
        at = "-" if run.fault_s is None else f"{run.fault_s:.2f}"
        print(
            f"{number + 1:4} {run.verdict:7} fault at {at:>5} s, verdict at {run.verdict_s:6.2f} s, "
            f"{run.lost_hosts} lost  {task}  {said}",
            flush=True,
        )

    def _done(self, job: Job, shared: Worker | None) -> tuple[Done | None, float, list[str]]:
        problems: list[str] = []
        start, done = time.monotonic(), None
        if shared is not None:
            done = shared.run(job)
        else:
            with worker(self.folder, False, problems) as own:
                done = own.run(job)
        return done, time.monotonic() - start, problems

    def save(self) -> None:
        kept = json.loads(self.file.read_text()) if self.file.exists() else {}
        wrong = [run for run in self.runs if run.problems]
        kept[self.kind] = {
            "seed": self.seed,
            "runs": len(self.runs),
            "right": len(self.runs) - len(wrong),
            "faults_before_verdict": sum(run.fault_s is not None for run in self.runs),
            "lost_hosts": sum(run.lost_hosts for run in self.runs),
            "repeated": self.repeated,
            "problems": self.problems,
            "undisturbed_s": {task: round(done.hosts_s, 3) for task, done in self.undisturbed.items()},
            "each": [asdict(run) for run in self.runs],
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(kept, indent=1) + "\n")


def rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="default 200; with --ray 20")
    parser.add_argument("--delay", action="store_true")
    parser.add_argument("--corrupt", action="store_true")
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--benchmarks", type=Path, default=BENCHMARKS, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=OUT, metavar="FILE")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.benchmarks, options.ray)
        return 0
    if not options.benchmarks.is_dir():
        print(f"{options.benchmarks}: no such folder; nothing to do")
        return 0
    kind = "ray" if options.ray else "delay" if options.delay else "corrupt" if options.corrupt else "kill"
    campaign = Campaign(kind, options)
    campaign.run(options.runs or (20 if options.ray else 200))
    wrong = sum(bool(run.problems) for run in campaign.runs)
    print(f"{kind}: {len(campaign.runs)} runs, {wrong} not right; {len(campaign.problems)} other problems")
    print("\n".join(campaign.problems))
    return 1 if wrong or campaign.problems else 0


if __name__ == "__main__":
    sys.exit(main())
