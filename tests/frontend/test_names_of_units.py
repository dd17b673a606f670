"""Names that two files have are two names, and none that inlining gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

MAIN = (
    "extern void reach_error(void); int f(void); int g(void); "
    "int main(void) { g(); f(); if (g() == COUNT) reach_error(); return 0; } int f(void) { int x = 40; x++; return x; }\n"
)
OTHER = "static int f(void) { static int x; x++; return x; } int g(void) { return f(); }\n"


@pytest.mark.parametrize(("count", "verdict"), [(2, Verdict.FALSE), (42, Verdict.TRUE)])
def test_a_static_function_and_a_call_in_line_1(count: int, verdict: Verdict, tmp_path: Path) -> None:
    """The second file is unit 1: its `f` is not the `f` that is inlined in line 1."""
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text(MAIN.replace("COUNT", str(count)))
    second.write_text(OTHER)
    program = load([str(first), str(second)], FrontendOptions()).program
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(20), unobserved).verdict is verdict
