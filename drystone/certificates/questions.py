"""Which solvers a check asks, and what is known when they have answered or have not."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from copy import copy

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.fork_pool import in_forks
from drystone.logic.terms import FALSE, Term
from drystone.solvers import Answer, Solver, make_solver
from drystone.solvers.registry import LIBRARIES, with_another

PATIENCE = 1.0  # seconds that the solver which did not find the proof has for all questions
_SLICE = 0.05  # seconds that it has for the first try at a question; for each further one it has twice as long
_AT_ONCE = 0.4  # seconds of a check that needs no second process
_SEEDS = (1, 4711)  # of the first solver and the second
_GRACE = 0.25  # of the seconds that the second one took: so much longer the first one may still have its say


class Checked(msgspec.Struct, frozen=True):
    """Whether the certificate holds, by which solvers, and if not, which obligation failed."""

    valid: bool
    checked_by: str
    reason: str = ""
    undecided: bool = False  # not valid, but not wrong either: a solver did not answer, or there was no time


class Means(msgspec.Struct, frozen=True):
    """What a check may use."""

    deadline: Deadline
    solver: str | None = None  # only this one; None: the one that did not find the proof, then the other
    is_patient: bool = True  # otherwise `solver` is given up where the other one would be asked
    jobs: int = 1  # processes that share the obligations of invariants, or ask the two solvers
    patience: float = PATIENCE
    ready: list[Solver] = []  # what `ready_solver` has made, for the first question that it can be asked


class Questions:
    """Asks the solver that did not find the proof and the one that did, with another seed, in turns that become longer, until the
    first one's time is used up; or only the one that is wanted."""

    def __init__(self, found_by: str, means: Means) -> None:
        self.deadline, self.is_patient, self.patience = means.deadline, means.is_patient, means.patience
        self.ready = means.ready
        self.names = _solvers(found_by) if means.solver is None else [means.solver]
        self.seeds = dict(zip(_solvers(found_by), _SEEDS, strict=True))
        self.added: list[Term] = []
        self.solvers: dict[str, Solver] = {}
        self.used: set[str] = set()
        self.is_refuted = False  # the latest question was answered, by a model

    def anew(self) -> Questions:
        """The same solvers, which know nothing yet; who has answered is remembered."""
        new = copy(self)
        new.added, new.solvers = [], {}
        return new

    def add(self, formula: Term) -> None:
        self.added.append(formula)
        for solver in self.solvers.values():
            solver.add(formula)

    def _solver(self, position: int) -> Solver:
        """Made when it is asked for the first time: mostly the first one answers, and the second is not even loaded."""
        name = self.names[position]
        solver = self.solvers.get(name)
        if solver is None:
            is_ready = bool(self.ready) and self.ready[-1].name == name and self.seeds.get(name) == _SEEDS[0]
            solver = self.ready.pop() if is_ready else make_solver(name, self.seeds.get(name, _SEEDS[0]))
            self.solvers[name] = solver
            for formula in self.added:
                solver.add(formula)
        return solver

    def excluded(self, *formulas: Term) -> bool:
        """Is there no model of all these?"""
        self.is_refuted = False
        if FALSE in formulas:
            return True
        for position, seconds in self._tries():
            before = self.deadline.remaining()
            if before <= 0:
                return False
            answer = self._solver(position).check(formulas, limit_seconds=min(seconds, before))
            if position + 1 < len(self.names) or not self.is_patient:
                self.patience -= before - self.deadline.remaining()
            if answer is not Answer.UNKNOWN:
                self.used.add(self.names[position])
                self.is_refuted = answer is Answer.SAT
                return answer is Answer.UNSAT
        return False

    def _tries(self) -> Iterator[tuple[int, float]]:
        """Which solver is asked next, and for how many seconds at most."""
        slice_ = _SLICE
        while len(self.names) > 1 and self.patience > slice_:
            yield 0, slice_
            yield 1, 2 * slice_
            slice_ *= 2
        yield len(self.names) - 1, math.inf if self.is_patient else self.patience

    def who(self) -> str:
        return " and ".join(name for name in self.names if name in self.used) or "evaluation"

    def failed(self, problem: str, how: str = "") -> Checked:
        """For the latest question. What was not answered is not shown, and is not known to be wrong."""
        if not self.is_refuted:
            problem = f"{'out of time' if self.deadline.expired() else 'no answer from a solver'}: {problem}"
        return Checked(False, self.who() + how, problem, undecided=not self.is_refuted)


def ready_solver() -> Solver:
    """That a check is likely to ask first: to load it and to make one takes longer than the check of a small proof."""
    return make_solver(_solvers(next(iter(LIBRARIES)))[0], _SEEDS[0])


def _solvers(found_by: str) -> list[str]:
    """The one that did not find the proof, and the one that did."""
    found_by, other = with_another(found_by)
    return [other, found_by]


def by_both(found_by: str, means: Means, check: Callable[[Means], Checked]) -> Checked:
    """By one solver after the other, or, with a process to spare, by both at the same time: who is done first counts, and the
    solver that did not find the proof may be a little later than the other.
    """
    if means.solver is not None or means.jobs <= 1:
        return check(means)
    at_once = check(msgspec.structs.replace(means, deadline=means.deadline.within(_AT_ONCE)))
    if not at_once.undecided:
        return at_once
    first, second = _solvers(found_by)
    alone = [
        msgspec.structs.replace(means, solver=first, is_patient=False, jobs=1),
        msgspec.structs.replace(means, solver=second, jobs=1),
    ]

    def encoded(number: int) -> tuple[bool, bytes]:
        if number == 1:
            time.sleep(_SLICE)  # mostly the first one is done by then
        began = time.monotonic()
        checked = check(alone[number])
        if number == 1 and not checked.undecided:
            time.sleep(_GRACE * (time.monotonic() - began))
        return checked.undecided, msgspec.msgpack.encode((number, checked))

    answers: dict[int, Checked] = dict(
        msgspec.msgpack.decode(answer, type=tuple[int, Checked]) for answer in in_forks(len(alone), encoded)
    )
    decided = [answers[number] for number in sorted(answers) if not answers[number].undecided]
    given_up = Checked(False, "", "a process of the check ended too early", undecided=True)
    return decided[0] if decided else answers.get(1, given_up)


def together(names: Iterable[str]) -> str:
    """Each solver once; those that had to evaluate only are not worth a word beside one."""
    found = dict.fromkeys(name for each in names for name in each.split(" and "))
    solvers = [name for name in found if name in LIBRARIES]
    return " and ".join(solvers) or "evaluation"
