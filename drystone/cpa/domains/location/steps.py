"""The domain of locations: which large blocks begin where, and where they lead."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.ir.automaton import Mark, MarkKind
from drystone.symbolic.transformers import Exit, TransitionSystem


class Step(msgspec.Struct, frozen=True):
    """All executions from one cut point to another, or to a place that a proof must exclude."""

    source: int
    target: int
    exit: Exit


class Steps:
    """Of one transition system."""

    def __init__(self, system: TransitionSystem, *, to_bad: bool = True) -> None:
        """`to_bad`: with the steps that a proof must exclude."""
        self.system = system
        self.marks: dict[int, Mark] = {}
        self._from: dict[int, list[Step]] = {}
        for block in system.all_blocks():
            steps = self._from[block.start] = [Step(block.start, target, exit) for target, exit in block.exits.items()]
            for bad in block.bad if to_bad else ():
                self.marks[bad.location] = bad.mark
                steps.append(Step(block.start, bad.location, Exit(bad.guard, {}, system.symbolic.sorts)))

    def of(self, location: int) -> Sequence[Step]:
        return self._from.get(location, ())

    def is_bad(self, location: int) -> bool:
        mark = self.marks.get(location)
        return mark is not None and mark.kind is not MarkKind.HALT
