"""Fault localization on the tasks of ../shared/benchmarks/fault-localization: is the seeded line among the first ones?

    python bench/localization.py [--timeout 60] [--json OUT]

The lines that are wrong are those that the comments of the programs name, or, where they name none, those whose change can help.
What Kettl 2022, Table 20, lists is given beside: the lines of the distributed analysis and of the one over the whole path. Each
task is verified with `--localize` and with `--engine dss --localize`, whose blocks localize each for itself.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from provenance import provenance
from run import BENCHMARKS

FIRST = 5  # lines that people are shown
SEEDED: dict[str, tuple[int, ...]] = {
    "AbsMinusKO": (34,),
    "Maxmin6varKO": (47,),
    "MinmaxKO": (38,),
    "TriPerimetreKO": (78,),
    "TritypeKO": (77,),
    "always-error": (),  # there is no assertion
    "bubble-sort": (20,),
    "factorization": (12,),
    "factorization_paper_example": (11,),
    "faultyloop": (16,),
    "gcd_false": (10,),
    "intro-01": (17,),
    "many-ifs-extern": (12,),
    "many-ifs-intern": (13, 14, 15),  # those around the assertion
    "maxLoop1": (37,),
    "middleNumber": (49,),
    "modulo": (17, 18),
    "prime": (16,),
    "primefactors": (41,),
    "simple-bug-int": (11, 12, 13, 14, 15, 16, 17, 18, 19),  # any of the sums
    "simple-fix": (11, 12, 13),
    "test": (37, 39),
}
TABLE_20 = {  # distributed, whole path
    "primefactors": ((12, 35), (12, 35, 36)),
    "many-ifs-intern": ((14,), (12, 14)),
    "simple-bug-int": ((14,), (14, 15)),
    "prime": ((29,), (27, 28, 29)),
    "gcd_false": ((), (24, 34, 36)),
}
Json = dict[str, Any]


def localized(task: Path, options: Sequence[str], timeout: float) -> Json:
    """What `--json` says of the fault."""
    with tempfile.TemporaryDirectory(prefix="drystone-bench-") as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, "-m", "drystone", "verify", str(task), "--localize", *options, "--quiet"]
        command += ["--timeout", f"{timeout}s", "--workers", "2", "--json", str(out)]
        subprocess.run(command, capture_output=True, timeout=timeout + 60, check=False)
        report = json.loads(out.read_text()) if out.exists() else {}
    example = (report.get("evidence") or {}).get("counterexample") or {}
    return {"verdict": report.get("verdict", ""), **(example.get("localization") or {})}


def is_found(lines: Sequence[int], seeded: Sequence[int], all_lines: int) -> bool:
    """Among the first five, or 20 % of the lines of the execution."""
    first = lines[: max(FIRST, all_lines // 5)]
    return any(line in first for line in seeded)


def row(task: Path, timeout: float) -> Json:
    name = task.stem
    made: Json = {"task": name, "seeded": SEEDED[name]}
    for kind, options in (("path", ()), ("blocks", ("--engine", "dss", "--transport", "processes"))):
        found = localized(task, options, timeout)
        told = found if kind == "path" else found.get("by_block") or {}
        lines = [each["line"] for each in told.get("candidates", [])]
        made[kind] = {
            "verdict": found["verdict"],
            "lines": lines,
            "of": found.get("lines", 0),
            "queries": told.get("queries", 0),
            "runs": told.get("runs", 0),
            "blocks": len(told.get("blocks", ())),
            "subsets": sum(2 ** each["lines"] for each in told.get("blocks", [{"lines": found.get("lines", 0)}])),
            "processes": told.get("processes", 1),
            "left_out": told.get("left_out", []),
            "found": is_found(lines, SEEDED[name], found.get("lines", 0)),
            "table_20": any(line in lines for each in TABLE_20.get(name, ()) for line in each),
        }
    return made


def table(rows: Sequence[Json]) -> list[str]:
    lines = [
        "| task | seeded | whole path: first lines, the others | of | queries, runs | per block | blocks | queries | Table 20 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in rows:
        path, blocks = each["path"], each["blocks"]
        shown = [", ".join(map(str, kind["lines"])) or "-" for kind in (path, blocks)]
        marks = ["" if kind["found"] else " (not among the first)" for kind in (path, blocks)]
        paper = TABLE_20.get(each["task"])
        said = "" if paper is None else f"{paper[0]}; {paper[1]}: {'yes' if path['table_20'] else 'NO'}"
        lines.append(
            f"| {each['task']} | {', '.join(map(str, each['seeded'])) or '-'} | {shown[0]}{marks[0]} | {path['of']} "
            f"| {path['queries']}, {path['runs']} | {shown[1]}{marks[1]} | {blocks['blocks']} | {blocks['queries']} | {said} |"
        )
    for kind in ("path", "blocks"):
        found = sum(each[kind]["found"] for each in rows)
        queries = sum(each[kind]["queries"] for each in rows)
        subsets = sum(each[kind]["subsets"] for each in rows)
        told = f"{queries:,} queries, where all subsets would be {subsets:,} (Kettl 2022, Table 11)"
        lines.append(f"{kind}: the seeded line is among the first of {found} of {len(rows)} tasks; {told}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    folder = BENCHMARKS / "fault-localization"
    if not folder.is_dir():
        print(f"{folder} is not there; nothing to do")
        return 0
    kept: Json = json.loads(options.json.read_text()) if options.json is not None and options.json.exists() else {"rows": []}
    done = {each["task"] for each in kept["rows"]}
    for name in SEEDED:
        if name not in done:
            kept["rows"].append(row(folder / f"{name}.yml", options.timeout))
            print(name, kept["rows"][-1]["path"]["lines"], kept["rows"][-1]["blocks"]["lines"], flush=True)
            if options.json is not None:
                kept["origin"] = provenance()
                options.json.write_text(json.dumps(kept, indent=1) + "\n")
    print("\n".join(table(kept["rows"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
