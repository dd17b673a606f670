"""bench/agree.py: engines that contradict each other, or what is expected, are found."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.bench.test_run import tasks
from tests.places import BENCH


def agree(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / "agree.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_contradictions_with_what_is_expected(tmp_path: Path) -> None:
    small, out = tasks(tmp_path) / "small", tmp_path / "out"
    settings = ("--timeout", "3", "--json", out)
    good = agree(small / "magic_number.yml", *settings)
    assert good.returncode == 0 and "0 contradictions on 1 tasks" in good.stdout, good.stdout + good.stderr
    assert {file.stem for file in out.glob("*.json")} == {"dss-lemmas", "dss-predicates", "bmc", "k-induction"}
    assert json.loads((out / "dss-predicates.json").read_text())["settings"]["summaries"] == "predicates"
    bad = agree(small / "magic_number.yml", small / "two_errors.yml", *settings)  # the second says true and is not
    assert bad.returncode == 1 and "[1/1]" in bad.stdout and "[2/" not in bad.stdout, bad.stdout + bad.stderr
    assert "CONTRADICTION  small/two_errors: " in bad.stdout and "magic_number: " not in bad.stdout


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCH))
    spec = importlib.util.spec_from_file_location("agree", BENCH / "agree.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "agree", loaded)
    spec.loader.exec_module(loaded)
    return loaded


def test_contradictions_between_engines(module: ModuleType) -> None:
    def result(task: str, verdict: str, expected: str = "TRUE") -> Any:
        fields: dict[str, Any] = dict.fromkeys(module.Result.__dataclass_fields__, "")
        return module.Result(**{**fields, "task": task, "verdict": verdict, "expected": expected})

    same = {"a": [result("x", "TRUE"), result("y", "UNKNOWN")], "b": [result("x", "TRUE"), result("y", "TRUE")]}
    assert module.contradictions(same) == []
    both = {"a": [result("x", "TRUE")], "b": [result("x", "FALSE")], "c": [result("x", "UNKNOWN")]}
    assert module.contradictions(both) == ["CONTRADICTION  x: a TRUE, b FALSE; expected TRUE"]
    wrong = {"a": [result("x", "TRUE", "FALSE")], "b": [result("x", "UNKNOWN", "FALSE")]}
    assert module.contradictions(wrong) == ["CONTRADICTION  x: a TRUE; expected FALSE"]
