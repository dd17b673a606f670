"""How memory is merged where branches join: guarded stores against `ite` on arrays, for proofs and for finding models.

    python bench/memory.py [BRANCHES]

A program of so many branches, each of which stores into one of two arrays' places, with an assertion that holds and one that
does not. For each of the two merges: the time of the query, relative to the faster.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.pipeline import PreparedProgram
from drystone.solvers import make_solver
from drystone.symbolic.transformers import TransitionSystem


def text(branches: int, holds: bool) -> str:
    lines = ["extern int __VERIFIER_nondet_int(void); extern void reach_error(void); unsigned a[64];", "int main(void) {"]
    lines.append("  unsigned i = (unsigned)__VERIFIER_nondet_int() & 31, old = a[i + 32];")
    for number in range(branches):
        lines.append(f"  if (__VERIFIER_nondet_int()) a[((unsigned)__VERIFIER_nondet_int() & 31)] = {number + 1};")
    wrong = "a[i + 32] != old" if holds else f"a[i] == {branches} && a[(i + 1) & 31] == {branches // 2}"
    return "\n".join([*lines, f"  if ({wrong}) reach_error();", "  return 0; }"])


def seconds(branches: int, holds: bool, guarded: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(text(branches, holds))
        program = load([str(path)], FrontendOptions()).program
    symbolic = PreparedProgram(program).flat(recursion_bound=1, max_edges=100_000, sliced=True).symbolic(inductive=True)
    symbolic.joins.guarded_stores = guarded
    violation = TransitionSystem(symbolic).initial.violation
    solver = make_solver("bitwuzla")
    start = time.process_time()
    answer = solver.check([violation], limit_seconds=60)
    taken = time.process_time() - start
    print(
        f"  {'proof' if holds else 'model'}, {'guarded stores' if guarded else 'ite'}: "
        f"{answer.value}, {terms.size(violation)} terms, {taken:.2f} s"
    )
    return taken


def main() -> None:
    branches = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print(f"{branches} branches")
    for holds in (True, False):
        guarded, plain = seconds(branches, holds, True), seconds(branches, holds, False)
        print(f"  {'proof' if holds else 'model'}: ite takes {plain / max(guarded, 1e-3):.2f} times as long as guarded stores")


if __name__ == "__main__":
    main()
