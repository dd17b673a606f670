"""Checks certificates: no TRUE is said without this.

The check rebuilds everything from the program: it takes from the certificate only what the claim is (the number of steps, the
depth of recursion), unrolls the unsliced program anew, and asks the solver that did not find the proof. If that
one does not answer, the other one is asked again with another seed, and the result says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.program.automaton import MarkKind, Program
from drystone.program.inline import MAX_EDGES, TooLarge
from drystone.program.unrolling import BoundedCertificate, NothingToProve, Unrolling, prepare
from drystone.solvers import Answer, make_solver
from drystone.solvers.deadline import Deadline

_QUERY_SECONDS = 5.0  # before the solver that found the proof is asked again
_PATIENCE = 2  # queries without an answer
_OTHER = {"bitwuzla": "z3", "z3": "bitwuzla"}


@dataclass(frozen=True)
class Checked:
    """Whether the certificate holds, by which solvers, and if not, which obligation failed."""

    valid: bool
    checked_by: str
    reason: str = ""


def check(files: list[str], options: FrontendOptions, certificate: object, deadline: Deadline) -> Checked:
    """Reads the program anew from its text and checks that the certificate proves it."""
    if isinstance(certificate, NothingToProve):
        return _check_nothing(load(files, options).program)
    if not isinstance(certificate, BoundedCertificate):
        return Checked(False, "", "this kind of certificate is not known")
    try:
        return _Bounded(load(files, options).program, certificate, deadline).check()
    except TooLarge as problem:
        return Checked(False, "", str(problem))


def _check_nothing(program: Program) -> Checked:
    for procedure in program.procedures.values():
        for mark in procedure.marks.values():
            if mark.kind is not MarkKind.HALT:
                return Checked(False, "reading", f"there is {mark.what} at {program.where(mark.origin)}")
    return Checked(True, "reading")


class _Bounded:
    def __init__(self, program: Program, certificate: BoundedCertificate, deadline: Deadline) -> None:
        self.program = program
        self.certificate = certificate
        self.deadline = deadline
        found_by = certificate.found_by if certificate.found_by in _OTHER else "bitwuzla"
        self.names = [_OTHER[found_by], found_by]
        self.solvers = [make_solver(self.names[0], 1), make_solver(self.names[1], 4711)]
        self.used: set[str] = set()
        self.unanswered = 0

    def check(self) -> Checked:
        bound = self.certificate.recursion
        unrolling = Unrolling(prepare(self.program, recursion_bound=bound, max_edges=MAX_EDGES, sliced=False))
        for _ in range(self.certificate.steps):
            if not unrolling.states:
                break
            ends: list[Term] = []
            for step in unrolling.advance():
                ends += [guard.term for _, guard in (*step.errors, *step.unknowns)]
                ends += [guard.term for _, guard, _ in step.refused]
            if not self._unreachable(terms.disjunction(ends)):
                return Checked(False, self._who(), f"an error or unknown location within {unrolling.depth} steps is not excluded")
            for location, state in list(unrolling.states.items()):
                if state.guard.term is not TRUE and self._unreachable(state.guard.term):
                    del unrolling.states[location]
            if self.deadline.expired():
                return Checked(False, self._who(), "out of time")
        if unrolling.states:
            return Checked(False, self._who(), f"some executions are longer than {self.certificate.steps} steps")
        return Checked(True, self._who())

    def _unreachable(self, formula: Term) -> bool:
        if formula is FALSE:
            return True
        for position, (name, solver) in enumerate(zip(self.names, self.solvers, strict=True)):
            if position == 0 and self.unanswered >= _PATIENCE:
                continue  # the other solver has shown that it cannot do this kind of query
            limit = min(self.deadline.remaining() / 8, _QUERY_SECONDS) if position == 0 else self.deadline.remaining()
            if limit <= 0:
                return False
            answer = solver.check([formula], limit_seconds=limit)
            if answer is not Answer.UNKNOWN:
                self.used.add(name)
                return answer is Answer.UNSAT
            self.unanswered += 1
        return False

    def _who(self) -> str:
        return " and ".join(name for name in self.names if name in self.used) or "evaluation"
