"""Two solvers as one: the second for what the first does not know, or both to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from drystone.base.clock import now
from drystone.logic.evaluation import Value
from drystone.logic.terms import Term
from drystone.solvers.protocol import Answer, Counters, Disagreement, Solver


class Fallback:
    """Asks the first solver; if that does not support an operation of the query or gives up before the time is over, also
    the second, which is made when it is needed first."""

    def __init__(self, first: Callable[[], Solver], second: Callable[[], Solver]) -> None:
        self._first = first()
        self._make_second = second
        self._second: Solver | None = None
        self._levels: list[list[Term]] = [[]]
        self._latest = self._first
        self.name = f"{self._first.name}, else another"

    @property
    def counters(self) -> Counters:
        if self._second is None:
            return self._first.counters
        first, second = self._first.counters, self._second.counters
        return Counters(
            queries=first.queries,  # every question is asked there first
            sat=first.sat + second.sat,
            unsat=first.unsat + second.unsat,
            unknown=first.unknown - second.sat - second.unsat,
            unsupported=first.unsupported,
            seconds=first.seconds + second.seconds,
            terms=first.terms + second.terms,
        )

    @property
    def reason(self) -> str:
        return self._latest.reason

    def add(self, term: Term) -> None:
        self._levels[-1].append(term)
        self._first.add(term)
        if self._second is not None:
            self._second.add(term)

    def push(self) -> None:
        self._levels.append([])
        self._first.push()
        if self._second is not None:
            self._second.push()

    def pop(self) -> None:
        self._first.pop()
        self._levels.pop()
        if self._second is not None:
            self._second.pop()

    def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
        start = now()
        self._latest = self._first
        answer = self._first.check(assumptions, limit_seconds)
        if answer is not Answer.UNKNOWN:
            return answer
        if limit_seconds is not None:
            limit_seconds -= now() - start
            if limit_seconds <= 0:
                return answer
        self._latest = self._other()
        return self._latest.check(assumptions, limit_seconds)

    def _other(self) -> Solver:
        if self._second is None:
            self._second = self._make_second()
            for depth, level in enumerate(self._levels):
                if depth:
                    self._second.push()
                for term in level:
                    self._second.add(term)
        return self._second

    def value(self, term: Term) -> Value:
        return self._latest.value(term)

    def core(self) -> list[Term]:
        return self._latest.core()


class CrossCheck:
    """Asks both and raises a `Disagreement` if one finds a model where the other finds a contradiction."""

    def __init__(self, first: Solver, second: Solver) -> None:
        self._solvers = (first, second)
        self._answered = first
        self.name = f"{first.name} and {second.name}"
        self.counters = Counters()
        self.reason = ""

    def add(self, term: Term) -> None:
        for solver in self._solvers:
            solver.add(term)

    def push(self) -> None:
        for solver in self._solvers:
            solver.push()

    def pop(self) -> None:
        for solver in self._solvers:
            solver.pop()

    def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
        start = perf_counter()
        answers = [solver.check(assumptions, limit_seconds) for solver in self._solvers]
        known = [(solver, answer) for solver, answer in zip(self._solvers, answers, strict=True) if answer is not Answer.UNKNOWN]
        if len({answer for _, answer in known}) == 2:
            raise Disagreement(", ".join(f"{solver.name} says {answer.value}" for solver, answer in known))
        self._answered, answer = known[0] if known else (self._solvers[0], Answer.UNKNOWN)
        self.reason = "" if known else "; ".join(solver.reason for solver in self._solvers)
        self._count(answer, perf_counter() - start)
        return answer

    def _count(self, answer: Answer, seconds: float) -> None:
        self.counters.queries += 1
        self.counters.sat += answer is Answer.SAT
        self.counters.unsat += answer is Answer.UNSAT
        self.counters.unknown += answer is Answer.UNKNOWN
        self.counters.unsupported = min(solver.counters.unsupported for solver in self._solvers)
        self.counters.seconds += seconds
        self.counters.terms = sum(solver.counters.terms for solver in self._solvers)

    def value(self, term: Term) -> Value:
        return self._answered.value(term)

    def core(self) -> list[Term]:
        """A core of one solver that the other confirms."""
        core = self._answered.core()
        other = next(solver for solver in self._solvers if solver is not self._answered)
        if other.check(core) is Answer.SAT:
            raise Disagreement(f"{other.name} finds a model of a core of {self._answered.name}")
        return core


def fallback(seed: int) -> Fallback:
    """bitwuzla, and z3 where it gives up."""
    return Fallback(lambda: _bitwuzla(seed), lambda: _z3(seed))


def cross_check(seed: int) -> CrossCheck:
    """bitwuzla and z3."""
    return CrossCheck(_bitwuzla(seed), _z3(seed))


def _bitwuzla(seed: int) -> Solver:
    from drystone.solvers.bitwuzla import BitwuzlaSolver

    return BitwuzlaSolver(seed)


def _z3(seed: int) -> Solver:
    from drystone.solvers.z3 import Z3Solver

    return Z3Solver(seed)
