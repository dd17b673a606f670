"""Engines side by side, each in a process of its own: the first evidence wins, the others are stopped.

The processes are forks, so all that was prepared before is there for each of them. What they tell goes through pipes: progress
and violations as they come, at last the result. A process that dies leaves the question to the others.
"""

from __future__ import annotations

import os
import selectors
import signal
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec

from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation

Line = Callable[[Observer], EngineResult]
"""What one process does: it tells the observer how it goes, and gives a result."""

_LENGTH = struct.Struct("<I")


class _Going(msgspec.Struct, frozen=True, tag=True):
    progress: Progress


class _Found(msgspec.Struct, frozen=True, tag=True):
    violation: Violation


class _Done(msgspec.Struct, frozen=True, tag=True):
    result: EngineResult


_DECODER = msgspec.json.Decoder(_Going | _Found | _Done)  # JSON, because inputs may have more than 64 bits


def side_by_side(lines: Sequence[Line], observer: Observer) -> EngineResult:
    """The first result that is a verdict; otherwise the last one, with the counters of all."""
    members = [_Member(line) for line in lines]
    selector = selectors.DefaultSelector()
    for member in members:
        selector.register(member.pipe, selectors.EVENT_READ, member)
    results: list[EngineResult] = []
    try:
        while selector.get_map():
            for key, _ in selector.select():
                member = key.data
                for said in member.read():
                    if not isinstance(said, _Done):
                        observer(said.progress if isinstance(said, _Going) else said.violation)
                    else:
                        results.append(said.result)
                        if said.result.verdict is not Verdict.UNKNOWN:
                            return said.result
                if member.has_ended:
                    selector.unregister(member.pipe)
    finally:
        selector.close()
        for member in members:
            member.stop()
    if not results:
        return EngineResult(Verdict.UNKNOWN, "; ".join(dict.fromkeys(member.end for member in members)))
    counters = {name: count for result in results for name, count in result.counters.items()}
    return replace(results[-1], counters=counters)


class _Member:
    """One process and what it has said."""

    def __init__(self, line: Line) -> None:
        self.pipe, writing = os.pipe()
        self.has_ended, self.end = False, ""
        self._unread = bytearray()
        self.process = os.fork()
        if self.process == 0:
            os.close(self.pipe)
            _be_a_member(line, writing)
        os.close(writing)

    def read(self) -> list[_Going | _Found | _Done]:
        data = os.read(self.pipe, 1 << 16)
        if not data:
            self.has_ended = True
            return []
        self._unread += data
        said = []
        while len(self._unread) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._unread)
            if len(self._unread) < _LENGTH.size + length:
                break
            said.append(_DECODER.decode(bytes(self._unread[_LENGTH.size : _LENGTH.size + length])))
            del self._unread[: _LENGTH.size + length]
        return said

    def stop(self) -> None:
        os.close(self.pipe)
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
        self.end = f"an engine's process ended by {how}"


def _be_a_member(line: Line, writing: int) -> None:
    """In the new process. It never returns."""

    def say(message: _Going | _Found | _Done) -> None:
        data = msgspec.json.encode(message)
        data = _LENGTH.pack(len(data)) + data
        while data:
            data = data[os.write(writing, data) :]

    def observe(event: Progress | Violation) -> None:
        say(_Going(event) if isinstance(event, Progress) else _Found(event))

    code = 1
    try:
        say(_Done(line(observe)))
        code = 0
    except MemoryError:
        code = 3
    except BrokenPipeError:
        pass  # nobody listens any more
    except Exception as bug:
        with suppress(OSError):
            text = " ".join(str(bug).split())[:300]
            say(_Done(EngineResult(Verdict.UNKNOWN, f"internal error: {type(bug).__name__}: {text}")))
    finally:
        os._exit(code)
