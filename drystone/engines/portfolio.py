"""Engines side by side, each in a process of its own: the first evidence wins, the others are stopped.

The processes are forks, so all that was prepared before is there for each of them. What they tell goes through pipes: progress
and violations as they come, at last the result. A process that dies leaves the question to the others.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from drystone.engines.forks import Fork, Say
from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation

Line = Callable[[Observer], EngineResult]
"""What one process does: it tells the observer how it goes, and gives a result."""


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
        selector.register(member.fork.pipe, selectors.EVENT_READ, member)
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
                if member.fork.has_ended:
                    selector.unregister(member.fork.pipe)
    finally:
        selector.close()
        for member in members:
            member.fork.stop()
    if not results:
        return EngineResult(Verdict.UNKNOWN, "; ".join(dict.fromkeys(f"an engine's {member.fork.end}" for member in members)))
    counters = {name: count for result in results for name, count in result.counters.items()}
    return replace(results[-1], counters=counters)


class _Member:
    """One process and what it has said."""

    def __init__(self, line: Line) -> None:
        self.fork = Fork(lambda say: _follow(line, say))

    def read(self) -> list[_Going | _Found | _Done]:
        return [_DECODER.decode(data) for data in self.fork.read()]


def _follow(line: Line, say: Say) -> None:
    """In the new process."""

    def observe(event: Progress | Violation) -> None:
        say(msgspec.json.encode(_Going(event) if isinstance(event, Progress) else _Found(event)))

    try:
        result = line(observe)
    except (MemoryError, BrokenPipeError):
        raise
    except Exception as bug:
        text = " ".join(str(bug).split())[:300]
        result = EngineResult(Verdict.UNKNOWN, f"internal error: {type(bug).__name__}: {text}")
    say(msgspec.json.encode(_Done(result)))
