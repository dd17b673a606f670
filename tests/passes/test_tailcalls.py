"""Tail calls as loops: the same runs, and recursion that needs no bound."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import ListedInputs
from drystone.concrete.interpreter import interpret
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.ir.callgraph import call_graph
from drystone.passes.tailcalls import without_tail_calls
from drystone.pipeline import PreparedProgram
from tests.structure import structural_faults

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
ADD = """
int add(int m, int n) { if (n == 0) return m; if (n > 0) return add(m + 1, n - 1); return add(m - 1, n + 1); }
int main(void) { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int() % 50; if (add(m, n) != m + n) reach_error(); }
"""
SWAP = """
int turn(int a, int b, int k) { if (k <= 0) return a; return turn(b, a, k - 1); }
int main(void) { int k = __VERIFIER_nondet_int() & 15; if (turn(3, 4, k) != (k % 2 ? 4 : 3)) reach_error(); }
"""
SCOPES = """
int count;
void down(int n) { int fresh; if (n & 1) { fresh = n; } else { fresh = __VERIFIER_nondet_int(); } count += fresh & 3;
  if (n > 0) { down(n - 1); return; } }
int main(void) { down(__VERIFIER_nondet_int() & 7); if (count == 9) reach_error(); }
"""
KEPT = """
int last(int *p, int n) { int mine = n; if (p && *p == 3) reach_error(); if (n <= 0) return 0; return last(&mine, n - 1); }
int sum(int n) { if (n <= 0) return 0; return n + sum(n - 1); }
int main(void) { return last(0, 2) + sum(4); }
"""


def program_of(text: str, folder: Path) -> Program:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return load([str(path)], FrontendOptions()).program


@pytest.mark.parametrize("text", [ADD, SWAP, SCOPES, KEPT])
def test_runs_are_the_same(text: str, tmp_path: Path) -> None:
    program = program_of(text, tmp_path)
    changed = without_tail_calls(program)
    assert not [fault for procedure in changed.procedures.values() for fault in structural_faults(procedure)]
    for seed in range(40):
        source = random.Random(seed)
        values = [source.choice([0, 1, 2, 3, source.getrandbits(32)]) for _ in range(30)]
        before, after = (interpret(each, ListedInputs(values)) for each in (program, changed))
        assert (before.kind, before.what, before.inputs) == (after.kind, after.what, after.inputs)


@pytest.mark.parametrize(("text", "recursive"), [(ADD, []), (SWAP, []), (SCOPES, []), (KEPT, ["last", "sum"])])
def test_what_is_a_loop_then(text: str, recursive: list[str], tmp_path: Path) -> None:
    assert sorted(call_graph(without_tail_calls(program_of(text, tmp_path))).recursive) == recursive


@pytest.mark.parametrize(("text", "verdict"), [(ADD, Verdict.TRUE), (SWAP, Verdict.TRUE), (SCOPES, Verdict.FALSE)])
def test_verdicts(text: str, verdict: Verdict, tmp_path: Path) -> None:
    assert (
        check("dss", PreparedProgram(program_of(text, tmp_path)), Settings(), Deadline.after(60), unobserved).verdict is verdict
    )
