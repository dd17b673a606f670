"""A host: it has some blocks, as bytes until they are needed, and does calls for them one after the other."""

from __future__ import annotations

import msgspec

from drystone.engines.dss.analysis import Actor
from drystone.engines.dss.hosts import Call, Reply, perform
from drystone.engines.dss.packed_specs import unpack_spec


class Load(msgspec.Struct, frozen=True, tag=0, array_like=True):
    """The host's blocks, instead of those it had."""

    specs: dict[str, bytes]


class Perform(msgspec.Struct, frozen=True, tag=1, array_like=True):
    call: Call


class Done(msgspec.Struct, frozen=True, tag=2, array_like=True):
    reply: Reply


class Failed(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """A bug in drystone."""

    error: str


Request = Load | Perform
Response = Done | Failed

_REQUESTS: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_RESPONSES: msgspec.msgpack.Decoder[Response] = msgspec.msgpack.Decoder(Response)


def encode(message: Request | Response) -> bytes:
    return msgspec.msgpack.encode(message)


def decode_response(data: bytes) -> Response:
    return _RESPONSES.decode(data)


class Host:
    def __init__(self) -> None:
        self._specs: dict[str, bytes] = {}
        self._actors: dict[str, Actor] = {}

    def handle(self, data: bytes) -> bytes | None:
        """What it answers to a request, if anything."""
        request = _REQUESTS.decode(data)
        if isinstance(request, Load):
            self._specs, self._actors = request.specs, {}
            return None
        call = request.call
        try:
            actor = self._actors.get(call.block)
            if actor is None:
                actor = self._actors[call.block] = unpack_spec(self._specs[call.block]).actor()
            return encode(Done(perform(actor, call)))
        except MemoryError:
            raise
        except Exception as bug:
            text = " ".join(str(bug).split())[:300]
            return encode(Failed(f"{type(bug).__name__}: {text}"))
