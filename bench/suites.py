"""Verdicts on programs that check themselves: GCC's execution tests and c-testsuite, where ../shared/suites is.

    python bench/suites.py [SUITE…] [--timeout 10] [--memory 4GB] [--json OUT] [--jobs 2] [--seed N] [--sample N]

Each program is two tasks for bench/run.py, which does the work. Its self-checks hold, so `abort` is not called: FALSE is
wrong. And if the compiled program ends by calling `exit`, that call is reachable: TRUE is wrong.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from run import BENCHMARKS, Result, Task, add_limits, run_all, sampled, table

SUITES = BENCHMARKS.parent / "suites"
_ENDED_BY_EXIT = 77
_WATCH_EXIT = f"void _exit(int); void __wrap_exit(int status) {{ _exit(status == 0 ? {_ENDED_BY_EXIT} : 1); }}"


def suite_tasks(folder: Path) -> list[Task]:
    tasks = []
    for file in sorted(folder.glob("*.c")):
        tasks.append(Task(file, True, "abort"))
        if "exit" in file.read_text(errors="replace"):
            tasks.append(Task(file, False, "exit"))
    return tasks


def is_ended_by_exit(file: Path) -> bool:
    """Does the compiled program call `exit(0)` itself? A return from main is a call by the C library, which is not watched."""
    with tempfile.TemporaryDirectory(prefix="drystone-suites-") as folder:
        watch, binary = Path(folder) / "watch.c", Path(folder) / "program"
        watch.write_text(_WATCH_EXIT)
        flags = ["-O0", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-w", "-Wl,--wrap=exit"]
        built = subprocess.run([compiler(), *flags, str(file), str(watch), "-o", str(binary), "-lm"], capture_output=True)
        if built.returncode != 0:
            return False
        try:
            ended = subprocess.run([str(binary)], capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == _ENDED_BY_EXIT


@cache
def compiler() -> str:
    found = shutil.which("gcc")
    if found is None:
        sys.exit("bench/suites.py needs gcc, to see how programs end")
    return found


def summary(results: Sequence[Result]) -> list[str]:
    """Per suite and question: how many are decided; and those that are wrong."""
    lines = []
    for category in sorted({result.category for result in results}):
        for question in ("abort", "exit"):
            asked = [each for each in results if each.category == category and each.task.endswith(f" {question}")]
            if asked:
                counts = Counter(each.verdict for each in asked)
                decided = counts["TRUE"] + counts["FALSE"]
                share = 100 * decided / len(asked)
                lines.append(f"{category}, {question}: {decided} of {len(asked)} decided ({share:.1f} %), {dict(counts)}")
    lines += [f"WRONG  {each.task}: {each.verdict}; {each.reason}" for each in wrong(results)]
    return lines


def wrong(results: Iterable[Result]) -> list[Result]:
    return [each for each in results if each.status == "wrong"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="folders of C programs; default: all of ../shared/suites")
    parser.add_argument("--question", choices=["abort", "exit"], help="only this one")
    parser.add_argument("--volatile", choices=["memory", "input"], help="as for drystone verify")
    add_limits(parser, timeout=10.0)
    options = parser.parse_args()
    folders = [Path(name) for name in options.suites] or sorted(path for path in SUITES.glob("*") if path.is_dir())
    if not folders:
        print(f"no suites: {SUITES} is not there, and no other folder was named")
        return 0
    tasks = [task for folder in folders for task in suite_tasks(folder)]
    tasks = sampled([task for task in tasks if options.question in (None, task.error_function)], options)
    tasks = [task for task in tasks if task.expected or is_ended_by_exit(task.path)]
    asked = {task.name for task in tasks}
    results = sorted((each for each in run_all(tasks, options) if each.task in asked), key=lambda each: each.task)
    print(table(results))
    print("\n".join(summary(results)))
    return 1 if wrong(results) else 0


if __name__ == "__main__":
    sys.exit(main())
