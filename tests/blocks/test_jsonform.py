"""Block graphs survive the way through JSON, and a file that does not fit is refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drystone.blocks.decompositions import linear
from drystone.blocks.graph import BlockGraph
from drystone.blocks.jsonform import CannotImport, blocks_object, import_blocks, read_blocks
from drystone.blocks.registry import decomposition
from drystone.ir.automaton import Program
from tests.blocks.automata import KINDS, automata
from tests.blocks.test_figures import dss_2024_figure_2


def encoded(graph: BlockGraph) -> bytes:
    return json.dumps(blocks_object(graph)).encode()


@given(automata(), st.sampled_from(KINDS))
def test_round_trip(program: Program, kind: str) -> None:
    graph = decomposition(kind)(program)
    assert read_blocks(program, encoded(graph)) == graph


def test_the_fields_of_a_block() -> None:
    figure, _ = dss_2024_figure_2()
    content = blocks_object(linear(figure))
    assert {"entry", "exit", "errors", "unknowns", "locations", "edges", "blocks"} == content.keys()
    names = ["id", "hash", "entry", "exits", "edges", "predecessors", "successors", "component"]
    assert all(list(block) == names for block in content["blocks"])
    ids = [block["id"] for block in content["blocks"]]
    assert [block["successors"] for block in content["blocks"]] == [(ids[1], ids[2])] * 2 + [(ids[3], ids[4]), (), ()]


def test_blocks_alone_suffice_and_ids_are_kept() -> None:
    figure, _ = dss_2024_figure_2()
    graph = linear(figure)
    bare = [{"entry": block.entry, "exits": block.exits, "edges": block.edges} for block in graph.blocks]
    assert read_blocks(figure, json.dumps({"blocks": bare}).encode()) == graph
    named = [{**block, "id": f"B{number}"} for number, block in enumerate(bare)]
    assert [block.id for block in read_blocks(figure, json.dumps({"blocks": named}).encode()).blocks] == [
        "B0",
        "B1",
        "B2",
        "B3",
        "B4",
    ]


def drop_block(content: dict[str, Any]) -> None:
    del content["blocks"][1]


def repeat_edge(content: dict[str, Any]) -> None:
    content["blocks"][2]["edges"] += content["blocks"][1]["edges"]


def drop_exits(content: dict[str, Any]) -> None:
    content["blocks"][0]["exits"] = []


def unknown_edge(content: dict[str, Any]) -> None:
    content["blocks"][0]["edges"] = [999]


def unknown_location(content: dict[str, Any]) -> None:
    content["blocks"][0]["entry"] = -1


def other_operation(content: dict[str, Any]) -> None:
    content["edges"][1]["operation"] = "y := 1"


def fewer_edges(content: dict[str, Any]) -> None:
    content["edges"].pop()


def other_entry(content: dict[str, Any]) -> None:
    content["entry"] = 3


def same_id(content: dict[str, Any]) -> None:
    content["blocks"][0]["id"] = content["blocks"][1]["id"]


def no_id(content: dict[str, Any]) -> None:
    del content["blocks"][0]["id"]


def no_blocks(content: dict[str, Any]) -> None:
    del content["blocks"]


def text_for_number(content: dict[str, Any]) -> None:
    content["blocks"][0]["entry"] = "l1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop_block, "is in no block"),
        (repeat_edge, "is in block"),
        (drop_exits, "which is none of its exits"),
        (unknown_edge, "there is no edge 999"),
        (unknown_location, "there is no location -1"),
        (other_operation, "edge 1 of its automaton is"),
        (fewer_edges, "the file was made from another program"),
        (other_entry, "its automaton's entry is location 3"),
        (same_id, "two blocks have the id"),
        (no_id, "some blocks have an id and others have none"),
        (no_blocks, "missing required field `blocks`"),
        (text_for_number, "blocks[0].entry"),
    ],
)
def test_refused(change: Callable[[dict[str, Any]], None], message: str) -> None:
    figure, _ = dss_2024_figure_2()
    content = json.loads(encoded(linear(figure)))
    change(content)
    with pytest.raises(CannotImport) as caught:
        read_blocks(figure, json.dumps(content).encode())
    assert message in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    figure, _ = dss_2024_figure_2()
    for content in (b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000):
        (tmp_path / "blocks.json").write_bytes(content)
        with pytest.raises(CannotImport, match=r"blocks\.json: is not a file of blocks"):
            import_blocks(figure, tmp_path / "blocks.json")
    with pytest.raises(CannotImport, match="No such file"):
        import_blocks(figure, tmp_path / "missing.json")
    with pytest.raises(CannotImport, match="cannot be read"):
        import_blocks(figure, tmp_path)
