"""bench/same.py: what of two checkouts has to be equal. Its runs take long and are not repeated here."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.places import BENCH, ROOT


@pytest.fixture(scope="module")
def same() -> ModuleType:
    """It lies beside the modules that it imports."""
    sys.path.insert(0, str(BENCH))
    try:
        spec = importlib.util.spec_from_file_location("same", BENCH / "same.py")
        assert spec is not None and spec.loader is not None
        module = sys.modules["same"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(BENCH))


def run(same: ModuleType, task: str, **changed: Any) -> Any:
    report = {"verdict": "TRUE", "reason": "by induction", "wall_s": 1.0, "cpu_s": 2.0, "peak_mb": 50.0, "file": "/here/t.c"}
    report |= {"counters": {"queries": 3}, "operators": {"combine": {"calls": 3, "seconds": 0.1}}}
    report |= {"evidence": {"certificate": {"kind": "bounded"}}, "explanation": ["line 0"] * 100}
    return same.told(task, "bmc", {**report, **changed}, 0, 1.0, "")


def results(same: ModuleType, *runs: Any, **settings: Any) -> Any:
    return same.Results({"counted": 5.0, "code": "1", **settings}, list(runs), {"drystone --version": 0.1})


def test_what_is_measured_may_differ(same: ModuleType) -> None:
    a = results(same, run(same, "t"), code="1")
    b = results(
        same,
        run(
            same, "t", cpu_s=4.0, wall_s=9.0, peak_mb=50.0, file="/there/t.c", operators={"combine": {"calls": 3, "seconds": 0.5}}
        ),
        code="2",
    )
    lines, is_same = same.comparison(a, b)
    assert is_same and lines[-1] == "1 runs compared, 0 not: 0 differences in 0 runs"
    assert "median of B / A 2.000" in lines[0] and "MISSED" in lines[0]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"verdict": "FALSE"}, "verdict"),
        ({"reason": "by bounds"}, "reason"),
        ({"counters": {"queries": 4}}, "counters.queries"),
        ({"counters": {}}, "counters.queries"),
        ({"counters": {"queries": 3, "lemmas": 0}}, "counters.lemmas"),
        ({"operators": {"combine": {"calls": 4, "seconds": 0.1}}}, "operators.combine.calls"),
        ({"evidence": {"certificate": {"kind": "inductive"}}}, "evidence.certificate.kind"),
        ({"explanation": [f"line {number}" for number in range(100)]}, "explanation"),
    ],
)
def test_all_else_must_be_equal(changed: dict[str, Any], what: str, same: ModuleType) -> None:
    lines, is_same = same.comparison(results(same, run(same, "t")), results(same, run(same, "t", **changed)))
    assert not is_same and lines[0] == "DIFFERENT  t, bmc: 1" and lines[1].split()[0] == what
    assert lines[-1] == "1 runs compared, 0 not: 1 differences in 1 runs"


def test_texts_may_differ_where_only_facts_are_asked_for(same: ModuleType) -> None:
    a, b = results(same, run(same, "t")), results(same, run(same, "t", reason="by bounds", explanation=["a line"]))
    assert same.comparison(a, b, only_facts=True)[1]
    other = results(same, run(same, "t", reason="by bounds", counters={"queries": 4}))
    lines, is_same = same.comparison(a, other, only_facts=True)
    assert not is_same and lines[1].split()[0] == "counters.queries"


def test_runs_that_the_clock_has_ended(same: ModuleType) -> None:
    ended, cut = (
        run(same, "t"),
        run(same, "t", counters={"queries": 7}, verdict="UNKNOWN", reason="out of time after 9.0 s (while query)"),
    )
    other = run(same, "t", counters={"queries": 9}, verdict="UNKNOWN", reason="out of time after 9.1 s (while unrolling)")
    lines, is_same = same.comparison(results(same, cut, run(same, "u")), results(same, other, run(same, "u")))
    assert is_same and lines[-2:] == [
        "not compared, out of time in both: t, bmc",
        "1 runs compared, 1 not: 0 differences in 0 runs",
    ]
    assert same.comparison(results(same, cut), results(same, ended))[0][1].split() == ["ended", "by", "time", "|", "itself"]


def test_crashes_other_runs_and_other_settings(same: ModuleType) -> None:
    crash = same.told("t", "bmc", {}, 4, 1.0, "drystone: internal error: KeyError: 'x'\n")
    assert not same.comparison(results(same, run(same, "t")), results(same, crash))[1]
    assert not same.comparison(results(same, run(same, "t")), results(same))[1]
    lines, is_same = same.comparison(results(same, run(same, "t")), results(same, run(same, "t"), counted=6.0))
    assert not is_same and lines[0].startswith("not comparable")
    assert not same.comparison(results(same), results(same))[1]  # nothing was compared


def test_results_are_read_as_they_were_written(tmp_path: Path, same: ModuleType) -> None:
    file = tmp_path / "a.json"
    checkout = same.Checkout(ROOT, file, {"counted": 5.0, "code": "1"})
    checkout.add(run(same, "t"))
    assert same.read(file) == checkout.results
    assert checkout.can_run() and not same.Checkout(tmp_path, tmp_path / "b.json", {}).can_run()
    done = subprocess.run([sys.executable, str(BENCH / "same.py"), str(file), str(file)], capture_output=True, text=True)
    assert done.returncode == 0 and "0 differences" in done.stdout, done.stderr


def test_the_sample_is_spread_and_knows_no_verdicts(tmp_path: Path, same: ModuleType) -> None:
    index, header = tmp_path / "INDEX.csv", "category,task,file,verdict,loc\n"
    rows = [
        (category, number, 10 * number)
        for category, count in (("arrays", 20), ("concurrency", 9), ("heap", 3))
        for number in range(count)
    ]

    def write(verdict: str) -> list[str]:
        lines = [f"{category},{number},{category}/{number}.c,{verdict},{loc}\n" for category, number, loc in rows]
        index.write_text(header + "".join(lines))
        chosen: list[str] = same.sample(index, 6)
        return chosen

    chosen = write("true")
    assert chosen == write("false") and len(set(chosen)) == 6
    assert {name.partition("/")[0] for name in chosen[:2]} == {"arrays", "heap"}
    assert all(int(Path(name).stem) < 10 for name in chosen) and all(name.endswith(".yml") for name in chosen)
