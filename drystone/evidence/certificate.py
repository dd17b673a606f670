"""Checks certificates: no TRUE is said without this.

The check rebuilds everything from the program: it takes from the certificate only what the claim is (the number of steps, the
depth of recursion, cut points and invariants), makes the transformers of the unsliced program anew, and asks the solver that
did not find the proof. If that one does not answer, the other one is asked again with another seed, and the result says so.
Invariants that cannot be checked on the unsliced program (it has more memory, and more that is not modelled) are
checked on the sliced one.
"""

from __future__ import annotations

from dataclasses import dataclass

from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.program.automaton import MarkKind, Program
from drystone.program.inline import MAX_EDGES, TooLarge
from drystone.program.proofs import BoundedCertificate, InductiveCertificate, KInductiveCertificate, NothingToProve
from drystone.program.transformers import ENTRY, bad_places, transition_system
from drystone.program.unrolling import Unrolling, anywhere, prepare
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
    program = load(files, options).program
    try:
        match certificate:
            case NothingToProve():
                return _check_nothing(program)
            case BoundedCertificate():
                return _Bounded(program, certificate, deadline).check()
            case InductiveCertificate() | KInductiveCertificate():
                return _check_inductive(program, certificate, deadline)
    except TooLarge as problem:
        return Checked(False, "", str(problem))
    return Checked(False, "", "this kind of certificate is not known")


def _check_nothing(program: Program) -> Checked:
    for procedure in program.procedures.values():
        for mark in procedure.marks.values():
            if mark.kind is not MarkKind.HALT:
                return Checked(False, "reading", f"there is {mark.what} at {program.where(mark.origin)}")
    return Checked(True, "reading")


class _Questions:
    """Asks the solver that did not find the proof, then the one that did, with another seed."""

    def __init__(self, found_by: str, deadline: Deadline) -> None:
        self.deadline = deadline
        found_by = found_by if found_by in _OTHER else "bitwuzla"
        self.names = [_OTHER[found_by], found_by]
        self.solvers = [make_solver(self.names[0], 1), make_solver(self.names[1], 4711)]
        self.used: set[str] = set()
        self.unanswered = 0

    def add(self, formula: Term) -> None:
        for solver in self.solvers:
            solver.add(formula)

    def excluded(self, *formulas: Term) -> bool:
        """Is there no model of all these?"""
        if FALSE in formulas:
            return True
        for position, (name, solver) in enumerate(zip(self.names, self.solvers, strict=True)):
            if position == 0 and self.unanswered >= _PATIENCE:
                continue  # the other solver has shown that it cannot do this kind of query
            limit = min(self.deadline.remaining() / 8, _QUERY_SECONDS) if position == 0 else self.deadline.remaining()
            if limit <= 0:
                return False
            answer = solver.check(formulas, limit_seconds=limit)
            if answer is not Answer.UNKNOWN:
                self.used.add(name)
                return answer is Answer.UNSAT
            self.unanswered += 1
        return False

    def who(self) -> str:
        return " and ".join(name for name in self.names if name in self.used) or "evaluation"


class _Bounded:
    def __init__(self, program: Program, certificate: BoundedCertificate, deadline: Deadline) -> None:
        self.program = program
        self.certificate = certificate
        self.deadline = deadline
        self.questions = _Questions(certificate.found_by, deadline)

    def check(self) -> Checked:
        bound, who = self.certificate.recursion, self.questions.who
        unrolling = Unrolling(prepare(self.program, recursion_bound=bound, max_edges=MAX_EDGES, sliced=False))
        for _ in range(self.certificate.steps):
            if not unrolling.states:
                break
            ends = [each.guard for step in unrolling.advance() for each in bad_places(unrolling.program, step)]
            if not self.questions.excluded(terms.disjunction(ends)):
                return Checked(False, who(), f"an error or unknown location within {unrolling.depth} steps is not excluded")
            for location, state in list(unrolling.states.items()):
                if state.guard.term is not TRUE and self.questions.excluded(state.guard.term):
                    del unrolling.states[location]
            if self.deadline.expired():
                return Checked(False, who(), "out of time")
        if unrolling.states:
            return Checked(False, who(), f"some executions are longer than {self.certificate.steps} steps")
        return Checked(True, who())


