"""A program as a transition system: what happens between two cut points, as one transformer per cut point.

Cut points are the loop heads. The transformer of a cut point says, over the variables there and the inputs of the block, when
control gets to which cut point next and what the variables are then; and when it gets to an error or unknown
location on the way. The entry has a transformer, too, whose state is the initial one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from drystone.ir.automaton import Mark, MarkKind, Origin
from drystone.ir.loops import loop_heads
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array, Sort
from drystone.logic.substitution import Substitution
from drystone.logic.terms import FALSE, Term, make
from drystone.logic.walks import reachable
from drystone.symbolic.execution import Step, SymbolicProgram
from drystone.symbolic.states import State

ENTRY = -1
"""Stands for the program's entry among cut points."""


class Exit(msgspec.Struct, frozen=True, dict=True):
    """Control gets to the target exactly when the guard holds, and then these are the values of what is live there."""

    guard: Term
    values: dict[str, Term]
    sorts: dict[str, Sort]

    @cached_property
    def substitution(self) -> Substitution:
        return Substitution({terms.state(name, self.sorts[name]): value for name, value in self.values.items()})

    def after(self, formula: Term) -> Term:
        """The formula about the state at the target, as one about the state at the start."""
        return self.substitution(formula)

    def pre(self, formula: Term) -> Term:
        """When does control get to the target in a state where the formula holds?"""
        return make("and", BOOL, self.guard, self.after(formula))


class Bad(msgspec.Struct, frozen=True):
    """A way to a place that a proof must exclude: an error, or something that is not modelled."""

    location: int
    guard: Term
    mark: Mark


class Transformer(msgspec.Struct, frozen=True, dict=True):
    start: int
    exits: dict[int, Exit]
    bad: tuple[Bad, ...]

    @cached_property
    def violation(self) -> Term:
        """When does the block get to something bad?"""
        return terms.disjunction([each.guard for each in self.bad])


class TransitionSystem:
    """The transformers of a program of one procedure. `original[c]` is the cut point c in the unsliced program."""

    def __init__(self, symbolic: SymbolicProgram, original: dict[int, int] | None = None, given: Iterable[int] = ()) -> None:
        """`given`: cut points that come first; what they leave of the cycles is cut at loop heads."""
        self.symbolic = symbolic
        self.heads = loop_heads(symbolic.procedure, frozenset(given))
        self.initial = self.transformer(ENTRY)
        self.blocks: dict[int, Transformer] = {}
        waiting = sorted(self.initial.exits, reverse=True)
        while waiting:  # only what control may reach
            cut = waiting.pop()
            if cut not in self.blocks:
                block = self.blocks[cut] = self.transformer(cut)
                waiting.extend(sorted(block.exits, reverse=True))
        self.cut_points = sorted(self.blocks)
        self.original = original if original is not None else {cut: cut for cut in (*self.heads, *self.cut_points)}

    def transformer(self, cut: int, edges: frozenset[int] | None = None) -> Transformer:
        """What happens from a cut point, or from the entry, to the next cut points; along these edges if they are given."""
        symbolic = self.symbolic
        if cut == ENTRY:
            location, state, stamp = symbolic.procedure.entry, symbolic.initial(), "entry"
        else:
            location, state, stamp = cut, symbolic.symbolic(), f"@{cut}"
        step = symbolic.step(location, state, symbolic.order(location, self.heads), self.heads, stamp, edges)
        exits = {
            target: exit_to(symbolic, target, state) for target, state in step.exits.items() if state.guard.term is not FALSE
        }
        return Transformer(cut, exits, tuple(bad_places(symbolic, step)))

    def all_blocks(self) -> list[Transformer]:
        return [self.initial, *(self.blocks[cut] for cut in self.cut_points)]

    def all_terms(self) -> list[Term]:
        """Of all formulas, arguments before those that use them."""
        formulas: list[Term] = []
        for block in self.all_blocks():
            formulas.append(block.violation)
            for exit in block.exits.values():
                formulas += (exit.guard, *exit.values.values())
        return reachable(formulas)

    def live(self, cut: int) -> list[str]:
        """The variables and regions whose values matter at a cut point."""
        names = self.symbolic.live(cut)
        return names if names is not None else list(self.symbolic.sorts)

    def live_variables(self, cut: int) -> list[Term]:
        """The live variables, without memory, as terms."""
        sorts = self.symbolic.sorts
        return [terms.state(name, sorts[name]) for name in self.live(cut) if not isinstance(sorts[name], Array)]

    def origin(self, location: int) -> Origin:
        """Where in the source a location lies: where the first of its edges comes from."""
        edges = self.symbolic.outgoing[location]
        return self.symbolic.procedure.edges[edges[0]].origin if edges else self.symbolic.procedure.origin


def exit_to(symbolic: SymbolicProgram, target: int, state: State) -> Exit:
    """What is known at a cut point of a state that was executed up to it."""
    values = {}
    live = symbolic.live(target)
    for name in live if live is not None else state.environment:  # what is not in there has not changed
        value = state.environment[name]
        if value is not terms.state(name, symbolic.sorts[name]):
            values[name] = value
    return Exit(state.guard.term, values, symbolic.sorts)


def bad_places(symbolic: SymbolicProgram, step: Step) -> list[Bad]:
    """What a step says of error and unknown locations, and of what symbolic execution does not model."""
    marks, edges = symbolic.procedure.marks, symbolic.procedure.edges
    found = []
    for location, guard in (*step.errors, *step.unknowns):
        found.append(Bad(location, guard.term, marks[location]))
    for location, guard, what in step.refused:
        found.append(Bad(location, guard.term, Mark(MarkKind.UNKNOWN, what, edges[symbolic.outgoing[location][0]].origin)))
    return [each for each in found if each.guard is not FALSE]
