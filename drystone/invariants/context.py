"""What the sources of candidates share: the system, sampled states, and which variables and cells matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

from drystone.base.deadline import Deadline
from drystone.invariants.atoms import Atoms
from drystone.invariants.compiled_terms import CompiledTerms
from drystone.invariants.flags import Valuations
from drystone.invariants.interpretation import Interpretation
from drystone.invariants.sampling import Constants, Samples, Starts, sample
from drystone.logic import terms
from drystone.logic.semantics import signed
from drystone.logic.sorts import BitVec
from drystone.logic.terms import Term
from drystone.symbolic.transformers import TransitionSystem

Proposal = Term | Valuations
Candidates = dict[int, Sequence[Proposal]]
"""Per cut point, Boolean terms over state variables, and sets of values that may grow."""

SAMPLING_SECONDS = 1.0
INTERPRETATION_SECONDS = 3.0
MOST_CANDIDATES = 300
"""Per cut point, of all sources together."""
FEWEST_CANDIDATES = 12
_MOST_ALTOGETHER = 3_000
_TERMS_AFFORDED = 1_500_000  # terms of the system times candidates per cut point
MOST_CELLS = 24
_MOST_CONSTANTS = 3_000
_COPY_STEPS = 3


class Source(Protocol):
    """Where candidates come from: one of `invariants.registry`."""

    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        """Candidates, better ones first. They may be wrong, but each holds in the sampled states."""


class Context:
    def __init__(self, system: TransitionSystem, seed: int, deadline: Deadline, starts: Starts | None = None) -> None:
        self.system, self.seed, self.deadline, self.starts = system, seed, deadline, starts

    @cached_property
    def all_terms(self) -> list[Term]:
        """Every subterm of the system, arguments first."""
        return self.system.all_terms()

    @cached_property
    def limit(self) -> int:
        """How many candidates a cut point may have: fewer where queries are large or many."""
        by_size = _TERMS_AFFORDED // max(1, len(self.all_terms))
        by_number = _MOST_ALTOGETHER // max(1, len(self.system.cut_points))
        return max(FEWEST_CANDIDATES, min(MOST_CANDIDATES, by_size, by_number))

    def has_samples(self, cut: int) -> bool:
        """Otherwise nothing tells wrong candidates from right ones, and only the best ones should be proposed."""
        return bool(self.samples.at(cut))

    @cached_property
    def constants(self) -> Constants:
        return Constants(self.all_terms)

    @cached_property
    def all_constants(self) -> dict[int, list[int]]:
        """The numbers of each width that occur anywhere, and those next to them, as signed integers in order."""
        found: dict[int, set[int]] = {}
        for term in self.all_terms:
            if term.operator == "const" and type(term.sort) is BitVec and term.sort.width > 1:
                value = signed(term.payload, term.sort.width)
                found.setdefault(term.sort.width, set()).update((value - 1, value, value + 1))
        return {
            width: sorted(each for each in values if -(1 << width - 1) <= each < 1 << width - 1)[:_MOST_CONSTANTS]
            for width, values in found.items()
        }

    @cached_property
    def equated(self) -> dict[Term, frozenset[int]]:
        """The constants that variables are asked to equal."""
        found: dict[Term, set[int]] = {}
        for term in self.all_terms:
            if term.operator == "=":
                a, b = term.arguments
                for variable, constant in ((a, b), (b, a)):
                    if variable.operator == "state" and constant.operator == "const" and type(constant.sort) is BitVec:
                        found.setdefault(variable, set()).add(constant.payload)
        for _ in range(_COPY_STEPS):  # a variable that is copied into another is told apart like it
            for variable, values in self.copied.items():
                for source in values:
                    if variable in found:
                        found.setdefault(source, set()).update(found[variable])
        return {variable: frozenset(values) for variable, values in found.items()}

    @cached_property
    def copied(self) -> dict[Term, set[Term]]:
        """The variables whose values may become the value of a variable, unchanged."""
        found: dict[Term, set[Term]] = {}
        for block in self.system.all_blocks():
            for exit in block.exits.values():
                for name, value in exit.values.items():
                    seen = {value}
                    stack = [value]
                    while stack:
                        term = stack.pop()
                        if term.operator == "state" and type(term.sort) is BitVec and term.payload != name:
                            found.setdefault(terms.state(name, value.sort), set()).add(term)
                        if term.operator == "ite":
                            for branch in term.arguments[1:]:
                                if branch not in seen:
                                    seen.add(branch)
                                    stack.append(branch)
        return found

    @cached_property
    def atoms(self) -> Atoms:
        return Atoms(self.system, self.all_terms, self.importance)

    @cached_property
    def interpretation(self) -> Interpretation:
        share = min(INTERPRETATION_SECONDS, self.deadline.remaining() / 5)
        return Interpretation(self.system, self.all_constants, self.deadline.within(share))

    @cached_property
    def samples(self) -> Samples:
        share = min(SAMPLING_SECONDS, self.deadline.remaining() / 5)
        return sample(self.system, self.seed, self.deadline.within(share), self.constants, self.starts)

    @cached_property
    def importance(self) -> dict[Term, int]:
        """State variables by their distance from the errors: 0 if an error depends on them at once. Others are missing."""
        return _distances(self.system)

    def variables(self, cut: int, most: int) -> list[Term]:
        """Live bit-vector variables, the nearest to the errors first."""
        found = [variable for variable in self.system.live_variables(cut) if type(variable.sort) is BitVec]
        return sorted(found, key=self.distance)[:most]

    def distance(self, variable: Term) -> int:
        """From the errors."""
        return self.importance.get(variable, len(self.importance) + 1)

    @cached_property
    def _cells(self) -> list[Term]:
        """Memory at constant addresses that blocks read, or that has a value from the start on."""
        found: dict[Term, None] = {}
        for term in self.all_terms:
            if term.operator == "select" and term.arguments[0].operator == "state" and term.arguments[1].operator == "const":
                found[term] = None
        for exit in self.system.initial.exits.values():
            for name, value in exit.values.items():
                stored = 0
                while value.operator == "store" and stored < MOST_CELLS:
                    if value.arguments[1].operator == "const":
                        found[terms.select(terms.state(name, value.sort), value.arguments[1])] = None
                    value = value.arguments[0]
                    stored += 1
        return list(found)[:MOST_CELLS]

    def observables(self, cut: int, most: int) -> list[Term]:
        """Variables and, where there is room, live memory cells."""
        found = self.variables(cut, most)
        live = set(self.system.live(cut))
        return [*found, *(cell for cell in self._cells if cell.arguments[0].payload in live)][:most]

    def values(self, cut: int, observed: Sequence[Term]) -> list[list[int]]:
        """Per sampled state the values of these terms."""
        compiled = CompiledTerms(observed)
        return [compiled.values(state) for state in self.samples.at(cut)]

    def consistent(self, cut: int, candidates: Iterable[Term]) -> list[Term]:
        """The candidates, each once, that hold in all sampled states."""
        left = list(dict.fromkeys(term for term in candidates if term.operator != "const"))
        states = self.samples.at(cut)
        done = 0
        for upto in (1, 4, 16, len(states)):  # most wrong ones fall at once, and so are evaluated few times
            if upto <= done or not left:
                continue
            compiled = CompiledTerms(left)
            held = [True] * len(left)
            for state in states[done:upto]:
                for position, value in enumerate(compiled.values(state)):
                    if not value:
                        held[position] = False
            left = [term for term, fine in zip(left, held, strict=True) if fine]
            done = upto
        return left


def _distances(system: TransitionSystem) -> dict[Term, int]:
    """Breadth first from the errors' and the guards' variables backwards through assignments."""
    assigned: dict[str, list[Term]] = {}
    for block in system.all_blocks():
        for exit in block.exits.values():
            for name, value in exit.values.items():
                assigned.setdefault(name, []).append(value)
    found: dict[Term, int] = {}
    layer = [block.violation for block in system.all_blocks()]
    distance = 0
    seen: set[Term] = set(layer)
    while layer:
        reached: list[Term] = []
        stack = layer
        while stack:
            term = stack.pop()
            if term.operator == "state" and term not in found:
                found[term] = distance
                reached.append(term)
            for argument in term.arguments:
                if argument not in seen:
                    seen.add(argument)
                    stack.append(argument)
        layer = []
        for variable in reached:
            for value in assigned.get(variable.payload, ()):
                if value not in seen:
                    seen.add(value)
                    layer.append(value)
        if not layer and distance == 0:
            layer = [exit.guard for block in system.all_blocks() for exit in block.exits.values() if exit.guard not in seen]
            seen.update(layer)
        distance += 1
    return found
