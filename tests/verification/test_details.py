"""What `--json` and `--explain` tell about the parts of a run: blocks, messages, operators, bounds, engines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.places import PROGRAMS
from tests.running import report, verify

LOCKS = """\
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int l = 0, n = 0;
  while (__VERIFIER_nondet_int()) {
    int p = __VERIFIER_nondet_int();
    if (p) { if (l) reach_error(); l = 1; }
    n++;
    if (p) { if (!l) reach_error(); l = 0; }
  }
  while (n < 10) { n++; if (l) reach_error(); }
  return 0;
}
"""
OPERATORS = ("pack_post", "unpack_post", "pack_vcond", "unpack_vcond", "proceed", "combine")


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    file = tmp_path / "locks.c"
    file.write_text(LOCKS)
    return file


@pytest.mark.parametrize("summaries", ["lemmas", "predicates"])
def test_blocks_messages_and_operators(summaries: str, locks: Path) -> None:
    result = report(locks, "--engine", "dss", "--summaries", summaries)
    assert result["verdict"] == "TRUE"
    blocks = {block["where"]: block for block in result["blocks"]}
    assert set(blocks) == {f"{locks}:3", f"{locks}:5", f"{locks}:11"}
    entry, first, second = (blocks[f"{locks}:{line}"] for line in (3, 5, 11))
    assert entry["predecessors"] == [] and first["predecessors"] == [entry["id"], first["id"]]
    assert second["predecessors"] == [first["id"], second["id"]]
    assert all(block["edges"] > 0 for block in result["blocks"])
    for counter in ("queries", "predicates"):
        assert sum(block["counters"][counter] for block in result["blocks"]) <= result["counters"][counter]
    messages = result["messages"]
    assert messages["count"] == result["counters"]["messages"] and messages["bytes"] == result["counters"]["bytes"]
    assert sum(kind["count"] for kind in messages["kinds"].values()) == messages["count"]
    assert sum(kind["bytes"] for kind in messages["kinds"].values()) == messages["bytes"]
    said = (
        "ERRORCONDITIONUNREACHABLE" if summaries == "lemmas" else "BLOCKPOSTCONDITION"
    )  # nobody else begins where there are lemmas
    assert {"ERRORCONDITION", said} <= set(messages["kinds"])
    operators = result["operators"]
    assert tuple(operators)[: len(OPERATORS)] == OPERATORS
    for name in OPERATORS:
        assert operators[name]["calls"] > 0 and operators[name]["seconds"] >= 0, name
    for name in ("pack_post", "unpack_post", "pack_vcond", "unpack_vcond"):
        assert operators[name]["bytes"] > 0, name


@pytest.mark.parametrize("transport", ["inline", "processes"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_wherever_blocks_live(transport: str, workers: str, locks: Path) -> None:
    result = report(locks, "--engine", "dss", "--transport", transport, "--workers", workers)
    assert result["verdict"] == "TRUE" and result["counters"]["lost_hosts"] == 0


def test_other_engines_have_no_blocks(locks: Path) -> None:
    result = report(locks, "--engine", "bmc", "--timeout", "3s")
    assert result["blocks"] == [] and result["messages"] is None and result["operators"] == {}


@pytest.mark.parametrize("summaries", ["lemmas", "predicates"])
def test_explanation_of_summaries(summaries: str, locks: Path) -> None:
    done = verify(locks, "--engine", "dss", "--summaries", summaries, "--explain")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert any(line.startswith(f"block entry at {locks}:3: received ") for line in lines), done.stdout
    assert any(line.startswith(f"proved at {locks}:5") and line.endswith(": l == 0") for line in lines)
    assert any(line.startswith(f"asked about at {locks}:11") and "l != 0 && n < 10" in line for line in lines)
    assert f"answered at {locks}:5: l == 0" in lines


def test_many_lemmas_are_cut_in_the_middle(locks: Path) -> None:
    lines = report(locks, "--engine", "dss", "--summaries", "predicates", "--decomposition", "linear")["explanation"]
    assert any(re.match(r"  and \d+ more \w+", line) for line in lines)
    assert len(lines) < 40 * (1 + 3 * 7)


def test_explanation_of_bounds() -> None:
    lines = report(PROGRAMS / "magic_number.c", "--engine", "bmc")["explanation"]
    assert lines[0].startswith("with at most 1 nested call of a function: ") and lines[0].endswith("an error was found")
    assert " through loop heads unrolled, " in lines[0] and re.search(r" quer(y|ies); ", lines[0])


def test_auto_says_what_each_engine_said(locks: Path) -> None:
    result = report(locks, "--timeout", "60s", "--workers", "1")
    assert result["verdict"] == "TRUE"
    engines = [line.partition(": ")[0] for line in result["explanation"] if " s, UNKNOWN" in line or " s, TRUE" in line]
    assert engines[0] == "execute" and result["engine"] in engines[1:]
