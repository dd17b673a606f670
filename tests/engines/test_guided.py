"""Counterexamples of slices that are none of the program: an execution that takes the same way is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines import bmc
from drystone.engines.deepening import Outcome
from drystone.engines.dss import engine as dss
from drystone.engines.dss.options import DssOptions
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import Abstraction, PreparedProgram

HEAD = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *__VERIFIER_nondet_pointer(void);
struct device { int number; int state; };
"""

READS = """
int main(void) {
  unsigned long first = (unsigned long)__VERIFIER_nondet_pointer(), second = (unsigned long)__VERIFIER_nondet_pointer();
  if (first > 65540 || second > 65540 || first + second == 131080) return 0;
  int number = ((struct device *)first)->number + ((struct device *)second)->number;
  reach_error();
  return number;
}"""

POLLS = """
int main(void) {
  int phase = 0;
  while (phase < 4) {
    struct device *found = __VERIFIER_nondet_pointer();
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += found->number;
    if (__VERIFIER_nondet_int() == 17) phase = phase + 1; else phase = 0;
  }
  reach_error();
  return 0;
}"""


def prepared(folder: Path, text: str) -> PreparedProgram:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return PreparedProgram(load([str(path)], FrontendOptions()).program)


def summarised(program: PreparedProgram) -> EngineResult:
    return dss.check(program, DssOptions(candidates=()), Deadline.after(60.0), unobserved)


def test_no_pointer_of_a_model_is_null_to_the_interpreter(tmp_path: Path) -> None:
    """Few addresses below the limit are not in the page of NULL, and the read is not in the slice."""
    result = bmc.check(prepared(tmp_path, READS), bmc.BmcOptions(), Deadline.after(60.0), unobserved)
    assert result.verdict is Verdict.FALSE


@pytest.mark.parametrize("abstraction", Abstraction)
def test_the_way_of_a_slice_is_followed_on_the_program(
    abstraction: Abstraction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its inner loop is sliced away, and with it what the pointers must be."""

    def search_exactly(self: bmc.Run, deadline: Deadline) -> Outcome:
        raise AssertionError("the way was not enough")

    monkeypatch.setattr(bmc.Run, "search_exactly", search_exactly)
    result = summarised(prepared(tmp_path, POLLS).under(abstraction))
    assert result.verdict is Verdict.FALSE and result.counters["replays"] > 1


def test_a_way_that_no_execution_takes_is_given_up(tmp_path: Path) -> None:
    """The program without memory has more ways than the program."""
    text = """
    extern void *malloc(unsigned long);
    int main(void) {
      struct device *made = malloc(sizeof(struct device));
      if (!made) return 0;
      made->number = 3;
      for (int n = 0; n < 2; n++) made->state = n;
      if (made->number != 3) reach_error();
      return 0;
    }"""
    assert summarised(prepared(tmp_path, text).under(Abstraction.WITHOUT_MEMORY)).verdict is Verdict.UNKNOWN
    assert summarised(prepared(tmp_path, text)).verdict is Verdict.TRUE
