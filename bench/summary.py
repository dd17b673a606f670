"""The table of `bench/results/README.md`: one line for each file of results of bench/run.py.

    python bench/summary.py [FILE…]

By default all files in bench/results. Where a file does not say which commit has made it, the commit is the one that added it, in
brackets.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
COLUMNS = "| file | engine | limit | workers | seed | tasks | TRUE | FALSE | wrong | crash | score | CPU s | commit |"


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


def added_by(path: Path) -> str:
    command = ["git", "log", "-1", "--format=%h", "--", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files = parser.parse_args().files or sorted(RESULTS.glob("*.json"))
    print(COLUMNS, "| --- " * COLUMNS.count(" | ") + "| --- |", sep="\n")
    for path in files:
        content = json.loads(path.read_text())
        if isinstance(content, dict) and "results" in content:
            print(row(path, content))


if __name__ == "__main__":
    main()
