"""Compares configurations with the truth on many programs and counts: programs, decided ones, contradictions.

    python -m tests.explicit.campaign [NAME…] [--programs N] [--first N] [--seconds N] [--limit N]

Without names, all configurations, each on as many programs as with DRYSTONE_FULL=1. A contradiction, a proof whose certificate is
refused, or a crash is printed with the program's seed, and makes the exit code 1. `--seconds` ends a configuration early;
`--limit` is the time for one program: most programs need little, so a short one compares more of them in the same time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path

from drystone.claims.verdicts import Verdict
from tests.explicit.comparison import compared, kind
from tests.explicit.engines import CONFIGURATIONS, Configuration


def campaign(configuration: Configuration, seeds: range, seconds: float) -> Counter[str]:
    """Counts per kind of program, and over all."""
    counts: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="drystone-campaign-") as folder:
        for seed in seeds:
            if time.monotonic() - began > seconds:
                break
            counts["programs"] += 1
            try:
                truth, result = compared(Path(folder), configuration, seed)
            except Exception as problem:
                counts["contradictions"] += 1
                print(f"{configuration.name}, seed {seed}: CONTRADICTION\n{problem}", flush=True)
                traceback.print_exc(file=sys.stdout)
                continue
            counts[f"{kind(truth)} programs"] += 1
            if result.verdict is not Verdict.UNKNOWN:
                counts["decided"] += 1
                counts[f"{kind(truth)} decided"] += 1
    counts["seconds"] = round(time.monotonic() - began)
    return counts


def line(name: str, counts: Counter[str]) -> str:
    kinds = (f"{each} {counts[f'{each} decided']}/{counts[f'{each} programs']}" for each in ("unsafe", "safe", "safe endless"))
    decided = f"{counts['decided']:4} decided ({', '.join(kinds)})"
    return (
        f"{name:28} {counts['programs']:4} programs  {decided}  {counts['contradictions']} contradictions  {counts['seconds']} s"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of configurations; a name that ends in * stands for several")
    parser.add_argument("--programs", type=int, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="N", help="for each configuration")
    parser.add_argument("--limit", type=float, metavar="N", help="processor seconds for each program")
    options = parser.parse_args()
    chosen = [each for each in CONFIGURATIONS if not options.names or any(_is_meant(each.name, name) for name in options.names)]
    if not chosen:
        parser.error(f"there is none of these, only {', '.join(each.name for each in CONFIGURATIONS)}")
    total: Counter[str] = Counter()
    for configuration in chosen:
        if options.limit is not None:
            configuration = replace(configuration, seconds=options.limit)
        programs = options.programs or configuration.full
        counts = campaign(configuration, range(options.first, options.first + programs), options.seconds)
        print(line(configuration.name, counts), flush=True)
        total.update(counts)
    print(line("all", total))
    return 1 if total["contradictions"] else 0


def _is_meant(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


if __name__ == "__main__":
    sys.exit(main())
