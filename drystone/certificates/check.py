"""Checks certificates: no TRUE is said without this.

The check rebuilds everything from the program: it takes from the certificate only what the claim is (the number of steps, the
depth of recursion, cut points and invariants), makes the transformers of the unsliced program anew, and asks the solver that
did not find the proof. Where that one does not answer soon, the one that did is asked, too, with another seed, and the result
says so; with a process to spare, both are asked at the same time.
Objects whose addresses the program computes with may lie anywhere in memory: a proof must not rely on where drystone puts them.
Invariants that cannot be checked on the unsliced program (it has more memory, and more that is not modelled) are
checked on the sliced one. Where the certificate says that memory should not matter, this is the slice that forgets it: the
executions of the program are among its executions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.fork_pool import Tickets, in_forks
from drystone.base.plurals import counted
from drystone.certificates.questions import PATIENCE, Checked, Means, Questions, by_both, together
from drystone.certificates.readiness import Ready
from drystone.claims.certificates import (
    BoundedCertificate,
    ContractsCertificate,
    ExploredCertificate,
    InductiveCertificate,
    KInductiveCertificate,
    ModularCertificate,
    NothingToProve,
    SingleExecution,
)
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind, Program
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.substitution import substitute
from drystone.logic.terms import TRUE, Term
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.passes.readings import settled
from drystone.pipeline import Abstraction, Flat, PreparedProgram
from drystone.symbolic.region_memory import NoRoom
from drystone.symbolic.transformers import ENTRY, Bad, bad_places
from drystone.symbolic.unrolling import Unrolling, anywhere

_ON_THE_SLICE = " on the slice"
_WITHOUT_MEMORY = " on the slice without memory"
_LARGE = 3_000  # edges: where memory should not matter, a larger program is not checked with it
_WORTH_A_PROCESS = 8  # obligations
_SHOWN_PLACES = 3
_MANY_STATES = 200_000  # that are looked for over all variables, if those that a certificate names do not suffice


def check(
    files: list[str],
    options: FrontendOptions,
    certificate: object,
    deadline: Deadline,
    *,
    solver: str | None = None,
    jobs: int = 1,
    patience: float = PATIENCE,
    ready: Ready | None = None,
) -> Checked:
    """Reads the program anew from its text and checks that the certificate proves it. `patience`: seconds for the solver that did
    not find the proof."""
    means = Means(deadline, solver, jobs=jobs, patience=patience, ready=ready.solvers if ready is not None else [])
    program = ready.program_of(files, options) if ready is not None else None
    return _check(settled(program or load(files, options).program), certificate, means)


def check_program(
    program: Program,
    certificate: object,
    deadline: Deadline,
    *,
    solver: str | None = None,
    jobs: int = 1,
) -> Checked:
    """The same for a program as the front end has read it."""
    return _check(settled(program), certificate, Means(deadline, solver, jobs=jobs))


def _check(program: Program, certificate: object, means: Means) -> Checked:
    forgets = getattr(certificate, "is_forgetful", False)
    prepared = PreparedProgram(program, Abstraction.WITHOUT_MEMORY if forgets else Abstraction.EXACT)
    try:
        match certificate:
            case NothingToProve():
                return _check_nothing(program)
            case SingleExecution(steps):
                return _check_execution(program, steps, means.deadline)
            case BoundedCertificate() | InductiveCertificate() | KInductiveCertificate() | ExploredCertificate() if (
                certificate.recursion < 1
            ):
                return Checked(False, "", f"recursion cannot be unrolled to {counted(certificate.recursion, 'calls')}")
            case BoundedCertificate():
                return _unsliced_first(prepared, certificate, means, partial(_check_bounded, prepared, certificate))
            case InductiveCertificate() | KInductiveCertificate():
                return _unsliced_first(prepared, certificate, means, partial(_check_inductive, prepared, certificate))
            case ExploredCertificate():
                return _unsliced_first(prepared, certificate, means, partial(_check_explored, prepared, certificate))
            case ContractsCertificate():
                return _check_contracts(program, certificate, means)
            case ModularCertificate():
                from drystone.certificates.modular import check_modular  # for this kind alone

                return check_modular(program, certificate, means)
    except (TooLarge, NoRoom) as problem:
        return Checked(False, "", str(problem), undecided=True)
    return Checked(False, "", "this kind of certificate is unknown")


def _check_contracts(program: Program, certificate: ContractsCertificate, means: Means) -> Checked:
    """The proof, on the program in which contracts stand for procedures. It shows that they keep them, too."""
    from drystone.passes.contracts import Contract, broken, vocabularies, with_contracts  # for this kind alone

    if program.has_threads:
        return Checked(False, "reading", "contracts say nothing about programs with threads")
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
    from drystone.concrete.determinism import MOST_FOLLOWED, follow  # for this kind alone

    problem = follow(program, min(steps, MOST_FOLLOWED) + 1, deadline.expired).problem
    return Checked(not problem, "the interpreter", problem, undecided=bool(problem) and deadline.expired())


def _check_explored(prepared: PreparedProgram, certificate: ExploredCertificate, sliced: bool, means: Means) -> Checked:
    from drystone.certificates.exploration import Exploration, scheduled  # for this kind alone

    how, bound = "evaluation" + _how(prepared, sliced), certificate.recursion
    if _where_addresses_matter(prepared, bound) is not None:
        return _for_any_addresses(Checked(False, how, "states are those of the places that drystone chooses"))
    together = prepared.flat(recursion_bound=bound, max_edges=MAX_EDGES, sliced=False).program
    system = prepared.transition_system(
        recursion_bound=bound,
        max_edges=MAX_EDGES,
        sliced=sliced,
        cut_points=scheduled(together.procedures[together.entry]),
    )
    exploration = Exploration(system, certificate.variables)
    problem = exploration.problem(certificate.states, means.deadline, means.jobs)
    if problem and certificate.variables is not None:  # terms that join branches need more of them than a search along edges
        exploration = Exploration(system)
        problem = exploration.problem(max(certificate.states, _MANY_STATES), means.deadline, means.jobs)
    return Checked(not problem, how, problem, undecided=bool(problem) and (bool(exploration.open) or means.deadline.expired()))


class _Bounded:
    """Complete unrollings of the program as it is, or sliced."""

    def __init__(self, prepared: PreparedProgram, certificate: BoundedCertificate, sliced: bool, means: Means) -> None:
        self.prepared, self.certificate, self.sliced, self.deadline = prepared, certificate, sliced, means.deadline
        self.questions = Questions(certificate.found_by, means)

    def check(self) -> Checked:
        bound = self.certificate.recursion
        flat = self.prepared.flat(recursion_bound=bound, max_edges=MAX_EDGES, sliced=self.sliced)
        checked = self._check(Unrolling(flat.symbolic()))
        if not checked.valid or not flat.regions.pointers.shown:
            return checked
        sliced = _where_addresses_matter(self.prepared, bound)
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
                return self.questions.failed(
                    f"{_listed(self.prepared.program, bad)} is not excluded within {_passes(unrolling.depth)}"
                )
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
            longer = f"some executions are longer than {_passes(self.certificate.steps)}"
            return Checked(False, self._who(), f"not excluded: {longer}" if unanswered else longer, undecided=unanswered)
        return Checked(True, self._who())

    def _who(self) -> str:
        return self.questions.who() + _how(self.prepared, self.sliced)


def _check_bounded(prepared: PreparedProgram, certificate: BoundedCertificate, sliced: bool, means: Means) -> Checked:
    prepared.flat(recursion_bound=certificate.recursion, max_edges=MAX_EDGES, sliced=sliced)  # once, for all processes
    return by_both(certificate.found_by, means, lambda means: _Bounded(prepared, certificate, sliced, means).check())


def _how(prepared: PreparedProgram, sliced: bool) -> str:
    return "" if not sliced else _WITHOUT_MEMORY if prepared.is_without_memory else _ON_THE_SLICE


def _passes(count: int) -> str:
    return f"{counted(count, 'passes')} through loop heads"


def _listed(program: Program, bad: list[Bad]) -> str:
    """The first few of these places, for people."""
    names = list(dict.fromkeys(f"{each.mark.what} at {program.where(each.mark.origin)}" for each in bad))
    return " or ".join(names[:_SHOWN_PLACES]) + (" or another place" if len(names) > _SHOWN_PLACES else "")


def _unsliced_first(
    prepared: PreparedProgram,
    certificate: BoundedCertificate | InductiveCertificate | KInductiveCertificate | ExploredCertificate,
    means: Means,
    check: Callable[[bool, Means], Checked],
) -> Checked:
    """Checks on the program as it is; if that does not succeed, on the slice. The first way has half of the time."""
    deadline = means.deadline
    bound = certificate.recursion
    if prepared.is_without_memory and prepared.edges_without_calls(recursion_bound=bound, max_edges=MAX_EDGES) > _LARGE:
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
        prepared: PreparedProgram,
        certificate: InductiveCertificate | KInductiveCertificate,
        sliced: bool,
        means: Means,
        anywhere: bool = False,
    ) -> None:
        self.program, self.certificate, self.means = prepared.program, certificate, means
        self.how = _how(prepared, sliced)
        self.k = certificate.k if isinstance(certificate, KInductiveCertificate) else 1
        self.system = prepared.transition_system(
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
            shown, checked_by=together((preserved.checked_by.removesuffix(self.how), shown.checked_by)) + self.how
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
            return by_both(self.certificate.found_by, self.means, lambda means: self._discharge(obligations, means))
        tickets = Tickets(len(obligations))

        def encoded(number: int) -> tuple[bool, bytes]:
            found = self._discharge((obligations[ticket] for ticket in tickets), self.means)
            return found.valid, msgspec.msgpack.encode(found)

        try:
            shares = [msgspec.msgpack.decode(answer, type=Checked) for answer in in_forks(jobs, encoded)]
        finally:
            tickets.close()
        failed = [share for share in shares if not share.valid]
        if failed:
            return min(failed, key=lambda share: share.undecided)
        if len(shares) < jobs:
            return Checked(False, "", "a process of the check ended too early", undecided=True)
        return Checked(True, together(share.checked_by.removesuffix(self.how) for share in shares) + self.how)

    def _discharge(self, obligations: Iterable[_Obligation], means: Means) -> Checked:
        questions = self._questions(means)
        for obligation in obligations:
            if not questions.excluded(self._invariant(obligation.start), obligation.formula()):
                return questions.failed(obligation.problem, self.how)
        return Checked(True, questions.who() + self.how)

    def _questions(self, means: Means) -> Questions:
        questions = Questions(self.certificate.found_by, means)
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
                return questions.failed(f"{_listed(self.program, bad)} is not excluded within {_passes(base.depth)}")
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
                return questions.failed(
                    f"{_listed(self.program, bad)} is not excluded after {counted(self.k, 'blocks')} without an error"
                )
        return Checked(True, questions.who())

    def _bad(self, unrolling: Unrolling) -> list[Bad]:
        """What the next step gets to that is bad."""
        return [each for step in unrolling.advance() for each in bad_places(unrolling.program, step)]

    def _where(self, cut: int) -> str:
        return "the entry" if cut == ENTRY else self.program.where(self.system.origin(cut))


def _check_inductive(
    prepared: PreparedProgram, certificate: InductiveCertificate | KInductiveCertificate, sliced: bool, means: Means
) -> Checked:
    fixed = _Inductive(prepared, certificate, sliced, means)
    checked = fixed.check()
    if not checked.valid or not fixed.system.symbolic.regions.pointers.shown:
        return checked
    if _where_addresses_matter(prepared, certificate.recursion) is None:
        return checked
    return _for_any_addresses(_Inductive(prepared, certificate, True, means, anywhere=True).check())


def _where_addresses_matter(prepared: PreparedProgram, recursion: int) -> Flat | None:
    """The slice; None if no address decides anything there, whatever else the program does with some."""
    flat = prepared.flat(recursion_bound=recursion, max_edges=MAX_EDGES, sliced=True)
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
