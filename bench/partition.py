"""What do more processes bring to a search through all states, and to the check that finds them again?

    python bench/partition.py [FILE…] [--workers N] [--steps N] [--data-model MODEL]

Each FILE with one process and with N. Without one, a program of three threads that count, each STEPS times. The response is the
processor time of whoever has begun, and of the slowest of the others: that of a machine with a core for each, whatever else this
one does.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from drystone.base.deadline import Deadline
from drystone.base.shared_closure import SharedClosure
from drystone.certificates.exploration import Exploration, scheduled
from drystone.cpa.domains.values.code import Steps
from drystone.engines.explicit.search import Search
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.passes.inline import MAX_EDGES
from drystone.passes.readings import settled
from drystone.pipeline import PreparedProgram
from drystone.symbolic.cells import cells_of

_COUNTING = """
#include <pthread.h>
extern void reach_error(void);
int x, y, z;
void *a(void *p) { for (int i = 0; i < STEPS; i++) { x++; z = x + y; } return 0; }
void *b(void *p) { for (int i = 0; i < STEPS; i++) { y++; if (z > 9999) reach_error(); } return 0; }
void *c(void *p) { for (int i = 0; i < STEPS; i++) { if (x > y) z = x; else z = y; } return 0; }
int main(void) {
    pthread_t s, t, u;
    pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); pthread_create(&u, 0, c, 0);
    pthread_join(s, 0); pthread_join(t, 0); pthread_join(u, 0);
    if (x + y != 2 * STEPS) reach_error();
}
"""
_MEMORY = 16e9
_MOST_STATES = 100_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--steps", type=int, default=9, metavar="N")
    parser.add_argument("--data-model", choices=["ILP32", "LP64"], default="ILP32")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counting = Path(folder) / "counting.c"
        counting.write_text(_COUNTING.replace("STEPS", str(options.steps)))
        for file in options.files or [counting]:
            _compare(file, options.workers, options.data_model)


def _compare(file: Path, workers: int, data_model: str) -> None:
    prepared = PreparedProgram(settled(load([str(file)], FrontendOptions(data_model=data_model)).program))
    alone, together = 0.0, 0.0
    for what, work in (("search", _search(prepared)), ("check", _check(prepared))):
        one, several = _response(work, 1), _response(work, workers)
        alone, together = alone + one[0], together + several[0]
        print(f"{file.name} {what}: {_said(one)}; {_said(several)}; {one[0] / several[0]:.2f} times as fast", flush=True)
    print(f"{file.name}: {alone / together:.2f} times as fast", flush=True)


def _said(measured: tuple[float, list[float], int]) -> str:
    response, spent, states = measured
    others = f" ({', '.join(f'{seconds:.1f}' for seconds in spent)} of {len(spent)} processes)" if spent else ""
    return f"{response:.1f} s{others} for {states:,} states"


def _search(prepared: PreparedProgram) -> Callable[[int], int]:
    flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
    symbolic = flat.symbolic(inductive=True)

    def work(workers: int) -> int:
        search = Search(Steps(symbolic, cells_of(symbolic)), Deadline(), unobserved, _MEMORY, workers)
        for _ in search.marked():
            pass
        return search.states

    return work


def _check(prepared: PreparedProgram) -> Callable[[int], int]:
    flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=False).program
    cuts = scheduled(flat.procedures[flat.entry])
    system = prepared.transition_system(recursion_bound=1, max_edges=MAX_EDGES, sliced=False, cut_points=cuts)

    def work(workers: int) -> int:
        exploration = Exploration(system)
        problem = exploration.problem(_MOST_STATES, Deadline(), workers)
        if problem:
            print(problem)
        return exploration.states

    return work


def _response(work: Callable[[int], int], workers: int) -> tuple[float, list[float], int]:
    """Seconds, those of the other processes, and how many states there are."""
    with _listening() as spent:
        began = time.process_time()
        states = work(workers)
        own = time.process_time() - began
    return own + max(spent, default=0.0), spent, states


@contextmanager
def _listening() -> Iterator[list[float]]:
    """Processor seconds of the processes of a shared search."""
    spent: list[float] = []
    close = SharedClosure.close

    def closing(shared: SharedClosure) -> None:
        spent.extend(report.seconds for report in shared.reports if report is not None)
        close(shared)

    with patch.object(SharedClosure, "close", closing):
        yield spent


if __name__ == "__main__":
    main()
