"""Where the processor time of a verification goes, by phase, over all its processes.

    python bench/phases.py SET… [--timeout 10] [--workers 1] [--seed 0] [--json OUT]

The phases: `importing` modules, `reading` C, `preparing` (inlining, points-to, slices, transformers), `executing` the program,
`solving` (waiting for a solver), the Python of the `engines`, `checking` certificates with all that it takes, `replaying`, and
the rest. Each task runs in a Python of its own in which the functions that begin a phase are wrapped; what they count lies in
memory that all copies of the process share, so that nothing is lost when engines are ended. With PYTHONPATH another checkout is
measured.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from run import BENCHMARKS, tasks_below

PHASES = ("importing", "reading", "preparing", "executing", "solving", "engines", "checking", "replaying", "rest")
REST = PHASES.index("rest")
WRAPPED = {
    "drystone.frontend.load": {"load": "reading"},
    "drystone.pipeline": {
        "PreparedProgram.flat": "preparing",
        "PreparedProgram.transition_system": "preparing",
        "PreparedProgram.edges_without_calls": "preparing",
        "Flat.symbolic": "preparing",
    },
    "drystone.engines.dss.preparation": {"prepare_blocks": "preparing"},
    "drystone.engines.portfolio.auto": {"_one": "engines"},
    "drystone.engines.execute": {"answer": "executing"},
    "drystone.solvers.translation": {"TranslatingSolver.check": "solving"},
    "drystone.certificates.check": {"check": "checking"},
    "drystone.verification.kernel": {"Verification._violated": "replaying"},
}
WHOLE = {"executing", "checking", "replaying"}  # what happens inside belongs to them


class Clock:
    """Seconds of processor time by phase, in memory that copies of this process share. Only the innermost phase is charged."""

    def __init__(self) -> None:
        self.shared = mmap.mmap(-1, 8 * len(PHASES))
        self.stack = [REST]
        self.since, self.process = time.process_time(), os.getpid()

    def charge(self) -> None:
        if os.getpid() != self.process:  # a copy, which has used nothing yet
            self.since, self.process = 0.0, os.getpid()
        now = time.process_time()
        at = 8 * self.stack[-1]
        (before,) = struct.unpack_from("d", self.shared, at)
        struct.pack_into("d", self.shared, at, before + now - self.since)
        self.since = now

    def wrapped(self, function: Callable[..., Any], phase: str) -> Callable[..., Any]:
        number = PHASES.index(phase)

        @functools.wraps(function)
        def measured(*arguments: Any, **named: Any) -> Any:
            if PHASES[self.stack[-1]] in WHOLE:
                return function(*arguments, **named)
            self.charge()
            self.stack.append(number)
            try:
                return function(*arguments, **named)
            finally:
                self.charge()
                self.stack.pop()

        return measured


def one(arguments: list[str], out: Path) -> int:
    """In the Python that is measured."""
    clock, machinery = Clock(), importlib.import_module("importlib._bootstrap")
    find: Callable[[str, Any], Any] = vars(machinery)["_find_and_load"]  # called for modules that are not there yet
    depth = 0

    def found(name: str, import_: Any) -> Any:
        nonlocal depth
        depth += 1
        try:
            module = clock.wrapped(find, "importing")(name, import_) if depth == 1 else find(name, import_)
        finally:
            depth -= 1
        wrap(clock, name)
        return module

    vars(machinery)["_find_and_load"] = found
    from drystone.cli.main import main as command

    code = command(arguments)
    clock.charge()
    seconds = struct.unpack(f"{len(PHASES)}d", clock.shared[:])
    out.write_text(json.dumps(dict(zip(PHASES, seconds, strict=True))))
    return code


def wrap(clock: Clock, name: str) -> None:
    for function, phase in WRAPPED.get(name, {}).items():
        place: Any = sys.modules[name]
        *owners, last = function.split(".")
        for owner in owners:
            place = getattr(place, owner, None)
        if place is not None and hasattr(place, last) and not hasattr(getattr(place, last), "__wrapped__"):
            setattr(place, last, clock.wrapped(getattr(place, last), phase))


def measured(task: Path, options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="drystone-bench-") as folder:
        out, report = Path(folder) / "phases.json", Path(folder) / "report.json"
        command = [sys.executable, __file__, "--one", str(out), "verify", str(task), "--quiet", "--json", str(report)]
        command += ["--timeout", f"{options.timeout}s", "--memory", "4GB", "--seed", str(options.seed)]
        command += ["--workers", str(options.workers), "--engine", options.engine]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        known = json.loads(report.read_text())
        phases = json.loads(out.read_text())
    return {"task": task.stem, "verdict": known["verdict"], "cpu_s": known["cpu_s"], "phases": phases}


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        sys.exit(one(sys.argv[3:], Path(sys.argv[2])))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[str(BENCHMARKS)], metavar="SET")
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print("  ".join(f"{phase:>9}" for phase in PHASES), "     cpu")
    for task in tasks_below(options.sets):
        row = measured(task.path, options)
        rows.append(row)
        cells = "  ".join(f"{row['phases'][phase]:9.2f}" for phase in PHASES)
        print(f"{cells}  {row['cpu_s']:7.2f}  {row['verdict']:<7} {row['task'][:70]}", flush=True)
        if options.json is not None:
            options.json.write_text(json.dumps(rows, indent=1))
    sums = {phase: sum(row["phases"][phase] for row in rows) for phase in PHASES}
    total = sum(sums.values()) or 1.0
    print("  ".join(f"{sums[phase]:9.2f}" for phase in PHASES), "sum")
    print("  ".join(f"{sums[phase] / total:9.1%}" for phase in PHASES), "share")


if __name__ == "__main__":
    main()
