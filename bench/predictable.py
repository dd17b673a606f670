"""Are predictable runs the same for any number of workers and any delays? What do they cost?

    python bench/predictable.py FILE... [--workers 1,2,3,4] [--runs 3] [--seconds 60] [--json OUT]

Each program is verified by `dss --predictable` with each number of workers, several times, with random delays on every message.
Verdict, counters, messages, figures of every block and the certificate must be the same in all runs. Programs without a
refinement are left out, and so are runs that the wall-clock limit has ended. The cost is that of one worker without delays, in
processor time, against a run that is not predictable.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.dss.engine import check
from drystone.engines.dss.hosts import Inline
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendError, FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram
from drystone.runtime.processes import ProcessHosts


class Delays:
    """Up to two milliseconds for every frame, in both directions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def __call__(self, data: bytes) -> bytes:
        time.sleep(self.random.random() / 500)
        return data


def fingerprint(result: EngineResult) -> object:
    assert result.details is not None
    blocks = [(each.id, each.received, each.sent, sorted(each.counters.items())) for each in result.details.blocks]
    return (
        result.verdict,
        sorted(result.counters.items()),
        blocks,
        str(result.details.messages),
        result.certificate,
        result.inputs,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--workers", default="1,2,3,4")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    numbers = [int(each) for each in arguments.workers.split(",")]
    rows: list[dict[str, Any]] = []
    for name in arguments.files:
        try:
            program = load([name], FrontendOptions(data_model="ILP32")).program
        except FrontendError as problem:
            print(f"{name}: {problem}")
            continue
        row = compared(program, numbers, arguments.runs, arguments.seconds)
        rows.append({"task": Path(name).stem, **row})
        print(json.dumps(rows[-1]), flush=True)
        if arguments.json:
            Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    with_refinement = [row for row in rows if row["refinements"] and row["runs"]]
    different = [row["task"] for row in with_refinement if not row["same"]]
    costs = sorted(row["cost"] for row in with_refinement)
    runs = sum(row["runs"] for row in with_refinement)
    print(f"{len(with_refinement)} tasks with refinements, {runs} runs, {len(different)} differ")
    if costs:
        print(f"cost: median {costs[len(costs) // 2]:.2f}, from {costs[0]:.2f} to {costs[-1]:.2f} times the processor time")
    return 1 if different else 0


def compared(program: Program, numbers: list[int], runs: int, seconds: float) -> dict[str, object]:
    def run(predictable: bool, setting: Setting) -> EngineResult:
        return check(PreparedProgram(program), DssOptions(predictable=predictable), Deadline.after(seconds), unobserved, setting)

    began = time.process_time()
    plain = run(False, Setting())
    middle = time.process_time()
    first = run(True, Setting(1, lambda count: Inline()))
    ended = time.process_time()
    seen, count, cut = [fingerprint(first)], 0, 0
    refinements = first.counters.get("refinements", 0)
    if refinements and first.verdict is not Verdict.UNKNOWN:
        for workers in numbers:
            for repetition in range(runs):
                make_hosts = partial(ProcessHosts, disturb=Delays(100 * workers + repetition))
                result = run(True, Setting(workers, make_hosts))
                if result.reason == "out of time":
                    cut += 1
                    continue
                count += 1
                seen.append(fingerprint(result))
    return {
        "verdict": first.verdict.value,
        "plain": plain.verdict.value,
        "refinements": refinements,
        "runs": count,
        "cut": cut,
        "same": all(each == seen[0] for each in seen),
        "cost": round((ended - middle) / max(0.001, middle - began), 2),
    }


if __name__ == "__main__":
    sys.exit(main())
