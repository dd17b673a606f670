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

from drystone.concrete.interpreter import Interpreter
from tests.gcc.compiler import BuildError
from tests.gcc.interpreted import lower, run_on_vector
from tests.gcc.native import SECONDS, End, Finish, Native, Task, build_native, run_native, tasks, vector

ENDLESS = "gcc's run does not end within the limit"
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

    def count(self, expected: Finish, actual: Finish, difference: str) -> None:
        if actual.end is End.LIMIT:
            self.skipped["the interpreter's run does not end within the limit"] += 1
            return
        self.errors_reached += expected.end is End.ERROR
        if actual == expected:
            self.agree += 1
        else:
            self.differences.append(difference)

    def why(self) -> str:
        return self.reason or "; ".join(f"{count} x {reason}" for reason, count in self.skipped.most_common(3))


def compare(task: Task, vectors: int, *, native_only: bool = False) -> Comparison:
    """Builds the task and runs it on that many vectors."""
    comparison = Comparison(task)
    with tempfile.TemporaryDirectory(prefix="drystone-task-") as folder:
        try:
            native = build_native(task, Path(folder))
        except BuildError as error:
            complaints = [line for line in str(error).splitlines() if "error" in line or "undefined" in line]
            comparison.reason = f"does not link: {complaints[0] if complaints else error}"
            return comparison
        try:
            interpreter = None if native_only else Interpreter(lower([task.path], task.data_model))
        except Exception as error:  # whatever the front end does wrong is a difference
            comparison.differences.append(f"front end: {type(error).__name__}: {error}")
            return comparison
        steps_left = MAX_STEPS
        for number in range(vectors):
            if comparison.skipped[ENDLESS] >= 2 and not comparison.compared:
                comparison.skipped[ENDLESS] += 1  # the first two runs did not end: the others are not tried
                continue
            values = vector(task, number)
            expected, reason = clean_run(native, values)
            if expected is None:
                comparison.skipped[reason] += 1
            elif steps_left <= 0:
                comparison.skipped["the task's steps are used up"] += 1
            elif interpreter is None:
                comparison.count(expected, expected, "")
            else:
                try:
                    actual, detail, steps = run_on_vector(interpreter, values, frozenset(native.stubs), steps_left)
                except Exception as error:
                    comparison.differences.append(f"vector {number}: {type(error).__name__}: {error}")
                    continue
                steps_left -= steps
                comparison.count(expected, actual, f"vector {number}: gcc {expected}, interpreter {actual} {detail}")
    return comparison


def clean_run(native: Native, values: Sequence[int]) -> tuple[Finish | None, str]:
    """How gcc's build ends on these inputs, or why that says nothing."""
    plain, _ = run_native(native.plain, values)
    if plain.end is End.LIMIT:
        return None, ENDLESS
    sanitized, complaint = run_native(native.sanitized, values, 4 * SECONDS)
    if sanitized.end is End.LIMIT:
        return None, ENDLESS
    if End.CRASH in (plain.end, sanitized.end):
        return None, f"not clean: {complaint or plain.end}"
    if plain != sanitized:
        return None, f"plain build: {plain}, sanitized build: {sanitized}"
    return plain, ""


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
