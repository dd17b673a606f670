"""What does a second worker bring? Each task with one worker and with two, by the engines dss and auto.

    python bench/speedup.py [SET…] [--family NAME…] [--engine NAME] [--runs 3] [--timeout 60] [--decompositions] [--json OUT]

A SET is as for bench/run.py, or a C file. A family is one of bench/families.py with size and work, as in `sequence:8:2`; `all` is
each of them in several sizes. Runs with one worker and with two take turns, so that whatever else the machine does hits both; the
table has the medians. `cuts` is the number of cut points, `at 8` the speed-up that eight workers attain by the trace of a run of
dss with eight, in processor time. The summary is about tasks whose best run with one worker takes 5 s to 60 s: how much
faster the best run with two is. With --decompositions, each of those that dss solves is also run by it with one worker and every
other decomposition, until it is slower than the best; the fastest of these then with two workers, too.
Results are kept in OUT as they come, and what is there is not run again. The exit code is 1 if two runs of a task contradict each
other.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from families import FAMILIES, program_of
from run import GRACE, interrupt, tasks_below, without_folders

from drystone.runtime.trace import figures, load, total

ENGINES = ("dss", "auto")
WORKERS = (1, 2)
DECOMPOSITIONS = ("default", "region", "function", "whole", "merge:3", "linear", "edge")
"""Beside `loops`, which is what dss uses."""
MANY = 8  # workers in the run whose trace is looked at
SLOW = (5.0, 60.0)  # seconds of the best run with one worker: what the summary is about
ALL = tuple(f"{family}:{size}:3" for family in FAMILIES for size in (12, 16, 24, 32))
SETTINGS = ("timeout", "memory", "seed", "summaries")
OUT = Path(__file__).resolve().parent / "results" / "speedup.json"

Run = dict[str, Any]
Entry = dict[str, Any]


def named_tasks(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and file; programs of families are written to the folder."""
    for name in options.sets:
        if name.endswith((".c", ".i")):
            yield f"{Path(name).parent.name}/{Path(name).stem}", Path(name)
        else:
            yield from ((task.name, task.path) for task in tasks_below([name]))
    for family in options.family:
        for name in ALL if family == "all" else [family]:
            path = folder / f"{name.replace(':', '-')}.c"
            path.write_text(program_of(name))
            yield name, path


