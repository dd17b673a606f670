"""What the front end costs and what it approximates, over all benchmark tasks and over generated programs.

    python bench/frontend.py all|ratio|growth|approximations [--json OUT]

* ratio: time of `load` (parse, lower, link) against the time libclang alone needs for the same files
* growth: time and memory of `load` over programs of 1,000 to 100,000 lines, and the exponents of their growth
* approximations: per category, what is unsupported, what is assumed, and how many error locations there are
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from family import program_of

from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.load import FrontendError, FrontendOptions, load
from drystone.frontend.parsing import clang_arguments
from drystone.ir.features import features

BENCHMARKS = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
RATIO_LIMIT = 15.0
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
WORST = 10  # tasks listed


@dataclass(frozen=True)
class Task:
    category: str
    file: str  # below the folder of the benchmarks
    options: FrontendOptions

    @property
    def path(self) -> str:
        return str(BENCHMARKS / self.file)


def tasks() -> list[Task]:
    """All benchmark tasks; none where the set is absent."""
    index = BENCHMARKS / "INDEX.csv"
    if not index.exists():
        return []
    with index.open(newline="") as rows:
        return [Task(row["category"], row["file"], FrontendOptions(data_model=row["data_model"])) for row in csv.DictReader(rows)]


def by_category(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["category"], []).append(row)
    return dict(sorted(groups.items()))


# ratio


def ratio() -> dict[str, Any]:
    """Both times of each task come from one moment of one process, so that a busy machine slows both."""
    load_tasks = tasks()
    for task in load_tasks[:1]:
        load([task.path], task.options)  # loads libclang, reads the library models
    rows = [_times(task) for task in load_tasks]
    parsing, loading = sum(row["parse"] for row in rows), sum(row["load"] for row in rows)
    result = {
        "tasks": rows,
        "lines": sum(row["lines"] for row in rows),
        "parse": round(parsing, 3),
        "load": round(loading, 3),
        "ratio": round(loading / parsing, 2),
        "limit": RATIO_LIMIT,
    }
    _print_ratio(result)
    return result


def _times(task: Task) -> dict[str, Any]:
    Path(task.path).read_bytes()  # neither side pays for the disk
    parsing = _seconds(lambda: TranslationUnit(task.path, clang_arguments(task.path, task.options)).close())
    lines = 0

    def whole() -> None:
        nonlocal lines
        lines = load([task.path], task.options).lines

    loading = _seconds(whole)
    return {"category": task.category, "file": task.file, "lines": lines, "parse": round(parsing, 5), "load": round(loading, 5)}


def _seconds(action: Callable[[], None]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def _print_ratio(result: dict[str, Any]) -> None:
    print(f"Time of load against libclang alone: {len(result['tasks'])} tasks, {result['lines']:,} lines\n")
    table = [
        (category, len(rows), sum(row["lines"] for row in rows), *_cost(rows))
        for category, rows in by_category(result["tasks"]).items()
    ]
    table.append(("total", len(result["tasks"]), result["lines"], *_cost(result["tasks"])))
    print_table(("category", "tasks", "lines", "libclang s", "load s", "ratio"), table)
    print(f"\nThe {WORST} worst\n")
    worst = sorted(result["tasks"], key=lambda row: row["parse"] / row["load"])[:WORST]
    print_table(
        ("task", "lines", "libclang s", "load s", "ratio"), [(row["file"], row["lines"], *_cost([row], 4)) for row in worst]
    )
    kept = "kept" if result["ratio"] <= RATIO_LIMIT else "EXCEEDED"
    print(f"\nratio {result['ratio']:.2f}, limit {RATIO_LIMIT:g}: {kept}\n")


def _cost(rows: Sequence[dict[str, Any]], digits: int = 2) -> tuple[str, str, str]:
    parsing, loading = sum(row["parse"] for row in rows), sum(row["load"] for row in rows)
    return f"{parsing:.{digits}f}", f"{loading:.{digits}f}", f"{loading / parsing:.2f}"


# growth


def growth() -> dict[str, Any]:
    """Memory is the peak beyond that of the smallest program, so that Python and libclang themselves do not count."""
    with tempfile.TemporaryDirectory() as folder:
        base = _in_own_process(Path(folder) / "base.c", "int main(void) { return 0; }\n")
        rows = [_in_own_process(Path(folder) / f"{lines}.c", program_of(lines)) for lines in SIZES]
    for row in rows:
        row["memory"] = row.pop("peak") - base["peak"]
    result: dict[str, Any] = {"base_megabytes": base["peak"] / 1024, "sizes": rows}
    for measure in ("seconds", "memory"):
        points = [(row["lines"], row[measure]) for row in rows]
        result[f"{measure}_exponent"] = round(exponent(points), 3)
        result[f"{measure}_exponent_at_end"] = round(exponent(points[-2:]), 3)
    _print_growth(result)
    return result


def _in_own_process(path: Path, text: str) -> dict[str, Any]:
    path.write_text(text)
    command = [sys.executable, __file__, "measure", str(path)]
    found: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    return found


def measure(path: str) -> None:
    """One `load` in this process: prints lines, edges, seconds and the peak of memory in KiB."""
    started = time.process_time()
    loaded = load([path], FrontendOptions())
    seconds = time.process_time() - started
    edges = sum(len(procedure.edges) for procedure in loaded.program.procedures.values())
    print(json.dumps({"lines": loaded.lines, "edges": edges, "seconds": round(seconds, 3), "peak": _peak()}))


def _peak() -> int:
    """The greatest amount of memory this process has had, in KiB. What Linux puts into ru_maxrss may be the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the least-squares line through the logarithms: e in cost = c * size^e."""
    logs = [(math.log(size), math.log(cost)) for size, cost in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def _print_growth(result: dict[str, Any]) -> None:
    print(f"Growth of load over generated programs (memory beyond the {result['base_megabytes']:.0f} MB of an empty program)\n")
    table = [
        (
            row["lines"],
            row["edges"],
            f"{row['seconds']:.2f}",
            f"{row['seconds'] / row['lines'] * 1e6:.0f}",
            f"{row['memory'] / 1024:.1f}",
            f"{row['memory'] * 1024 / row['lines']:.0f}",
        )
        for row in result["sizes"]
    ]
    print_table(("lines", "edges", "s", "µs/line", "MB", "bytes/line"), table)
    for measure, name in (("seconds", "time"), ("memory", "memory")):
        print(
            f"\n{name}: exponent {result[f'{measure}_exponent']:.2f}, at the end {result[f'{measure}_exponent_at_end']:.2f}",
            end="",
        )
    print("\n")


# approximations


def approximations() -> dict[str, Any]:
    rows = [_approximations_of(task) for task in tasks()]
    kinds = Counter[str]()
    for row in rows:
        kinds.update(row["approximations"])
    result = {
        "tasks": rows,
        "kinds": dict(kinds.most_common()),
        "without_unsupported": sum(not row["unsupported"] for row in rows),
        "without_approximation": sum(not row["approximations"] and not row["unsupported"] for row in rows),
        "error_locations": sum(row["errors"] for row in rows),
        "without_error_location": [row["file"] for row in rows if not row["errors"]],
    }
    _print_approximations(result)
    return result


def _approximations_of(task: Task) -> dict[str, Any]:
    row: dict[str, Any] = {"category": task.category, "file": task.file, "errors": 0, "unknowns": 0, "approximations": {}}
    try:
        loaded = load([task.path], task.options)
    except FrontendError as failure:
        return row | {"unsupported": [_below_benchmarks(str(failure))]}
    program = loaded.program
    facts = features(program)
    return row | {
        "errors": len(facts.errors),
        "unknowns": len(facts.unknowns),
        "unsupported": [
            _below_benchmarks(f"{program.where(item.origin)}: {item.kind}: {item.what}") for item in loaded.unsupported
        ],
        "approximations": dict(Counter(item.kind for item in program.approximations)),
    }


def _below_benchmarks(text: str) -> str:
    return text.replace(str(BENCHMARKS) + os.sep, "")


def _print_approximations(result: dict[str, Any]) -> None:
    rows = result["tasks"]
    print(f"Approximations over {len(rows)} tasks; {result['without_unsupported']} have nothing unsupported\n")
    kinds = list(result["kinds"])
    table = [_counts(category, group, kinds) for category, group in by_category(rows).items()]
    table.append(_counts("total", rows, kinds))
    print_table(("category", "tasks", "errors", "unknowns", "unsupported", *kinds), table)
    for row in rows:
        for text in row["unsupported"]:
            print(f"unsupported: {text}")
    print(f"\ntasks without any approximation: {result['without_approximation']}")
    print(f"error locations: {result['error_locations']}; tasks without one: {len(result['without_error_location'])}")
    for file in result["without_error_location"]:
        print(f"  {file}")
    print()


def _counts(name: str, rows: Sequence[dict[str, Any]], kinds: Sequence[str]) -> tuple[object, ...]:
    totals = Counter[str]()
    for row in rows:
        totals.update(row["approximations"])
    unsupported = sum(len(row["unsupported"]) for row in rows)
    errors, unknowns = sum(row["errors"] for row in rows), sum(row["unknowns"] for row in rows)
    return (name, len(rows), errors, unknowns, unsupported, *(totals[kind] for kind in kinds))


# the command


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """The first column to the left, numbers to the right."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        first, *others = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join([first.strip().ljust(widths[0]), *others]).rstrip())


def as_json(value: object, indent: str = "") -> str:
    """JSON with one task per line."""
    inner = indent + " "
    if isinstance(value, dict) and indent.count(" ") < 2:
        return (
            "{\n"
            + ",\n".join(f"{inner}{json.dumps(key)}: {as_json(item, inner)}" for key, item in value.items())
            + f"\n{indent}}}"
        )
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(inner + json.dumps(item) for item in value) + f"\n{indent}]"
    return json.dumps(value)


BENCHES: dict[str, Callable[[], dict[str, Any]]] = {"ratio": ratio, "growth": growth, "approximations": approximations}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["all", *BENCHES, "measure"], help="measure FILE: used by growth")
    parser.add_argument("file", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--json", metavar="OUT", help="also write the results here")
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.file)
        return 0
    results: dict[str, Any] = {"python": platform.python_version(), "machine": platform.machine()}
    for name in BENCHES if options.what == "all" else [options.what]:
        if name != "growth" and not tasks():
            print(f"{name}: skipped, there are no benchmark tasks at ../shared/benchmarks\n")
            continue
        results[name] = BENCHES[name]()
    if options.json:
        Path(options.json).parent.mkdir(parents=True, exist_ok=True)
        Path(options.json).write_text(as_json(results) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
