"""How long something may take, as a point in time."""

from __future__ import annotations

import math
from collections.abc import Callable

from drystone.base.clock import now


class Deadline:
    """A point in time that the engine asks for and should not exceed; the watchdog, not the deadline, enforces limits."""

    def __init__(self, end: float = math.inf, clock: Callable[[], float] = now) -> None:
        self._end, self._clock = end, clock

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = now) -> Deadline:
        return cls(clock() + seconds, clock)

    def remaining(self) -> float:
        """Seconds, at least 0; infinite where there is no limit."""
        return max(0.0, self._end - self._clock())

    def expired(self) -> bool:
        return self._clock() >= self._end

    def within(self, seconds: float) -> Deadline:
        """The sooner of this deadline and `seconds` from now."""
        return Deadline(min(self._end, self._clock() + seconds), self._clock)
