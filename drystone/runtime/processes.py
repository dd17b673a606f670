"""Hosts as processes of this machine, with pipes between them and the coordinator.

An actor stays on its host, so that a host's actors wait for each other. There can be more hosts than may work at a time: then
whichever actor has something to do finds a core. A host is started when it gets actors, also while others are at work.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Generic

import msgspec

from drystone.base.frames import Damaged, Disturbance, Frames, frame
from drystone.engines.dss.hosts import Call, Reply, Spec
from drystone.engines.dss.packed_specs import BLOCKS
from drystone.engines.hosting import ActorKind, CallT, Lost, ReplyT, SpecT
from drystone.runtime.host import Done, Load, decode_response, encode, encode_call
from drystone.runtime.zygote import Zygote


class HostFailed(Exception):
    """A bug in drystone, which showed in a host."""


class _Process:
    """What the coordinator knows of a host."""

    def __init__(self, number: int, stream: socket.socket, process: int) -> None:
        self.number, self.stream, self.process = number, stream, process
        self.frames = Frames()
        self.call: Any = None


class Processes(Generic[SpecT, CallT, ReplyT]):
    kind: ClassVar[ActorKind[Any, Any, Any]]

    def __init__(
        self,
        count: int,
        zygote: Zygote | None = None,
        compress: bool = False,
        disturb: Disturbance = lambda data: data,
        at_once: int | None = None,
    ) -> None:
        self.count, self.at_once, self._compress, self._disturb = count, at_once or count, compress, disturb
        self._zygote = zygote or Zygote()
        self.bytes = 0
        self._packed: dict[int, dict[str, bytes]] = {}
        self._waiting: list[ReplyT | Lost] = []
        self._replies: msgspec.msgpack.Decoder[ReplyT] = msgspec.msgpack.Decoder(self.kind.replies)
        self._selector = selectors.DefaultSelector()
        self._lifeline, self._living = os.pipe()  # hosts have the first; only this process has the second
        self._hosts: dict[int, _Process] = {}

    @property
    def processes(self) -> list[int]:
        return [host.process for host in self._hosts.values()]

    def load(self, specs: Mapping[str, SpecT], placement: Mapping[str, int]) -> None:
        self._waiting = []
        self._packed = {number: {} for number in (*self._hosts, *placement.values())}
        for id, spec in specs.items():
            self._packed[placement[id]][id] = self.kind.pack(spec)
        for number in self._packed:
            host = self._hosts.get(number)
            if host is not None and host.call is not None:  # it is at something that nobody waits for any more
                self._end(host)
                del self._hosts[number]
                host = None
            if host is None:
                host = self._hosts[number] = self._new(number)
            self._send_actors(host)

    def join(self, id: str, spec: SpecT, host: int) -> None:
        self._packed[host] = {id: self.kind.pack(spec)}
        if host not in self._hosts:  # it may be there from a search before
            self._hosts[host] = self._new(host)
        self._send_actors(self._hosts[host])

    def submit(self, host: int, call: CallT) -> None:
        process = self._hosts[host]
        process.call = call
        self._send(process, encode_call(call))

    def wait(self, seconds: float) -> list[ReplyT | Lost]:
        until = time.monotonic() + seconds
        while not self._waiting:
            left = until - time.monotonic()
            for key, _ in self._selector.select(max(0.0, left)):
                self._read(key.data)
            if left <= 0:
                break
        found, self._waiting = self._waiting, []
        return found

    def close(self) -> None:
        for host in self._hosts.values():
            self._end(host)
        self._hosts = {}
        self._selector.close()
        for descriptor in (self._lifeline, self._living):
            os.close(descriptor)
        self._zygote.close()

    def _new(self, number: int) -> _Process:
        try:
            stream, process = self._zygote.fork(self._lifeline, self._compress)
        except OSError:  # it is no more
            self._zygote = Zygote([self._living, *(host.stream.fileno() for host in self._hosts.values())])
            stream, process = self._zygote.fork(self._lifeline, self._compress)
        host = _Process(number, stream, process)
        self._selector.register(stream, selectors.EVENT_READ, host)
        return host

    def _end(self, host: _Process) -> None:
        self._selector.unregister(host.stream)
        host.stream.close()
        with suppress(ProcessLookupError):
            os.kill(host.process, signal.SIGKILL)

    def _send_actors(self, host: _Process) -> None:
        self._send(host, encode(Load(self.kind.name, self._packed.get(host.number, {}))))

    def _send(self, host: _Process, data: bytes) -> None:
        framed = frame(data, self._compress)
        self.bytes += len(framed)
        with suppress(OSError):  # its end will be noticed when it is read
            host.stream.sendall(self._disturb(framed))

    def _read(self, host: _Process) -> None:
        how = ""
        try:
            data = host.stream.recv(1 << 18)
            if data:
                self.bytes += len(data)
                for part in host.frames.feed(self._disturb(data)):
                    response = decode_response(part)
                    if not isinstance(response, Done):
                        raise HostFailed(response.error)
                    host.call = None
                    self._waiting.append(self._replies.decode(response.reply))
                return
        except Damaged as problem:
            how = str(problem)
        except OSError:
            pass
        self._lose(host, how)

    def _lose(self, host: _Process, how: str) -> None:
        self._end(host)
        del self._hosts[host.number]
        lost = Lost(host.number, how or self._zygote.how(host.process), host.call)
        self._hosts[host.number] = self._new(host.number)
        self._send_actors(self._hosts[host.number])
        self._waiting.append(lost)


class ProcessHosts(Processes[Spec, Call, Reply]):
    """Of blocks."""

    kind = BLOCKS
