"""Large-block encoding: how much smaller (Mertens 2014, Table 5.1), how long, and how the time grows with the edges.

    python bench/encoding.py [--quick]

Benchmark tasks are read from ../shared/benchmarks next to the project and skipped where that is absent. Times are processor
time, which depends least on what else the machine does: the best of several runs, of encoding alone.
"""

from __future__ import annotations

import argparse
import gc
import math
import re
import sys
import tempfile
import time
from pathlib import Path

from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import NOWHERE, Edge, Frame, Mark, MarkKind, Procedure, Program
from drystone.ir.expressions import Variable, apply, constant
from drystone.ir.operations import Assign, Assume, Operation
from drystone.large_blocks.encoding import Encoded, encode
from drystone.logic.sorts import BOOL, bitvec
from drystone.passes.inline import TooLarge, inline
from drystone.passes.slicing import slice_program

BENCHMARKS = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
OTHERS = [
    "eca/Problem03_label00_true-unreach-call",
    "systemc/token_ring.05_false-unreach-call_false-termination.cil",
    "systemc/pc_sfifo_1_true-unreach-call_false-termination.cil",
    "control-flow/s3_srvr_1_true-unreach-call.cil",
    "control-flow/cdaudio_simpl1_true-unreach-call_true-termination.cil",
    "product-lines/elevator_spec2_product18_false-unreach-call.cil",
]
TARGET = 1.15


def inlined(files: list[str], data_model: str = "ILP32") -> Program:
    return inline(load(files, FrontendOptions(data_model=data_model)).program)


def best_time(program: Program, advanced: bool, runs: int) -> tuple[Encoded, float]:
    """The garbage collector is off, as its share depends on what else is alive."""
    best = math.inf
    for _ in range(runs):
        gc.collect()
        gc.disable()
        start = time.process_time()
        encoded = encode(program, advanced)
        best = min(best, time.process_time() - start)
        gc.enable()
    return encoded, best


def size(encoded: Encoded) -> str:
    return f"{len(encoded.locations)} / {len(encoded.edges)}"


