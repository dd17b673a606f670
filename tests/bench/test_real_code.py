"""The cases of bench/real_code.py are complete, without network: both variants, a harness, a package with its version."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.places import BENCH


@pytest.fixture(autouse=True)
def bench_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def test_cases_are_complete() -> None:
    from real_code import HARNESSES, read_cases

    cases = read_cases()
    names = [case.name for case in cases]
    assert len(set(names)) == len(names) >= 20
    assert len({case.package for case in cases}) >= 8
    for case in cases:
        assert case.harness.is_file(), case.name
        assert re.fullmatch(r"(\d+:)?\d[\w.+~]*-[\w.+~]+", case.version), case.name  # exact, with Debian's revision
        assert case.original.strip() and case.planted != case.original, case.name
        assert case.function and case.claim and case.bug, case.name
        text = case.harness.read_text()
        assert ("assert(" in text and "__VERIFIER_nondet" in text) or "any_" in text or "at_most(" in text, case.name
        assert case.file in case.sources or f'#include "{Path(case.file).name}"' in text, f"{case.name}: the bug is not compiled"
    helpers = {"random_inputs"}
    assert {path.stem for path in HARNESSES.glob("*.c")} == {*names, *helpers}


def test_both_variants_are_tasks_of_their_own(tmp_path: Path) -> None:
    from real_code import HOLDS, PLANTED, read_cases, tasks_of

    case = read_cases()[0]
    library = tmp_path / f"{case.package}-{case.version}" / case.file
    library.parent.mkdir(parents=True)
    library.write_bytes(f"/* \xe9 */\r\n{case.original}\n".encode("latin-1"))
    holds, bug = tasks_of([case], tmp_path)
    assert (holds.expected, holds.variant, bug.expected, bug.variant) == (True, HOLDS, False, PLANTED)
    assert holds.name != bug.name
    assert str(library) in holds.arguments and str(library) not in bug.arguments
    changed = next(Path(name) for name in bug.arguments if name.endswith(".c"))
    assert changed.read_bytes().decode("latin-1") == f"/* \xe9 */\n{case.planted}\n"


def test_the_page_says_what_stopped_a_case() -> None:
    from real_code import HOLDS, PLANTED, page, read_cases
    from run import Result

    case = read_cases()[0]
    common: dict[str, Any] = {
        "category": "real_code",
        "cause": "",
        "engine": "",
        "exit_code": 0,
        "wall_s": 1.25,
        "cpu_s": 1.0,
        "peak_mb": 1.0,
    }
    common |= {"replayed": False, "native": "", "undefined": 0, "certificate": "", "counters": {}, "errors": ""}
    reason = "out of time: bmc was at query (bound 1,400, queries 26); f(x, 1) at a.c:3"
    holds = Result(
        f"real_code/{case.name} {HOLDS}", expected="TRUE", verdict="UNKNOWN", status="timeout", reason=reason, **common
    )
    bug = Result(f"real_code/{case.name} {PLANTED}", expected="FALSE", verdict="FALSE", status="correct", reason="", **common)
    origin = {"commit": "abc", "cores": 2, "python": "3.11"}
    text = page([case], [holds, bug], {"settings": {"timeout": 60.0, "workers": 1}, "origins": [origin]})
    assert "**1 of 2 decided, 0 wrong**" in text and "| UNKNOWN, 1.2 s | FALSE, 1.2 s |" in text
    assert "out of time: bmc was at query; f(x, 1) at a.c:3" in text


@pytest.mark.parametrize("text", ("", "line\nline\n"))
def test_a_bug_is_planted_at_exactly_one_place(text: str, tmp_path: Path) -> None:
    from debian_sources import planted

    source = tmp_path / "a.c"
    source.write_text(text)
    with pytest.raises(SystemExit, match="not once"):
        planted(source, "line", "other", tmp_path / "b.c")


def test_missing_sources_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """apt without deb-src: the script says what is missing."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("apt-get", "dpkg-source"):
        (tools / name).write_text("#!/bin/sh\necho \"E: You must put some 'deb-src' URIs in your sources.list\" >&2\nexit 100\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    from debian_sources import unpacked

    with pytest.raises(SystemExit, match="apt knows no sources"):
        unpacked("zlib", "1:1.2-1", tmp_path / "cache")
