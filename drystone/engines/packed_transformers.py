"""Transformers as bytes, for hosts in other processes and on other machines."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.ir.automaton import Mark
from drystone.logic import terms
from drystone.logic.packing import pack, unpack
from drystone.logic.terms import Term
from drystone.symbolic.transformers import Bad, Exit, Transformer


class _Shape(msgspec.Struct, frozen=True, array_like=True):
    start: int
    ways: tuple[tuple[int, int], ...]  # the locations of exits, and how many values each has
    bad: tuple[tuple[int, Mark], ...]


class PackedTransformers(msgspec.Struct, frozen=True, array_like=True):
    shapes: tuple[_Shape, ...]
    terms: bytes  # per exit its guard, and variables with their values; then the guards of what is bad; then `more`


def pack_transformers(transformers: Sequence[Transformer], more: Sequence[Term] = ()) -> PackedTransformers:
    """`more`: what else is to be packed with them."""
    formulas: list[Term] = []
    for transformer in transformers:
        for way in transformer.exits.values():
            formulas.append(way.guard)
            for name, value in way.values.items():
                formulas += (terms.state(name, way.sorts[name]), value)
        formulas += [bad.guard for bad in transformer.bad]
    return PackedTransformers(tuple(map(_shape, transformers)), pack([*formulas, *more]))


def _shape(transformer: Transformer) -> _Shape:
    return _Shape(
        transformer.start,
        tuple((location, len(way.values)) for location, way in transformer.exits.items()),
        tuple((bad.location, bad.mark) for bad in transformer.bad),
    )


def unpack_transformers(packed: PackedTransformers) -> tuple[list[Transformer], list[Term]]:
    formulas = iter(unpack(packed.terms))
    found = []
    for shape in packed.shapes:
        exits = {}
        for location, count in shape.ways:
            guard = next(formulas)
            pairs = [(next(formulas), next(formulas)) for _ in range(count)]
            values = {str(symbol.payload): value for symbol, value in pairs}
            exits[location] = Exit(guard, values, {str(symbol.payload): symbol.sort for symbol, _ in pairs})
        bad = tuple(Bad(location, next(formulas), mark) for location, mark in shape.bad)
        found.append(Transformer(shape.start, exits, bad))
    return found, list(formulas)
