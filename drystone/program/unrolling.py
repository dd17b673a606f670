"""Unrolls a program: symbolic execution from the entry, one step of all cut points after the other.

A step executes, for every cut point that is reached, the acyclic part behind it. So after k steps every path
that passes at most k cut points has been executed, whatever the nesting of loops. States that meet at a cut point
in the same step are merged.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.program.automaton import Procedure, Program
from drystone.program.inline import inline
from drystone.program.regions import Regions
from drystone.program.scalarise import scalarise
from drystone.program.slicing import slice_program
from drystone.program.symbolic import State, Step, SymbolicProgram


class NothingToProve(msgspec.Struct, frozen=True, tag="nothing"):
    """The entry reaches no error location and no unknown location: there is none in the functions it calls."""


class BoundedCertificate(msgspec.Struct, frozen=True, tag="bounded"):
    """Executions pass at most `steps` cut points and nest at most `recursion` calls of a function; none ends in an error."""

    steps: int
    recursion: int
    found_by: str  # the solver


def prepare(
    program: Program, *, recursion_bound: int, max_edges: int, sliced: bool = True, null_ends: bool = False
) -> SymbolicProgram:
    """Calls inlined, static memory as variables, and what does not matter to the answer sliced away."""
    flat = inline(program, recursion_bound=recursion_bound, max_edges=max_edges)
    flat = scalarise(flat, Regions(flat))
    if sliced:
        flat = slice_program(flat).program
        flat = scalarise(flat, Regions(flat))  # with fewer accesses, more of them are at known addresses
    return SymbolicProgram(flat, Regions(flat), null_ends)


def loop_heads(procedure: Procedure) -> frozenset[int]:
    """Targets of back edges of a depth-first search: every cycle contains one."""
    successors: list[list[int]] = [[] for _ in range(procedure.locations)]
    for edge in procedure.edges:
        successors[edge.source].append(edge.target)
    open_, heads = 1, set()
    colour = [0] * procedure.locations
    stack: list[tuple[int, Iterator[int]]] = [(procedure.entry, iter(successors[procedure.entry]))]
    colour[procedure.entry] = open_
    while stack:
        location, remaining = stack[-1]
        for target in remaining:
            if colour[target] == 0:
                colour[target] = open_
                stack.append((target, iter(successors[target])))
                break
            if colour[target] == open_:
                heads.add(target)
        else:
            colour[location] = 2
            stack.pop()
    return frozenset(heads)


class Unrolling:
    """The states at cut points after some steps. `steps` keeps what was executed, for counterexamples."""

    def __init__(self, program: SymbolicProgram) -> None:
        self.program = program
        self.cut_points = loop_heads(program.procedure)
        self._orders: dict[int, list[int]] = {}
        self.depth = 0
        self.states: dict[int, State] = {program.procedure.entry: program.initial()}
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
