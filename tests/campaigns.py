"""Counts of comparisons with the truth over many random programs, kept in a file, so that a campaign goes on where it ended.

The file has one line for each configuration: how many programs, from the first seed on, how many were decided, of each kind of
program, the seeds of contradictions, and seconds of the processor. It is written after every few programs; all configurations get on
together.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

CHUNK = 25
KINDS = ("unsafe", "safe", "safe endless", "open")
"""Of programs; nothing is known about the last."""

Compare = Callable[[int], tuple[str, bool]]
"""What kind of program this seed gives, and whether it was decided; raises an exception for a contradiction, or a crash."""


@dataclass
class Counts:
    programs: int = 0
    total: Counter[str] = field(default_factory=Counter)
    """Of each kind of program."""
    decided: Counter[str] = field(default_factory=Counter)
    contradictions: list[int] = field(default_factory=list)
    """Seeds."""
    seconds: float = 0.0

    def line(self, name: str) -> str:
        kinds = ", ".join(f"{kind} {self.decided[kind]}/{self.total[kind]}" for kind in KINDS if self.total[kind])
        seeds = f" (seeds {' '.join(map(str, self.contradictions))})" if self.contradictions else ""
        return (
            f"{name:28} {self.programs:4} programs  {self.decided.total():4} decided ({kinds})  "
            f"{len(self.contradictions)} contradictions{seeds}  {self.seconds:.0f} s"
        )


_LINE = re.compile(
    r"(?P<name>\S+) +(?P<programs>\d+) programs +\d+ decided \((?P<kinds>.*?)\) +\d+ contradictions"
    r"(?: \(seeds (?P<seeds>[\d ]+)\))? +(?P<seconds>\d+) s"
)


def read(path: Path) -> dict[str, Counts]:
    """What a file keeps; none is an empty one."""
    found: dict[str, Counts] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        told = _LINE.fullmatch(line)
        if told is None:
            raise ValueError(f"{path} is not a file of counts: {line}")
        counts = found[told["name"]] = Counts(int(told["programs"]), seconds=float(told["seconds"]))
        for kind, decided, total in re.findall(r"([a-z ]+?) (\d+)/(\d+)", told["kinds"]):
            counts.decided[kind.strip()], counts.total[kind.strip()] = int(decided), int(total)
        counts.contradictions = list(map(int, (told["seeds"] or "").split()))
    return found


def write(path: Path, counts: Mapping[str, Counts]) -> None:
    temporary = path.with_suffix(".new")
    temporary.write_text("".join(f"{counts[name].line(name)}\n" for name in sorted(counts)))
    temporary.replace(path)


def campaign(comparisons: Mapping[str, Compare], counts: dict[str, Counts], last: int, first: int, keep: Path | None) -> bool:
    """All comparisons up to so many programs each, the ones that are behind first; whether none found a contradiction. One
    program after the other: what a comparison has made of it serves the next."""
    is_good = True
    for name in comparisons:
        counts.setdefault(name, Counts())
    for seed in range(first, first + last):
        behind = [name for name in comparisons if first + counts[name].programs <= seed]
        for name in behind:
            is_good &= _compared(name, comparisons[name], counts[name], seed)
        if behind and keep is not None and ((seed - first + 1) % CHUNK == 0 or seed + 1 == first + last):
            write(keep, counts)
    return is_good


def _compared(name: str, compare: Compare, counts: Counts, seed: int) -> bool:
    began = _processor_time()
    counts.programs += 1
    try:
        kind, is_decided = compare(seed)
    except Exception as problem:
        counts.contradictions.append(seed)
        print(f"{name}, seed {seed}: CONTRADICTION\n{problem}", flush=True)
        traceback.print_exc(file=sys.stdout)
        return False
    finally:
        counts.seconds += _processor_time() - began
    counts.total[kind] += 1
    counts.decided[kind] += is_decided
    return True


def _processor_time() -> float:
    """Of this process, and of the ones that it started and that have ended."""
    return sum(os.times()[:4])


def main(
    description: str | None,
    configurations: Callable[[argparse.Namespace], Mapping[str, tuple[Compare, int]]],
) -> int:
    """`configurations` gives for each name how to compare, and how many programs there are to be if nothing else is said."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of configurations; a name that ends in * stands for several")
    parser.add_argument("--programs", type=int, metavar="N", help="for each configuration")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first seed")
    parser.add_argument("--limit", type=float, metavar="N", help="seconds for each program")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keeps the counts, and goes on where those of this file end")
    options = parser.parse_args()
    if options.keep is not None and options.first:
        parser.error("counts that are kept begin with the first seed")
    known = configurations(options)
    chosen = [each for each in known if not options.names or any(_is_meant(each, name) for name in options.names)]
    if not chosen:
        parser.error(f"there is none of these, only {', '.join(known)}")
    counts = {} if options.keep is None else read(options.keep)
    is_good = True
    for most in sorted({options.programs or known[name][1] for name in chosen}):
        together = {name: known[name][0] for name in chosen if (options.programs or known[name][1]) >= most}
        is_good &= campaign(together, counts, most, options.first, options.keep)
    for name in chosen:
        print(counts[name].line(name))
    return 0 if is_good else 1


def _is_meant(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
