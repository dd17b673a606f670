"""Several analyses of one program: domains, decompositions, or both, and what one of them tells the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.engines.dcpa.options import analyses
from drystone.verification.named_parts import check_named_parts
from drystone.verification.options import Options
from tests.engines.dcpa.programs import CASES, TOGETHER
from tests.engines.dcpa.runs import coordinator
from tests.engines.dcpa.test_figures import figure_10
from tests.inside import decided
from tests.running import report

BY_NAME = {case.name: case for case in CASES}


def test_which_domain_has_which_decomposition() -> None:
    assert analyses("predicates", "loops,linear") == [("predicates", "loops"), ("predicates", "linear")]
    assert analyses("values,predicates", "linear") == [("values", "linear"), ("predicates", "linear")]
    assert analyses("values,predicates", "linear,loops") == [("values", "linear"), ("predicates", "loops")]
    check_named_parts(Options(engine="dcpa", domain="values,values,predicates", decomposition="edge,linear,loops"))
    for domain, decomposition, problem in (
        ("values,predicates", "linear,loops,edge", "2 domains, and 3 decompositions"),
        ("predicates", "linear,foo", "--decomposition: .*foo"),
    ):
        with pytest.raises(Refusal, match=problem):
            check_named_parts(Options(engine="dcpa", domain=domain, decomposition=decomposition))
    with pytest.raises(Refusal, match=r"--decomposition: .*linear,loops"):
        check_named_parts(Options(engine="dss", decomposition="linear,loops"))


@pytest.mark.parametrize("name", ["branches", "bounded", "bounded bug", "k-inductive", "constant", "deep bug"])
def test_verdicts_are_those_of_any_of_them(name: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(BY_NAME[name].text)
    for domain in ("predicates", "values,predicates"):
        if set(domain.split(",")) & set(BY_NAME[name].domains):
            result = decided(file, engine="dcpa", domain=domain, decomposition="loops,linear", timeout=10)
            assert result.verdict == BY_NAME[name].verdict, (domain, result.reason)


def test_what_one_finds_out_the_others_begin_again_with(tmp_path: Path) -> None:
    """Values at every branch, path formulas from loop head to loop head."""
    file = tmp_path / "program.c"
    file.write_text(TOGETHER)
    result = decided(file, engine="dcpa", domain="values,predicates", decomposition="linear,loops")
    assert result.verdict == "TRUE" and result.counters["invariants"] >= 1
    values, predicates = [line for line in result.explanation if " blocks (" in line]
    assert values.startswith("values on ") and "(linear): UNKNOWN, an error in the block" in values
    assert predicates.startswith("predicates on ") and "(loops): TRUE, " in predicates and "was told" in predicates
    file.write_text(TOGETHER.replace("mode == 5", "mode == 3"))
    assert decided(file, engine="dcpa", domain="values,predicates", decomposition="linear,loops").verdict == "FALSE"


def test_who_is_paused_after_each_call_comes_to_the_same_end() -> None:
    blocks, _, _ = figure_10()
    alone, paused = coordinator(blocks), coordinator(blocks)
    paused.is_due = lambda: True
    ended, pauses = paused.run(Deadline()), 0
    while ended.is_paused:
        ended, pauses = paused.run(Deadline()), pauses + 1
    other = alone.run(Deadline())
    assert pauses >= 5 and ended.trace == other.trace is not None
    assert paused.counters() == alone.counters()


def test_a_predictable_run_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(TOGETHER)
    options = ["--engine", "dcpa", "--domain", "values,predicates", "--decomposition", "linear,loops", "--predictable"]
    one, two = (report(file, *options, "--workers", count) for count in ("1", "2"))
    assert one["verdict"] == two["verdict"] == "TRUE" and one["counters"] == two["counters"]
