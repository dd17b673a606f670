"""Which decompositions there are, by their names. What stands after a colon is for whoever asks to fill in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from drystone.base.registry import Entry, told

if TYPE_CHECKING:
    from drystone.blocks.graph import BlockGraph
    from drystone.ir.automaton import Program

Decomposition = Callable[["Program"], "BlockGraph"]

_ROOM = "drystone.blocks"

DECOMPOSITIONS: dict[str, Entry[Decomposition]] = {
    "loops": Entry(
        "the default of `dss`: one block per loop head; what follows several loops belongs to the blocks of all of them",
        f"{_ROOM}.decompositions:loops",
    ),
    "default": Entry(
        "one block per loop head, two where the head is a branch whose sides do not meet before the next cut point",
        f"{_ROOM}.decompositions:default",
    ),
    "whole": Entry("one block", f"{_ROOM}.decompositions:whole"),
    "edge": Entry("every edge is a block (Beyer, Kettl, Lemberger 2024, blk^sbe)", f"{_ROOM}.decompositions:edge"),
    "linear": Entry("straight lines between branches and joins (Kettl 2022, Algorithm 2)", f"{_ROOM}.decompositions:linear"),
    "function": Entry("the maximal single-entry parts of each activation of a function", f"{_ROOM}.decompositions:function"),
    "region": Entry("the maximal single-entry parts without a loop inside", f"{_ROOM}.decompositions:region"),
}

WITH_ARGUMENT: dict[str, Entry[Callable[[str], Decomposition]]] = {
    "merge:N": Entry(
        "linear blocks merged until N are left or no two can be merged (Kettl 2022, Algorithm 3)",
        f"{_ROOM}.decompositions:merge_to",
    ),
    "import:FILE": Entry("the blocks of a file written by `drystone blocks --format json`", f"{_ROOM}.decompositions:imported"),
}
"""From what stands after the colon."""

ABOUT: dict[str, str] = {**told(DECOMPOSITIONS), **told(WITH_ARGUMENT)}


class UnknownDecomposition(Exception):
    """Says what is wrong with the name of a decomposition."""


def decomposition(name: str) -> Decomposition:
    if name in DECOMPOSITIONS:
        return DECOMPOSITIONS[name].load()
    kind, separator, argument = name.partition(":")
    for shown, entry in WITH_ARGUMENT.items():
        if separator and shown.startswith(f"{kind}:"):
            return entry.load()(argument)
    raise UnknownDecomposition(f"there is no decomposition {name!r}, only {', '.join(ABOUT)}")
