"""Houdini: the largest part of a set of candidates that holds at the entry and that every block preserves.

Flanagan and Leino, Houdini, an annotation assistant for ESC/Java (FME 2001): assume all candidates, drop those that some block
falsifies, until none is dropped. Per block one solver context; one query asks whether the block falsifies *any*
candidate at its targets, and the model's next state drops all that are false in it. A block is asked again when
a candidate at its start was dropped.

Only the fixed point is sound: before it, candidates support each other that may still fall.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from drystone.analysis.candidates import Candidate
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.terms import FALSE, TRUE, Term, make, negate
from drystone.program.transformers import ENTRY, Transformer, TransitionSystem
from drystone.solvers import Answer, Solver, make_solver
from drystone.solvers.deadline import Deadline

QUERY_SECONDS = 5.0
"""After which a query counts as UNKNOWN."""

Observer = Callable[[Mapping[str, int]], None]
"""Receives the counters now and then."""


def unobserved(counters: Mapping[str, int]) -> None:
    """The observer that does not look."""


@dataclass(frozen=True)
class Pruned:
    invariants: dict[int, list[Candidate]]  # inductive together, relative to what was known; empty unless complete
    queries: int
    rounds: int  # how often a block was asked
    unknown: int  # queries without an answer
    complete: bool  # the fixed point was reached


def prune(
    system: TransitionSystem,
    candidates: Iterable[Candidate],
    *,
    known: Mapping[int, Sequence[Term]] | None = None,
    solver: str = "bitwuzla",
    seed: int = 0,
    deadline: Deadline | None = None,
    observer: Observer = unobserved,
    query_seconds: float = QUERY_SECONDS,
) -> Pruned:
    """`known`: invariants that are proved already. On running out of time there are no invariants."""
    run = _Houdini(system, candidates, known or {}, solver, seed, deadline or Deadline(), observer, query_seconds)
    complete = run.reach_fixed_point()
    invariants = {cut: list(left.values()) for cut, left in run.left.items() if left} if complete else {}
    return Pruned(invariants, run.queries, run.rounds, run.unknown, complete)


class _Houdini:
    def __init__(
        self,
        system: TransitionSystem,
        candidates: Iterable[Candidate],
        known: Mapping[int, Sequence[Term]],
        solver: str,
        seed: int,
        deadline: Deadline,
        observer: Observer,
        query_seconds: float,
    ) -> None:
        self.system, self.known = system, known
        self.solver, self.seed = solver, seed
        self.deadline, self.observer, self.query_seconds = deadline, observer, query_seconds
        self.queries = self.rounds = self.unknown = 0
        self.left: dict[int, dict[Term, Candidate]] = {cut: {} for cut in system.cut_points}
        for candidate in candidates:
            if candidate.term not in known.get(candidate.cut, ()) and candidate.term is not TRUE:
                self.left[candidate.cut].setdefault(candidate.term, candidate)
        self.contexts: dict[int, Solver] = {}
        self.rank = {ENTRY: 0, **{cut: position + 1 for position, cut in enumerate(_reverse_postorder(system))}}
        self.waiting: list[tuple[int, int]] = []
        self.queued: set[int] = set()

    def reach_fixed_point(self) -> bool:
        for block in self.system.all_blocks():
            self._queue(block.start)
        while self.waiting:
            _, start = heapq.heappop(self.waiting)
            self.queued.discard(start)
            self.rounds += 1
            if not self._settle(self.system.initial if start == ENTRY else self.system.blocks[start]):
                return False
            self.observer(self._counters())
        return True

    def _counters(self) -> dict[str, int]:
        return {"queries": self.queries, "candidates": sum(map(len, self.left.values())), "waiting": len(self.waiting)}

    def _queue(self, start: int) -> None:
        if start not in self.queued:
            self.queued.add(start)
            heapq.heappush(self.waiting, (self.rank[start], start))

    def _settle(self, block: Transformer) -> bool:
        """Drops candidates until the block preserves what is left at its targets. False: there is no time left.

        A candidate at the start of the block itself that is dropped here is assumed no more from the next query on.
        """
        while True:
            questions = self._questions(block)
            if not questions:
                return True
            answer = self._ask(block, [question.asked for question in questions])
            if answer is None:
                return False
            if answer is Answer.UNSAT:
                return True
            if answer is Answer.SAT:
                self._drop(self._falsified(block, questions))
                continue
            shown = self._split(block, questions)
            if shown is None:
                return False
            if shown:
                return True

    def _questions(self, block: Transformer) -> list[_Question]:
        """What is to be shown: not what holds as it stands, or because it is assumed at the start."""
        assumed = self.left.get(block.start, {})
        found: list[_Question] = []
        for target, exit in block.exits.items():
            for term in self.left[target]:
                after = exit.after(term)
                if after is not TRUE and after not in assumed:
                    found.append(_Question(target, term, exit.guard, after))
        return found

    def _ask(self, block: Transformer, asked: Sequence[Term]) -> Answer | None:
        """Can a candidate be falsified? None: there is no time left."""
        if self.deadline.expired():
            return None
        context = self.contexts.get(block.start)
        if context is None:
            context = self.contexts[block.start] = make_solver(self.solver, self.seed)
            for fact in self.known.get(block.start, ()):
                context.add(fact)
        self.queries += 1
        question = terms.disjunction(asked)
        if question is FALSE:
            return Answer.UNSAT
        limit = min(self.query_seconds, self.deadline.remaining())
        return context.check([*self.left.get(block.start, ()), question], limit)

    def _falsified(self, block: Transformer, questions: Iterable[_Question]) -> list[_Question]:
        """Those that are false in the state that the model's transition leads to."""
        context = self.contexts[block.start]
        taken = {target for target, exit in block.exits.items() if context.value(exit.guard)}
        found = [each for each in questions if each.target in taken and not context.value(each.after)]
        return found or list(questions)  # a model that is none: nothing was shown

    def _split(self, block: Transformer, questions: list[_Question]) -> bool | None:
        """After UNKNOWN, two halves: True if both are shown, None where there is no time left.

        What is unknown then is dropped: it was not shown, and only what was may stay.
        """
        self.unknown += 1
        middle = (len(questions) + 1) // 2
        shown = True
        for half in (questions[:middle], questions[middle:]):
            if not half:
                continue
            answer = self._ask(block, [question.asked for question in half])
            if answer is None:
                return None
            if answer is Answer.SAT:
                self._drop(self._falsified(block, half))
            elif answer is Answer.UNKNOWN:
                self.unknown += 1
                self._drop(half)
            shown = shown and answer is Answer.UNSAT
        return shown

    def _drop(self, falsified: Iterable[_Question]) -> None:
        for target in {each.target for each in falsified}:
            self._queue(target)  # blocks that start there relied on it
        for each in falsified:
            self.left[each.target].pop(each.candidate, None)


@dataclass(frozen=True)
class _Question:
    target: int
    candidate: Term
    guard: Term
    after: Term  # the candidate, as a formula at the start of the block

    @property
    def asked(self) -> Term:
        return make("and", BOOL, self.guard, negate(self.after))


def _reverse_postorder(system: TransitionSystem) -> list[int]:
    """Cut points such that blocks mostly come after those that lead to them."""
    seen: set[int] = set()
    finished: list[int] = []
    stack = [(ENTRY, iter(sorted(system.initial.exits)))]
    while stack:
        cut, remaining = stack[-1]
        for target in remaining:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(sorted(system.blocks[target].exits))))
                break
        else:
            finished.append(cut)
            stack.pop()
    return finished[-2::-1]
