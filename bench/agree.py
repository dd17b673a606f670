"""Runs several engines on the same tasks and looks for contradictions: between engines, or with the expected verdict.

    python bench/agree.py [SET…] [--timeout 20] [--memory 4GB] [--json FOLDER] [--jobs 2] [--seed N] [--sample N]

A SET is as for bench/run.py, which does the work; the default is all of ../shared/benchmarks. With --json the results are kept
as they come, one file per engine in FOLDER, and what is there is not run again. The exit code is 1 if there is a contradiction.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from run import Result, chosen_tasks, run_all

ENGINES = {
    "dss-lemmas": ("dss", "lemmas"),
    "dss-predicates": ("dss", "predicates"),
    "bmc": ("bmc", "lemmas"),
    "k-induction": ("k-induction", "lemmas"),
}
"""Per name of a file, the engine and its summaries."""


def contradictions(results: Mapping[str, Sequence[Result]]) -> list[str]:
    """One line for each task about which an engine contradicts another one, or what is expected."""
    by_task: dict[str, dict[str, Result]] = {}
    for engine, listed in results.items():
        for result in listed:
            if result.verdict in ("TRUE", "FALSE"):
                by_task.setdefault(result.task, {})[engine] = result
    lines = []
    for task, said in sorted(by_task.items()):
        wrong = [engine for engine, result in said.items() if result.verdict != result.expected]
        if wrong or len({result.verdict for result in said.values()}) > 1:
            verdicts = ", ".join(f"{engine} {result.verdict}" for engine, result in said.items())
            lines.append(f"CONTRADICTION  {task}: {verdicts}; expected {next(iter(said.values())).expected}")
    return lines


def counts(results: Mapping[str, Sequence[Result]]) -> list[str]:
    width = max(map(len, results))
    lines = []
    for engine, listed in results.items():
        verdicts, crashes = Counter(result.verdict for result in listed), sum(result.status == "crash" for result in listed)
        figures = (
            f"{len(listed):5} tasks  {verdicts['TRUE']:5} TRUE  {verdicts['FALSE']:5} FALSE  {verdicts['UNKNOWN']:5} UNKNOWN"
        )
        lines.append(f"{engine:<{width}}{figures}  {crashes:3} crashed  {sum(result.wall_s for result in listed):7.0f} s")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="folders, or task definitions")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each task and engine, default 20")
    parser.add_argument("--memory", default="4GB", help="for each task, default 4GB")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="where results are kept, and which need not be made again")
    parser.add_argument("--jobs", type=int, default=2, help="tasks at a time, default 2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, metavar="N", help="only N tasks, chosen at random")
    parser.set_defaults(replay="interpreter", workers=1, transport=None)
    options = parser.parse_args()
    tasks = chosen_tasks(options)
    if not tasks:
        return 0
    asked = {task.name for task in tasks}
    results: dict[str, list[Result]] = {}
    for name, (engine, summaries) in ENGINES.items():
        print(f"{name}:", flush=True)
        file = options.json / f"{name}.json" if options.json is not None else None
        its_options = argparse.Namespace(**{**vars(options), "engine": engine, "summaries": summaries, "json": file})
        results[name] = [result for result in run_all(tasks, its_options) if result.task in asked]
    for engine, listed in results.items():
        for result in listed:
            if result.status == "crash":
                print(f"CRASH  {engine} {result.task}: {(result.errors.strip().splitlines() or [result.reason])[-1][:200]}")
    found = contradictions(results)
    print("\n".join([*counts(results), *found, f"{len(found)} contradictions on {len(asked)} tasks"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
