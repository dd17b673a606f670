"""Lopes, Rybalchenko 2011, measured on the engine `tree`: are its runs the same, what is the spread of naive ones, what do more
workers bring?

    python bench/tree.py same FILE... [--workers 1,2,3,4] [--runs 5] [--enough 20] [--seconds 30] [--json OUT]
    python bench/tree.py spread FILE... [--workers 4] [--runs 5] [--seconds 30] [--json OUT]
    python bench/tree.py scale FILE... [--seconds 600] [--json OUT]

`same`: each program with at least three refinements is verified by each number of workers in processes, several times, with
random delays of every message; in every fifth run workers are killed, and join late, at random. Iterations, counterexamples,
predicates and the sizes of the trees by depth must be those of one worker without delays.

`spread` (the paper's Figure 1): predictable and naive selection under many random orders, in simulated time with real workers.

`scale` (the paper's Table 2): what 1 to 256 workers would take, simulated from a recording, of one worker, that is made here or,
for a file `*.tree`, was made by `verify --record`. A FILE may also be a family like `chain:6:8` (`families.py`), or a generated
transition system like `automaton:200:3:4` (`automata.py`), of so many locations, transitions of each, and pairs of variables.

With --json, results are kept as they come, and what OUT has already is not run again. Times are processor time: they say little
about the wall clock of a busy machine, and much about each other.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from automata import System, explored
from families import FAMILIES, program_of

from drystone.base.deadline import Deadline
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.recordings import RecordedProgram
from drystone.engines.tree import engine
from drystone.engines.tree.distribution import WorkerHosts
from drystone.engines.tree.hosted import Call, Inline, Reply, Spec, WorkerActor, perform
from drystone.engines.tree.log import Log, Search
from drystone.engines.tree.master import NAIVE, PREDICTABLE, Concluded, Precision
from drystone.engines.tree.options import Options
from drystone.engines.tree.recording import Header, Recorder, Selected, read
from drystone.engines.tree.setting import Setting
from drystone.engines.tree.simulation import WORKERS, Costs, SimulatedHosts, iterations, respond, spent
from drystone.frontend.load import FrontendError, FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram
from drystone.runtime.workers import WorkerProcesses
from drystone.runtime.zygote import Zygote

LEAST_REFINEMENTS = 3
LONGEST_DELAY = 0.002  # seconds
DISTURBED = 5  # one run of so many
LATENCY = 0.0001  # seconds on a local network; the paper's round trip is 0.14 ms
HANDLING = 0.000015  # seconds of the master for each state
TABLE_2 = {10: 4.75, 20: 9.90, 40: 16.73}  # the paper's median speed-ups


class Fingerprint(Log):
    """What must be the same in all runs."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.refinements = 0

    def begun(self, search: Search) -> None:
        self.told.append((search.recursion, search.precision.packed))

    def concluded(self, concluded: Concluded) -> None:
        transitions = concluded.way.transitions if concluded.way is not None else None
        self.told.append((transitions, concluded.sizes, concluded.targets))
        self.refinements += transitions is not None

    def refined(self, precision: Precision, seconds: float) -> None:
        self.told.append((precision.packed,))


class Kept(Zygote):
    """For all runs."""

    def close(self) -> None:
        pass


class Disturbed(WorkerProcesses):
    """Messages are late; if workers are `restless`, they are killed at random, and join when part of the tree is there."""

    def __init__(self, count: int, zygote: Zygote, seed: int, is_restless: bool) -> None:
        self.chance, self.is_restless = random.Random(seed), is_restless
        self.calls = self.kills = 0
        super().__init__(count, zygote, disturb=self.delayed)
        if is_restless:
            self.at_once = 1

    def delayed(self, data: bytes) -> bytes:
        time.sleep(self.chance.random() * LONGEST_DELAY)
        return data

    def submit(self, host: int, call: Call) -> None:
        super().submit(host, call)
        self.calls += 1
        if self.is_restless and self.at_once < self.count and self.chance.random() < 0.1:
            self.at_once += 1
        if self.is_restless and self.kills < 4 and self.chance.random() < 0.04:
            self.kills += 1
            os.kill(self._hosts[host].process, signal.SIGKILL)


def verified(program: Program, options: Options, deadline: Deadline, setting: Setting) -> EngineResult:
    return engine.check(PreparedProgram(program), options, deadline, unobserved, setting)


def here(seconds: float) -> Deadline:
    """Of this process."""
    return Deadline.after(seconds, time.process_time)