def _check_inductive(program: Program, certificate: InductiveCertificate | KInductiveCertificate, deadline: Deadline) -> Checked:
    first = _Inductive(program, certificate, False, deadline.within(deadline.remaining() / 2)).check()
    if first.valid or deadline.expired():
        return first
    second = _Inductive(program, certificate, True, deadline).check()
    return second if second.valid else first


class _Inductive:
    """Invariants on the program as it is, or sliced."""

    def __init__(
        self, program: Program, certificate: InductiveCertificate | KInductiveCertificate, sliced: bool, deadline: Deadline
    ) -> None:
        self.program, self.certificate, self.sliced, self.deadline = program, certificate, sliced, deadline
        self.k = certificate.k if isinstance(certificate, KInductiveCertificate) else 1
        self.system = transition_system(
            program,
            recursion_bound=certificate.recursion,
            max_edges=MAX_EDGES,
            sliced=sliced,
            cut_points=[each.location for each in certificate.invariants],
        )
        self.invariants: dict[int, Term] = {}
        self.questions = _Questions(certificate.found_by, deadline)

    def check(self) -> Checked:
        problem = self._take_invariants() or self._preserved() or (self._k_induction() if self.k != 1 else self._safe())
        how = " on the slice" if self.sliced else ""
        return Checked(not problem, self.questions.who() + how, problem)

    def _take_invariants(self) -> str:
        """They must speak of variables that are live at the cut point, and of nothing else."""
        found = {each.location: each for each in self.certificate.invariants}
        for cut in self.system.cut_points:
            claimed = found.pop(self.system.original[cut], None)
            if claimed is None:
                continue
            live = set(self.system.live(cut))
            sorts = self.system.symbolic.sorts
            conjuncts = claimed.conjuncts()
            if any(each.sort != BOOL for each in conjuncts):
                return f"the invariant at {claimed.where} is not a formula"
            for symbol in terms.free_symbols(conjuncts):
                if symbol.operator != "state" or symbol.payload not in live or symbol.sort != sorts[symbol.payload]:
                    return f"the invariant at {claimed.where} speaks of {symbol.payload}, which is not live there"
            self.invariants[cut] = terms.conjunction(conjuncts)
        return ""  # an invariant at a place that control cannot get to says nothing

    def _invariant(self, cut: int) -> Term:
        return self.invariants.get(cut, TRUE)

    def _preserved(self) -> str:
        for block in self.system.all_blocks():
            for target, way in block.exits.items():
                if not self.questions.excluded(self._invariant(block.start), way.pre(terms.negate(self._invariant(target)))):
                    return f"the invariant at {self._where(target)} is not preserved by the block from {self._where(block.start)}"
        return ""

    def _safe(self) -> str:
        for block in self.system.all_blocks():
            for bad in block.bad:
                if not self.questions.excluded(self._invariant(block.start), bad.guard):
                    where = self.program.where(bad.origin)
                    return f"{bad.what} at {where} is not excluded in the block from {self._where(block.start)}"
        return ""

    def _k_induction(self) -> str:
        if self.k < 1:
            return f"there is no induction with k = {self.k}"
        symbolic, heads = self.system.symbolic, self.system.heads
        base = Unrolling(symbolic, heads)
        for _ in range(self.k):
            if not self.questions.excluded(self._bad(base)):
                return f"an error or unknown location within {base.depth} steps is not excluded"
        start = anywhere(symbolic, self.system.cut_points) if self.system.cut_points else {}
        questions = self.questions = _Questions(self.certificate.found_by, self.deadline)
        following = Unrolling(symbolic, heads, start)
        for number in range(self.k):
            for cut, state in following.states.items():
                mapping = {terms.state(name, value.sort): value for name, value in state.environment.items()}
                questions.add(terms.implies(state.guard.term, substitute(self._invariant(cut), mapping)))
            bad = self._bad(following)
            if number + 1 == self.k:
                return "" if questions.excluded(bad) else f"an error after {self.k} blocks without one is not excluded"
            questions.add(terms.negate(bad))
        return ""

    def _bad(self, unrolling: Unrolling) -> Term:
        """When the next step gets to something bad."""
        return terms.disjunction([each.guard for step in unrolling.advance() for each in bad_places(unrolling.program, step)])

    def _where(self, cut: int) -> str:
        return "the entry" if cut == ENTRY else self.program.where(self.system.origin(cut))
