"""Checks certificates: no TRUE is said without this.

The check rebuilds everything from the program: it takes from the certificate only what the claim is (the number of steps, the
depth of recursion, cut points and invariants), makes the transformers of the unsliced program anew, and asks the solver that
did not find the proof. If that one does not answer, the other one is asked again with another seed, and the result says so; with
a process to spare, it is asked at the same time.
Objects whose addresses the program computes with may lie anywhere in memory: a proof must not rely on where drystone puts them.
Invariants that cannot be checked on the unsliced program (it has more memory, and more that is not modelled) are
checked on the sliced one. Where the certificate says that memory should not matter, this is the slice that forgets it: the
executions of the program are among its executions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.shares import Tickets, in_shares
from drystone.claims.certificates import (
    BoundedCertificate,
    ContractsCertificate,
    InductiveCertificate,
    KInductiveCertificate,
    NothingToProve,
    SingleExecution,
)
from drystone.concrete.determinism import MOST_FOLLOWED, follow
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind, Program
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.passes.contracts import Contract, broken, vocabularies, with_contracts
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.passes.readings import settled
from drystone.pipeline import Flat, edges_without_calls, flatten, transition_system
from drystone.solvers import Answer, Solver, make_solver
from drystone.solvers.registry import LIBRARIES, with_another
from drystone.symbolic.region_memory import NoRoom
from drystone.symbolic.transformers import ENTRY, Bad, bad_places
from drystone.symbolic.unrolling import Unrolling, anywhere

_QUERY_SECONDS = (2.0, 0.5)  # before the solver that found the proof is asked again: the first time, and the second
_ON_THE_SLICE = " on the slice"
_WITHOUT_MEMORY = " on the slice without memory"
_LARGE = 3_000  # edges: where memory should not matter, a larger program is not checked with it
_WORTH_A_PROCESS = 8  # obligations
_SEEDS = (1, 4711)  # of the first solver and the second
_HEAD_START = 0.3  # seconds after which a second process asks the second solver: mostly the first one is done by then
_SHOWN_PLACES = 3


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


def check(
    files: list[str],
    options: FrontendOptions,
    certificate: object,
    deadline: Deadline,
    *,
    solver: str | None = None,
    jobs: int = 1,
) -> Checked:
    """Reads the program anew from its text and checks that the certificate proves it."""
    return check_program(load(files, options).program, certificate, deadline, solver=solver, jobs=jobs)


def check_program(
    program: Program, certificate: object, deadline: Deadline, *, solver: str | None = None, jobs: int = 1
) -> Checked:
    """The same for a program as the front end has read it."""
    return _check(settled(program), certificate, Means(deadline, solver, jobs=jobs))


def _check(program: Program, certificate: object, means: Means) -> Checked:
    if getattr(certificate, "is_forgetful", False):
        program = msgspec.structs.replace(program, is_forgetful=True)
    try:
        match certificate:
            case NothingToProve():
                return _check_nothing(program)
            case SingleExecution(steps):
                return _check_execution(program, steps, means.deadline)
            case BoundedCertificate() | InductiveCertificate() | KInductiveCertificate() if certificate.recursion < 1:
                return Checked(False, "", f"recursion cannot be unrolled to {certificate.recursion} calls")
            case BoundedCertificate():
                return _unsliced_first(program, certificate, means, partial(_check_bounded, program, certificate))
            case InductiveCertificate() | KInductiveCertificate():
                return _unsliced_first(program, certificate, means, partial(_check_inductive, program, certificate))
            case ContractsCertificate():
                return _check_contracts(program, certificate, means)
    except (TooLarge, NoRoom) as problem:
        return Checked(False, "", str(problem), undecided=True)
    return Checked(False, "", "this kind of certificate is not known")


def _check_contracts(program: Program, certificate: ContractsCertificate, means: Means) -> Checked:
    """The proof, on the program in which contracts stand for procedures. It shows that they keep them, too."""
    contracts = {}
    for each in certificate.contracts:
        try:
            requires, ensures = each.conjuncts()
        except ValueError as problem:
            return Checked(False, "reading", f"the contract of {each.procedure} cannot be read: {problem}")
        contracts[each.procedure] = Contract(tuple(requires), tuple(ensures))
    known = vocabularies(program)
    wrong = broken(known, contracts)
    if wrong:
        return Checked(False, "reading", wrong)
    return _check(with_contracts(program, known, contracts), certificate.proof, means)


def _check_nothing(program: Program) -> Checked:
    for procedure in program.procedures.values():
        for mark in procedure.marks.values():
            if mark.kind is not MarkKind.HALT:
                return Checked(False, "reading", f"there is {mark.what} at {program.where(mark.origin)}")
    return Checked(True, "reading")


def _check_execution(program: Program, steps: int, deadline: Deadline) -> Checked:
    problem = follow(program, min(steps, MOST_FOLLOWED) + 1, deadline.expired).problem
    return Checked(not problem, "the interpreter", problem, undecided=bool(problem) and deadline.expired())


class _Questions:
    """Asks the solver that did not find the proof, then the one that did, with another seed; or only the one that is wanted."""

    def __init__(self, found_by: str, means: Means) -> None:
        self.deadline, self.is_patient = means.deadline, means.is_patient
        self.names = _solvers(found_by) if means.solver is None else [means.solver]
        self.seeds = dict(zip(_solvers(found_by), _SEEDS, strict=True))
        self.added: list[Term] = []
        self.solvers: dict[str, Solver] = {}
        self.used: set[str] = set()
        self.unanswered = 0
        self.is_refuted = False  # the latest question was answered, by a model

    def anew(self) -> _Questions:
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
            solver = self.solvers[name] = make_solver(name, self.seeds.get(name, _SEEDS[0]))
            for formula in self.added:
                solver.add(formula)
        return solver

    def excluded(self, *formulas: Term) -> bool:
        """Is there no model of all these?"""
        self.is_refuted = False
        if FALSE in formulas:
            return True
        for position, name in enumerate(self.names):
            is_last = position + 1 == len(self.names) and self.is_patient
            if not is_last and self.unanswered >= len(_QUERY_SECONDS):
                continue  # the other solver has shown that it cannot do this kind of query
            limit = self.deadline.remaining()
            if not is_last:
                limit = min(limit / 8, _QUERY_SECONDS[self.unanswered])
            if limit <= 0:
                return False
            answer = self._solver(position).check(formulas, limit_seconds=limit)
            if answer is not Answer.UNKNOWN:
                self.used.add(name)
                self.is_refuted = answer is Answer.SAT
                return answer is Answer.UNSAT
            self.unanswered += 1
        return False

    def who(self) -> str:
        return " and ".join(name for name in self.names if name in self.used) or "evaluation"

    def failed(self, problem: str, how: str = "") -> Checked:
        """For the latest question. What was not answered is not shown, and is not known to be wrong."""
        if not self.is_refuted:
            problem = f"{'out of time' if self.deadline.expired() else 'no answer of a solver'}: {problem}"
        return Checked(False, self.who() + how, problem, undecided=not self.is_refuted)


def _solvers(found_by: str) -> list[str]:
    """The one that did not find the proof, and the one that did."""
    found_by, other = with_another(found_by)
    return [other, found_by]


def _by_both(found_by: str, means: Means, check: Callable[[Means], Checked]) -> Checked:
    """By one solver after the other, or, with a process to spare, by both at the same time.

    Then, too, the word of the solver that found the proof counts only where the other one gives up.
    """
    if means.solver is not None or means.jobs <= 1:
        return check(means)
    first, second = _solvers(found_by)
    alone = [
        msgspec.structs.replace(means, solver=first, is_patient=False, jobs=1),
        msgspec.structs.replace(means, solver=second, jobs=1),
    ]

    def encoded(number: int) -> tuple[bool, bytes]:
        if number == 1:
            time.sleep(_HEAD_START)
        checked = check(alone[number])
        return number == 1 or checked.undecided, msgspec.msgpack.encode((number, checked))

    answers: dict[int, Checked] = dict(
        msgspec.msgpack.decode(answer, type=tuple[int, Checked]) for answer in in_shares(len(alone), encoded)
    )
    decided = [answers[number] for number in sorted(answers) if not answers[number].undecided]
    given_up = Checked(False, "", "a process of the check has ended before its time", undecided=True)
    return decided[0] if decided else answers.get(1, given_up)


class _Bounded:
    """Complete unrollings of the program as it is, or sliced."""

    def __init__(self, program: Program, certificate: BoundedCertificate, sliced: bool, means: Means) -> None:
        self.program, self.certificate, self.sliced, self.deadline = program, certificate, sliced, means.deadline
        self.questions = _Questions(certificate.found_by, means)

    def check(self) -> Checked:
        bound = self.certificate.recursion
        flat = flatten(self.program, recursion_bound=bound, max_edges=MAX_EDGES, sliced=self.sliced)
        checked = self._check(Unrolling(flat.symbolic()))
        if not checked.valid or not flat.regions.pointers.shown:
            return checked
        sliced = _where_addresses_matter(self.program, bound)
        return checked if sliced is None else _for_any_addresses(self._check(Unrolling(sliced.symbolic(anywhere=True))))

    def _check(self, unrolling: Unrolling) -> Checked:
        self.questions = self.questions.anew()
        steps, asked = self.certificate.steps, 0
        bad: list[Bad] = []  # nobody has been asked about these
        unanswered = False
        constraints = unrolling.program.memory.constraints
        while unrolling.states and unrolling.depth < steps:
            bad += [each for step in unrolling.advance() for each in bad_places(unrolling.program, step)]
            for constraint in constraints[len(self.questions.added) :]:  # nothing else is added
                self.questions.add(constraint)
            if self.deadline.expired():
                return Checked(False, self._who(), "out of time", undecided=True)
            if unrolling.states and unrolling.depth < min(steps, asked + asked // 8 + 1):
                continue  # long executions: about several steps at once
            if not self.questions.excluded(terms.disjunction([each.guard for each in bad])):
                return self.questions.failed(f"{_listed(self.program, bad)} within {unrolling.depth} steps is not excluded")
            bad, asked, unanswered = [], unrolling.depth, False
            for location, state in list(unrolling.states.items()):
                if state.guard.term is TRUE:
                    continue
                if self.questions.excluded(state.guard.term):
                    del unrolling.states[location]
                elif not self.questions.is_refuted:
                    unanswered = True
        assert not bad
        if unrolling.states:
            longer = f"some executions are longer than {self.certificate.steps} steps"
            return Checked(False, self._who(), f"not excluded: {longer}" if unanswered else longer, undecided=unanswered)
        return Checked(True, self._who())

    def _who(self) -> str:
        return self.questions.who() + _how(self.program, self.sliced)


def _check_bounded(program: Program, certificate: BoundedCertificate, sliced: bool, means: Means) -> Checked:
    flatten(program, recursion_bound=certificate.recursion, max_edges=MAX_EDGES, sliced=sliced)  # once, for all processes
    return _by_both(certificate.found_by, means, lambda means: _Bounded(program, certificate, sliced, means).check())


def _how(program: Program, sliced: bool) -> str:
    return "" if not sliced else _WITHOUT_MEMORY if program.is_forgetful else _ON_THE_SLICE


def _listed(program: Program, bad: list[Bad]) -> str:
    """The first few of these places, for people."""
    names = list(dict.fromkeys(f"{each.mark.what} at {program.where(each.mark.origin)}" for each in bad))
    return " or ".join(names[:_SHOWN_PLACES]) + (" or another place" if len(names) > _SHOWN_PLACES else "")


def _unsliced_first(
    program: Program,
    certificate: BoundedCertificate | InductiveCertificate | KInductiveCertificate,
    means: Means,
    check: Callable[[bool, Means], Checked],
) -> Checked:
    """Checks on the program as it is; if that does not succeed, on the slice. The first way has half of the time."""
    deadline = means.deadline
    bound = certificate.recursion
    if program.is_forgetful and edges_without_calls(program, recursion_bound=bound, max_edges=MAX_EDGES) > _LARGE:
        return check(True, means)
    first = check(False, msgspec.structs.replace(means, deadline=deadline.within(deadline.remaining() / 2)))
    if first.valid or deadline.expired():
        return first
    second = check(True, means)
    if second.valid:
        return second
    return first if first.undecided or not second.undecided else second


class _Obligation(msgspec.Struct, frozen=True):
    """The invariant at the start excludes this."""

    start: int
    formula: Callable[[], Term]
    problem: str  # what is wrong if it does not


class _Inductive:
    """Invariants on the program as it is, or sliced."""

    def __init__(
        self,
        program: Program,
        certificate: InductiveCertificate | KInductiveCertificate,
        sliced: bool,
        means: Means,
        anywhere: bool = False,
    ) -> None:
        self.program, self.certificate, self.means = program, certificate, means
        self.how = _how(program, sliced)
        self.k = certificate.k if isinstance(certificate, KInductiveCertificate) else 1
        self.system = transition_system(
            program,
            recursion_bound=certificate.recursion,
            max_edges=MAX_EDGES,
            sliced=sliced,
            cut_points=[each.location for each in certificate.invariants],
            anywhere=anywhere,
        )
        self.invariants: dict[int, Term] = {}

    def check(self) -> Checked:
        problem = self._take_invariants()
        if problem:
            return Checked(False, "reading", problem)
        if self.k < 1:
            return Checked(False, "reading", f"there is no induction with k = {self.k}")
        preserved = self._discharged()
        if not preserved.valid or self.k == 1:
            return preserved
        shown = self._k_induction()
        return msgspec.structs.replace(
            shown, checked_by=_together((preserved.checked_by.removesuffix(self.how), shown.checked_by)) + self.how
        )

    def _take_invariants(self) -> str:
        """They must speak of variables that are live at the cut point, and of nothing else."""
        found = {each.location: each for each in self.certificate.invariants}
        for cut in self.system.cut_points:
            claimed = found.pop(self.system.original[cut], None)
            if claimed is None:
                continue
            live = set(self.system.live(cut))
            sorts = self.system.symbolic.sorts
            try:
                conjuncts = claimed.conjuncts()
            except ValueError:
                return f"the invariant at {self._where(cut)} cannot be read"
            if any(each.sort != BOOL for each in conjuncts):
                return f"the invariant at {self._where(cut)} is not a formula"
            for symbol in terms.free_symbols(conjuncts):
                if symbol.operator != "state" or symbol.payload not in live or symbol.sort != sorts[symbol.payload]:
                    return f"the invariant at {self._where(cut)} speaks of {symbol.payload}, which is not live there"
            self.invariants[cut] = terms.conjunction(conjuncts)
        return ""  # an invariant at a place that control cannot get to says nothing

    def _invariant(self, cut: int) -> Term:
        return self.invariants.get(cut, TRUE)

    # blocks, one by one

    def _obligations(self) -> Iterator[_Obligation]:
        """Every block preserves the invariants; and, unless that is shown by k-induction, none gets to something bad."""
        for block in self.system.all_blocks():
            start = self._where(block.start)
            for target, way in block.exits.items():
                negated = terms.negate(self._invariant(target))
                problem = f"the invariant at {self._where(target)} is not preserved by the block from {start}"
                yield _Obligation(block.start, partial(way.pre, negated), problem)
            for bad in block.bad if self.k == 1 else ():
                problem = f"{bad.mark.what} at {self.program.where(bad.mark.origin)} is not excluded in the block from {start}"
                yield _Obligation(block.start, partial(_guard, bad), problem)

    def _discharged(self) -> Checked:
        """All obligations, each by itself: processes can share them, each takes the next one when it is done with another."""
        obligations = list(self._obligations())
        jobs = min(self.means.jobs, len(obligations) // _WORTH_A_PROCESS)
        if jobs <= 1:
            return _by_both(self.certificate.found_by, self.means, lambda means: self._discharge(obligations, means))
        tickets = Tickets(len(obligations))

        def encoded(number: int) -> tuple[bool, bytes]:
            found = self._discharge((obligations[ticket] for ticket in tickets), self.means)
            return found.valid, msgspec.msgpack.encode(found)

        try:
            shares = [msgspec.msgpack.decode(answer, type=Checked) for answer in in_shares(jobs, encoded)]
        finally:
            tickets.close()
        failed = [share for share in shares if not share.valid]
        if failed:
            return min(failed, key=lambda share: share.undecided)
        if len(shares) < jobs:
            return Checked(False, "", "a process of the check has ended before its time", undecided=True)
        return Checked(True, _together(share.checked_by.removesuffix(self.how) for share in shares) + self.how)

    def _discharge(self, obligations: Iterable[_Obligation], means: Means) -> Checked:
        questions = self._questions(means)
        for obligation in obligations:
            if not questions.excluded(self._invariant(obligation.start), obligation.formula()):
                return questions.failed(obligation.problem, self.how)
        return Checked(True, questions.who() + self.how)

    def _questions(self, means: Means) -> _Questions:
        questions = _Questions(self.certificate.found_by, means)
        for constraint in self.system.symbolic.memory.constraints:
            questions.add(constraint)
        return questions

    # k blocks in sequence

    def _k_induction(self) -> Checked:
        symbolic, heads = self.system.symbolic, self.system.heads
        questions = self._questions(self.means)
        base = Unrolling(symbolic, heads)
        for _ in range(self.k):
            bad = self._bad(base)
            if not questions.excluded(_any(bad)):
                return questions.failed(f"{_listed(self.program, bad)} within {base.depth} steps is not excluded")
            if self.means.deadline.expired():
                return Checked(False, questions.who(), "out of time", undecided=True)
        used = questions.used
        start = anywhere(symbolic, self.system.cut_points) if self.system.cut_points else {}
        questions = self._questions(self.means)
        questions.used |= used
        following = Unrolling(symbolic, heads, start)
        for number in range(self.k):
            for cut, state in following.states.items():
                mapping = {terms.state(name, value.sort): value for name, value in state.environment.items()}
                questions.add(terms.implies(state.guard.term, substitute(self._invariant(cut), mapping)))
            bad = self._bad(following)
            if number + 1 < self.k:
                questions.add(terms.negate(_any(bad)))
            elif not questions.excluded(_any(bad)):
                return questions.failed(f"{_listed(self.program, bad)} after {self.k} blocks without an error is not excluded")
        return Checked(True, questions.who())

    def _bad(self, unrolling: Unrolling) -> list[Bad]:
        """What the next step gets to that is bad."""
        return [each for step in unrolling.advance() for each in bad_places(unrolling.program, step)]

    def _where(self, cut: int) -> str:
        return "the entry" if cut == ENTRY else self.program.where(self.system.origin(cut))


def _check_inductive(
    program: Program, certificate: InductiveCertificate | KInductiveCertificate, sliced: bool, means: Means
) -> Checked:
    fixed = _Inductive(program, certificate, sliced, means)
    checked = fixed.check()
    if not checked.valid or not fixed.system.symbolic.regions.pointers.shown:
        return checked
    if _where_addresses_matter(program, certificate.recursion) is None:
        return checked
    return _for_any_addresses(_Inductive(program, certificate, True, means, anywhere=True).check())


def _where_addresses_matter(program: Program, recursion: int) -> Flat | None:
    """The slice; None if no address decides anything there, whatever else the program does with some."""
    flat = flatten(program, recursion_bound=recursion, max_edges=MAX_EDGES, sliced=True)
    return flat if flat.regions.pointers.shown else None


def _for_any_addresses(checked: Checked) -> Checked:
    """What fails with any addresses may be right for those that drystone gives: the certificate is not known to be wrong."""
    if checked.valid:
        return checked
    reason = f"not shown for every place in memory where objects may lie: {checked.reason}"
    return msgspec.structs.replace(checked, reason=reason, undecided=True)


def _any(bad: list[Bad]) -> Term:
    return terms.disjunction([each.guard for each in bad])


def _guard(bad: Bad) -> Term:
    return bad.guard


def _together(names: Iterable[str]) -> str:
    """Each solver once; those that had to evaluate only are not worth a word beside one."""
    found = dict.fromkeys(name for each in names for name in each.split(" and "))
    solvers = [name for name in found if name in LIBRARIES]
    return " and ".join(solvers) or "evaluation"
