"""Compares engines on random programs with threads with a search through all interleavings, and counts.

    python -m tests.threads.campaign [NAME…] [--programs N] [--limit N] [--keep bench/results/threads.txt]

A name is an engine; `races-ENGINE` looks for data races, `loops-ENGINE` and `endless-ENGINE` at programs that create threads in
loops; `interleaving-ABSTRACTION-REDUCTION` says what is kept and what is left out. A proof is one that was checked, a bug one that
was replayed; a search with a reduction has to find an error itself. As for `tests.explicit.campaign`, a campaign goes on where it
was interrupted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from drystone.engines.interleaving.engine import ABSTRACTIONS, REDUCTIONS
from tests.campaigns import Compare, main
from tests.inside import decided
from tests.threads.generator import random_program, with_creation_in_a_loop
from tests.threads.language import Threads, c_text, is_error_reachable, is_race_reachable
from tests.threads.preparing import prepared_once

PROGRAMS = 1_000
SECONDS = 3.0
_MOST_STATES = 300_000
_ENGINES = ("explicit", "bmc", "dss", "k-induction", "value", "predicate", "auto")


@dataclass(frozen=True)
class _Configuration:
    engine: str
    program: Callable[[int], Threads] = random_program
    truth: Callable[[Threads, int], bool | None] = is_error_reachable
    options: Mapping[str, Any] = field(default_factory=dict)
    is_endless: bool = False  # the truth is about a finite part of the executions: what is reached there, and nothing else

    def compare(self, seed: int, folder: Path, seconds: float) -> tuple[str, bool]:
        program = self.program(seed)
        expected = _known(self.truth, program)
        file = folder / f"program{seed}.c"
        file.write_text(c_text(program))
        result = decided(file, engine=self.engine, timeout=seconds, vacuity="off", **self.options)
        where = f"seed {seed}: {result.verdict} {result.reason}\n{file.read_text()}"
        file.unlink()
        assert "internal error" not in result.reason, where
        is_decided = result.verdict != "UNKNOWN"
        if expected is None or (self.is_endless and not expected):
            return "open", is_decided
        assert not is_decided or result.verdict == ("FALSE" if expected else "TRUE"), where
        if self.engine == "interleaving" and result.verdict == "FALSE":
            assert result.counters["proof_iterations"] == 0, f"the reduction has lost the error\n{where}"
        return "unsafe" if expected else "safe", is_decided


@lru_cache(maxsize=16)
def _known(truth: Callable[[Threads, int], bool | None], program: Threads) -> bool | None:
    return truth(program, _MOST_STATES)


def _configurations() -> Mapping[str, _Configuration]:
    found = {engine: _Configuration(engine) for engine in _ENGINES}
    for abstraction, reduction in product(ABSTRACTIONS, REDUCTIONS):
        chosen = {"abstraction": abstraction, "reduction": reduction}
        found[f"interleaving-{abstraction}-{reduction}"] = _Configuration("interleaving", options=chosen)
    for engine in _ENGINES:
        found[f"races-{engine}"] = _Configuration(
            engine, lambda seed: random_program(seed, seed % 4 != 0), is_race_reachable, {"check": ("data-race",)}
        )
    for engine in (*_ENGINES, "modular"):
        found[f"loops-{engine}"] = _Configuration(engine, with_creation_in_a_loop)
        endless = _Configuration(engine, lambda seed: with_creation_in_a_loop(seed, True), is_endless=True)
        found[f"endless-{engine}"] = endless
    return found


def _comparison(configuration: _Configuration, folder: Path, seconds: float) -> Compare:
    return lambda seed: configuration.compare(seed, folder, seconds)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="drystone-campaign-") as scratch, prepared_once():

        def configurations(options: argparse.Namespace) -> Mapping[str, tuple[Compare, int]]:
            seconds = options.limit or SECONDS
            known = _configurations()
            return {name: (_comparison(each, Path(scratch), seconds), PROGRAMS) for name, each in known.items()}

        sys.exit(main(__doc__, configurations))
