"""Finds contracts of recursive procedures, and proves the program with them (passes/contracts.py).

Candidates hold in recorded calls (invariants/sources/contract_candidates.py). Those that some procedure breaks, given that all
hold, are removed until none is broken. Then the program with contracts, which has no recursion left, is proved like any other.
Proves only: what is an error with contracts may be one because they say too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import (
    BoundedCertificate,
    ContractsCertificate,
    InductiveCertificate,
    KInductiveCertificate,
    StatedContract,
)
from drystone.claims.property import error_marks
from drystone.claims.verdicts import Verdict
from drystone.concrete.call_recorder import RecordedCall, RecordingMachine
from drystone.concrete.code_generation import ProgramCode
from drystone.concrete.interpreter import InputSource, Interpreter
from drystone.engines.input_styles import FIRST, STYLES, Constants, StyledInputs
from drystone.engines.obstacles import Obstacle
from drystone.engines.outcome import EngineResult, ErrorVerdict, Observer, Progress
from drystone.engines.question import Question
from drystone.invariants.sources.contract_candidates import Calls, guarantees, requirements
from drystone.ir.automaton import Program
from drystone.ir.expressions import Apply, Constant, Expression, Variable
from drystone.ir.loops import loop_heads
from drystone.ir.operations import Assume
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.printing import c_text
from drystone.logic.terms import FALSE, Term
from drystone.passes.contracts import (
    Contract,
    Vocabulary,
    guarantee,
    old,
    requirement,
    vocabularies_beyond_loops,
    with_contracts,
)
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.pipeline import PreparedProgram
from drystone.solvers import Answer, Solver, make_solver
from drystone.solvers.registry import with_another
from drystone.symbolic.transformers import bad_places
from drystone.symbolic.unrolling import Unrolling

_RUNS = 200
_STEPS = 5_000  # of a run
_CALLS = 300  # kept of a run
_MOST_CALLS = 3_000
_DEPTH = 6  # loop heads that are passed to break a candidate
_QUERY_SECONDS = 1.0

Contracts = dict[str, Contract]


class ContractOptions(msgspec.Struct, frozen=True):
    seed: int = 0


def answer(question: Question) -> EngineResult:
    return check(question.program, ContractOptions(seed=question.settings.seed), question.deadline, question.observer)


def check(program: Program, options: ContractOptions, deadline: Deadline, observer: Observer) -> EngineResult:
    """TRUE or UNKNOWN."""
    search = _Search(program, options, deadline, observer)
    if not search.known:
        return EngineResult(Verdict.UNKNOWN, "no recursive function without memory accesses, so no contracts to find")
    try:
        result = search.run()
    except TooLarge as problem:
        result = EngineResult(Verdict.UNKNOWN, str(problem), obstacle=Obstacle(too_large=problem.function))
    errors = tuple(ErrorVerdict(mark, result.verdict) for mark in error_marks(program))
    return msgspec.structs.replace(result, counters=search.counters, errors=errors)


class _Search:
    def __init__(self, program: Program, options: ContractOptions, deadline: Deadline, observer: Observer) -> None:
        self.program, self.options, self.deadline, self.observer = program, options, deadline, observer
        self.known = vocabularies_beyond_loops(program)
        self.solver = "bitwuzla"  # or the one that knew more
        self.counters = {"runs": 0, "candidates": 0, "contracts": 0, "queries": 0}

    def run(self) -> EngineResult:
        contracts = self._candidates()
        self.counters["candidates"] = _size(contracts)
        while not self.deadline.expired():
            if not self._prune(contracts):
                break
            self._shorten(contracts)
            self.counters["contracts"] = _size(contracts)
            result = self._prove(PreparedProgram(with_contracts(self.program, self.known, contracts)))
            if result.verdict is Verdict.TRUE:
                return self._proved(contracts, result)
            if result.error is None or not _remove(contracts, {result.error.what}):
                return EngineResult(
                    Verdict.UNKNOWN, f"{counted(_size(contracts), 'facts')} about calls found, too few for a proof"
                )
        return EngineResult(Verdict.UNKNOWN, "out of time")

    # Candidates

    def _candidates(self) -> Contracts:
        self.observer(Progress("runs"))
        calls: dict[str, list[RecordedCall]] = {name: [] for name in self.known}
        for call in self._recorded():
            calls[call.procedure].append(call)
        constants = Constants(self.program).integers
        return {name: self._candidates_of(vocabulary, calls[name], constants) for name, vocabulary in self.known.items()}

    def _recorded(self) -> Iterator[RecordedCall]:
        interpreter, constants = Interpreter(self.program), Constants(self.program)
        styles = (*FIRST, *STYLES * (1 + _RUNS // len(STYLES)))[:_RUNS]
        limit = self.deadline.within(self.deadline.remaining() / 4)
        count = 0
        for number, style in enumerate(styles):
            if limit.expired() or count > _MOST_CALLS:
                return
            inputs = StyledInputs(constants, self.options.seed * 1_000_003 + number, style, zero_memory=True)
            found = self._run(interpreter, inputs)
            count += len(found)
            yield from found

    def _run(self, interpreter: Interpreter, inputs: InputSource) -> list[RecordedCall]:
        machines: list[RecordingMachine] = []

        def recording(code: ProgramCode, source: InputSource) -> RecordingMachine:
            machines.append(RecordingMachine(code, source, self.known.keys(), _CALLS))
            return machines[0]

        interpreter.run(inputs, max_steps=_STEPS, make_machine=recording)
        self.counters["runs"] += 1
        return [call for machine in machines for call in machine.calls()]

    def _candidates_of(self, vocabulary: Vocabulary, calls: list[RecordedCall], constants: list[int]) -> Contract:
        before = [terms.state(name, each.sort) for name, each in vocabulary.before().items()]
        after = [terms.state(name, each.sort) for name, each in vocabulary.after().items()]
        place = {name: position for position, name in enumerate(self.program.variables)}
        read, written = ([place[each.name] for each in some] for some in (vocabulary.read, vocabulary.written))
        called, returned = [], []
        for call in calls:
            row = [*call.arguments, *(call.before[position] for position in read)]
            called.append(row)
            if call.after is not None:
                result = [call.result] if vocabulary.procedure.result is not None else []
                returned.append([*row, *(call.after[position] for position in written), *result])
        required = tuple(requirements(Calls(before, called, constants)))
        if called and not returned:
            return Contract(required, (FALSE,))  # perhaps it never does
        conditions = list(_conditions(vocabulary))
        return Contract(required, tuple(guarantees(Calls(after, returned, constants), before, conditions)))

    # Pruning

    def _prune(self, contracts: Contracts) -> bool:
        """Removes candidates until none is broken within some steps. False: there was no time."""
        while not self.deadline.expired():
            self.observer(Progress("contracts", {"candidates": _size(contracts), "queries": self.counters["queries"]}))
            if not _remove(contracts, self._broken(with_contracts(self.program, self.known, contracts, own_errors=False))):
                return True
        return False

    def _broken(self, program: Program) -> set[str]:
        flat = PreparedProgram(program).flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
        unrolling = Unrolling(flat.symbolic())
        bad = []
        while unrolling.states and unrolling.depth < _DEPTH and not self.deadline.expired():
            bad += [each for step in unrolling.advance() for each in bad_places(unrolling.program, step)]
        ways: dict[str, list[Term]] = {}
        for each in bad:
            ways.setdefault(each.mark.what, []).append(each.guard)
        solvers: dict[str, Solver] = {}
        return {what for what, guards in ways.items() if not self._is_excluded(terms.disjunction(guards), solvers)}

    def _is_excluded(self, way: Term, solvers: dict[str, Solver]) -> bool:
        """By the solver that knew the latest answer, or else by the other one."""
        for name in with_another(self.solver):
            if name not in solvers:
                solvers[name] = make_solver(name, self.options.seed)
            self.counters["queries"] += 1
            answer = solvers[name].check((way,), limit_seconds=min(_QUERY_SECONDS, self.deadline.remaining()))
            if answer is not Answer.UNKNOWN:
                self.solver = name
                return answer is Answer.UNSAT
        return False

    def _shorten(self, contracts: Contracts) -> None:
        """Without what follows from the rest: people read it."""
        for name, contract in contracts.items():
            solvers: dict[str, Solver] = {}
            requires = self._without_implied(contract.requires, (), solvers)
            contracts[name] = Contract(requires, self._without_implied(contract.ensures, requires, solvers))

    def _without_implied(self, facts: tuple[Term, ...], known: tuple[Term, ...], solvers: dict[str, Solver]) -> tuple[Term, ...]:
        needed = list(facts)
        for fact in reversed(facts):
            others = [each for each in needed if each is not fact]
            if self._is_excluded(terms.conjunction([*known, *others, terms.negate(fact)]), solvers):
                needed = others
        return tuple(needed)

    # Proof

    def _prove(self, prepared: PreparedProgram) -> EngineResult:
        flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
        if not loop_heads(flat.program.procedures[flat.program.entry]):
            from drystone.engines import bmc

            for name, share in zip(with_another(self.solver), (3, 1), strict=True):
                limit = self.deadline.within(self.deadline.remaining() / share)
                result = bmc.check(prepared, bmc.BmcOptions(name, self.options.seed), limit, self.observer)
                if result.verdict is not Verdict.UNKNOWN:
                    break
            return result
        from drystone.engines.dss import engine as dss
        from drystone.engines.dss.options import DssOptions

        return dss.check(prepared, DssOptions(self.solver, self.options.seed), self.deadline, self.observer)

    def _proved(self, contracts: Contracts, result: EngineResult) -> EngineResult:
        proof = result.certificate
        assert isinstance(proof, BoundedCertificate | InductiveCertificate | KInductiveCertificate)
        stated = [_stated(name, contract) for name, contract in contracts.items()]
        names = " and ".join(contracts)
        reason = f"by a contract of {names}" if len(contracts) == 1 else f"by contracts of {names}"
        if not isinstance(proof, BoundedCertificate):
            reason += f", {result.reason}"
        explanation = tuple(f"{each.procedure}: {text}" for each in stated for text in (*each.requires, *each.ensures))
        return EngineResult(Verdict.TRUE, reason, certificate=ContractsCertificate(stated, proof), explanation=explanation)


def _size(contracts: Contracts) -> int:
    return sum(len(each.requires) + len(each.ensures) for each in contracts.values())


def _remove(contracts: Contracts, broken: set[str]) -> bool:
    """Removes what is broken, by the names of the errors. Was there something?"""
    before = _size(contracts)
    for name, contract in contracts.items():
        contracts[name] = Contract(
            tuple(term for number, term in enumerate(contract.requires) if requirement(name, number) not in broken),
            tuple(term for number, term in enumerate(contract.ensures) if guarantee(name, number) not in broken),
        )
    return _size(contracts) < before


def _stated(name: str, contract: Contract) -> StatedContract:
    return StatedContract(
        name,
        [c_text(each) for each in contract.requires],
        [c_text(each) for each in contract.ensures],
        pack(contract.requires),
        pack(contract.ensures),
    )


def _conditions(vocabulary: Vocabulary) -> Iterable[Term]:
    """The procedure's branch conditions, read as if they were about what it is given."""
    symbols = {each.name: terms.state(each.name, each.sort) for each in vocabulary.procedure.parameters}
    symbols |= {each.name: terms.state(old(each.name), each.sort) for each in vocabulary.read if each.name not in symbols}
    found: dict[Term, None] = {}
    for edge in vocabulary.procedure.edges:
        if isinstance(edge.operation, Assume):
            term = _term(edge.operation.condition, symbols)
            if term is not None and term.operator != "const" and terms.negate(term) not in found:
                found[term] = None
    return found


def _term(expression: Expression, symbols: dict[str, Term]) -> Term | None:
    match expression:
        case Constant():
            return terms.constant(expression.sort, expression.value)
        case Variable():
            return symbols.get(expression.name)
        case Apply():
            arguments = [_term(each, symbols) for each in expression.arguments]
            known = [each for each in arguments if each is not None]
            return terms.make(expression.operator, expression.sort, *known) if len(known) == len(arguments) else None
        case _:
            return None
