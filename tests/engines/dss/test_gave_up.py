"""A search that is cut short at any query, and resumed, ends with invariants that are inductive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dss.coordinator import inline
from drystone.engines.dss.lemmas.analysis import LemmaOptions
from drystone.engines.dss.lemmas.coordinator import LemmaCoordinator
from drystone.engines.dss.lemmas.frames import Frames
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.queries import GaveUp
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.terms import Term
from drystone.pipeline import PreparedProgram
from drystone.solvers import Answer, make_solver

SUM = """
extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) { unsigned n = __VERIFIER_nondet_uint() % 3, sum = 0;
  for (unsigned i = 1; i <= n; i++) sum += i;
  if (sum != n * (n + 1) / 2) reach_error();
  return 0; }
"""


@pytest.mark.parametrize("decomposition", ["loops", "linear"])
@pytest.mark.parametrize("patience", [17, 29])
def test_interrupted_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: int, decomposition: str) -> None:
    path = tmp_path / "sum.c"
    path.write_text(SUM)
    program = load([str(path)], FrontendOptions()).program
    blocks = prepare_blocks(PreparedProgram(program), recursion_bound=1, max_edges=10_000, sliced=True, kind=decomposition)
    coordinator = LemmaCoordinator(blocks, LemmaOptions(), inline(unobserved))
    asked, allowed = 0, 0
    plain = Frames.ask

    def ask(self: Frames, assumptions: Sequence[Term]) -> Answer:
        nonlocal asked
        asked += 1
        if asked > allowed:
            raise GaveUp("enough")
        return plain(self, assumptions)

    monkeypatch.setattr(Frames, "ask", ask)
    for attempt in range(60):
        asked, allowed = 0, 20 + patience * attempt
        ended = coordinator.run(Deadline())
        if not ended.is_open:
            break
    assert ended.invariants is not None, ended.reason
    solver = make_solver("bitwuzla", 1)
    for block in blocks.system.all_blocks():
        before = list(ended.invariants.get(block.start, ()))
        for target, way in block.exits.items():
            after = terms.conjunction(ended.invariants.get(target, ()))
            assert solver.check([*before, way.pre(terms.negate(after))], limit_seconds=60) is Answer.UNSAT
        assert solver.check([*before, block.violation], limit_seconds=60) is Answer.UNSAT
