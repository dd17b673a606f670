"""How long it takes to get from lowered procedures to what engines work on: on the largest tasks, against their lowering.

`python bench/preparation.py [--tasks N]`: the largest task by lines, and the N (5) largest by edges with all calls inlined.
Two ratios of slicing, encoding and decomposing: to the front end alone, and to the front end with inlining.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from drystone.blocks.decompositions import default
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.large_blocks.encoding import encode
from drystone.memory.regions import Regions
from drystone.passes.inline import TooLarge, inline
from drystone.passes.scalarise import scalarise
from drystone.passes.slicing import slice_program

TASKS = Path(__file__).parents[2] / "shared" / "benchmarks"
Result = TypeVar("Result")


def lowered(row: dict[str, str]) -> Program:
    return load([str(TASKS / row["file"])], FrontendOptions(data_model=row["data_model"])).program


def scalarised(program: Program) -> Program:
    return scalarise(program, Regions(program))


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=5)
    options = parser.parse_args()
    if not (TASKS / "INDEX.csv").exists():
        print("the benchmark tasks are not there")
        return
    rows = []
    for row in csv.DictReader((TASKS / "INDEX.csv").open()):
        if row["category"] == "concurrency":
            continue
        program, lowering = timed(partial(lowered, row))
        try:
            flat, inlining = timed(partial(inline, program))
        except TooLarge:
            continue
        rows.append((len(flat.procedures[flat.entry].edges), row["file"], lowering, inlining, flat, int(row["loc"])))
    rows.sort(key=lambda item: -item[0])
    print("  edges lowering inlining  regions  slicing encoding   blocks    ratio    ratio  task (seconds of CPU)")
    longest = max(rows, key=lambda item: item[5])
    for edges, file, lowering, inlining, flat, _ in [longest, *rows[: options.tasks]]:
        scalar, regions = timed(partial(scalarised, flat))
        sliced, slicing = timed(partial(slice_program, scalar))
        _, encoding = timed(partial(encode, sliced.program))
        _, blocks = timed(partial(default, sliced.program))
        prepared = slicing + encoding + blocks
        times = (lowering, inlining, regions, slicing, encoding, blocks, prepared / lowering, prepared / (lowering + inlining))
        print(f"{edges:7}" + "".join(f"{figure:9.2f}" for figure in times) + f"  {file[-60:]}")


if __name__ == "__main__":
    main()