def run(
    path: Path,
    engine: str,
    workers: int,
    options: argparse.Namespace,
    folder: Path,
    decomposition: str = "loops",
    limit: float | None = None,
) -> tuple[Run, Entry | None]:
    """One run, and for dss what its trace says. After `limit` seconds it is of no interest any more."""
    output, trace = folder / "result.json", folder / "run.trace"
    for file in (output, trace):
        file.unlink(missing_ok=True)
    command = [sys.executable, "-m", "drystone", "verify", str(path), "--quiet", "--json", str(output)]
    command += ["--engine", engine, "--workers", str(workers), "--summaries", options.summaries, "--seed", str(options.seed)]
    command += ["--timeout", f"{options.timeout}s", "--memory", options.memory, "--decomposition", decomposition]
    command += ["--trace", str(trace)] if workers == MANY else []
    load_before, began = os.getloadavg()[0], time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(limit or options.timeout + GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    except KeyboardInterrupt:
        process.terminate()  # it ends everything below it
        process.wait()
        raise
    wall = time.monotonic() - began
    report = json.loads(output.read_text()) if output.exists() else {}
    result = {
        "engine": engine,
        "workers": workers,
        "verdict": report.get("verdict", "UNKNOWN" if limit and wall >= limit else "CRASH"),
        "reason": without_folders(report.get("reason", f"exit code {process.returncode}")),
        "wall_s": round(wall, 3),
        "cpu_s": report.get("cpu_s", 0.0),
        "load": round(load_before, 2),
    }
    return result, traced(trace) if trace.exists() else None


def traced(file: Path) -> Entry:
    with file.open("rb") as stream:
        trace = load(stream)
    whole = total(trace, [figures(section) for section in trace.sections])
    attainable = next((each for each in whole.speedups if each.workers == 8), None)
    return {
        "blocks": whole.blocks,
        "calls": whole.calls,
        "work_s": round(whole.work_s, 4),
        "span_s": round(whole.span_s, 4),
        "speedup_8": round(attainable.speedup, 3) if attainable else 1.0,
        "pinned_speedup_8": round(attainable.pinned_speedup, 3) if attainable else 1.0,
    }


def measure(name: str, path: Path, entry: Entry, options: argparse.Namespace, folder: Path) -> Iterator[None]:
    """What is missing, one run at a time. An engine that fails with one worker is not asked again."""
    for repetition in range(options.runs):
        for engine in options.engine or ENGINES:
            for workers in WORKERS if repetition % 2 == 0 else WORKERS[::-1]:
                if len(chosen(entry, engine, workers)) > repetition or has_failed(entry, engine):
                    continue
                result, _ = run(path, engine, workers, options, folder)
                entry["runs"].append(result)
                shown = (
                    f"{engine:<4} {workers} {result['verdict']:<7} {result['wall_s']:7.2f} s  {result['cpu_s']:7.2f} s  {name}"
                )
                print(shown + (f"  {result['reason'][:90]}" if result["verdict"] not in ("TRUE", "FALSE") else ""), flush=True)
                yield
    if not chosen(entry, "dss", 1) or has_failed(entry, "dss"):
        return
    if "trace" not in entry:
        _, entry["trace"] = run(path, "dss", MANY, options, folder)
        yield
    if options.decompositions:
        yield from decomposed(name, path, entry, options, folder)


def decomposed(name: str, path: Path, entry: Entry, options: argparse.Namespace, folder: Path) -> Iterator[None]:
    """Other decompositions as a baseline: what takes longer than the best run so far is of no interest."""
    others: dict[str, list[Run]] = entry.setdefault("decompositions", {})
    for decomposition in DECOMPOSITIONS:
        known = best(entry, 1)
        if decomposition in others or known is None or not SLOW[0] <= known[0] <= SLOW[1]:
            continue
        result, _ = run(path, "dss", 1, options, folder, decomposition, known[0])
        print(f"dss  1 {result['verdict']:<7} {result['wall_s']:7.2f} s  {name}, {decomposition}", flush=True)
        others[decomposition] = [result]
        yield
    solved = {which: runs for which, runs in others.items() if runs[0]["verdict"] in ("TRUE", "FALSE")}
    if solved:
        fastest = min(solved, key=lambda which: solved[which][0]["wall_s"])
        if len(solved[fastest]) == 1:
            solved[fastest].append(run(path, "dss", 2, options, folder, fastest)[0])
            yield


def has_failed(entry: Entry, engine: str) -> bool:
    return any(each["verdict"] not in ("TRUE", "FALSE") for each in chosen(entry, engine, WORKERS[0]))


def chosen(entry: Entry, engine: str, workers: int) -> list[Run]:
    return [each for each in entry["runs"] if (each["engine"], each["workers"]) == (engine, workers)]


# tables


def median(entry: Entry, engine: str, workers: int, what: str) -> float:
    return float(statistics.median(each[what] for each in chosen(entry, engine, workers)))


def verdicts(entry: Entry, engine: str, workers: int) -> str:
    return "/".join(sorted({each["verdict"] for each in chosen(entry, engine, workers)}))


def ratio(a: float, b: float) -> float:
    return a / b if b > 0 else math.nan


def table(tasks: dict[str, Entry]) -> str:
    rows = [("task", "engine", "verdicts", "wall 1", "wall 2", "wall 1/2", "cpu 1", "cpu 2", "cpu 2/1", "cuts", "at 8")]
    gains: dict[str, list[tuple[float, float]]] = {engine: [] for engine in ENGINES}
    for name, entry in sorted(tasks.items()):
        trace = entry.get("trace") or {}
        for engine in ENGINES:
            if not all(chosen(entry, engine, workers) for workers in WORKERS):
                continue
            said = [verdicts(entry, engine, workers) for workers in WORKERS]
            walls = [median(entry, engine, workers, "wall_s") for workers in WORKERS]
            cpus = [median(entry, engine, workers, "cpu_s") for workers in WORKERS]
            gain = (ratio(walls[0], walls[1]), ratio(cpus[1], cpus[0]))
            if said[0] == said[1] and said[0] in ("TRUE", "FALSE"):
                gains[engine].append(gain)
            figures_of_trace = ("", "")
            if engine == "dss" and trace:
                figures_of_trace = (str(max(0, trace["blocks"] - 1)), f"{trace['speedup_8']:.2f}")
            times = (f"{walls[0]:.2f}", f"{walls[1]:.2f}", f"{gain[0]:.2f}", f"{cpus[0]:.2f}", f"{cpus[1]:.2f}", f"{gain[1]:.2f}")
            rows.append((name, engine, said[0] if said[0] == said[1] else " -> ".join(said), *times, *figures_of_trace))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            f"{cell:<{width}}" if n < 3 else f"{cell:>{width}}" for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    for engine, found in gains.items():
        if found:
            wall, cpu = (math.exp(statistics.fmean(math.log(each) for each in column)) for column in zip(*found, strict=True))
            lines.append(
                f"{engine}: {len(found)} tasks with the same verdict; geometric means: wall 1/2 {wall:.2f}, cpu 2/1 {cpu:.2f}"
            )
    return "\n".join(line.rstrip() for line in [*lines, *summary(tasks)])


def summary(tasks: dict[str, Entry]) -> Iterator[str]:
    gains: list[tuple[float, float, str]] = []
    attainable: list[float] = []
    alone: list[float] = []
    for name, entry in tasks.items():
        one, two = (best(entry, workers) for workers in WORKERS)
        if one is None or not SLOW[0] <= one[0] <= SLOW[1]:
            continue
        gains.append((0.0, math.inf, name) if two is None else (one[0] / two[0], two[1] / max(one[1], 0.01), name))
        trace = entry.get("trace")
        if trace:
            (alone if trace["blocks"] <= 2 else attainable).append(trace["speedup_8"])
    if gains:
        walls, cpus, _ = zip(*gains, strict=True)
        yield f"{len(gains)} tasks whose best run with one worker takes {SLOW[0]:.0f} s to {SLOW[1]:.0f} s"
        fast, cost = statistics.median(walls), statistics.median(cpus)
        yield f"  best run with two: median {fast:.2f} times as fast, processor time {cost:.2f} times"
        slow = [f"{name} {wall:.2f}" for wall, _, name in sorted(gains) if wall < 1 / 1.1]
        yield f"  slower than 1.1 times: {', '.join(slow) or 'none'}"
    for what, found in (("several cut points", attainable), ("one cut point", alone)):
        if found:
            yield f"  attainable with {MANY} workers, {what}: median {statistics.median(found):.2f} of {len(found)}"


def best(entry: Entry, workers: int) -> tuple[float, float] | None:
    """Seconds and processor time of the fastest engine and decomposition, if any has a verdict in all its runs."""
    found = []
    for engine in ENGINES:
        runs = chosen(entry, engine, workers)
        if runs and all(each["verdict"] in ("TRUE", "FALSE") for each in runs):
            found.append((median(entry, engine, workers, "wall_s"), median(entry, engine, workers, "cpu_s")))
    for others in entry.get("decompositions", {}).values():
        runs = [each for each in others if each["workers"] == workers]
        if runs and all(each["verdict"] in ("TRUE", "FALSE") for each in runs):
            walls, cpus = ([each[what] for each in runs] for what in ("wall_s", "cpu_s"))
            found.append((statistics.median(walls), statistics.median(cpus)))
    return min(found, default=None)


def warn_if_busy(tasks: dict[str, Entry]) -> None:
    loads = [each["load"] for entry in tasks.values() for each in entry["runs"]]
    if loads and statistics.median(loads) > len(os.sched_getaffinity(0)) / 2:
        print(f"the machine was busy (load {statistics.median(loads):.1f}): wall times with two workers say little")


def contradictions(tasks: dict[str, Entry]) -> list[str]:
    found = []
    for name, entry in sorted(tasks.items()):
        runs = [*entry["runs"], *(each for others in entry.get("decompositions", {}).values() for each in others)]
        if {"TRUE", "FALSE"} <= {each["verdict"] for each in runs}:
            found.append(f"CONTRADICTION  {name}: " + ", ".join(f"{e['engine']} {e['workers']} {e['verdict']}" for e in runs))
        found += [f"CRASH  {name}: {e['engine']} {e['workers']}: {e['reason']}" for e in runs if e["verdict"] == "CRASH"]
    return found


# files


def kept(options: argparse.Namespace) -> dict[str, Entry]:
    if not options.json.exists():
        return {}
    content = json.loads(options.json.read_text())
    settings = {name: getattr(options, name) for name in SETTINGS}
    if content["settings"] != settings:
        sys.exit(f"{options.json}: holds results of other settings, {content['settings']}; choose another file or remove it")
    tasks: dict[str, Entry] = content["tasks"]
    return tasks


def keep(tasks: dict[str, Entry], options: argparse.Namespace) -> None:
    options.json.parent.mkdir(parents=True, exist_ok=True)
    content = {"settings": {name: getattr(options, name) for name in SETTINGS}, "tasks": tasks}
    temporary = options.json.with_name(options.json.name + ".new")
    temporary.write_text(json.dumps(content, indent=1) + "\n")
    temporary.replace(options.json)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="folders, task definitions, C files")
    parser.add_argument("--family", action="append", default=[], metavar="NAME", help="like sequence:8:2, or all; again for more")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; again for more")
    parser.add_argument("--runs", type=int, default=3, help="of each engine with each number of workers, default 3")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each run, default 60")
    parser.add_argument("--memory", default="4GB", help="for each run, default 4GB")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--summaries", default="lemmas", help="of dss, default lemmas")
    parser.add_argument("--decompositions", action="store_true", help="compare with all decompositions with one worker, too")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of the tasks, evenly spread")
    parser.add_argument("--json", type=Path, default=OUT, metavar="OUT", help="where results are kept")
    options = parser.parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    tasks = kept(options)
    with tempfile.TemporaryDirectory(prefix="drystone-speedup-") as name:
        folder = Path(name)
        try:
            asked = list(named_tasks(options, folder))
        except ValueError as problem:
            sys.exit(str(problem))
        if options.sample is not None and options.sample < len(asked):
            asked = [asked[number * len(asked) // options.sample] for number in range(options.sample)]
        try:
            for task, path in asked:
                entry = tasks.setdefault(task, {"runs": []})
                for _ in measure(task, path, entry, options, folder):
                    keep(tasks, options)
        except KeyboardInterrupt:
            print("interrupted; what is done is kept")
            return 130
    warn_if_busy(tasks)
    shown = {task: tasks[task] for task, _ in asked} or tasks
    problems = contradictions(shown)
    print("\n".join([table(shown), *problems]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
