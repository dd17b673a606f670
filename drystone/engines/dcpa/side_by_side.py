"""Several analyses of one program: each goes on for a while, the first verdict is that of all of them.

They may differ in their domains, in their decompositions, or in both (the future work of Kettl 2022, sections 6.4.1 and 6.4.3).
What one of them knows when it is quiet, the others begin again with: INVARIANT messages to the workers of the blocks that begin
there. So values at all branches can help path formulas that only loop heads keep apart. The last analysis is the one that the
others are there for; those before whose states others understand only look forwards, from the initial state.
"""

from __future__ import annotations

from collections.abc import Sequence

from drystone.base.clock import now
from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.dcpa.search import Going, Search
from drystone.engines.deepening import Outcome

_SECONDS, _CALLS = 0.05, 8  # of one analysis, before the others go on; calls where time must not decide


class Turns:
    """Says when others are to go on."""

    def __init__(self, is_counted: bool) -> None:
        self.is_counted = is_counted
        self._began = 0.0

    def begin(self) -> None:
        self._began = 0.0 if self.is_counted else now()

    def is_over(self) -> bool:
        """Asked after each call, or each round."""
        if self.is_counted:
            self._began += 1
            return self._began >= _CALLS
        return now() >= self._began + _SECONDS


class Company:
    """Those that are at it."""

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = searches
        self.going: dict[int, Going] = {}
        self._have_told: set[int] = set()
        for number in reversed(range(len(searches))):  # the last one begins
            self._begin(number)

    def _begin(self, number: int) -> None:
        known = self.going.pop(number, None)
        if known is not None:
            known.close()
        self.going[number] = self.searches[number].run(is_for_others=number < len(self.searches) - 1)

    def step(self, number: int) -> Outcome | None:
        """Its outcome, if it has come to an end."""
        try:
            next(self.going[number])
        except StopIteration as done:
            del self.going[number]
            outcome: Outcome = done.value
            self.searches[number].outcome = outcome
            return outcome
        return None

    def tell(self, number: int) -> None:
        """What it has found out, once; for whom it is new, that one begins again."""
        if number in self._have_told:
            return
        self._have_told.add(number)
        invariants = self.searches[number].learned()
        for other, search in enumerate(self.searches):
            if other != number and search.hear(invariants):
                self._begin(other)


def side_by_side(searches: Sequence[Search], turns: Turns, deadline: Deadline) -> Outcome:
    """The first verdict, or what the last analysis says. Each of them asks `turns` whether it has gone on for long enough."""
    company, last = Company(searches), len(searches) - 1
    outcome: Outcome | None = None
    while company.going:
        for number in list(company.going):
            turns.begin()
            ended = company.step(number)
            if ended is None:
                continue
            if ended.verdict is not Verdict.UNKNOWN or ended.deeper:
                return ended
            if number == last:
                outcome = ended
            if not deadline.expired():
                company.tell(number)
    assert outcome is not None  # the last one has ended, too
    return outcome
