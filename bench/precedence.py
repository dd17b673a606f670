"""Kettl 2022, Table 13: blocks take error conditions first, or postconditions, in both engines that have blocks.

    python bench/precedence.py [SET…] [--timeout 4] [--json OUT]

A SET is as for bench/run.py; the default is every third of the tasks of ../shared/benchmarks whose loops are small. Every kind of
run takes every task in both orders, one after the other; with --json, results are kept as they come, and what OUT has already is
not run again. Sums are over the tasks that a kind has decided in both orders.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from provenance import provenance
from run import BENCHMARKS, Task, run, tasks_below

SMALL = [str(BENCHMARKS / "blocks"), str(BENCHMARKS / "fault-localization")]
ORDERS = ("errors", "postconditions")
KINDS = {  # the engine, its summaries, its domain
    "dss, lemmas": ("dss", "lemmas", "predicates"),
    "dss, predicates": ("dss", "predicates", "predicates"),
    "dcpa, predicates": ("dcpa", "lemmas", "predicates"),
    "dcpa, values": ("dcpa", "lemmas", "values"),
}
DECOMPOSITIONS = ("loops", "linear")
COUNTED = ("messages", "calls", "queries")

Row = dict[str, Any]


def measured(task: Task, kind: str, decomposition: str, order: str, timeout: float) -> Row:
    engine, summaries, domain = KINDS[kind]
    options = argparse.Namespace(
        engine=engine, summaries=summaries, domain=domain, decomposition=decomposition, timeout=timeout, memory="4GB", seed=0,
        replay="interpreter", workers=1, transport=None,
    )  # fmt: skip
    arguments = ("--precedence", order)
    result = run(Task(task.path, task.expected, arguments=arguments), options)
    return {
        "task": task.name,
        "kind": kind,
        "decomposition": decomposition,
        "order": order,
        "verdict": result.verdict,
        "status": result.status,
        "reason": result.reason,
        "cpu_s": result.cpu_s,
        "counters": {name: result.counters.get(name, 0) for name in COUNTED},
    }


def _as_lines(kept: dict[str, list[Row]]) -> str:
    """JSON with a line per row."""
    parts = (f'"{name}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]" for name, rows in kept.items())
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def table(rows: Sequence[Row]) -> Iterator[str]:
    yield "| engine | decomposition | decided in both | first | decided | messages | calls | queries | CPU s |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for kind in KINDS:
        for decomposition in DECOMPOSITIONS:
            own = [row for row in rows if (row["kind"], row["decomposition"]) == (kind, decomposition)]
            decided = {
                order: {row["task"] for row in own if row["order"] == order and row["verdict"] != "UNKNOWN"} for order in ORDERS
            }
            both = set.intersection(*decided.values())
            for order in ORDERS:
                common = [row for row in own if row["order"] == order and row["task"] in both]
                sums = [f"{sum(row['counters'].get(name, 0) for row in common):,}" for name in COUNTED]
                seconds = f"{sum(row['cpu_s'] for row in common):.1f}"
                cells = (kind, decomposition, str(len(both)), order, str(len(decided[order])), *sums, seconds)
                yield f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--timeout", type=float, default=4.0, metavar="SECONDS")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    out = Path(options.json) if options.json else None
    kept = json.loads(out.read_text()) if out is not None and out.exists() else {"runs": [], "results": []}
    rows: list[Row] = kept["results"]
    known = {(row["task"], row["kind"], row["decomposition"], row["order"]) for row in rows}
    kept["runs"].append({"timeout": options.timeout, **provenance()})
    tasks = tasks_below(options.sets) if options.sets else tasks_below(SMALL)[::3]
    for task in tasks:
        for kind in KINDS:
            for decomposition in DECOMPOSITIONS:
                for order in ORDERS:
                    if (task.name, kind, decomposition, order) not in known:
                        rows.append(measured(task, kind, decomposition, order, options.timeout))
        if out is not None:
            out.write_text(_as_lines(kept))
    print(*table(rows), sep="\n")
    wrong = [row for row in rows if row["status"] in ("wrong", "crash")]
    for row in wrong:
        print(f"{row['status']}: {row['task']} {row['kind']} {row['decomposition']} {row['order']}: {row['reason']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
