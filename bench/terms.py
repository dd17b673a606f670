"""What terms cost, in microseconds a node: making, substituting, evaluating, packing, unpacking, translating.

    python bench/terms.py [--nodes 50000] [--json OUT]

The graph is like that of unrolled code: arithmetic on a few variables, comparisons, choices at joins, a memory with
stores and selects at computed addresses. Each figure is the best of three runs on fresh symbols, in CPU time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import TypeVar

from drystone.logic.evaluation import ArrayValue, evaluate
from drystone.logic.packing import pack, unpack
from drystone.logic.sorts import BOOL, Array, bitvec
from drystone.logic.substitution import substitute
from drystone.logic.terms import Term, _table, constant, free_symbols, make, size, state
from drystone.solvers import make_solver
from drystone.solvers.translation import TranslatingSolver

Prepared = TypeVar("Prepared")
WORD = bitvec(32)
MEMORY = Array(WORD, WORD)


def program(name: str, steps: int) -> list[Term]:
    """The values of variables and memory after `steps` steps: about nine nodes each."""
    x, y, z = (state(f"{name} {variable}", WORD) for variable in "xyz")
    memory = state(f"{name} memory", MEMORY)
    base = x
    for i in range(steps):
        number = constant(WORD, 4 * (i % 50) + 4)
        total = make("bvadd", WORD, make("bvmul", WORD, x, y), z)
        condition = make("bvslt", BOOL, total, y)
        x, y, z = y, make("ite", WORD, condition, total, z), make("bvxor", WORD, total, x)
        memory = make("store", MEMORY, memory, make("bvadd", WORD, base, number), z)
        if i % 5 == 0:
            x = make("bvsub", WORD, make("select", WORD, memory, make("bvadd", WORD, x, number)), y)
    return [x, y, z, memory]


def best(run: Callable[[int], float]) -> float:
    return min(run(i) for i in range(3))


def measure(nodes: int) -> dict[str, float]:
    steps = nodes // 8
    count = size(program("count", steps))

    def per_node(prepare: Callable[[int], Prepared], act: Callable[[Prepared], object]) -> float:
        def run(i: int) -> float:
            prepared = prepare(i)
            start = process_time()
            act(prepared)
            return (process_time() - start) / count * 1e6

        return best(run)

    graphs = [program(f"graph {i}", steps) for i in range(3)]
    packed = pack(graphs[0])

    def others(i: int) -> dict[Term, Term]:
        return {symbol: state(f"{symbol.payload} renamed {i}", symbol.sort) for symbol in free_symbols(graphs[i])}

    def fresh(name: str) -> Callable[[int], tuple[TranslatingSolver, list[Term]]]:
        def prepare(i: int) -> tuple[TranslatingSolver, list[Term]]:
            solver = make_solver(name)
            assert isinstance(solver, TranslatingSolver)
            return solver, graphs[i]

        return prepare

    def translate(prepared: tuple[TranslatingSolver, list[Term]]) -> None:
        solver, terms = prepared
        for term in terms:
            solver.translate(term)

    def unpack_anew(_: object) -> list[Term]:
        return unpack(packed)

    environment = [
        {symbol: ArrayValue(0, {}) if symbol.sort == MEMORY else 7 for symbol in free_symbols(graph)} for graph in graphs
    ]
    figures = {
        "make": per_node(lambda i: i, lambda i: program(f"made {i}", steps)),
        "make again": per_node(lambda i: i, lambda i: program("count", steps)),
        "substitute": per_node(others, lambda mapping: substitute(graphs[_graph(mapping)], mapping)),
        "evaluate": per_node(lambda i: i, lambda i: evaluate(graphs[i], environment[i])),
        "to bitwuzla": per_node(fresh("bitwuzla"), translate),
        "to z3": per_node(fresh("z3"), translate),
        "pack": per_node(lambda i: i, lambda i: pack(graphs[i])),
        "unpack": per_node(lambda i: i, unpack_anew),
        "unpack new terms": per_node(_forget, unpack_anew),
    }
    return figures | {"nodes": count, "packed bytes a node": len(packed) / count}


def _graph(mapping: dict[Term, Term]) -> int:
    """Which graph the renaming is for."""
    return int(next(iter(mapping)).payload.split()[1])


def _forget(_: int) -> None:
    """Empties the table of terms, as in a process that gets its first message. Nothing may be made from old terms after this."""
    _table.clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure(options.nodes)
    for name, value in figures.items():
        print(f"{name:22} {value:10.2f}")
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
