"""Do two checkouts do the same? For changes that move code and must not change what it does.

    python bench/same.py A B [--facts] [--counted 5] [--timeout 300] [--tasks 60] [--jobs 2] [--json FOLDER]

A and B are checkouts, or files that this has written before. Each checkout runs with its own code on the same sample of
sequential tasks of ../shared/benchmarks: engines in one process, one seed, and limits that are counted instead of timed
(`drystone verify --counted`). Everything in the reports must be equal but what is measured: verdicts, reasons, certificates,
executions, counters, blocks, messages; with `--facts`, texts for people need not, for changes that word them anew. Processor
time, memory and start-up are compared as medians. Where the wall clock or the memory has ended a run in both, it is not compared;
in one of them, that is a difference. Results are kept as they come, in FOLDER (default build/same), and what is there is not run
again. The exit code is 1 if there is a difference.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from run import BENCHMARKS, GRACE, RUNNING, interrupt, without_folders
from startup import STRAIGHT

CONFIGURATIONS = {
    "bmc": ("--engine", "bmc"),
    "k-induction": ("--engine", "k-induction"),
    "dss, lemmas": ("--engine", "dss", "--summaries", "lemmas"),
    "dss, predicates": ("--engine", "dss", "--summaries", "predicates"),
}
MEASURED = frozenset(("wall_s", "cpu_s", "peak_mb", "seconds"))  # wherever they are in a report
STATED = frozenset(("drystone", "timeout_s", "memory_mb"))  # the version, and what the machine may allow
TEXTS = re.compile(
    r"(reason|hint|explanation|evidence\.counterexample\.(steps|inputs|given|given_as_c|values))\b"
)  # what people read, not programs
LONG = 40  # lists of more entries are kept as a digest
SHOWN = 6  # differences of one run
STARTS = 7
SLOWER, BRIEF = 1.05, 0.2  # the ratio that is allowed; runs of less processor time say nothing about it


@dataclass
class Run:
    """One task in one configuration."""

    task: str
    configuration: str
    exit_code: int
    cut: str  # "", or what ended it that is not counted: time, memory
    said: dict[str, Any]  # what has to be equal: paths into the report, and the values there
    cpu_s: float
    peak_mb: float
    wall_s: float

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.configuration


@dataclass
class Results:
    """All that is known of one checkout."""

    settings: dict[str, Any]
    runs: list[Run] = field(default_factory=list)
    startup_s: dict[str, float] = field(default_factory=dict)  # medians, of processor time


# the sample


def sample(index: Path, count: int) -> list[str]:
    """Task definitions of sequential programs, from all categories in turn: of the smaller half of each, in the order of a hash
    of their names, which says nothing about what they are."""
    with index.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["category"] != "concurrency"]
    queues = []
    for category in sorted({row["category"] for row in rows}):
        its = sorted((row for row in rows if row["category"] == category), key=lambda row: (int(row["loc"]), row["file"]))
        smaller = its[: (len(its) + 1) // 2]
        queues.append(sorted(smaller, key=lambda row: hashlib.sha256(row["file"].encode()).hexdigest()))
    chosen: list[str] = []
    while len(chosen) < count and any(queues):
        chosen += [str(Path(queue.pop(0)["file"]).with_suffix(".yml")) for queue in queues if queue]
    return chosen[:count]


# runs


class Checkout:
    """A folder with drystone in it, and the file with its results."""

    def __init__(self, folder: Path, file: Path, settings: dict[str, Any]) -> None:
        self.folder, self.file = folder.resolve(), file
        self.results = Results(settings)
        if file.exists():
            self.results = read(file)
            if self.results.settings != settings:
                sys.exit(f"{file}: holds results of other settings or code, {self.results.settings}; remove it")

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.folder)}

    def can_run(self) -> bool:
        """Does Python find the code of this checkout, not an installed one, and does it count? Else all runs would be alike."""
        where, usage = (
            subprocess.run(
                [sys.executable, *command], env=self.environment(), cwd=self.folder, capture_output=True, text=True, check=False
            )
            for command in (("-c", "import drystone; print(drystone.__file__)"), ("-m", "drystone", "verify", "--help"))
        )
        is_its_own = where.returncode == 0 and Path(where.stdout.strip()).resolve().is_relative_to(self.folder)
        return is_its_own and "--counted" in usage.stdout

    def run(self, task: str, configuration: str) -> Run:
        settings = self.results.settings
        with tempfile.TemporaryDirectory(prefix="drystone-same-") as folder:
            output = Path(folder) / "result.json"
            command = [sys.executable, "-m", "drystone", "verify", str(BENCHMARKS / task), *CONFIGURATIONS[configuration]]
            command += ["--workers", "1", "--seed", str(settings["seed"]), "--quiet", "--json", str(output)]
            command += ["--counted", f"{settings['counted']}s", "--timeout", f"{settings['timeout']}s"]
            start = time.monotonic()
            process = subprocess.Popen(
                command,
                env=self.environment(),
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            RUNNING.add(process)
            try:
                _, errors = process.communicate(timeout=settings["timeout"] + GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                _, errors = process.communicate()
            finally:
                RUNNING.discard(process)
            wall = time.monotonic() - start
            report = json.loads(output.read_text()) if output.exists() else {}
        return told(task, configuration, report, process.returncode, wall, errors)

    def add(self, run: Run) -> None:
        self.results.runs.append(run)
        self.write()

    def write(self) -> None:
        temporary = self.file.with_name(self.file.name + ".new")
        temporary.write_text(json.dumps(asdict(self.results), indent=1) + "\n")
        temporary.replace(self.file)


def told(task: str, configuration: str, report: dict[str, Any], code: int, wall: float, errors: str) -> Run:
    said = dict(flattened({name: value for name, value in report.items() if name not in STATED}))
    if code not in (0, 1, 2):  # refused, or a crash
        said["stderr"] = without_folders(errors.strip().rpartition("\n")[2])
    reason = str(report.get("reason", ""))
    cut = "time" if code < 0 or reason.startswith("out of time after") else "memory" if report.get("cause") == "memory" else ""
    return Run(task, configuration, code, cut, said, report.get("cpu_s", 0.0), report.get("peak_mb", 0.0), round(wall, 2))


def flattened(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a report that is not measured, with the path to it."""
    match value:
        case dict():
            for name, part in value.items():
                if name not in MEASURED:
                    yield from flattened(part, f"{path}.{name}" if path else name)
        case list() if len(value) > LONG:
            parts = json.dumps([list(flattened(part)) for part in value])
            yield path, f"{len(value)} entries, {hashlib.sha256(parts.encode()).hexdigest()[:12]}"
        case list():
            yield f"{path}.count", len(value)
            for number, part in enumerate(value):
                yield from flattened(part, f"{path}[{number}]")
        case str():
            yield path, without_folders(value)
        case _:
            yield path, value


