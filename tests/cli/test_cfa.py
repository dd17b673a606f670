"""`drystone cfa --encoding single|large|large+`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from drystone.cli.main import main
from drystone.large_blocks.encoding import MAX_GROWTH

LOCKS = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main() {
  int p = __VERIFIER_nondet_int(), lock = 0;
  while (__VERIFIER_nondet_int()) {
    lock = 0;
    if (p != 0) lock = 1;
    if (p != 0) { if (lock != 1) reach_error(); lock = 0; }
  }
  return 0;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "locks.c"
    file.write_text(LOCKS)
    return str(file)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["cfa", *arguments]) == 0
    return capsys.readouterr().out


def test_json_has_the_same_shape(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    single = json.loads(printed(capsys, source, "--format", "json"))
    assert single == json.loads(printed(capsys, source, "--format", "json", "--encoding", "single"))
    for encoding in ("large", "large+"):
        large = json.loads(printed(capsys, source, "--format", "json", "--encoding", encoding))
        assert large.keys() == single.keys()
        assert set(single["locations"][0]) <= set(large["locations"][0]) and set(single["edges"][0]) <= set(large["edges"][0])
        kinds = sorted(location["kind"] for location in large["locations"])
        assert kinds == ["entry", "error", "exit", "location"]
        ids = {location["id"] for location in large["locations"]}
        assert {large["entry"], large["exit"], *large["errors"]} <= ids
        assert {edge["source"] for edge in large["edges"]} | {edge["target"] for edge in large["edges"]} == ids
        covered = {number for edge in large["edges"] for number in edge["edges"]}
        assert covered == set(range(len(single["edges"])))
        for edge in large["edges"]:
            for number in edge["edges"]:
                assert single["edges"][number]["operation"] in edge["operation"]
        assert large["edges"][0]["line"] is not None


def test_text_shows_labels(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, source, "--encoding", "large")
    assert "4 locations, 4 edges, made from " in text
    joined = " ".join(text.split())
    assert "lock := 0; ([p == 0] □ [p != 0]; lock := 1)" in joined or "([p != 0]; lock := 1 □ [p == 0])" in joined
    assert "ERROR reach_error()" in text and "(entry)" in text and "(exit)" in text
    assert printed(capsys, source) == printed(capsys, source, "--encoding", "single")


def test_dot_and_svg(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    dot = printed(capsys, source, "--encoding", "large+", "--format", "dot")
    assert dot.startswith('digraph "main" {') and dot.count(" -> ") == 4 and dot.count("shape=") == 4
    if shutil.which("dot") is None:
        assert main(["cfa", source, "--encoding", "large", "--format", "svg"]) == 3
    else:
        assert "<svg" in printed(capsys, source, "--encoding", "large", "--format", "svg")


def test_contradictions_are_refused(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    for extra in (["--encoding", "large"], ["--slice"]):
        assert main(["cfa", source, "--procedures", *extra]) == 3
        assert "--procedures" in capsys.readouterr().err
    assert main(["cfa", source, "--encoding", "huge"]) == 3
    assert main(["cfa", source, "--encoding", "large+", "--max-growth", "-1"]) == 3


def test_the_default_cap_is_the_documented_one(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cfa", "--help"]) == 0
    assert f"default {MAX_GROWTH}" in " ".join(capsys.readouterr().out.split())
    default = printed(capsys, source, "--encoding", "large+")
    assert default == printed(capsys, source, "--encoding", "large+", "--max-growth", str(MAX_GROWTH))


def test_slice(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    sliced = json.loads(printed(capsys, source, "--format", "json", "--encoding", "large", "--slice"))
    assert sorted(location["kind"] for location in sliced["locations"]) == ["entry", "error", "location"]
    assert sliced["exit"] is None
    assert "reach_error" in printed(capsys, source, "--slice")