def same(program: Program, given: argparse.Namespace) -> dict[str, Any] | None:
    """None: it has too few refinements, or takes too long."""
    options, expected = options_of(given), Fingerprint()
    began = time.process_time()
    first = verified(program, options, here(given.seconds), Setting(1, lambda count: Inline(), expected))
    seconds = time.process_time() - began
    if expected.refinements < LEAST_REFINEMENTS or seconds > given.seconds or "out of time" in first.reason:
        return None
    runs = cut = killed = 0
    different: list[list[int]] = []
    for workers in map(int, given.workers.split(",")):
        for number in range(given.runs):
            found, made = Fingerprint(), list[Disturbed]()

            def hosts(count: int, seed: int = 100 * workers + number, made: list[Disturbed] = made) -> WorkerHosts:
                made.append(Disturbed(count, given.zygote, seed, is_restless=seed % DISTURBED == DISTURBED - 1))
                return made[-1]

            result = verified(program, options, Deadline.after(20 * given.seconds), Setting(workers, hosts, found))
            killed += sum(each.kills for each in made)
            runs += 1
            cut += "out of time" in result.reason
            is_same = found.told == expected.told and result.verdict is first.verdict
            if not is_same and "out of time" not in result.reason:
                different.append([workers, number])
    figures = {"refinements": expected.refinements, "expanded": first.counters["expanded"], "seconds": round(seconds, 2)}
    return {"verdict": first.verdict.value, **figures, "runs": runs, "cut": cut, "killed": killed, "different": different}


class Live:
    """A worker whose time is its own processor time."""

    def __init__(self, number: int, spec: Spec) -> None:
        self.actor = WorkerActor(spec)

    def perform(self, call: Call) -> Reply:
        return perform(self.actor, call)


class Refining(Fingerprint):
    """Refinements take simulated time, too."""

    def __init__(self, hosts: SimulatedHosts) -> None:
        super().__init__()
        self.hosts = hosts

    def simulated(self, count: int) -> SimulatedHosts:
        return self.hosts

    def refined(self, precision: Precision, seconds: float) -> None:
        super().refined(precision, seconds)
        self.hosts.spend(seconds)


def spread(program: Program, given: argparse.Namespace) -> dict[str, Any] | None:
    workers = int(given.workers.split(",")[0])
    row: dict[str, Any] = {}
    for selection in (PREDICTABLE, NAIVE):
        options = msgspec.structs.replace(options_of(given), selection=selection)
        seconds, refinements, predicates, verdicts = [], [], [], []
        for seed in range(given.runs):
            hosts = SimulatedHosts(workers, Live, Costs(LATENCY, HANDLING), random.Random(seed))
            log = Refining(hosts)
            result = verified(program, options, here(given.seconds), Setting(workers, log.simulated, log))
            seconds.append(hosts.now)
            refinements.append(log.refinements)
            predicates.append(result.counters.get("predicates", 0))
            verdicts.append(result.verdict.value)
            if selection == PREDICTABLE and log.refinements < LEAST_REFINEMENTS:
                return None
        ratio = max(seconds) / min(seconds)
        row[selection] = {
            "seconds": [round(each, 3) for each in seconds],
            "spread": round(ratio, 2),
            "refinements": refinements,
            "predicates": predicates,
            "verdicts": verdicts,
        }
    row["cost"] = round(statistics.median(row[PREDICTABLE]["seconds"]) / statistics.median(row[NAIVE]["seconds"]), 2)
    return row


def scale(name: str, given: argparse.Namespace) -> dict[str, Any]:
    if name.startswith("automaton:"):
        return scaled_automaton(*map(int, name.split(":")[1:]))
    if name.endswith(".tree"):
        frames = list(read(io.BytesIO(Path(name).read_bytes())))
    else:
        stream = io.BytesIO()
        recorder = Recorder(RecordedProgram([], {}), stream.write)
        setting = Setting(1, lambda count: Inline(), recorder)
        result = verified(loaded(name), options_of(given), here(given.seconds), setting)
        recorder.end(result.verdict.value, result.reason)
        stream.seek(0)
        frames = list(read(stream))
    header, selected = frames[0], [frame for frame in frames if isinstance(frame, Selected)]
    assert isinstance(header, Header)
    processor = spent(frames, header.is_here)
    costs = processor.costs()
    searches = list(iterations(frames))
    row: dict[str, Any] = {
        "verdict": frames[-1].verdict if hasattr(frames[-1], "verdict") else "",
        "iterations": len(selected),
        "expanded": sum(len(each.expanded) for search in searches for each in search),
        "largest": max((sum(each.sizes) for each in selected), default=0),
        "handling_us": round(costs.handling * 1e6, 1),
        "master_share": round(processor.share(), 4),
        "refining_s": round(processor.refining, 2),
    }
    taken = {
        workers: sum(respond(each, header.options, workers, on_a_network(workers, costs.handling)).seconds for each in searches)
        for workers in WORKERS
    }
    return {**row, **speedups(taken)}


