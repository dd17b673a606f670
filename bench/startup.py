"""How long drystone takes to start, as two ratios, each the median of alternating runs in the same conditions:

* `drystone --help` to `python -c pass`,
* `drystone verify` of a program of ten lines, end to end, to the imports of the libraries that it needs.

    python bench/startup.py [--runs 7]

All of them find their bytecode in a cache that the first run of each fills, as after an installation.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

PROGRAM = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x & 15;
  if (y > 15)
    reach_error();
  return 0;
}
"""
TARGET = 3.0


def seconds(command: Sequence[str], cache: Path) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(cache)
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=environment)
    return time.perf_counter() - start


def ratio(command: Sequence[str], reference: Sequence[str], cache: Path, runs: int) -> tuple[float, float, float]:
    """The medians of both, in seconds, and their ratio."""
    pairs = [(seconds(command, cache), seconds(reference, cache)) for _ in range(runs + 1)][1:]
    ours, theirs = (statistics.median(each) for each in zip(*pairs, strict=True))
    return ours, theirs, ours / theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    python, drystone = sys.executable, [sys.executable, "-m", "drystone"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ten.c"
        file.write_text(PROGRAM)
        for name, command, reference in (
            ("drystone --help / python -c pass", [*drystone, "--help"], [python, "-c", "pass"]),
            (
                "drystone verify / import bitwuzla, z3, clang.cindex",
                [*drystone, "verify", str(file)],
                [python, "-c", "import bitwuzla, z3, clang.cindex"],
            ),
        ):
            ours, theirs, times = ratio(command, reference, Path(folder) / "cache", runs)
            met = "met" if times <= TARGET else "MISSED"
            print(f"{name}: {ours * 1000:.0f} ms / {theirs * 1000:.0f} ms = {times:.2f} (at most {TARGET:.0f}: {met})")


if __name__ == "__main__":
    main()
