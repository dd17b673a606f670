"""Runs drystone on task definitions, each in its own process with hard limits, and counts what came out.

    python bench/run.py SET… [--timeout 60] [--memory 4GB] [--engine auto] [--json OUT] [--jobs 2] [--seed N] [--sample N]
    python bench/run.py --compare A.json B.json

A SET is a folder or a task definition (.yml). With --json the results are kept as they come, and tasks that OUT has already
are not run again. A result has the counters of its run and, of dss, what blocks, messages and operators did. OUT also says what
was run where: options, version and commit of drystone, what the machine has; once for every run that has added results. The score
is that of SV-COMP: 2 for a correct TRUE, 1 for a correct FALSE, -32 for a wrong TRUE, -16 for a wrong FALSE.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import yaml
from provenance import provenance

BENCHMARKS = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
GRACE = 15.0  # seconds beyond its time limit after which drystone itself has failed
LOCKS: list[IO[str]] = []  # held until the process ends
RUNNING: set[subprocess.Popen[str]] = set()
POINTS = {("TRUE", True): 2, ("FALSE", False): 1, ("TRUE", False): -32, ("FALSE", True): -16}


@dataclass(frozen=True)
class Task:
    path: Path
    expected: bool  # is the error unreachable?
    error_function: str | None = None  # None: as the task definition says
    variant: str = ""  # tells tasks of one file apart
    arguments: tuple[str, ...] = ()  # more files, and how they are compiled

    @property
    def name(self) -> str:
        parts = (f"{self.path.parent.name}/{self.path.stem}", self.error_function, self.variant)
        return " ".join(part for part in parts if part)

    @property
    def category(self) -> str:
        return self.path.parent.name


@dataclass
class Result:
    """One run of one task."""

    task: str
    category: str
    expected: str
    verdict: str
    status: str  # correct, wrong, unknown, timeout, memory, crash
    reason: str
    cause: str
    engine: str
    exit_code: int
    wall_s: float
    cpu_s: float  # of the command and all below it; in files from before this counted, without the process that only waits
    peak_mb: float
    replayed: bool
    native: str  # "", reproduced, or why not
    undefined: int  # undefined operations that a FALSE relies on
    certificate: str  # kind, of a checked one
    counters: dict[str, int]
    errors: str  # what was written to standard error by a crash
    # of dss, as in the report; older files have none of it
    blocks: list[dict[str, Any]] = field(default_factory=list)  # what each did
    messages: dict[str, Any] | None = None  # between them, by kinds
    operators: dict[str, dict[str, Any]] = field(default_factory=dict)  # calls, seconds and bytes of packing, combining, …


def tasks_below(sets: Sequence[str]) -> list[Task]:
    """The tasks with an expected verdict for the property that drystone takes from them."""
    found: list[Task] = []
    for name in sets:
        path = Path(name)
        files = sorted(path.rglob("*.yml")) if path.is_dir() else [path]
        if not files:
            sys.exit(f"{name}: no task definitions (.yml) there")
        for file in files:
            expected = expected_verdict(file)
            if expected is not None:
                found.append(Task(file, expected))
    return found


def expected_verdict(file: Path) -> bool | None:
    """Of a reachability property or, where there is none, of the first one that is a check (`G ! overflow`, `G valid-free`)."""
    content = yaml.load(file.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if not isinstance(content, dict):
        return None
    found: dict[str, bool] = {}
    for entry in content.get("properties") or []:
        text = (file.parent / entry["property_file"]).read_text()
        meant = _UNDERSTOOD.search(text)
        if meant and "expected_verdict" in entry:
            found.setdefault("call" if meant[0] == "G ! call(" else "check", bool(entry["expected_verdict"]))
    return found.get("call", found.get("check"))


_UNDERSTOOD = re.compile(r"G ! call\(|G ! overflow|G valid-(?:free|deref|memtrack|memcleanup)")


def run(task: Task, options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory(prefix="drystone-bench-") as folder:
        output = Path(folder) / "result.json"
        command = [sys.executable, "-m", "drystone", "verify", str(task.path), *task.arguments]  # files must not be apart
        command += ["--quiet", "--json", str(output)]
        command += ["--error-function", task.error_function] if task.error_function is not None else []
        command += ["--volatile", options.volatile] if getattr(options, "volatile", None) else []
        command += ["--engine", options.engine, "--timeout", f"{options.timeout}s", "--memory", options.memory]
        command += ["--seed", str(options.seed), "--replay", options.replay, "--verbose"]
        command += ["--workers", str(options.workers), "--summaries", options.summaries]
        for name in ("decomposition", "domain"):
            command += [f"--{name}", getattr(options, name, LATER[name])]
        command += ["--transport", options.transport] if options.transport is not None else []
        start = time.monotonic()
        with (Path(folder) / "errors.txt").open("w+", errors="replace") as errors:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, text=True, start_new_session=True)
            RUNNING.add(process)
            seconds = waited_for(process, options.timeout + GRACE)
            RUNNING.discard(process)
            wall = time.monotonic() - start
            errors.seek(0)
            said = errors.read() + ("\nbench: drystone did not end in time" if wall > options.timeout + GRACE else "")
        report = json.loads(output.read_text()) if output.exists() else {}
    return judged(task, report, process.returncode, wall, seconds, said)


def waited_for(process: subprocess.Popen[str], limit: float) -> float:
    """Until it has ended, or has been ended; seconds of processor time that it and all below it have used."""
    timer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    _, status, used = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return round(used.ru_utime + used.ru_stime, 3)


def judged(task: Task, report: dict[str, Any], code: int, wall: float, cpu: float, errors: str) -> Result:
    verdict = report.get("verdict", "UNKNOWN")
    evidence = report.get("evidence") or {}
    example = evidence.get("counterexample") or {}
    certificate = evidence.get("certificate") or {}
    native = example.get("native")
    if code == 3:  # input that is refused, with the reason
        report, status = {"reason": errors.strip().splitlines()[0] if errors.strip() else "", "cause": "refused"}, "unknown"
    elif code not in (0, 1, 2) or not report:
        status = "crash"
    elif verdict != "UNKNOWN":
        status = "correct" if (verdict == "TRUE") == task.expected else "wrong"
    else:
        status = {"time": "timeout", "memory": "memory"}.get(report.get("cause", ""), "unknown")
    return Result(
        task=task.name,
        category=task.category,
        expected="TRUE" if task.expected else "FALSE",
        verdict=verdict,
        status=status,
        reason=without_folders(report.get("reason", "")),
        cause=report.get("cause", ""),
        engine=report.get("engine", ""),
        exit_code=code,
        wall_s=round(wall, 2),
        cpu_s=cpu,
        peak_mb=report.get("peak_mb", 0.0),
        replayed=bool(example.get("replayed")),
        native="" if native is None else "reproduced" if native["reproduced"] else native["reason"],
        undefined=len(example.get("undefined", ())),
        certificate=certificate.get("kind", "") if certificate.get("checked") else "",
        counters=report.get("counters", {}),
        errors=errors[-2000:] if status == "crash" else "",
        blocks=[{**block, "where": without_folders(block["where"])} for block in report.get("blocks", [])],
        messages=report.get("messages"),
        operators=report.get("operators", {}),
    )


# tables

_COLUMNS = ("tasks", "TRUE", "FALSE", "wrong", "unknown", "time", "memory", "crash", "score", "wall s", "cpu s", "peak MB")


def table(results: Sequence[Result]) -> str:
    rows: list[tuple[str, ...]] = [("category", *_COLUMNS)]
    for category in sorted({result.category for result in results}):
        rows.append(_row(category, [result for result in results if result.category == category]))
    rows.append(_row("all", results))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join([f"{row[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
    reasons = Counter(kind_of(result.reason) for result in results if result.status == "unknown")
    lines += ["", "unknown:"] if reasons else []
    lines += [f"  {count:4}  {reason}" for reason, count in reasons.most_common(15)]
    for status in ("wrong", "crash"):
        for result in results:
            if result.status == status:
                what = result.errors.strip().splitlines()[-1:] or [result.reason]
                lines.append(f"{status.upper()}  {result.task}: {result.verdict}, expected {result.expected}; {what[0][:200]}")
    native = [result for result in results if result.native]
    if native:
        good = sum(result.native == "reproduced" for result in native)
        lines.append(f"natively reproduced: {good} of {len(native)}")
        lines += [f"  {result.task}: {result.native[:200]}" for result in native if result.native != "reproduced"]
    return "\n".join(lines)


def _row(name: str, results: Sequence[Result]) -> tuple[str, ...]:
    status = Counter(result.status for result in results)
    right = Counter(result.verdict for result in results if result.status == "correct")
    expected = Counter(result.expected for result in results)
    return (
        name,
        str(len(results)),
        f"{right['TRUE']}/{expected['TRUE']}",
        f"{right['FALSE']}/{expected['FALSE']}",
        str(status["wrong"]),
        str(status["unknown"]),
        str(status["timeout"]),
        str(status["memory"]),
        str(status["crash"]),
        str(score(results)),
        f"{sum(result.wall_s for result in results):.0f}",
        f"{sum(result.cpu_s for result in results):.0f}",
        f"{max((result.peak_mb for result in results), default=0):.0f}",
    )


def score(results: Iterable[Result]) -> int:
    return sum(POINTS.get((result.verdict, result.expected == "TRUE"), 0) for result in results if result.status != "crash")


def without_folders(text: str) -> str:
    """Results are compared between machines."""
    return re.sub(r"(?:/[^\s/]+)+/([^\s/]+)", r"\1", text)


def kind_of(reason: str) -> str:
    """A reason without the numbers, names and places in it."""
    return re.sub(r"\S+:\d+", "…", re.sub(r"\(.*\)", "", re.sub(r"\d[\d,.]*", "N", re.sub(r"/\S+", "…", reason))))[:110]


def compared(old: Sequence[Result], new: Sequence[Result]) -> str:
    """Task by task: what changed its answer, then what changed its time."""
    before = {result.task: result for result in old}
    lines: list[str] = []
    both = [(before[result.task], result) for result in new if result.task in before]
    for a, b in both:
        if (a.verdict, a.status) != (b.verdict, b.status):
            lines.append(f"{a.verdict:>7} {a.status:<8} -> {b.verdict:>7} {b.status:<8}  {b.task}  {b.reason[:80]}")
    slower = sorted(both, key=lambda pair: pair[0].wall_s - pair[1].wall_s)
    for a, b in [*slower[:5], *slower[-5:]]:
        if abs(a.wall_s - b.wall_s) > 1:
            lines.append(f"{a.wall_s:7.1f} s -> {b.wall_s:7.1f} s  {b.task}")
    only = len(before.keys() ^ {result.task for result in new})
    total = f"{len(both)} tasks in both, {only} in one; score {score(a for a, _ in both)} -> {score(b for _, b in both)}"
    times = f"wall {sum(a.wall_s for a, _ in both):.0f} s -> {sum(b.wall_s for _, b in both):.0f} s"
    return "\n".join([*lines, total, times, *ratios([(a, b) for a, b in both if a.status == b.status == "correct"])])


def ratios(solved: Sequence[tuple[Result, Result]]) -> list[str]:
    """Of tasks that were solved both times: B's time as a part of A's."""
    lines = []
    for name in ("TRUE", "FALSE", ""):
        pairs = [(max(a.cpu_s, 0.001), b.cpu_s) for a, b in solved if b.verdict == name or not name]
        if pairs:
            each = statistics.median(b / a for a, b in pairs)
            a, b = (statistics.median(cpu) for cpu in zip(*pairs, strict=True))
            total = sum(b for _, b in pairs) / sum(a for a, _ in pairs)
            lines.append(
                f"processor time, {len(pairs)} {name or 'tasks'} solved both times: median of B / A {each:.2f}, "
                f"median {a:.3f} s -> {b:.3f} s ({b / a:.2f}), sum {total:.2f}"
            )
    return lines


# files


SETTINGS = ("engine", "timeout", "memory", "seed", "replay", "workers", "summaries", "transport", "decomposition", "domain")
LATER: dict[str, Any] = {"summaries": "lemmas", "transport": None, "decomposition": "loops", "domain": "predicates"}
"""Settings that older files do not name, and what they were."""


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name, LATER.get(name)) for name in SETTINGS}


def kept_results(options: argparse.Namespace) -> list[Result]:
    """What OUT holds already. Two runs into one file, or results of other settings in it, would make a table of nothing."""
    if options.json is None:
        return []
    options.json.parent.mkdir(parents=True, exist_ok=True)
    lock = options.json.with_name(options.json.name + ".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"{options.json}: another run writes to this file")
    LOCKS.append(lock)
    if not options.json.exists():
        return []
    settings = {**LATER, **json.loads(options.json.read_text())["settings"]}
    if settings != settings_of(options):
        sys.exit(f"{options.json}: holds results of other settings, {settings}; choose another file or remove it")
    return read_results(options.json)


def origins_of(options: argparse.Namespace) -> list[dict[str, Any]]:
    """What has made the results in OUT: earlier runs, then this one, if that was not the same."""
    kept = json.loads(options.json.read_text()).get("origins", []) if options.json is not None and options.json.exists() else []
    chosen = {name: getattr(options, name) for name in ("jobs", "sample")}
    origin = {**provenance(), "options": {**chosen, "volatile": getattr(options, "volatile", None)}}
    return kept if origin in kept else [*kept, origin]


def interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def read_results(path: Path) -> list[Result]:
    return [Result(**row) for row in json.loads(path.read_text())["results"]]


def write_results(path: Path, results: Sequence[Result], options: argparse.Namespace, origins: Sequence[dict[str, Any]]) -> None:
    """One line for each result: details of many blocks would be most of the lines otherwise."""
    about = json.dumps({"settings": settings_of(options), "origins": origins, "score": score(results)}, indent=1)
    rows = ",\n".join(f"  {json.dumps(asdict(result))}" for result in results)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(f'{about.removesuffix("}").rstrip()},\n "results": [\n{rows}\n ]\n}}\n')
    temporary.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="folders, or task definitions")
    add_limits(parser, timeout=60.0)
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"))
    options = parser.parse_args()
    if options.compare:
        print(compared(*map(read_results, options.compare)))
        return 0
    tasks = chosen_tasks(options)
    if not tasks:
        return 0
    asked = {task.name for task in tasks}
    results = run_all(tasks, options)
    print(table(sorted((result for result in results if result.task in asked), key=lambda result: result.task)))
    return 1 if any(result.status in ("wrong", "crash") for result in results) else 0


def add_limits(parser: argparse.ArgumentParser, timeout: float) -> None:
    """How each task is run, and where results are kept."""
    parser.add_argument("--timeout", type=float, default=timeout, help=f"seconds for each task, default {timeout:.0f}")
    parser.add_argument("--memory", default="4GB", help="for each task, default 4GB")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--summaries", default="lemmas", help="of dss, default lemmas")
    parser.add_argument("--decomposition", default="loops", help="of dss and dcpa, default loops")
    parser.add_argument("--domain", default="predicates", help="of dcpa, default predicates")
    parser.add_argument("--json", type=Path, metavar="OUT", help="where results are kept, and which tasks need not run again")
    parser.add_argument("--jobs", type=int, default=2, help="tasks at a time, default 2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, metavar="N", help="only N tasks, chosen at random")
    parser.add_argument("--replay", choices=["interpreter", "native"], default="interpreter")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes of one task, default 1")
    parser.add_argument("--transport", help="with --engine dss: where blocks live, inline or processes")


def chosen_tasks(options: argparse.Namespace) -> list[Task]:
    sets = options.sets or ([str(BENCHMARKS)] if BENCHMARKS.is_dir() else [])
    if not sets:
        print(f"no benchmarks: {BENCHMARKS} is not there, and no other folder was named")
        return []
    return sampled(tasks_below(sets), options)


def sampled(tasks: list[Task], options: argparse.Namespace) -> list[Task]:
    """All of them, or as many as --sample asks for."""
    if options.sample is None:
        return tasks
    return random.Random(options.seed).sample(tasks, min(options.sample, len(tasks)))


def run_all(tasks: Sequence[Task], options: argparse.Namespace) -> list[Result]:
    """All results that are known in the end, also those that OUT had. An interrupt ends this process."""
    for each in (signal.SIGINT, signal.SIGTERM):  # a shell starts background jobs with SIGINT ignored
        signal.signal(each, interrupt)
    results, origins = kept_results(options), origins_of(options)
    done = {result.task for result in results}
    waiting = [task for task in tasks if task.name not in done]
    pool = ThreadPoolExecutor(options.jobs)
    try:
        for number, future in enumerate(as_completed([pool.submit(run, task, options) for task in waiting]), 1):
            result = future.result()
            results.append(result)
            line = f"[{number}/{len(waiting)}] {result.status:<8} {result.verdict:<7} {result.wall_s:6.1f} s  {result.task}"
            print(line + (f"  {result.reason[:90]}" if result.verdict == "UNKNOWN" else ""), flush=True)
            if options.json is not None:
                write_results(options.json, results, options, origins)
    except KeyboardInterrupt:
        print("interrupted; what is done is kept" if options.json else "interrupted")
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            process.terminate()  # it ends everything below it
            process.wait()
        os._exit(130)
    return results


if __name__ == "__main__":
    sys.exit(main())
