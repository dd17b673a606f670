"""Telbisz 2023, Table 4.1: what the reductions of `--engine interleaving` save, on tasks with threads.

    python bench/interleaving.py SET… [--timeout 5] [--json OUT]

Every abstraction and reduction runs on every task, one at a time; with --json, results are kept as they come, and what OUT has
already is not run again. The engine does not slice. Sums are over the tasks that all reductions of an abstraction have
solved. The paper's figures stand beside: its NO COI is `por`, COI is `coi-por`, POR-COI is `por-coi`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from provenance import provenance
from run import BENCHMARKS, Task, run, tasks_below

ABSTRACTIONS = ("explicit", "predicates")
REDUCTIONS = ("none", "por", "coi", "coi-por", "por-coi")
PAPER = {  # simplified ratio, seconds for successors, CPU seconds
    ("explicit", "por"): (0.0, 1057, 4770),
    ("explicit", "coi-por"): (0.218, 435, 4095),
    ("explicit", "por-coi"): (0.221, 660, 4734),
    ("predicates", "por"): (0.0, 17338, 27506),
    ("predicates", "coi-por"): (0.224, 12802, 25192),
    ("predicates", "por-coi"): (0.227, 11388, 23497),
}

Row = dict[str, Any]


def measured(task: Task, abstraction: str, reduction: str, timeout: float) -> Row:
    options = argparse.Namespace(
        engine="interleaving", timeout=timeout, memory="4GB", seed=0, replay="interpreter", workers=1, summaries="lemmas",
        transport=None,
    )  # fmt: skip
    arguments = ("--abstraction", abstraction, "--reduction", reduction)
    result = run(Task(task.path, task.expected, arguments=arguments), options)
    return {
        "task": task.name,
        "abstraction": abstraction,
        "reduction": reduction,
        "verdict": result.verdict,
        "status": result.status,
        "reason": result.reason,
        "cpu_s": result.cpu_s,
        "counters": result.counters,
    }


def table(rows: Sequence[Row]) -> list[str]:
    """A line per abstraction and reduction, over the tasks that all reductions of the abstraction have solved."""
    lines = [
        "| abstraction | reduction | solved | common | simplified | successor queries | successor s | COI s | POR s | CPU s "
        "| states | paper: simplified, successor s, CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for abstraction in ABSTRACTIONS:
        chosen = [row for row in rows if row["abstraction"] == abstraction]
        common = common_tasks(chosen)
        for reduction in REDUCTIONS:
            own = [row for row in chosen if row["reduction"] == reduction]
            lines.append(_line(abstraction, reduction, own, [row for row in own if row["task"] in common], chosen))
    return lines


def common_tasks(rows: Sequence[Row]) -> set[str]:
    solved = [{row["task"] for row in rows if row["reduction"] == each and row["status"] == "correct"} for each in REDUCTIONS]
    return set.intersection(*solved)


def _line(abstraction: str, reduction: str, own: Sequence[Row], common: Sequence[Row], all_: Sequence[Row]) -> str:
    solved = sum(row["status"] == "correct" for row in own)
    paper = PAPER.get((abstraction, reduction))
    beside = f"{paper[0]:.3f}, {paper[1]}, {paper[2]}" if paper is not None else ""
    unreduced = {row["task"]: row["counters"].get("states", 0) for row in all_ if row["reduction"] == "none"}
    mean = geometric_mean(row["counters"]["states"] / unreduced[row["task"]] for row in common)
    cells = (
        abstraction,
        reduction,
        str(solved),
        str(len(common)),
        f"{simplified_ratio(common):.3f}",
        f"{_sum(common, 'successor_queries')}",
        f"{_sum(common, 'successor_ms') / 1000:.1f}",
        f"{_sum(common, 'coi_ms') / 1000:.1f}",
        f"{_sum(common, 'por_ms') / 1000:.1f}",
        f"{sum(row['cpu_s'] for row in common):.1f}",
        f"{_sum(common, 'states')} ({mean:.2f})",
        beside,
    )
    return f"| {' | '.join(cells)} |"


def simplified_ratio(rows: Sequence[Row]) -> float:
    """The average over tasks, as in the paper."""
    ratios: list[float] = [
        (row["counters"]["eliminated"] + row["counters"]["havocked"]) / max(1, row["counters"]["actions"]) for row in rows
    ]
    return sum(ratios) / max(1, len(ratios))


def geometric_mean(ratios: Iterable[float]) -> float:
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / max(1, len(logarithms)))


def _sum(rows: Sequence[Row], counter: str) -> int:
    return sum(row["counters"][counter] for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[str(BENCHMARKS / "concurrency")])
    parser.add_argument("--timeout", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    out = Path(options.json) if options.json else None
    kept = json.loads(out.read_text()) if out is not None and out.exists() else {"runs": [], "results": []}
    rows: list[Row] = kept["results"]
    known = {(row["task"], row["abstraction"], row["reduction"]) for row in rows}
    kept["runs"].append({"timeout": options.timeout, **provenance()})
    for task in tasks_below(options.sets):
        for abstraction in ABSTRACTIONS:
            for reduction in REDUCTIONS:
                if (task.name, abstraction, reduction) not in known:
                    rows.append(measured(task, abstraction, reduction, options.timeout))
                    print(*(rows[-1][key] for key in ("task", "abstraction", "reduction", "verdict", "status")), flush=True)
        if out is not None:
            out.write_text(json.dumps(kept, indent=1) + "\n")
    print(*table(rows), sep="\n")
    wrong = [row for row in rows if row["status"] in ("wrong", "crash")]
    for row in wrong:
        print(f"{row['status']}: {row['task']} {row['abstraction']} {row['reduction']}: {row['reason']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
