"""The memory of a program as numbered cells, where all of it is known: objects of fixed sizes at fixed addresses. An object that
may lie anywhere has none.

A region of words is a tuple of values, one per cell, for those who execute a program on values of all variables at once. None
stands for any value.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from drystone.ir.automaton import MemoryObject
from drystone.ir.expressions import Address
from drystone.logic.sorts import EXTENDED
from drystone.logic.terms import Term
from drystone.memory.dataflow import array_name
from drystone.symbolic.execution import SymbolicProgram

_MOST_CELLS = 2_000


class Cells(msgspec.Struct, frozen=True):
    """`index` has the number of each cell by its address, per region; `of_object` those of each object, per region."""

    index: Mapping[str, Mapping[int, int]]
    of_object: Mapping[str, Mapping[str, tuple[int, ...]]]
    initial: Mapping[str, int | tuple[int | None, ...] | None]
    """Of all variables and regions."""


def cells_of(symbolic: SymbolicProgram) -> Cells:
    """Regions that are no words, or too large, have no cells: what touches them cannot be executed."""
    index: dict[str, dict[int, int]] = {array_name(region): {} for region in symbolic.regions}
    of_object: dict[str, dict[str, list[int]]] = {}
    for object_ in (*symbolic.program.objects.values(), *symbolic.procedure.objects.values()):
        for name, address in _places(symbolic, object_):
            cell = index[name].setdefault(address, len(index[name]))
            of_object.setdefault(object_.name, {}).setdefault(name, []).append(cell)
    too_large = {name for name, cells in index.items() if len(cells) > _MOST_CELLS}
    index = {name: {} if name in too_large else cells for name, cells in index.items()}
    environment = symbolic.initial().environment
    initial: dict[str, int | tuple[int | None, ...] | None] = {}
    for name in symbolic.sorts:
        value = environment[name]
        initial[name] = _contents(value, index[name]) if name in index else _number(value)
    return Cells(
        index,
        {each: {name: tuple(found) for name, found in regions.items()} for each, regions in of_object.items()},
        initial,
    )


def _places(symbolic: SymbolicProgram, object_: MemoryObject) -> list[tuple[str, int]]:
    base = symbolic.memory.fixed_address(object_.name)
    if base is None:
        return []
    return [
        (array_name(region), base + distance)
        for distance, region in symbolic.regions.cells(Address(object_.name, symbolic.pointer), object_.size)
        if region.is_word and region.sort != EXTENDED and 0 <= distance <= object_.size - region.size
    ]


def _number(value: Term) -> int | None:
    return int(value.payload) if value.operator == "const" else None


def _contents(array: Term, cells: Mapping[int, int]) -> tuple[int | None, ...]:
    """What the stores of the start have left in each cell."""
    found: dict[int, int | None] = {}
    while array.operator == "store":
        array, address, value = array.arguments
        if address.operator != "const":
            return (None,) * len(cells)
        found.setdefault(address.payload, _number(value))
    return tuple(found.get(address) for address in cells)
