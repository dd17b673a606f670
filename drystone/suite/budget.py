"""How long each program may take, where all of them share a time.

Every program that has not had its turn gets an equal share of what is left; what quick ones do not use is for the others. In the
end, programs whose share was shorter than their own limit, and not enough, are tried again with what is left then.
"""

from __future__ import annotations

import math

import msgspec

LEAST = 1.0  # seconds; with less, a run says nothing
_WORTH_IT = 1.5  # times the seconds of the last try, at least, are another try


class Budget(msgspec.Struct, frozen=True):
    limit: float  # seconds of a program
    total: float | None  # of all together, wall time; None: as long as they take
    jobs: int  # programs at a time

    def share(self, elapsed: float, waiting: int) -> float | None:
        """Seconds for the next of `waiting` programs; None: the time is over."""
        if self.total is None:
            return self.limit
        left = self.total - elapsed
        if left < LEAST:
            return None
        return min(self.limit, left, max(LEAST, left * self.jobs / waiting))

    def again(self, elapsed: float, last: float, waiting: int) -> float | None:
        """Seconds for another try of a program for which `last` were not enough; None: it would not bring more."""
        share = self.share(elapsed, waiting)
        if share is None or last >= self.limit or share < _WORTH_IT * last:
            return None
        return share


def unlimited(limit: float | None) -> float:
    return math.inf if limit is None else limit
