"""Implicit predicate abstraction (Cimatti, Griggio, Mover, Tonetta 2014): a state as a cube over the block's predicates."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.engines.dss.lemmas.frames import Frames
from drystone.logic import terms
from drystone.logic.evaluation import Value, evaluate
from drystone.logic.sorts import Array
from drystone.logic.terms import Term
from drystone.solvers import Answer


class Predicates:
    def __init__(self, frames: Frames) -> None:
        self.frames = frames
        self.known: dict[Term, None] = {}

    def add(self, literals: Sequence[Term]) -> int:
        """The atoms of the literals become predicates: how many are new?"""
        before = len(self.known)
        for literal in literals:
            self.known.setdefault(literal.arguments[0] if literal.operator == "not" else literal)
        return len(self.known) - before

    def model(self, formulas: Sequence[Term]) -> dict[Term, Value]:
        """The values of all symbols in the formulas and predicates, after a satisfiable query."""
        return self.frames.model([*formulas, *self.known])

    def lifted(self, target: Term, model: dict[Term, Value]) -> list[Term]:
        """The predicates' values in the model; only those that lead to the target, if they suffice with the model's inputs."""
        if not self.known:
            return []
        predicates = list(self.known)
        values = evaluate(predicates, model, 0)
        literals = _without_implied(
            [each if value else terms.negate(each) for each, value in zip(predicates, values, strict=True)]
        )
        fixed = []
        for symbol, value in model.items():
            if symbol.operator == "input" and not isinstance(symbol.sort, Array):
                assert isinstance(value, int)
                fixed.append(terms.equal(symbol, terms.constant(symbol.sort, value)))
        if self.frames.ask([*literals, *fixed, terms.negate(target)]) is Answer.UNSAT:
            core = self.frames.core()
            return [literal for literal in literals if literal in core]
        return literals


def _without_implied(literals: list[Term]) -> list[Term]:
    """Without `x != 3` where `x == 5` is among them."""
    known = {part for literal in literals if (part := _compared(literal)) is not None}
    return [
        literal
        for literal in literals
        if literal.operator != "not" or (part := _compared(literal.arguments[0])) is None or part not in known
    ]


def _compared(atom: Term) -> Term | None:
    """What an equality compares with a constant."""
    if atom.operator != "=":
        return None
    left, right = atom.arguments
    return left if right.operator == "const" else right if left.operator == "const" else None
