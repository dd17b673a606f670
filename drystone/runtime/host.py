"""A host: it has some actors, as bytes until they are needed, and does calls for them one after the other."""

from __future__ import annotations

from typing import Any

import msgspec

from drystone.engines.hosting import KINDS, ActorKind


class Load(msgspec.Struct, frozen=True, tag=0, array_like=True):
    """The host's actors, all of one kind, instead of those it had."""

    kind: str
    specs: dict[str, bytes]


class Perform(msgspec.Struct, frozen=True, tag=1, array_like=True):
    call: msgspec.Raw


class Done(msgspec.Struct, frozen=True, tag=2, array_like=True):
    reply: msgspec.Raw


class Failed(msgspec.Struct, frozen=True, tag=3, array_like=True):
    """A bug in drystone."""

    error: str


Request = Load | Perform
Response = Done | Failed

_REQUESTS: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_RESPONSES: msgspec.msgpack.Decoder[Response] = msgspec.msgpack.Decoder(Response)


def encode(message: Request | Response) -> bytes:
    return msgspec.msgpack.encode(message)


def encode_call(call: object) -> bytes:
    return encode(Perform(msgspec.Raw(msgspec.msgpack.encode(call))))


def decode_response(data: bytes) -> Response:
    return _RESPONSES.decode(data)


class Host:
    def __init__(self) -> None:
        self._kind: ActorKind[Any, Any, Any]
        self._calls: msgspec.msgpack.Decoder[Any]
        self._specs: dict[str, bytes] = {}
        self._actors: dict[str, Any] = {}

    def handle(self, data: bytes) -> bytes | None:
        """What it answers to a request, if anything."""
        request = _REQUESTS.decode(data)
        if isinstance(request, Load):
            self._kind = KINDS[request.kind].load()
            self._calls = msgspec.msgpack.Decoder(self._kind.calls)
            self._specs, self._actors = request.specs, {}
            return None
        kind, call = self._kind, self._calls.decode(request.call)
        try:
            id = kind.receiver(call)
            actor = self._actors.get(id)
            if actor is None:
                actor = self._actors[id] = kind.actor(kind.unpack(self._specs[id]))
            return encode(Done(msgspec.Raw(msgspec.msgpack.encode(kind.perform(actor, call)))))
        except MemoryError:
            raise
        except Exception as bug:
            text = " ".join(str(bug).split())[:300]
            return encode(Failed(f"{type(bug).__name__}: {text}"))
