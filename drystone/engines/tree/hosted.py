"""Workers of the tree as actors on hosts (`engines.hosting`): what they are made of, what they are told and answer."""

from __future__ import annotations

import time
from collections.abc import Mapping

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines import hosting
from drystone.engines.hosting import ActorKind
from drystone.engines.packed_transformers import PackedTransformers, pack_transformers, unpack_transformers
from drystone.engines.tree.events import PackedNodes, PackedReached, Preds, pack_reached, unpack_nodes
from drystone.engines.tree.post import ROOT, PostOptions, PredicatePost, Transitions
from drystone.engines.tree.worker import Worker
from drystone.logic.terms import Term
from drystone.solvers.queries import GaveUp
from drystone.symbolic.transformers import Transformer


class Spec(msgspec.Struct, frozen=True):
    """All workers of a run differ by their number only."""

    number: int
    transformers: tuple[Transformer, ...]
    known: tuple[Term, ...]  # what holds of addresses that are not fixed
    options: PostOptions


class Call(msgspec.Struct, frozen=True, array_like=True):
    """`predicates`: if they have changed since the call before."""

    number: int
    worker: int
    predicates: Preds | None
    iteration: int
    nodes: PackedNodes
    seconds: float  # that are left


class Reply(msgspec.Struct, frozen=True, array_like=True):
    number: int
    worker: int
    iteration: int
    found: PackedReached | None
    problem: str  # why it is none: the solver gave up
    began: float
    seconds: float  # of processor time
    counters: dict[str, int] = {}


class WorkerActor:
    def __init__(self, spec: Spec) -> None:
        transitions = Transitions(spec.transformers, spec.known)
        self.post = PredicatePost(transitions, spec.options, Deadline())
        self.worker = Worker(spec.number, ROOT, self.post)

    def counters(self) -> Mapping[str, int]:
        post, worker = self.post, self.worker
        return {
            "queries": post.solvers.query_count,
            "abstractions": post.abstractions,
            "found": worker.found,
            "kept": worker.kept,
        }


def perform(actor: WorkerActor, call: Call) -> Reply:
    began, cpu = time.monotonic(), time.process_time()
    found, problem = None, ""
    actor.post.solvers.give(Deadline.after(call.seconds))
    try:
        if call.predicates is not None:
            actor.worker.begin(call.predicates)
        found = pack_reached(actor.worker.expand(unpack_nodes(call.iteration, call.nodes)))
    except GaveUp as given_up:
        problem = str(given_up)
    seconds = time.process_time() - cpu  # whatever else the machine does
    return Reply(call.number, call.worker, call.iteration, found, problem, began, seconds, dict(actor.counters()))


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    number: int
    transformers: PackedTransformers
    options: PostOptions


_DECODER = msgspec.msgpack.Decoder(_Packed)


def pack_spec(spec: Spec) -> bytes:
    packed = _Packed(spec.number, pack_transformers(spec.transformers, spec.known), spec.options)
    return msgspec.msgpack.encode(packed)


def unpack_spec(data: bytes) -> Spec:
    packed = _DECODER.decode(data)
    transformers, known = unpack_transformers(packed.transformers)
    return Spec(packed.number, tuple(transformers), tuple(known), packed.options)


def name(number: int) -> str:
    return f"worker {number}"


WORKERS: ActorKind[Spec, Call, Reply] = ActorKind(
    "tree", pack_spec, unpack_spec, WorkerActor, perform, lambda call: name(call.worker), Call, Reply
)


class Inline(hosting.Inline[Spec, Call, Reply]):
    """One worker, in the master's process."""

    def make(self, spec: Spec) -> WorkerActor:
        return WorkerActor(spec)

    def perform(self, call: Call) -> Reply:
        return perform(self.actors[name(call.worker)], call)