def table(runs: int) -> None:
    """Locations / edges before and after, as in Table 5.1."""
    print("| program | single | large | large+ | sliced | large, sliced | large+, sliced | time large | time large+ |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for file, label in table_tasks():
        try:
            program = inlined([str(file)])
        except TooLarge as problem:
            print(f"| {label} | {problem} |")
            continue
        cells, times = [label], []
        for variant in (program, slice_program(program).program):
            procedure = variant.procedures[variant.entry]
            cells.append(f"{procedure.locations} / {len(procedure.edges)}")
            for advanced in (False, True):
                encoded, seconds = best_time(variant, advanced, runs)
                cells.append(size(encoded))
                if variant is program:
                    times.append(f"{1000 * seconds:.2f} ms")
        print("| " + " | ".join([*cells, *times]) + " |")


def table_tasks() -> list[tuple[Path, str]]:
    """Every test_locks, by number, then the others."""
    locks = [
        (int(found[1]), file)
        for file in (BENCHMARKS / "locks").glob("*.c")
        if (found := re.match(r"test_locks_(\d+)_", file.name))
    ]
    chosen = [(file, file.stem[: file.stem.index("-")]) for _, file in sorted(locks)]
    others = [BENCHMARKS / (name + suffix) for name in OTHERS for suffix in (".c", ".i")]
    return chosen + [(file, file.stem[:40]) for file in others if file.exists()]


def locks_program(count: int) -> Program:
    """test_locks with any number of locks, from C."""
    lines = ["extern int __VERIFIER_nondet_int(void); void reach_error(void) {}", "int main() {"]
    lines += [f"  int p{k} = __VERIFIER_nondet_int(); int lk{k};" for k in range(count)]
    lines += ["  while (__VERIFIER_nondet_int()) {"]
    lines += [f"    lk{k} = 0;" for k in range(count)]
    lines += [f"    if (p{k} != 0) {{ lk{k} = 1; }}" for k in range(count)]
    lines += [f"    if (p{k} != 0) {{ if (lk{k} != 1) goto ERROR; lk{k} = 0; }}" for k in range(count)]
    lines += ["  }", "  return 0;", "  ERROR: reach_error(); return 0;", "}"]
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write("\n".join(lines))
        file.flush()
        return inlined([file.name])


class _Automaton:
    """A program of one procedure, edge by edge; location 0 is the entry, 1 the exit, 2 the error."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.locations = 3
        self.variable = Variable("x", bitvec(32))

    def edge(self, source: int, operation: Operation, target: int | None = None) -> int:
        if target is None:
            target, self.locations = self.locations, self.locations + 1
        self.edges.append(Edge(source, target, operation, NOWHERE))
        return target

    def branch(self, source: int, value: int, yes: int | None = None, no: int | None = None) -> tuple[int, int]:
        condition = apply("=", BOOL, self.variable, constant(32, value))
        return self.edge(source, Assume(condition), yes), self.edge(source, Assume(apply("not", BOOL, condition)), no)

    def assign(self, source: int, value: int, target: int | None = None) -> int:
        return self.edge(source, Assign(self.variable, constant(32, value)), target)

    def program(self) -> Program:
        marks = {2: Mark(MarkKind.ERROR, "error", NOWHERE)}
        names = {"x": self.variable}
        main = Procedure("main", (), None, names, {}, 0, 1, self.edges, marks, self.locations, [Frame("main")])
        return Program("main", {"main": main}, {}, {}, {}, {}, 64, [], [])


def dispatch_program(count: int) -> Program:
    """A chain of branches to `count` loops with an error each, as a switch in a driver: every location has another successor."""
    automaton = _Automaton()
    at = 0
    for k in range(count):
        chosen, at = automaton.branch(at, k)
        body, after = automaton.branch(chosen, -k)
        automaton.assign(body, k, chosen)
        automaton.branch(after, k, 2, 1)
    automaton.assign(at, 0, 1)
    return automaton.program()


def loops_program(count: int) -> Program:
    """Loops one after the other, each around a diamond, joined in pairs by a location with two loops before and two after it."""
    automaton = _Automaton()
    at = automaton.assign(0, 0)
    for k in range(count):
        left, right = automaton.branch(at, k)
        join = automaton.locations
        automaton.locations += 1
        for head in (left, right):
            body, after = automaton.branch(head, k + 1)
            yes, no = automaton.branch(body, k + 2)
            automaton.assign(yes, k, head)
            automaton.branch(no, k + 3, 2, head)
            automaton.assign(after, k, join)
        at = join
    automaton.assign(at, 0, 1)
    return automaton.program()


FAMILIES = {
    "locks (from C)": (locks_program, (15, 30, 60, 150, 300, 600, 1500)),
    "dispatch": (dispatch_program, (30, 100, 300, 1000, 3000, 6000)),
    "loops": (loops_program, (20, 60, 200, 600, 2000, 4000)),
}


def exponent(points: list[tuple[int, float]]) -> float:
    """The slope of log time over log edges, by least squares."""
    logs = [(math.log(edges), math.log(seconds)) for edges, seconds in points]
    mean_x, mean_y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    covariance = math.fsum((x - mean_x) * (y - mean_y) for x, y in logs)
    return covariance / math.fsum((x - mean_x) ** 2 for x, _ in logs)


def growth(runs: int, quick: bool) -> bool:
    """Prints the families; were all exponents within the target?"""
    fine = True
    for name, (build, counts) in FAMILIES.items():
        programs = [build(count) for count in (counts[:-1] if quick else counts)]
        for advanced in (False, True):
            points: list[tuple[int, float]] = []
            cells: list[str] = []
            for program in programs:
                encoded, seconds = best_time(program, advanced, runs)
                edges = len(program.procedures["main"].edges)
                points.append((edges, seconds))
                cells.append(f"{edges} edges {1000 * seconds:.1f} ms -> {size(encoded)}")
            slope = exponent(points)
            fine &= slope <= TARGET
            print(f"{name}, {'large+' if advanced else 'large'}: exponent {slope:.2f}")
            print("  " + "; ".join(cells))
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    options = parser.parse_args()
    runs = 2 if options.quick else 7
    if BENCHMARKS.exists():
        table(runs)
        locks_points: dict[bool, list[tuple[int, float]]] = {False: [], True: []}
        for file, label in table_tasks():
            if label.startswith("test_locks"):
                program = inlined([str(file)])
                for advanced, points in locks_points.items():
                    _, seconds = best_time(program, advanced, runs)
                    points.append((len(program.procedures["main"].edges), seconds))
        for advanced, points in locks_points.items():
            print(f"test_locks 5..15, {'large+' if advanced else 'large'}: exponent {exponent(points):.2f}")
    else:
        print(f"no benchmark tasks at {BENCHMARKS}")
    fine = growth(runs, options.quick)
    print(f"all exponents of the families at most {TARGET}: {'yes' if fine else 'NO'}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
