"""Which sources of candidate invariants there are, by their names; without a choice, all of them are asked, in this order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from drystone.base.registry import Entry

if TYPE_CHECKING:
    from drystone.invariants.context import Source

_ROOM = "drystone.invariants.sources"

SOURCES: dict[str, Entry[Callable[[], Source]]] = {
    "intervals": Entry("constants, small sets of values and intervals of variables", f"{_ROOM}.intervals:Intervals"),
    "affine": Entry("linear equations between variables, modulo their width", f"{_ROOM}.affine:Affine"),
    "polynomials": Entry(
        "equations between products of variables, where the program multiplies them", f"{_ROOM}.polynomials:Polynomials"
    ),
    "congruences": Entry("remainders of variables that do not change", f"{_ROOM}.congruences:Congruences"),
    "guards": Entry("comparisons that the program makes itself, and weaker ones", f"{_ROOM}.guards:Guards"),
    "memory": Entry("facts about pointers into the heap, and what is allocated", f"{_ROOM}.memory:Memory"),
    "valuations": Entry("which values a few flags have together", f"{_ROOM}.valuations:FlagValuations"),
    "elements": Entry("facts about any element of an array that a loop has passed, or has not", f"{_ROOM}.elements:Elements"),
    "implications": Entry("facts that hold under a condition only", f"{_ROOM}.implications:Implications"),
}
