"""Unrolls a program: symbolic execution from the entry, one step of all cut points after the other.

A step executes, for every cut point that is reached, the acyclic part behind it. So after k steps every path
that passes at most k cut points has been executed, whatever the nesting of loops. States that meet at a cut point
in the same step are merged.
"""

from __future__ import annotations

from collections.abc import Iterable

from drystone.ir.loops import loop_heads
from drystone.logic import terms
from drystone.logic.sorts import bitvec
from drystone.symbolic.execution import Step, SymbolicProgram
from drystone.symbolic.states import Guard, State


def anywhere(program: SymbolicProgram, cut_points: Iterable[int]) -> dict[int, State]:
    """Any state at any of the cut points; an input says at which one control is."""
    start = program.symbolic()
    here = sorted(cut_points)
    if len(here) == 1:
        return {here[0]: start}
    sort = bitvec(max(1, (len(here) - 1).bit_length()))
    position = terms.input_symbol("start:position", sort)
    return {
        location: State(Guard(start.guard, terms.equal(position, terms.constant(sort, number))), start.environment.copy())
        for number, location in enumerate(here)
    }


class Unrolling:
    """The states at cut points after some steps. `steps` keeps what was executed, for counterexamples."""

    def __init__(
        self, program: SymbolicProgram, cut_points: frozenset[int] | None = None, states: dict[int, State] | None = None
    ) -> None:
        """From the entry, or from these (exclusive) states; the cut points are the loop heads, or these."""
        self.program = program
        self.cut_points = cut_points if cut_points is not None else loop_heads(program.procedure)
        self._orders: dict[int, list[int]] = {}
        self.depth = 0
        self.states = states if states is not None else {program.procedure.entry: program.initial()}
        self.steps: list[tuple[int, Step]] = []  # with the cut point they start from

    def order(self, location: int) -> list[int]:
        known = self._orders.get(location)
        if known is None:
            known = self._orders[location] = self.program.order(location, self.cut_points)
        return known

    def advance(self) -> list[Step]:
        """One step from every state."""
        taken: list[Step] = []
        reached: dict[int, list[State]] = {}
        for location in sorted(self.states):
            stamp = f"{self.depth}.{location}"
            step = self.program.step(location, self.states[location], self.order(location), self.cut_points, stamp)
            self.steps.append((location, step))
            taken.append(step)
            for target, state in step.exits.items():
                reached.setdefault(target, []).append(state)
        self.states = {
            target: states[0] if len(states) == 1 else self.program.merge(states, target) for target, states in reached.items()
        }
        self.depth += 1
        return taken
