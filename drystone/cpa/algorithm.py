"""Reachability under any analysis (Beyer, Kettl, Lemberger 2024, Algorithm 1); what is merged and kept is the adjusted state."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

import msgspec

from drystone.base.deadline import Deadline
from drystone.cpa.protocol import ConfigurableProgramAnalysis
from drystone.cpa.reached import Reached
from drystone.cpa.waitlists import Waitlist

State = TypeVar("State", bound=Hashable)
Precision = TypeVar("Precision")

_BETWEEN_LOOKS = 64  # states between two looks at the clock


class OutOfTime(Exception):
    pass


class Counted(msgspec.Struct):
    """What one or several searches have done."""

    states: int = 0  # that were reached
    transfers: int = 0  # successors that were computed
    refinements: int = 0


def explore(
    analysis: ConfigurableProgramAnalysis[State, Precision],
    reached: Reached[State],
    waiting: Waitlist[State],
    precision: Precision,
    deadline: Deadline,
    counted: Counted,
) -> State | None:
    """A target, which has been added to the reached states; None if these are all. Goes on where it has found one, if it is asked
    again. Raises `OutOfTime`."""
    looked = 0
    while waiting:
        state = waiting.pop()
        if state not in reached:
            continue  # it was merged, or cut off
        looked += 1
        if looked % _BETWEEN_LOOKS == 1 and deadline.expired():
            waiting.add(state)
            raise OutOfTime
        for successor in analysis.transfer(state, precision):
            if state not in reached:
                break  # it was merged with one of its own successors: what follows it follows that one, too, which waits
            counted.transfers += 1
            following = analysis.adjust(successor, precision)
            location = analysis.location(following)
            if analysis.is_target(following):
                waiting.add(state)  # not all that follows it has been looked at
                if following not in reached:
                    reached.add(following, state)
                return following
            if analysis.merges:
                for other in list(reached.at(location)):
                    merged = analysis.merge(following, other, precision)
                    if merged != other:
                        reached.replace(other, merged)
                        waiting.add(merged)
            if following in reached:
                if reached.before[following] != state:
                    reached.cover(state, location)
            elif analysis.stop(following, reached.at(location), precision):
                reached.cover(state, location)
            else:
                reached.add(following, state)
                counted.states += 1
                waiting.add(following)
    return None
