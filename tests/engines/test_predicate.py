"""The engine `predicate`, wherever it computes abstractions and whatever its steps are; `bmc` under the same encodings."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.certificates import check as certificate
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import replay
from drystone.engines import bmc, predicate
from drystone.engines.bmc import BmcOptions
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from drystone.verification.options import Options, reject_contradictions

HEAD = "extern int __VERIFIER_nondet_int(void); extern void __assert_fail(void); extern void reach_error(void);\n"
TOGETHER = """int main(void) { unsigned x = 0, y = 0; while (__VERIFIER_nondet_int()) { x++; y++; }
  if (x != y) reach_error(); return 0; }"""  # Beyer, Kettl, Lemberger 2024, Figure 1
STRAIGHT = """int main(void) { int x = 0; x = x + 1; if (x != 1) { x = x - 1; } else { x = x + 1; }
  if (x != 0) reach_error(); return 0; }"""  # Kettl 2022, Figure 10
LOCKS = """int main(void) { int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int(), l, m;
  while (__VERIFIER_nondet_int()) { l = 0; m = 0; if (p) l = 1; if (q) m = 1;
    if (p && l != 1) reach_error(); if (q && m != 1) reach_error(); } return 0; }"""  # Mertens 2014, section 5.3
NESTED = """int main(void) { int n = __VERIFIER_nondet_int(), on = 0;
  for (int i = 0; i < n; i++) { on = 1; for (int j = 0; j < i; j++) if (!on) reach_error(); on = 0; }
  if (on) reach_error(); return 0; }"""
CALLS = """static int state; static void open(void) { if (state) reach_error(); state = 1; }
static void close(void) { if (!state) reach_error(); state = 0; }
int main(void) { while (__VERIFIER_nondet_int()) { open(); if (__VERIFIER_nondet_int()) { close(); open(); } close(); }
  return 0; }"""
TWICE = """int main(void) { int n = 0, k = __VERIFIER_nondet_int(); while (k > 0 && n < 3) { n++; k--; }
  if (n == 3) reach_error(); return 0; }"""
PROGRAMS = {
    "together": (TOGETHER, Verdict.TRUE),
    "straight": (STRAIGHT, Verdict.FALSE),
    "locks": (LOCKS, Verdict.TRUE),
    "nested": (NESTED, Verdict.TRUE),
    "calls": (CALLS, Verdict.TRUE),
    "twice": (TWICE, Verdict.FALSE),
}
EVERYWHERE = [(None, "loops"), *((encoding, blk) for encoding in ("single", "large", "large+") for blk in ("loops", "edge"))]


def checked(folder: Path, text: str, options: predicate.Options) -> EngineResult:
    """With the evidence."""
    path = folder / "program.c"
    path.write_text(HEAD + text)
    program = load([str(path)], FrontendOptions()).program
    result = predicate.check(PreparedProgram(program), options, Deadline.after(20), unobserved)
    if result.verdict is Verdict.TRUE:
        found = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(20))
        assert found.valid, found.reason
    if result.verdict is Verdict.FALSE:
        assert result.error is not None
        replay(program, result.error, result.inputs)
    return result


@pytest.mark.parametrize(("encoding", "blk"), EVERYWHERE)
@pytest.mark.parametrize("name", PROGRAMS)
def test_wherever_abstractions_are(tmp_path: Path, name: str, encoding: str | None, blk: str) -> None:
    text, verdict = PROGRAMS[name]
    result = checked(tmp_path, text, predicate.Options(blk, encoding))
    assert result.verdict is verdict, result.reason


@pytest.mark.parametrize("blk", ["every:1", "every:3", "function"])
@pytest.mark.parametrize("name", ["locks", "calls", "twice"])
def test_other_blocks(tmp_path: Path, name: str, blk: str) -> None:
    text, verdict = PROGRAMS[name]
    assert checked(tmp_path, text, predicate.Options(blk)).verdict is verdict


@pytest.mark.parametrize("name", ["locks", "nested", "calls", "twice"])
def test_cartesian(tmp_path: Path, name: str) -> None:
    text, verdict = PROGRAMS[name]
    assert checked(tmp_path, text, predicate.Options(abstraction="cartesian")).verdict is verdict


def test_larger_blocks_need_fewer_states(tmp_path: Path) -> None:
    single, large, loops = (
        checked(tmp_path, LOCKS, predicate.Options(blk, encoding)).counters
        for blk, encoding in (("edge", "single"), ("edge", "large"), ("loops", None))
    )
    assert single["abstract_states"] > 5 * large["abstract_states"] and single["refinements"] > large["refinements"]
    assert loops["abstract_states"] <= large["abstract_states"]


def test_an_unknown_place_is_no_proof(tmp_path: Path) -> None:
    text = """int main(void) { int x = __VERIFIER_nondet_int(); if (x == 3) { asm volatile ("nop" : "=r"(x)); } return 0; }"""
    assert checked(tmp_path, text, predicate.Options()).verdict is not Verdict.FALSE


@pytest.mark.parametrize("encoding", [None, "single", "large", "large+"])
@pytest.mark.parametrize(("name", "verdict"), [("straight", Verdict.FALSE), ("twice", Verdict.FALSE), ("bounded", Verdict.TRUE)])
def test_bounded_model_checking(tmp_path: Path, name: str, verdict: Verdict, encoding: str | None) -> None:
    bounded = """int main(void) { unsigned n = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) n++;
      if (n != 6) reach_error(); return 0; }"""
    path = tmp_path / "program.c"
    path.write_text(HEAD + (PROGRAMS[name][0] if name in PROGRAMS else bounded))
    program = load([str(path)], FrontendOptions()).program
    result = bmc.check(PreparedProgram(program), BmcOptions(encoding=encoding), Deadline.after(20), unobserved)
    assert result.verdict is verdict, result.reason
    if verdict is Verdict.TRUE:
        found = certificate.check([str(path)], FrontendOptions(), result.certificate, Deadline.after(20))
        assert found.valid, found.reason


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (Options(engine="predicate", blk="every"), "--blk"),
        (Options(engine="value", blk="edge"), "--blk"),
        (Options(engine="dss", encoding="large"), "--encoding"),
        (Options(engine="interleaving", abstraction="cartesian"), "predicate"),
        (Options(engine="predicate", abstraction="explicit"), "interleaving"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: Options, word: str) -> None:
    with pytest.raises(Refusal, match=word):
        reject_contradictions(options)


def test_what_can_be_meant_is_not_refused() -> None:
    reject_contradictions(Options(engine="predicate", blk="every:7", encoding="large+", abstraction="cartesian"))
    reject_contradictions(Options(engine="bmc", encoding="single"))
    reject_contradictions(Options(engine="interleaving", abstraction="predicates"))