def read(file: Path) -> Results:
    content = json.loads(file.read_text())
    return Results(content["settings"], [Run(**run) for run in content["runs"]], content["startup_s"])


def code_of(folder: Path) -> str:
    """A digest of what runs there."""
    digest = hashlib.sha256()
    for file in sorted((folder / "drystone").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def run_all(checkouts: Sequence[Checkout], tasks: Sequence[str], jobs: int) -> None:
    """The same task in both at the same time, as far as there are jobs for it: the machine is then the same for both."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, interrupt)
    done = [{run.key for run in checkout.results.runs} for checkout in checkouts]
    waiting = [
        (checkout, task, configuration)
        for task in tasks
        for configuration in CONFIGURATIONS
        for checkout, its in zip(checkouts, done, strict=True)
        if (task, configuration) not in its
    ]
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {pool.submit(checkout.run, task, configuration): checkout for checkout, task, configuration in waiting}
        for number, future in enumerate(as_completed(futures), 1):
            run = future.result()
            futures[future].add(run)
            verdict = run.said.get("verdict", f"exit code {run.exit_code}")
            cut = f", out of {run.cut}" if run.cut else ""
            print(f"[{number}/{len(waiting)}] {verdict:<8}{run.wall_s:6.1f} s  {run.task}, {run.configuration}{cut}", flush=True)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            process.terminate()  # it ends everything below it
            process.wait()
        print("interrupted; what is done is kept")
        os._exit(130)


def processor_seconds() -> float:
    """Of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_startup(checkouts: Sequence[Checkout]) -> None:
    """Of each in turn; the first time only fills the caches."""
    if all(checkout.results.startup_s for checkout in checkouts):
        return
    with tempfile.TemporaryDirectory(prefix="drystone-same-") as folder:
        file = Path(folder) / "ten.c"
        file.write_text(STRAIGHT)
        commands = {
            "drystone --version": ["--version"],
            "drystone verify --help": ["verify", "--help"],
            "drystone verify of ten lines": ["verify", "--engine", "dss", "--workers", "1", str(file)],
        }
        for name, arguments in commands.items():
            taken: list[list[float]] = [[] for _ in checkouts]
            for _ in range(STARTS + 1):
                for checkout, its in zip(checkouts, taken, strict=True):
                    start = processor_seconds()
                    subprocess.run(
                        [sys.executable, "-m", "drystone", *arguments],
                        env=checkout.environment(),
                        cwd=checkout.folder,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        check=False,
                    )
                    its.append(processor_seconds() - start)
            for checkout, its in zip(checkouts, taken, strict=True):
                checkout.results.startup_s[name] = round(statistics.median(its[1:]), 4)
    for checkout in checkouts:
        checkout.write()


# the comparison


@dataclass(frozen=True)
class Difference:
    task: str
    configuration: str
    what: str
    a: Any
    b: Any


_ABSENT = "(not there)"


def differences(a: Results, b: Results) -> list[Difference]:
    """Of runs that are in both, and runs that are in one of them only."""
    runs_a, runs_b = ({run.key: run for run in each.runs} for each in (a, b))
    found: list[Difference] = []
    for key in sorted(runs_a.keys() | runs_b.keys()):
        first, second = runs_a.get(key), runs_b.get(key)
        if first is None or second is None:
            found.append(
                Difference(*key, "the run", _ABSENT if first is None else "there", _ABSENT if second is None else "there")
            )
        elif first.cut or second.cut:
            if first.cut != second.cut:
                found.append(Difference(*key, "ended by", first.cut or "itself", second.cut or "itself"))
        else:
            found += (Difference(*key, *each) for each in _between(first, second))
    return found


def _between(a: Run, b: Run) -> Iterator[tuple[str, Any, Any]]:
    if a.exit_code != b.exit_code:
        yield "exit code", a.exit_code, b.exit_code
    for path in [*a.said, *(path for path in b.said if path not in a.said)]:
        first, second = a.said.get(path, _ABSENT), b.said.get(path, _ABSENT)
        if first != second:
            yield path, first, second


def table(found: Iterable[Difference]) -> list[str]:
    """One line each, below its run, the first ones only: what differs after them mostly follows from them."""
    by_run: dict[tuple[str, str], list[Difference]] = {}
    for each in found:
        by_run.setdefault((each.task, each.configuration), []).append(each)
    lines = []
    for (task, configuration), its in by_run.items():
        lines.append(f"DIFFERENT  {task}, {configuration}: {len(its)}")
        width = max(len(each.what) for each in its[:SHOWN])
        lines += [f"    {each.what:<{width}}  {_brief(each.a)}  |  {_brief(each.b)}" for each in its[:SHOWN]]
        lines += [f"    and {len(its) - SHOWN} more"] if len(its) > SHOWN else []
    return lines


def _brief(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:59] + "…"


def measures(a: Results, b: Results) -> list[str]:
    """B's processor time, memory and start-up by A's, as medians."""
    before = {run.key: run for run in a.runs if not run.cut}
    pairs = [(before[run.key], run) for run in b.runs if not run.cut and run.key in before]
    lines = []
    times = [second.cpu_s / first.cpu_s for first, second in pairs if min(first.cpu_s, second.cpu_s) >= BRIEF]
    peaks = [second.peak_mb / first.peak_mb for first, second in pairs if min(first.peak_mb, second.peak_mb) > 0]
    for what, ratios in (("processor time", times), ("peak memory", peaks)):
        if ratios:
            low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
            middle = statistics.median(ratios)
            met = "met" if middle <= SLOWER else "MISSED"
            lines.append(
                f"{what}: median of B / A {middle:.3f}, half of {len(ratios)} runs from {low:.2f} to {high:.2f} "
                f"(at most {SLOWER}: {met})"
            )
    for name in [name for name in a.startup_s if name in b.startup_s]:
        first_s, second_s = a.startup_s[name], b.startup_s[name]
        lines.append(f"{name}: {first_s * 1000:.0f} ms -> {second_s * 1000:.0f} ms, {second_s / first_s:.3f}")
    return lines


def comparison(a: Results, b: Results, only_facts: bool = False) -> tuple[list[str], bool]:
    """What is printed, and whether both are the same."""
    ours, theirs = ({name: value for name, value in each.settings.items() if name != "code"} for each in (a, b))
    if ours != theirs:
        return [f"not comparable, the settings are others: {ours} and {theirs}"], False
    found = [each for each in differences(a, b) if not (only_facts and TEXTS.match(each.what))]
    cut = {run.key for run in a.runs if run.cut} & {run.key for run in b.runs if run.cut}
    both = {run.key for run in a.runs} & {run.key for run in b.runs}
    lines = [*table(found), *measures(a, b)]
    lines += [f"not compared, out of {run.cut} in both: {run.task}, {run.configuration}" for run in a.runs if run.key in cut]
    runs = len({(each.task, each.configuration) for each in found})
    lines.append(f"{len(both) - len(cut)} runs compared, {len(cut)} not: {len(found)} differences in {runs} runs")
    return lines, not found and bool(both)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", type=Path, metavar="A")
    parser.add_argument("b", type=Path, metavar="B")
    parser.add_argument("--facts", action="store_true", help="texts for people need not be equal")
    parser.add_argument("--counted", type=float, default=5.0, help="seconds of work for each run, default 5")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds after which a run is not compared, default 300")
    parser.add_argument("--tasks", type=int, default=60, metavar="N", help="of the sample, default 60")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, default 2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=Path("build/same"), metavar="FOLDER", help="default build/same")
    options = parser.parse_args()
    settings = {name: getattr(options, name) for name in ("counted", "timeout", "tasks", "seed")}
    results, checkouts = [], []
    for name, path in (("a", options.a), ("b", options.b)):
        if path.is_file():
            results.append(read(path))
            continue
        code = code_of(path)
        options.json.mkdir(parents=True, exist_ok=True)
        checkout = Checkout(path, options.json / f"{name}-{code}.json", {**settings, "code": code})
        if not checkout.can_run():
            sys.exit(f"{path}: not a checkout of a drystone with `verify --counted` that {sys.executable} can import")
        checkouts.append(checkout)
        results.append(checkout.results)
    if checkouts:
        if not (BENCHMARKS / "INDEX.csv").is_file():
            print(f"no benchmarks: {BENCHMARKS} is not there")
            return 0
        measure_startup(checkouts)
        run_all(checkouts, sample(BENCHMARKS / "INDEX.csv", options.tasks), options.jobs)
    a, b = results
    lines, is_same = comparison(a, b, options.facts)
    print("\n".join(lines))
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
