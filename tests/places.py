"""Where the project's own files are, and what lies beside the project: benchmark tasks and other people's suites, if they are there."""

from __future__ import annotations

import csv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "drystone"
BENCH = ROOT / "bench"
EXAMPLES = ROOT / "examples"
TESTS = ROOT / "tests"
PROGRAMS = TESTS / "programs"

BENCHMARKS = ROOT.parent / "shared" / "benchmarks"
SUITES = ROOT.parent / "shared" / "suites"
NO_BENCHMARKS = "there are no benchmark tasks at ../shared/benchmarks"
NO_SUITES = "there are no suites at ../shared/suites"


def has_benchmarks() -> bool:
    return (BENCHMARKS / "INDEX.csv").is_file()


def has_suites() -> bool:
    return SUITES.is_dir()


def benchmark_tasks() -> list[dict[str, str]]:
    """The rows of the index: category, task, file (below BENCHMARKS), data_model, verdict; none where the tasks are absent."""
    if not has_benchmarks():
        return []
    with (BENCHMARKS / "INDEX.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def sequential_tasks() -> list[dict[str, str]]:
    return [row for row in benchmark_tasks() if row["category"] != "concurrency"]