def scaled_automaton(locations: int, degree: int, pairs: int) -> dict[str, Any]:
    system = System(locations, degree, pairs)
    taken, row = {}, dict[str, Any]()
    for workers in WORKERS:
        hosts, master = explored(system, workers, on_a_network(workers, HANDLING))
        taken[workers] = hosts.now
        trees = [sum(each.sizes) for each in master.concluded]
        row = row or {"verdict": "TRUE", "iterations": len(trees), "largest": max(trees), "expanded": master.counted.expanded}
    return {**row, **speedups(taken)}


def on_a_network(workers: int, handling: float) -> Costs:
    """In one process nothing is on its way."""
    return Costs(LATENCY if workers > 1 else 0.0, handling)


def speedups(taken: dict[int, float]) -> dict[str, Any]:
    row: dict[str, Any] = {f"speedup_{workers}": round(taken[1] / seconds, 2) for workers, seconds in taken.items()}
    return {**row, "seconds": round(taken[1], 2), "efficiency_40": round(taken[1] / taken[40] / 40, 2)}


def options_of(given: argparse.Namespace) -> Options:
    return Options(encoding=None if given.encoding == "loops" else given.encoding, abstraction=given.abstraction)


def loaded(name: str) -> Program:
    if name.split(":")[0] in FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "family.c"
            path.write_text(program_of(name))
            return load([str(path)], FrontendOptions()).program
    return load([name], FrontendOptions(data_model="ILP32")).program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["same", "spread", "scale"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--workers", default="1,2,3,4")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--enough", type=int, default=10**6, help="so many programs")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--encoding", default="single", choices=["single", "large", "large+", "loops"])
    parser.add_argument("--abstraction", default="boolean", choices=["boolean", "cartesian"])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    given.zygote = Kept()
    rows: list[dict[str, Any]] = json.loads(given.json.read_text()) if given.json and given.json.exists() else []
    for name in given.files:
        task = name if name.startswith("automaton:") else Path(name).stem
        if any(row["task"] == task for row in rows) or len(kept(rows)) >= given.enough:
            continue
        try:
            found = scale(name, given) if given.what == "scale" else COMPARED[given.what](loaded(name), given)
        except FrontendError as problem:
            print(f"{name}: {problem}")
            continue
        rows.append({"task": task, **(found or {"left_out": True})})
        print(json.dumps(rows[-1]), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows, indent=1) + "\n")
    print("\n".join(SUMMARIES[given.what](kept(rows))))
    return 1 if any(row.get("different") for row in rows) else 0


def kept(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if not row.get("left_out")]


def of_same(rows: Sequence[dict[str, Any]]) -> list[str]:
    runs, cut, killed = (sum(row[name] for row in rows) for name in ("runs", "cut", "killed"))
    differ = sum(bool(row["different"]) for row in rows)
    return [f"{len(rows)} programs, {runs} runs, {killed} workers killed, {cut} runs cut short, {differ} programs differ"]


def of_spread(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = [f"{'task':<44}{'predictable':>12}{'naive':>8}{'cost':>7}"]
    for row in rows:
        lines.append(f"{row['task'][:42]:<44}{row[PREDICTABLE]['spread']:>12}{row[NAIVE]['spread']:>8}{row['cost']:>7}")
    for name, of in (("predictable", PREDICTABLE), ("naive", NAIVE)):
        lines.append(f"spread of {name}: median {statistics.median(row[of]['spread'] for row in rows):.2f}") if rows else None
    if rows:
        lines.append(f"cost of predictability: median {statistics.median(row['cost'] for row in rows):.2f}")
    return lines


def of_scale(rows: Sequence[dict[str, Any]]) -> list[str]:
    numbers = (2, 10, 20, 40, 256)
    columns = "".join(f"{number:>8}" for number in numbers)
    lines = [f"{'':<34}{'largest':>9}{'expanded':>10}{'s':>9}{columns}{'eff. 40':>9}"]
    for row in rows:
        speedups = "".join(f"{row[f'speedup_{number}']:>8.2f}" for number in numbers)
        head = f"{row['task'][:32]:<34}{row['largest']:>9,}{row['expanded']:>10,}{row['seconds']:>9.2f}"
        lines.append(f"{head}{speedups}{row['efficiency_40']:>9.2f}")
    paper = "".join(f"{TABLE_2[number]:>8.2f}" if number in TABLE_2 else f"{'':>8}" for number in numbers)
    return [*lines, f"{'Table 2, median':<34}{'':>28}{paper}{TABLE_2[40] / 40:>9.2f}"]


COMPARED: dict[str, Callable[[Program, argparse.Namespace], dict[str, Any] | None]] = {"same": same, "spread": spread}
SUMMARIES = {"same": of_same, "spread": of_spread, "scale": of_scale}

if __name__ == "__main__":
    sys.exit(main())
