"""Benchmark tasks: their gcc builds against the interpreter, on the same inputs.

A build with sanitizers tells whether a run is free of undefined behaviour; only such runs are compared.

    python -m tests.gcc.tasks [--vectors 20] [--native-only] [PATTERN]      prints the table of all tasks
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from drystone.program.interpreter import Interpreter

from .compiler import BuildError
from .interpreted import lower, run_on_vector
from .native import SECONDS, End, Task, build_native, run_native, tasks, vector

MAX_STEPS = 8_000_000  # of the interpreter, for all runs of a task together


@dataclass
class Comparison:
    """One task: how its runs ended on both sides."""

    task: Task
    reason: str = ""  # why nothing could be compared
    agree: int = 0
    errors_reached: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # reasons why single runs were not compared
    differences: list[str] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return self.agree + len(self.differences)

    @property
    def status(self) -> str:
        if self.differences:
            return "DIFFERENT"
        return "agrees" if self.agree else "not compared"

    def why(self) -> str:
        return self.reason or "; ".join(f"{count} x {reason}" for reason, count in self.skipped.most_common(3))


def compare(task: Task, vectors: int, *, native_only: bool = False, max_steps: int = MAX_STEPS) -> Comparison:
    comparison = Comparison(task)
    with tempfile.TemporaryDirectory(prefix="drystone-task-") as folder:
        try:
            native = build_native(task, Path(folder))
        except BuildError as error:
            comparison.reason = "does not link: " + next(
                (line for line in str(error).splitlines() if "error" in line or "undefined" in line), ""
            )
            return comparison
        interpreter = None
        if not native_only:
            try:
                interpreter = Interpreter(lower([task.path], task.data_model))
            except Exception as error:
                comparison.differences.append(f"front end: {type(error).__name__}: {error}")
                return comparison
        for number in range(vectors):
            values = vector(task, number)
            expected, _ = run_native(native.plain, values)
            clean, complaint = run_native(native.sanitized, values, 3 * SECONDS)
            if End.LIMIT in (expected.end, clean.end):
                comparison.skipped["gcc's run does not end within the limit"] += 1
                continue
            if End.CRASH in (expected.end, clean.end):
                comparison.skipped[f"not clean: {complaint or expected.end}"] += 1
                continue
            if expected != clean:
                comparison.skipped[f"plain build: {expected}, sanitized build: {clean}"] += 1
                continue
            if max_steps <= 0:
                comparison.skipped["the task's steps are used up"] += 1
                continue
            comparison.errors_reached += expected.end is End.ERROR
            if interpreter is None:
                comparison.agree += 1
                continue
            try:
                actual, detail, steps = run_on_vector(interpreter, values, frozenset(native.stubs), max_steps)
            except Exception as error:
                comparison.differences.append(f"vector {number}: {type(error).__name__}: {error}")
                continue
            max_steps -= steps
            if actual.end is End.LIMIT:
                comparison.skipped["the interpreter's run does not end within the limit"] += 1
            elif actual == expected:
                comparison.agree += 1
            else:
                comparison.differences.append(f"vector {number}: gcc {expected}, interpreter {actual} {detail}")
    return comparison


def _compare_star(arguments: tuple[Task, int, bool]) -> Comparison:
    task, vectors, native_only = arguments
    return compare(task, vectors, native_only=native_only)


def compare_all(chosen: Sequence[Task], vectors: int, *, native_only: bool = False, workers: int = 2) -> Iterator[Comparison]:
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_compare_star, [(task, vectors, native_only) for task in chosen])


def table(comparisons: Sequence[Comparison]) -> str:
    lines = ["category             tasks compared  agree   runs errors"]
    for category in sorted({each.task.category for each in comparisons}):
        rows = [each for each in comparisons if each.task.category == category]
        lines.append(_row(category, rows))
    lines.append(_row("all", comparisons))
    for each in comparisons:
        if each.differences:
            lines.append(
                f"DIFFERENT     {each.task.category}/{each.task.name}: {each.differences[0]} ({len(each.differences)} of {each.compared} runs)"
            )
    for each in comparisons:
        if not each.compared:
            lines.append(f"not compared  {each.task.category}/{each.task.name}: {each.why()}")
    return "\n".join(lines)


def _row(name: str, rows: Sequence[Comparison]) -> str:
    compared = sum(1 for row in rows if row.compared)
    agree = sum(1 for row in rows if row.agree and not row.differences)
    return f"{name:20} {len(rows):5} {compared:8} {agree:6} {sum(row.compared for row in rows):6} {sum(row.errors_reached for row in rows):6}"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.gcc.tasks", description="Benchmark tasks: gcc against the interpreter."
    )
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--vectors", type=int, default=20)
    parser.add_argument("--native-only", action="store_true")
    options = parser.parse_args()
    chosen = [task for task in tasks() if options.pattern in f"{task.category}/{task.name}"]
    comparisons = []
    for comparison in compare_all(chosen, options.vectors, native_only=options.native_only):
        comparisons.append(comparison)
        print(
            f"{comparison.status:13} {comparison.task.category}/{comparison.task.name}: {comparison.compared} runs {comparison.why()}",
            file=sys.stderr,
        )
    print(table(comparisons))


if __name__ == "__main__":
    main()
