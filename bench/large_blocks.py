"""Mertens 2014, Table 5.2: what large blocks bring to predicate abstraction, on test_locks_5 to test_locks_15.

    python bench/large_blocks.py [--limit 60] [--largest 15] [--json OUT]

The engine `predicate` with an abstraction after every edge (`--blk edge`), of the single and of the large encoding; and as it is
by default, from loop head to loop head. Times are processor time of the analysis, without reading the program and without the
check of the certificate; that of the encoding stands apart. With --json, results are kept as they come, and what OUT has already
is not run again. Where single edges have not been enough in time, they are not tried with more locks. The paper's figures stand
beside.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from provenance import provenance
from run import BENCHMARKS

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines import predicate
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.large_blocks.encoding import encode
from drystone.passes.inline import MAX_EDGES
from drystone.pipeline import PreparedProgram

CONFIGURATIONS = {
    "single": predicate.Options(blk="edge", encoding="single"),
    "large": predicate.Options(blk="edge", encoding="large"),
    "default": predicate.Options(),
}
PAPER = {  # encoding, CEGAR with large and with single blocks, seconds
    5: (3.10, 0.27, 3.27),
    6: (5.17, 0.52, 5.22),
    7: (9.18, 0.71, 9.61),
    8: (15.76, 1.05, 17.49),
    9: (22.76, 1.51, 27.81),
    10: (36.05, 2.21, 43.04),
    11: (48.87, 2.91, 63.60),
    12: (69.46, 3.87, 92.54),
    13: (98.35, 5.48, 130.25),
    14: (129.91, 6.93, 174.19),
    15: (165.05, 9.26, 235.09),
}

Row = dict[str, Any]


def file_of(locks: int) -> Path | None:
    """The program with so many locks; of 14 there is one with an error, too."""
    return next(iter(sorted((BENCHMARKS / "locks").glob(f"test_locks_{locks}_true*.c"))), None)


def measured(file: Path, locks: int, name: str, limit: float) -> Row:
    program = load([str(file)], FrontendOptions(data_model="ILP32")).program
    prepared = PreparedProgram(program)
    flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True).program
    began = time.process_time()
    encoded = encode(flat)
    encoding = time.process_time() - began
    began = time.process_time()
    result = predicate.check(prepared, CONFIGURATIONS[name], Deadline.after(limit, time.process_time), unobserved)
    return {
        "locks": locks,
        "configuration": name,
        "verdict": result.verdict.name,
        "is_solved": result.verdict is Verdict.TRUE,
        "seconds": round(time.process_time() - began, 3),
        "encoding_s": round(encoding, 4),
        "edges": len(flat.procedures[flat.entry].edges),
        "large_edges": len(encoded.edges),
        "counters": dict(result.counters),
    }


def table(rows: Sequence[Row]) -> list[str]:
    lines = [
        "| locks | edges, large | encoding s | large s | single s | single / large | states large, single | default s "
        "| paper: encoding, large, single s; single / large |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for locks in sorted({row["locks"] for row in rows}):
        by_name = {row["configuration"]: row for row in rows if row["locks"] == locks}
        if "large" in by_name and "default" in by_name:
            lines.append(_line(locks, by_name["large"], by_name.get("single"), by_name["default"]))
    return lines


def _line(locks: int, large: Row, single: Row | None, default: Row) -> str:
    encoding, with_large, with_single = PAPER[locks]
    took = ratio = states = "not tried"
    if single is not None:
        least = "" if single["is_solved"] else "> "  # its time is the limit
        took = f"{least}{single['seconds']:.1f}"
        ratio = f"{least}{single['seconds'] / max(large['seconds'], 0.001):,.0f}"
        states = f"{least}{single['counters']['abstract_states']:,}"
    cells = (
        str(locks),
        f"{large['edges']}, {large['large_edges']}",
        f"{large['encoding_s']:.4f}",
        f"{large['seconds']:.3f}",
        took,
        ratio,
        f"{large['counters']['abstract_states']}, {states}",
        f"{default['seconds']:.3f}",
        f"{encoding:.2f}, {with_large:.2f}, {with_single:.2f}; {with_single / with_large:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="of processor time, default 60")
    parser.add_argument("--largest", type=int, default=15, metavar="N", help="locks, default 15")
    parser.add_argument("--json", metavar="OUT")
    options = parser.parse_args()
    out = Path(options.json) if options.json else None
    kept = json.loads(out.read_text()) if out is not None and out.exists() else {"runs": [], "results": []}
    rows: list[Row] = kept["results"]
    known = {(row["locks"], row["configuration"]) for row in rows}
    kept["runs"].append({"limit": options.limit, **provenance()})
    for locks in range(5, options.largest + 1):
        file = file_of(locks)
        if file is None:
            print(f"test_locks_{locks} is not there")
            continue
        for name in CONFIGURATIONS:
            if name == "single" and any(not row["is_solved"] for row in rows if row["configuration"] == name):
                continue
            if (locks, name) not in known:
                rows.append(measured(file, locks, name, options.limit))
                print(*(rows[-1][key] for key in ("locks", "configuration", "verdict", "seconds")), flush=True)
        if out is not None:
            out.write_text(json.dumps(kept, indent=1) + "\n")
    print(*table(rows), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
