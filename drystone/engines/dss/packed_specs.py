"""What a block is made of as bytes, for hosts in other processes and on other machines."""

from __future__ import annotations

import msgspec

from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.preparation import ProgramBlock
from drystone.engines.dss.registry import domain_of
from drystone.ir.automaton import Mark
from drystone.logic import terms
from drystone.logic.packing import pack, unpack
from drystone.logic.terms import Term
from drystone.symbolic.transformers import Bad, Exit, Transformer


class _PackedSpec(msgspec.Struct, frozen=True, array_like=True):
    id: str
    start: int
    line: int
    edges: int
    predecessors: tuple[str, ...]
    component: tuple[str, ...]
    exits: tuple[int, ...]
    options: msgspec.Raw  # whose tag says of which domain they are
    ways: tuple[tuple[int, int], ...]  # the locations of exits, and how many values each has
    bad: tuple[tuple[int, Mark], ...]
    terms: bytes  # per exit its guard, and variables with their values; then the guards of what is bad


class _Tagged(msgspec.Struct, frozen=True):
    type: str


_SPEC = msgspec.msgpack.Decoder(_PackedSpec)
_TAG = msgspec.msgpack.Decoder(_Tagged)


def pack_spec(spec: Spec) -> bytes:
    block, transformer = spec.block, spec.block.transformer
    formulas: list[Term] = []
    for way in transformer.exits.values():
        formulas.append(way.guard)
        for name, value in way.values.items():
            formulas += (terms.state(name, way.sorts[name]), value)
    formulas += [bad.guard for bad in transformer.bad]
    packed = _PackedSpec(
        block.id,
        block.start,
        block.line,
        block.edges,
        spec.predecessors,
        spec.component,
        spec.exits,
        msgspec.Raw(msgspec.msgpack.encode(spec.options)),
        tuple((location, len(way.values)) for location, way in transformer.exits.items()),
        tuple((bad.location, bad.mark) for bad in transformer.bad),
        pack(formulas),
    )
    return msgspec.msgpack.encode(packed)


def unpack_spec(data: bytes) -> Spec:
    packed = _SPEC.decode(data)
    formulas = iter(unpack(packed.terms))
    exits = {}
    for location, count in packed.ways:
        guard = next(formulas)
        pairs = [(next(formulas), next(formulas)) for _ in range(count)]
        values = {str(symbol.payload): value for symbol, value in pairs}
        exits[location] = Exit(guard, values, {str(symbol.payload): symbol.sort for symbol, _ in pairs})
    bad = tuple(Bad(location, next(formulas), mark) for location, mark in packed.bad)
    block = ProgramBlock(packed.id, Transformer(packed.start, exits, bad), packed.line, packed.edges)
    options = msgspec.msgpack.decode(packed.options, type=domain_of(_TAG.decode(packed.options).type).options)
    return Spec(block, packed.predecessors, options, packed.component, packed.exits)
