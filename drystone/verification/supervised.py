"""Work in a child process under the limits of time and memory: what it says about itself, and what to say if it is cut short."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import msgspec

from drystone.base.plurals import counted
from drystone.base.refusal import Refusal
from drystone.runtime.watchdog import End, Limits, Send, Usage, supervise
from drystone.verification.messages import Doing, Failed, Message, Refused

Tell = Callable[[Message], None]
OnProgress = Callable[[str, dict[str, int]], None]
"""Called with what the work is at ("reading", "unrolling", ...) and counters, whenever one of them changes."""
OnTick = Callable[[float], None]
"""Called several times a second with the seconds that have passed."""

_RESERVE_SHARE, _RESERVE_SECONDS = 0.1, 3.0  # of the time limit, for replaying and reporting
_LONGEST = 30 * 86_400.0  # seconds

_IN_WORDS = {
    "reading": "reading the program",
    "replaying": "repeating the execution that was found",
    "replaying natively": "running the compiled program",
    "checking the certificate": "checking the proof",
    "checking": "checking the proof",
    "runs": "executing the program",
    "preparing": "preparing the program",
    "unrolling": "unrolling loops",
    "query": "waiting for a solver",
    "induction": "trying induction",
    "candidates": "looking for loop invariants",
    "pruning": "looking for loop invariants",
    "summaries": "verifying the parts of the program",
    "contracts": "looking for contracts of functions",
    "claims": "looking for what holds of pairs of threads",
}
"""What engines call what they do (`engines.outcome.Progress`), for people who have not watched."""


@cache
def _decoder() -> msgspec.msgpack.Decoder[Message]:
    """Made when the child is at work already: it takes a while."""
    return msgspec.msgpack.Decoder(Message)


class Ending(msgspec.Struct, frozen=True):
    """How work came to its end."""

    end: End
    failed: Failed | None = None  # a bug in drystone


def unheard(phase: str, counters: dict[str, int]) -> None:
    """For whoever does not want to know."""


def planned(timeout: float | None) -> float:
    """Seconds that work may plan with. There are always finitely many, since it divides what it has."""
    return min(timeout if timeout is not None else _LONGEST, _LONGEST)


def working_seconds(timeout: float | None) -> float:
    """That engines have: some of the wall time is kept for replaying and reporting."""
    seconds = planned(timeout)
    return seconds - min(_RESERVE_SECONDS, _RESERVE_SHARE * seconds)


class Watching:
    """What the work has said about itself."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._last = Doing("starting", {})
        self._checked: int | None = None
        self._refused: Refused | None = None
        self._failed: Failed | None = None

    @property
    def last_counters(self) -> dict[str, int]:
        return self._last.counters

    def hear(self, message: Message) -> None:
        match message:
            case Doing():
                self._last = message
                self._checked = message.checked if message.checked is not None else self._checked
                self._on_progress(message.phase, message.counters)
            case Refused():
                self._refused = message
            case Failed():
                self._failed = message
            case _:
                raise AssertionError(message)

    def supervise(
        self, work: Callable[[Tell], None], timeout: float | None, memory: int | None, on_tick: OnTick
    ) -> tuple[Usage, Ending]:
        """Returns when the work has ended, and no process of it is left. Raises a `Refusal` if it could not use its input."""

        def encoded(send: Send) -> None:
            work(lambda message: send(msgspec.msgpack.encode(message)))

        limits = Limits(math.inf if timeout is None else timeout, math.inf if memory is None else memory)
        usage = supervise(encoded, limits, lambda message: self.hear(_decoder().decode(message)), on_tick)
        if self._refused is not None:
            raise Refusal(self._refused.message)
        return usage, Ending(usage.end, self._failed)

    def cut_short(self, usage: Usage) -> tuple[str, str, str]:
        """Reason, cause and hint where the work did not come to its end."""
        activity, engine = self._last.activity, self._last.engine
        at = f" while {_IN_WORDS.get(activity, activity)}" + (f" ({engine})" if engine else "")
        at += f": no error is reached within {counted(self._checked, 'loop iterations')}" if self._checked else ""
        match usage.end:
            case End.TIME:
                return f"out of time after {usage.wall:.1f} s{at}", "time", "a longer --timeout"
            case End.MEMORY:
                return f"out of memory at {usage.peak >> 20} MB{at}", "memory", "a larger --memory"
            case End.INTERRUPTED:
                return f"interrupted{at}", "interrupted", ""
            case _:
                what = self._failed.error if self._failed is not None else f"the engine's process ended {usage.detail}"
                return f"internal error: {what}{at}", "crash", "another --engine; please report this"
