"""The tables of `bench/results/README.md`: one line for each file of results of bench/run.py.

    python bench/summary.py [FILE…]

By default all files in bench/results; those that other scripts have written are passed over. Where a file does not say which
commit has made it, the commit is the one that added it, in brackets. A second table tells what the blocks of dss did, of the
files that say it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
COLUMNS = "| file | engine | limit | workers | seed | tasks | TRUE | FALSE | wrong | crash | score | CPU s | commit |"
OF_RUN = {"settings", "results", "score"}
"""What a file of bench/run.py has; other scripts write other files."""
PARTS = "| file | tasks | blocks: median, most | messages | MB | operators: s |"


def row(path: Path, content: dict[str, Any]) -> str:
    settings, results = content["settings"], content["results"]
    right = Counter(result["verdict"] for result in results if result["status"] == "correct")
    expected = Counter(result["expected"] for result in results)
    status = Counter(result["status"] for result in results)
    engine = settings["engine"] + (f", {settings.get('summaries', 'lemmas')}" if settings["engine"] == "dss" else "")
    cells = [
        f"`{path.name}`",
        engine + (f", {settings['transport']}" if settings.get("transport") else ""),
        f"{settings['timeout']:.0f} s",
        str(settings.get("workers", 1)),
        str(settings["seed"]),
        str(len(results)),
        *(f"{right[verdict]}/{expected[verdict]}" for verdict in ("TRUE", "FALSE")),
        str(status["wrong"]),
        str(status["crash"]),
        str(content["score"]),
        f"{sum(result['cpu_s'] for result in results):.0f}",
        ", ".join(origin["commit"] for origin in content.get("origins", [])) or f"({added_by(path)})",
    ]
    return f"| {' | '.join(cells)} |"


def parts(path: Path, content: dict[str, Any]) -> str | None:
    """What blocks, messages and operators of all tasks did; None if the file says nothing about them."""
    told = [result for result in content["results"] if result.get("blocks")]
    if not told:
        return None
    blocks = [len(result["blocks"]) for result in told]
    messages = [result["messages"] for result in told if result["messages"]]
    seconds: Counter[str] = Counter()
    for result in told:
        seconds.update({name: operator["seconds"] for name, operator in result["operators"].items()})
    cells = [
        f"`{path.name}`",
        str(len(told)),
        f"{statistics.median(blocks):.0f}, {max(blocks)}",
        f"{sum(each['count'] for each in messages):,}",
        f"{sum(each['bytes'] for each in messages) / 1e6:.1f}",
        ", ".join(f"{name} {spent:.1f}" for name, spent in seconds.most_common()),
    ]
    return f"| {' | '.join(cells)} |"


def added_by(path: Path) -> str:
    command = ["git", "log", "-1", "--format=%h", "--", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files = parser.parse_args().files or sorted(RESULTS.glob("*.json"))
    contents = {path: json.loads(path.read_text()) for path in files}
    of_run = {path: content for path, content in contents.items() if isinstance(content, dict) and content.keys() >= OF_RUN}
    print_table(COLUMNS, [row(path, content) for path, content in of_run.items()])
    told = [line for path, content in of_run.items() if (line := parts(path, content))]
    if told:
        print()
        print_table(PARTS, told)


def print_table(columns: str, rows: list[str]) -> None:
    print(columns, "| --- " * columns.count(" | ") + "| --- |", *rows, sep="\n")


if __name__ == "__main__":
    main()
