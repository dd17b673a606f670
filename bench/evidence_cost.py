"""What it costs to write a witness, SARIF and JSON, as a share of the same run, in processor time.

    python bench/evidence_cost.py [--of RESULTS] [--slowest 40] [--sample N] [--timeout 60] [--json OUT]

Of the sequential tasks that a file of bench/run.py has solved, the slowest. Each runs once, with all files asked for; what writes
them is timed in the process where it does, so that other work on the machine falls on both alike.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from provenance import provenance
from run import BENCHMARKS

OF = Path(__file__).parent / "results" / "verify-60s-2-workers.json"
MOST = 0.10
# Processes are copies of the first one, so what is put in place there is in place in all of them.
TIMED = """
import os, sys, time
import drystone.verification.evidence_files as files
def timed(module, name):
    inner = getattr(module, name)
    def outer(*args, **options):
        began = time.process_time()
        try:
            return inner(*args, **options)
        finally:
            with open(os.environ["TIMES"], "a") as file:
                print(name, time.process_time() - began, file=file)
    setattr(module, name, outer)
for name in ("proof_witnessed", "violation_witnessed"):
    timed(files, name)
import drystone.report.sarif as report
timed(report, "sarif")
from drystone.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
Json = dict[str, Any]


def measured(task: str, timeout: float) -> Json:
    with tempfile.TemporaryDirectory(prefix="drystone-bench-") as folder:
        times, out = Path(folder) / "times", Path(folder) / "out.json"
        command = [sys.executable, "-c", TIMED, "verify", str(BENCHMARKS / f"{task}.yml"), "--timeout", f"{timeout}s", "--quiet"]
        command += ["--witness", f"{folder}/w.yml", "--sarif", f"{folder}/s.sarif", "--json", str(out), "--workers", "1"]
        subprocess.run(command, capture_output=True, env={**os.environ, "TIMES": str(times)}, timeout=timeout + 60)
        report = json.loads(out.read_text()) if out.exists() else {}
        spent: dict[str, float] = {}
        for line in times.read_text().splitlines() if times.exists() else ():
            name, seconds = line.split()
            spent[name] = spent.get(name, 0.0) + float(seconds)
    return {"task": task, "verdict": report.get("verdict", ""), "cpu_s": report.get("cpu_s", 0.0), "spent_s": spent}


def shares(row: Json) -> dict[str, float]:
    """Of the run without any of them."""
    rest = row["cpu_s"] - sum(row["spent_s"].values())
    return {name: seconds / rest for name, seconds in row["spent_s"].items()} if rest > 0 else {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", type=Path, default=OF, metavar="RESULTS")
    parser.add_argument("--slowest", type=int, default=40)
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    if not BENCHMARKS.is_dir():
        print(f"{BENCHMARKS} is not there; nothing to do")
        return 0
    known = json.loads(options.of.read_text())["results"]
    solved = [each for each in known if each["status"] == "correct" and each["category"] != "concurrency"]
    tasks = [each["task"] for each in sorted(solved, key=lambda each: -each["cpu_s"])[: options.slowest]]
    if options.sample is not None:
        tasks = random.Random(0).sample(tasks, options.sample)
    kept: Json = json.loads(options.json.read_text()) if options.json is not None and options.json.exists() else {"rows": []}
    done = {row["task"] for row in kept["rows"]}
    for task in tasks:
        if task not in done:
            row = measured(task, options.timeout)
            kept["rows"].append(row)
            told = {name: f"{100 * share:.1f} %" for name, share in shares(row).items()}
            print(f"{row['verdict']:<7} {row['cpu_s']:6.1f} s  {task}  {told}", flush=True)
            if options.json is not None:
                kept["origin"] = provenance()
                options.json.write_text(json.dumps(kept, indent=1) + "\n")
    rows = [row for row in kept["rows"] if row["verdict"] in ("TRUE", "FALSE")]
    dear = [(row["task"], name) for row in rows for name, share in shares(row).items() if share > MOST]
    print(f"{len(rows)} runs with a verdict; more than {100 * MOST:.0f} %: {dear or 'none'}")
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
