"""What a block is made of as bytes, for hosts in other processes and on other machines."""

from __future__ import annotations

import msgspec

from drystone.engines.dss.hosts import Call, Reply, Spec, perform
from drystone.engines.dss.preparation import ProgramBlock
from drystone.engines.dss.registry import domain_of
from drystone.engines.hosting import ActorKind
from drystone.engines.packed_transformers import PackedTransformers, pack_transformers, unpack_transformers


class _PackedSpec(msgspec.Struct, frozen=True, array_like=True):
    id: str
    line: int
    edges: int
    predecessors: tuple[str, ...]
    component: tuple[str, ...]
    exits: tuple[int, ...]
    options: msgspec.Raw  # whose tag says of which domain they are
    transformer: PackedTransformers  # one


class _Tagged(msgspec.Struct, frozen=True):
    type: str


_SPEC = msgspec.msgpack.Decoder(_PackedSpec)
_TAG = msgspec.msgpack.Decoder(_Tagged)


def pack_spec(spec: Spec) -> bytes:
    block = spec.block
    packed = _PackedSpec(
        block.id,
        block.line,
        block.edges,
        spec.predecessors,
        spec.component,
        spec.exits,
        msgspec.Raw(msgspec.msgpack.encode(spec.options)),
        pack_transformers([block.transformer]),
    )
    return msgspec.msgpack.encode(packed)


def unpack_spec(data: bytes) -> Spec:
    packed = _SPEC.decode(data)
    ((transformer,), _) = unpack_transformers(packed.transformer)
    block = ProgramBlock(packed.id, transformer, packed.line, packed.edges)
    options = msgspec.msgpack.decode(packed.options, type=domain_of(_TAG.decode(packed.options).type).options)
    return Spec(block, packed.predecessors, options, packed.component, packed.exits)


BLOCKS: ActorKind[Spec, Call, Reply] = ActorKind(
    "blocks", pack_spec, unpack_spec, Spec.actor, perform, lambda call: call.block, Call, Reply
)
