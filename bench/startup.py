"""How long drystone takes for what is small, as ratios, each the median of alternating runs in the same conditions:

* `drystone --help` to `python -c pass`,
* `drystone verify` of small programs, end to end, to the imports of the libraries that it needs: one without loops, one that
  needs an invariant, one whose loop ends soon, and one that fails.

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
from typing import NamedTuple

_HEAD = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
"""
STRAIGHT = f"""{_HEAD}  int x = __VERIFIER_nondet_int();
  int y = x & 15;
  if (y > 15)
    reach_error();
  return 0;
}}
"""
INDUCTIVE = f"""{_HEAD}  int y = __VERIFIER_nondet_int(), x = y;
  while (__VERIFIER_nondet_int()) {{ x++; y++; }}
  if (x != y)
    reach_error();
  return 0;
}}
"""
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


class Line(NamedTuple):
    what: str
    command: list[str]
    reference: str  # Python text
    target: float


def lines(folder: Path) -> list[Line]:
    drystone, libraries = [sys.executable, "-m", "drystone"], "import bitwuzla, z3, clang.cindex"
    found = [Line("--help / python -c pass", [*drystone, "--help"], "pass", 3.0)]
    for name, text in (("straight.c", STRAIGHT), ("inductive.c", INDUCTIVE)):
        (folder / name).write_text(text)
    programs = {folder / "straight.c": 3.0, folder / "inductive.c": 2.5, EXAMPLES / "sum.c": 3.0, EXAMPLES / "bank.c": 2.5}
    for file, target in programs.items():
        found.append(Line(f"verify {file.name} / {libraries}", [*drystone, "verify", str(file)], libraries, target))
    return found


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
    with tempfile.TemporaryDirectory() as folder:
        for what, command, reference, target in lines(Path(folder)):
            ours, theirs, times = ratio(command, [sys.executable, "-c", reference], Path(folder) / "cache", runs)
            met = "met" if times <= target else "MISSED"
            print(f"{what}: {ours * 1000:.0f} ms / {theirs * 1000:.0f} ms = {times:.2f} (at most {target:g}: {met})", flush=True)


if __name__ == "__main__":
    main()
