"""`drystone blocks` as people call it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from drystone.cli.main import main
from tests.places import EXAMPLES

BANK = str(EXAMPLES / "bank.c")


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["blocks", BANK, *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["blocks", BANK, *arguments]) == 3
    captured = capsys.readouterr()
    assert captured.out == "" and "internal error" not in captured.err
    return captured.err


def test_text_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = answer(capsys).splitlines()
    assert lines[0].startswith("blocks ") and lines[1].split()[:3] == ["block", "hash", "entry"]
    assert len(lines) == 2 + int(lines[0].split()[1])


def test_json_can_be_imported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "blocks.json"
    assert answer(capsys, "--decomposition", "linear", "--format", "json", "-o", str(file)) == ""
    exported = json.loads(file.read_text())
    assert json.loads(answer(capsys, "--decomposition", f"import:{file}", "--format", "json")) == exported


def test_dot_has_a_box_per_block(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = json.loads(answer(capsys, "--decomposition", "merge:5", "--format", "json"))["blocks"]
    drawn = answer(capsys, "--decomposition", "merge:5", "--format", "dot")
    assert drawn.count("subgraph cluster_") == len(blocks)
    assert drawn.count("style=dashed") == sum(len(block["successors"]) for block in blocks)


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_svg(capsys: pytest.CaptureFixture[str]) -> None:
    assert "<svg" in answer(capsys, "--format", "svg")


def test_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "there is no decomposition 'knots', only loops, default" in refusal(capsys, "--decomposition", "knots")
    assert "at least 1" in refusal(capsys, "--decomposition", "merge:0")
    assert "No such file" in refusal(capsys, "--decomposition", "import:missing.json")
    (tmp_path / "other.json").write_text('{"blocks": []}')
    assert "edge 0 is in no block" in refusal(capsys, "--decomposition", f"import:{tmp_path / 'other.json'}")


def test_too_large_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blocks", BANK, "--max-edges", "3"]) == 2
    assert "more than 3 edges" in capsys.readouterr().err
