"""Minimal correction sets: the smallest sets of parts of a contradiction without which the rest can hold.

They are the minimal hitting sets of the minimal contradictions (Reiter 1987), and MARCO (Liffiton, Previti, Malik, Marques-Silva
2016) finds both by asking about one subset of the parts after the other. Here the next subset is always one whose complement is
smallest: so correction sets come in the order of their size, and each is minimal when it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.logic import terms
from drystone.logic.evaluation import Value
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term
from drystone.solvers import Answer, make_solver

Parts = frozenset[int]


class Limits(msgspec.Struct, frozen=True):
    """How far correction sets are looked for."""

    size: int = 3  # parts in one
    sets: int = 100
    queries: int = 2_000  # the counted effort
    seconds: float = 30.0  # of all together
    query_seconds: float = 3.0
    run_seconds: float = 10.0  # of executions with a change


class Correction(msgspec.Struct, frozen=True):
    parts: Parts
    value: Callable[[Term], Value]  # of terms, in an execution that passes


class CorrectionSets:
    """Of a contradiction of formulas that are sure and parts that may go."""

    def __init__(self, sure: Sequence[Term], parts: Sequence[Sequence[Term]], limits: Limits, deadline: Deadline) -> None:
        self.limits, self.deadline = limits, deadline.within(limits.seconds)
        self.solver = make_solver()
        for formula in sure:
            self.solver.add(formula)
        self.literals = [terms.input_symbol(f"part {number}", BOOL) for number in range(len(parts))]
        for literal, formulas in zip(self.literals, parts, strict=True):
            for formula in formulas:
                self.solver.add(terms.implies(literal, formula))
        self.numbers = {literal: number for number, literal in enumerate(self.literals)}
        self.queries = 0
        self.unanswered = 0
        self.is_satisfiable = False  # then there is no contradiction
        self.contradictions: list[Parts] = []  # minimal ones, as far as there was time
        self.found: list[Parts] = []
        self.left_out: list[str] = []

    def smallest_first(self) -> Iterator[Correction]:
        """The correction sets. What was not looked at is in `left_out` when they are exhausted."""
        for size in range(min(self.limits.size, len(self.literals)) + 1):
            tried: set[Parts] = set()
            while (chosen := self._next(size, tried)) is not None:
                if self._is_over():
                    return
                tried.add(chosen)
                answer = self._ask([each for each in range(len(self.literals)) if each not in chosen])
                if answer is Answer.SAT and not chosen:
                    self.is_satisfiable = True
                    self.left_out.append("all: without memory that is not followed, the execution does not have to fail")
                    return
                if answer is Answer.SAT:
                    self.found.append(chosen)
                    yield Correction(chosen, self.solver.value)
                elif answer is Answer.UNKNOWN and not chosen:
                    self.contradictions.append(frozenset(range(len(self.literals))))  # as the execution shows
                elif answer is Answer.UNSAT:
                    self.contradictions.append(self._minimal(self._core()))
                    if not self.contradictions[-1]:
                        self.left_out.clear()
                        return  # what is sure is a contradiction: nothing can be corrected
        if self._next(self.limits.size + 1, set()) is not None or len(self.contradictions) > self.limits.size + 1:
            self.left_out.append(f"sets of more than {self.limits.size} lines")
        self._note_unanswered()

    def _is_over(self) -> bool:
        reason = ""
        if len(self.found) >= self.limits.sets:
            reason = f"more than {self.limits.sets} sets"
        elif self.queries >= self.limits.queries:
            reason = f"what needs more than {self.limits.queries:,} queries"
        elif self.deadline.expired():
            reason = f"what needs more than {self.limits.seconds:g} s"
        if reason:
            self.left_out.append(reason)
            self._note_unanswered()
        return bool(reason)

    def _note_unanswered(self) -> None:
        if self.unanswered:
            self.left_out.append(f"{self.unanswered} sets about which the solver gave no answer")

    def _next(self, size: int, tried: set[Parts]) -> Parts | None:
        """Parts, as many, that hit each known contradiction and contain no correction set; None: there are no others."""

        def hitting(chosen: Parts) -> Iterator[Parts]:
            if any(found <= chosen for found in self.found):
                return
            missed = next((each for each in self.contradictions if not each & chosen), None)
            if missed is not None and len(chosen) < size:
                for part in sorted(missed):
                    yield from hitting(chosen | {part})
            elif missed is None and len(chosen) == size:
                yield chosen

        return next((each for each in hitting(frozenset()) if each not in tried), None)

    def _core(self) -> list[int]:
        return [self.numbers[literal] for literal in self.solver.core() if literal in self.numbers]

    def _minimal(self, core: list[int]) -> Parts:
        """Without parts that the contradiction does not need, as far as there is time: a smaller one has fewer hitting sets."""
        kept = sorted(core)
        for part in list(kept):
            if part not in kept or len(kept) == 1 or self.queries >= self.limits.queries or self.deadline.expired():
                continue
            if self._ask([each for each in kept if each != part]) is Answer.UNSAT:
                needed = set(self._core())
                kept = [each for each in kept if each != part and each in needed]
        return frozenset(kept)

    def _ask(self, parts: list[int]) -> Answer:
        self.queries += 1
        seconds = min(self.limits.query_seconds, max(self.deadline.remaining(), 0.01))
        answer = self.solver.check([self.literals[part] for part in parts], seconds)
        self.unanswered += answer is Answer.UNKNOWN
        return answer
