"""Looks for a concrete reason why a certificate is wrong, with the interpreter instead of solvers and transformers.

An execution from the entry that reaches a state which an invariant excludes; or one from a state that the invariants allow,
over one block, to an error or to a state that they exclude. Nothing found says nothing.
"""

from __future__ import annotations

import random

from drystone.claims.certificates import InductiveCertificate, KInductiveCertificate
from drystone.ir.automaton import Program
from drystone.ir.loops import loop_heads
from drystone.logic import terms
from drystone.logic.evaluation import evaluate
from drystone.logic.sorts import Array
from drystone.logic.terms import TRUE, Term
from drystone.memory.regions import Regions
from drystone.passes.inline import MAX_EDGES, inline
from drystone.passes.scalarise import scalarise
from drystone.passes.slicing import slice_program
from tests.symbolic.concrete import Concrete, ConcreteProgram, OutsideAssumptions
from tests.symbolic.inputs import PlacedInputs
from tests.symbolic.states import RandomStates, reached_states


class NotEvaluated(Exception):
    """The invariants speak of memory or pointers; the interpreter has other addresses than symbolic execution."""


class Refuter:
    """One program, unsliced or sliced, and any number of certificates."""

    def __init__(self, program: Program, recursion: int, sliced: bool) -> None:
        flat = inline(program, recursion_bound=recursion, max_edges=MAX_EDGES)
        flat = scalarise(flat, Regions(flat))
        self.original = {location: location for location in range(flat.procedures[flat.entry].locations)}
        if sliced:
            slice_ = slice_program(flat)
            self.original = dict(enumerate(slice_.locations))
            flat = scalarise(slice_.program, Regions(slice_.program))
        self.concrete = ConcreteProgram(flat)
        self.procedure = flat.procedures[flat.entry]

    def refuted(self, certificate: InductiveCertificate | KInductiveCertificate, seed: int, states: int = 40) -> str:
        """Why it is wrong; empty if nothing was found."""
        claimed = {each.location: each.conjuncts() for each in certificate.invariants}
        here = {place: terms.conjunction(claimed[before]) for place, before in self.original.items() if before in claimed}
        # a place with one predecessor may lie within a piece of the interpreter's code: its states are not seen
        incoming = [0] * self.procedure.locations
        for edge in self.procedure.edges:
            incoming[edge.target] += 1
        cut_points = loop_heads(self.procedure, frozenset(here))
        if any(incoming[cut] < 2 for cut in cut_points):
            return ""
        reached: dict[int, list[Concrete]] = {}
        for salt in range(seed, seed + 12):
            for location, state in reached_states(self.concrete, cut_points, _Varied(salt), 40):
                reached.setdefault(location, []).append(state)
                if not self._holds(here.get(location, TRUE), state):
                    return f"a state that is reached at {location} is excluded"
        if isinstance(certificate, KInductiveCertificate):
            return ""
        arbitrary = RandomStates(self.concrete, random.Random(seed))
        source = random.Random(seed)
        for location, known in sorted(reached.items()):
            for number in range(states):
                state = source.choice(known)
                if number % 4:
                    state = arbitrary.perturbed(state)
                if self._holds(here.get(location, TRUE), state):
                    found = self._leads_out(location, state, cut_points, here, seed + number)
                    if found:
                        return found
        return ""

    def _leads_out(self, start: int, state: Concrete, cut_points: frozenset[int], here: dict[int, Term], seed: int) -> str:
        try:
            end = next(iter(self.concrete.run(start, state, cut_points, PlacedInputs(seed))))
        except OutsideAssumptions:
            return ""
        if end.kind in ("error", "unknown"):
            return f"an allowed state at {start} leads to {end.kind}"
        if end.kind == "cut" and not self._holds(here.get(end.location, TRUE), end.state):
            return f"an allowed state at {start} leads to an excluded one at {end.location}"
        return ""

    def _holds(self, formula: Term, state: Concrete) -> bool:
        values = {}
        for symbol in terms.free_symbols(formula):
            is_address = symbol.sort == self.concrete.program.pointer  # other variables are narrower in these programs
            if isinstance(symbol.sort, Array) or is_address or symbol.payload not in state.variables:
                raise NotEvaluated(symbol.payload)
            values[symbol] = state.variables[symbol.payload]
        return bool(evaluate([formula], values)[0])


class _Varied(PlacedInputs):
    """Another value each time a place asks."""

    def __init__(self, salt: int) -> None:
        super().__init__(salt)
        self.asked = 0

    def value(self, input, edge):  # type: ignore[no-untyped-def]
        self.asked += 1
        self.stamp = str(self.asked)
        return super().value(input, edge)
