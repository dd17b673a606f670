"""Bounded model checking along a way that another search has found, on the program as it is.

What was found on a slice may not be repeated on the program: what was sliced away may stand in its way, and so may a null
pointer, or what is in memory, where that was forgotten. Here nothing is left out, but an execution is followed only as long as it
passes the landmarks, the cut points of the slice, in the order of the way. Other loops are unrolled in between.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.bmc import BmcOptions, Run
from drystone.engines.deepening import Outcome
from drystone.engines.outcome import Observer
from drystone.ir.loops import loop_heads
from drystone.pipeline import Abstraction, PreparedProgram
from drystone.symbolic.states import Guard, State
from drystone.symbolic.unrolling import Unrolling

_MOST_PASSES = 200  # through loop heads


class GuidedRun(Run):
    """`way`: landmarks, as locations of the program before it was sliced."""

    def __init__(
        self,
        prepared: PreparedProgram,
        options: BmcOptions,
        observer: Observer,
        counters: dict[str, int],
        bound: int,
        landmarks: frozenset[int],
        way: Sequence[int],
    ) -> None:
        exact = msgspec.structs.replace(options, slicing=False, null_ends=True)
        super().__init__(prepared.under(Abstraction.EXACT), exact, observer, counters, bound)
        self.landmarks, self.way = landmarks, way
        self.unrolling = Unrolling(self.symbolic, loop_heads(self.symbolic.procedure, landmarks))

    def run(self, deadline: Deadline) -> Outcome:
        """FALSE with inputs, if an execution takes the way and gets to an error behind it."""
        self.deadline = deadline
        states = {(0, self.symbolic.procedure.entry): self.symbolic.initial()}
        while states and self.unrolling.depth < _MOST_PASSES and not deadline.expired():
            states, errors = self._advance(states)
            found = self._errors(errors) if errors else None
            if found is not None:
                return found
        return Outcome(Verdict.UNKNOWN, "no execution was found that takes the path to the error")

    def _advance(self, states: dict[tuple[int, int], State]) -> tuple[dict[tuple[int, int], State], list[tuple[int, Guard]]]:
        """One step from every state; states are told apart by how much of the way lies behind them."""
        unrolling, errors = self.unrolling, list[tuple[int, Guard]]()
        reached: dict[tuple[int, int], list[State]] = {}
        for (passed, location), state in sorted(states.items(), key=lambda item: item[0]):
            stamp = f"{unrolling.depth}.{passed}.{location}"
            step = self.symbolic.step(location, state, unrolling.order(location), unrolling.cut_points, stamp)
            unrolling.steps.append((location, step))
            if passed == len(self.way):
                errors += step.errors
            for target, after in step.exits.items():
                if target not in self.landmarks:
                    reached.setdefault((passed, target), []).append(after)
                elif passed < len(self.way) and self.way[passed] == target:
                    reached.setdefault((passed + 1, target), []).append(after)
        unrolling.depth += 1
        merged = {key: each[0] if len(each) == 1 else self.symbolic.merge(each, key[1]) for key, each in reached.items()}
        return merged, errors
