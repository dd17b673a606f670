"""What people see of loop invariants."""

from __future__ import annotations

from drystone.report.console import report_lines
from drystone.verification.result import CertificateReport, Evidence, LoopInvariant, Result

LONG = " || ".join(f"state == {number}" for number in range(200))


def shown(*loops: LoopInvariant, verbose: bool = False) -> list[str]:
    certificate = CertificateReport("inductive", True, "z3", list(loops))
    report = Result(
        drystone="0",
        verdict="TRUE",
        reason="by induction",
        engine="dss",
        file="a.c",
        files=["a.c"],
        property="",
        entry="main",
        data_model="LP64",
        seed=0,
        timeout_s=1.0,
        memory_mb=1,
        evidence=Evidence(certificate=certificate),
    )
    return [line for line, _ in report_lines(report, verbose=verbose) if "invariant" in line or "…" in line]


def test_conjuncts() -> None:
    assert shown(LoopInvariant("a.c:3", ["x <= 3", "y == 1 || z"])) == ["  loop invariant at a.c:3: x <= 3 && (y == 1 || z)"]


def test_what_there_are_no_words_for_is_left_out() -> None:
    assert shown(LoopInvariant("a.c:3", []), LoopInvariant("a.c:7", ["x"])) == ["  loop invariant at a.c:7: x"]


def test_long_ones_are_cut_and_say_where_the_rest_is() -> None:
    first, hint = shown(LoopInvariant("a.c:3", [LONG]))
    assert first.startswith("  loop invariant at a.c:3: (state == 0 || state == 1 ||") and first.endswith("…")
    assert len(first) < 340 and "--json" in hint and "--certificate" in hint


def test_long_ones_among_many() -> None:
    first, hint = shown(LoopInvariant("a.c:3", [LONG, *(f"x != {number}" for number in range(9))]))
    assert first.endswith("… and 2 more") and "--json" in hint


def test_verbose_shows_all() -> None:
    assert shown(LoopInvariant("a.c:3", [LONG]), verbose=True) == [f"  loop invariant at a.c:3: ({LONG})"]
