"""Localization block by block: what each block says for itself, in one process or in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.counterexamples.told_faults import BlockLocalization, Localization
from drystone.verification.options import Options
from tests.localization.test_localize import ASSERT, HEAD, SEEDED, fault_of, localized
from tests.running import verify

# Kettl 2022, Figure 10: three blocks, the first of which sets x
FIGURE = """
int main(void) {
  int x = 0, n = __VERIFIER_nondet_int();
  x = x + 1;
  if (n == 3)
    x = x + 1; // fault
  check(x != 2);
}"""


def block_by_block(tmp_path: Path, text: str, **options: object) -> tuple[Localization, BlockLocalization]:
    _, found = localized(tmp_path, HEAD + ASSERT + text, **options)
    assert found.by_block is not None
    return found, found.by_block


@pytest.mark.parametrize("name", [name for name in SEEDED if name not in ("parameter", "error call")])
def test_the_fault_is_found_with_the_values_of_the_execution(tmp_path: Path, name: str) -> None:
    _, found = block_by_block(tmp_path, SEEDED[name], localize_blocks="model")
    assert fault_of(HEAD + ASSERT + SEEDED[name]) in [each.line for each in found.candidates], found
    assert found.queries == sum(each.queries for each in found.blocks) and found.left_out == []


def test_blocks_of_the_execution_are_looked_at_from_the_error_on(tmp_path: Path) -> None:
    whole, found = block_by_block(tmp_path, FIGURE, localize_blocks="model")
    assert [each.where.rsplit(":")[-1] for each in found.blocks] == ["8", "6"]
    assert [[each.line for each in block.candidates] for block in found.blocks] == [[9], [7, 6]]
    assert [each.line for each in found.candidates] == [9, 7, 6]
    assert {each.line for each in whole.candidates} == {6, 7, 8, 9} and all(each.lines <= 2 for each in found.blocks)


def test_without_a_precondition_only_the_blocks_that_force_the_error_say_something(tmp_path: Path) -> None:
    _, found = block_by_block(tmp_path, FIGURE, localize_blocks="true")
    assert [[each.line for each in block.candidates] for block in found.blocks] == [[], [7, 6]]
    assert found.precondition == "true" and found.left_out == []
    _, found = block_by_block(tmp_path, FIGURE.replace("x = x + 1; // fault", "x = 2; // fault"), localize_blocks="true")
    assert [each.line for each in found.candidates] == [9]


def test_processes_find_the_same(tmp_path: Path) -> None:
    text = SEEDED["array"]
    _, alone = block_by_block(tmp_path, text, localize_blocks="model")
    _, found = block_by_block(tmp_path, text, engine="dss", transport="processes", workers=3)
    assert (alone.processes, found.processes) == (1, 3)
    assert found.blocks == alone.blocks and found.candidates == alone.candidates


def test_blocks_that_find_the_error_localize_it_without_being_asked(tmp_path: Path) -> None:
    _, found = localized(tmp_path, HEAD + ASSERT + FIGURE, engine="dss", transport="inline")
    assert found.by_block is not None and found.by_block.precondition == "model"
    _, found = localized(tmp_path, HEAD + ASSERT + FIGURE)
    assert found.by_block is None
    assert Options().localize_blocks is None


def test_the_console_has_both(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(HEAD + ASSERT + FIGURE)
    said = verify(file, "--localize-blocks", "model", "--no-native").stdout
    assert "block by block: 2 blocks, values before a block as they were, " in said and "1. " in said.split("block by block")[1]
