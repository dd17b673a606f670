"""How long it takes to get from C to what engines work on: on drivers, against reading them, and how it grows with size.

`python bench/preparation.py [PATTERN ...]`: the drivers among the benchmark tasks (those whose name has one of the patterns), and
programs of 1,000 to 100,000 edges with all calls inlined (`families.py`, `devices`). Each is prepared in a process of its own:
read, calls inlined, memory as variables, sliced, and as blocks with their transformers, which is all before the first query.

What it is held to: preparation takes at most 4 times as long as reading, in the median over the drivers; time and memory grow
with an exponent of at most 1.1.
"""

from __future__ import annotations

import argparse
import gc
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import msgspec
from families import program_of

from drystone.engines.dss.preparation import prepare_blocks
from drystone.frontend.load import FrontendOptions, load
from drystone.passes.inline import TooLarge
from drystone.pipeline import PreparedProgram

DRIVERS = Path(__file__).parents[2] / "shared" / "benchmarks" / "drivers"
SIZES = (10, 30, 100, 300, 960)  # devices, of about 104 edges each
_SELDOM = 20_000  # as in the command


class Measured(msgspec.Struct):
    """Seconds of processor time; bytes beyond what Python and the modules need."""

    edges: int  # with all calls inlined; 0: too many
    reading: float
    inlining: float = 0.0
    slicing: float = 0.0
    blocks: float = 0.0
    memory: int = 0

    @property
    def preparation(self) -> float:
        return self.inlining + self.slicing + self.blocks

    def row(self, name: str) -> str:
        times = (self.reading, self.inlining, self.slicing, self.blocks, self.preparation / self.reading)
        return f"{self.edges:7}" + "".join(f"{figure:9.2f}" for figure in times) + f"{self.memory / 1e6:8.0f}  {name}"


HEAD = "  edges  reading inlining  slicing   blocks    ratio      MB  program (seconds of processor time)"


def measured(file: Path) -> Measured:
    """In a process of its own: another program would have left its terms and its memory."""
    command = [sys.executable, __file__, "--one", str(file)]
    return msgspec.json.decode(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout, type=Measured)


def measure(file: Path) -> Measured:
    gc.set_threshold(_SELDOM)
    before = _peak()
    task = file.with_suffix(".yml")
    model = "ILP32" if task.exists() and "ILP32" in task.read_text() else "LP64"
    times = [time.process_time()]
    prepared = PreparedProgram(load([str(file)], FrontendOptions(data_model=model)).program)
    times.append(time.process_time())
    try:
        edges = prepared.edges_without_calls(recursion_bound=1, max_edges=200_000)
    except TooLarge:
        return Measured(0, times[1] - times[0])
    times.append(time.process_time())
    prepared.flat(recursion_bound=1, max_edges=200_000, sliced=True)
    times.append(time.process_time())
    prepare_blocks(prepared, recursion_bound=1, max_edges=200_000, sliced=True, kind="loops")
    times.append(time.process_time())
    reading, inlining, slicing, blocks = (end - start for start, end in pairwise(times))
    return Measured(edges, reading, inlining, slicing, blocks, _peak() - before)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def exponent(pairs: list[tuple[float, float]]) -> float:
    """The slope of the line through these points where both axes are logarithmic."""
    return statistics.linear_regression([math.log(x) for x, _ in pairs], [math.log(y) for _, y in pairs]).slope


def on_drivers(patterns: list[str]) -> None:
    files = sorted(file for file in DRIVERS.glob("*.[ci]") if not patterns or any(each in file.name for each in patterns))
    if not files:
        print("the benchmark tasks are not there")
        return
    ratios: list[float] = []
    for file in files:
        found = measured(file)
        if found.edges:
            ratios.append(found.preparation / found.reading)
            print(found.row(file.name[-70:]), flush=True)
        else:
            print(f"      -{found.reading:9.2f}  too many edges with all calls inlined: {file.name[-70:]}", flush=True)
    print(f"preparation / reading: {statistics.median(ratios):.1f} in the median of {len(ratios)}, {max(ratios):.1f} at most")


def on_families() -> None:
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            file = Path(folder) / f"devices-{size}.c"
            file.write_text(program_of(f"devices:{size}"))
            rows.append(measured(file))
            print(rows[-1].row(file.name), flush=True)
    seconds = exponent([(row.edges, row.preparation) for row in rows])
    memory = exponent([(row.edges, row.memory) for row in rows])
    print(f"growth with edges: exponent {seconds:.2f} of time, {memory:.2f} of memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(msgspec.json.encode(measure(options.one)).decode())
        return
    print(HEAD)
    on_drivers(options.patterns)
    on_families()


if __name__ == "__main__":
    main()
