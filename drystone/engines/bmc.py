"""Bounded model checking: unroll, ask whether an error is reachable, unroll further.

FALSE: a model of an error's guard gives the inputs; they are replayed on the original program before anything is said.
TRUE: all ways have ended, and none in an error or unknown location; the number of steps is the certificate.
Recursion is unrolled to a growing bound in the same manner (`engines.deepening`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import BoundedCertificate
from drystone.claims.property import error_marks
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Outcome as Ran
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.model_inputs import InitialMemory, OriginInputs, run_original
from drystone.engines.obstacles import Met, Obstacle
from drystone.engines.outcome import EngineResult, Observer, Progress
from drystone.engines.question import Question
from drystone.ir.automaton import Edge, Mark, MarkKind, ObjectKind, Origin
from drystone.ir.expressions import Input
from drystone.ir.loops import loop_heads
from drystone.ir.operations import Allocate, Declare, Reallocate
from drystone.logic import terms
from drystone.logic.evaluation import ArrayValue
from drystone.logic.substitution import Substitution
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.memory.dataflow import array_name
from drystone.pipeline import PreparedProgram
from drystone.solvers import Answer, Solver, make_solver
from drystone.symbolic.environment import Environment
from drystone.symbolic.execution import Request, Step
from drystone.symbolic.region_memory import element_width
from drystone.symbolic.states import Guard, State
from drystone.symbolic.unrolling import Unrolling


class BmcOptions(msgspec.Struct, frozen=True):
    solver: str = "bitwuzla"
    seed: int = 0
    max_steps: int = 1_000_000  # of unrolling
    max_edges: int = 200_000  # with calls inlined
    slicing: bool = True
    null_ends: bool = False  # look only for executions that dereference no null pointer; then no TRUE
    query_seconds: float = 60.0
    encoding: str | None = None  # what a step of unrolling is; None: the largest blocks, from loop head to loop head


def answer(question: Question) -> EngineResult:
    options = BmcOptions(seed=question.settings.seed, encoding=question.settings.encoding)
    return check(question.prepared, options, question.deadline, question.observer)


def check(prepared: PreparedProgram, options: BmcOptions, deadline: Deadline, observer: Observer) -> EngineResult:
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "terms": 0, "ite_nodes": 0, "replays": 0}
    explanation: list[str] = []

    def search(bound: int) -> Outcome:
        before = counters["queries"]
        run = Run(prepared, options, observer, counters, bound)
        outcome = run.search(deadline)
        counters["ite_nodes"] = run.symbolic.joins.ite_nodes
        explanation.append(_explained(run, outcome, counters["queries"] - before))
        return outcome

    outcome = deepen(search, deadline, observer)
    counters["terms"] = terms.table_size()
    return msgspec.structs.replace(engine_result(prepared.program, outcome, counters), explanation=tuple(explanation))


def _explained(run: Run, outcome: Outcome, queries: int) -> str:
    """What was done with one bound on recursion."""
    end = "an error was found" if outcome.verdict is Verdict.FALSE else outcome.reason
    unrolled = _told(run.unrolling.depth, run.options.encoding)
    return (
        f"with at most {counted(run.bound, 'nested calls')} of a function: {unrolled} unrolled, "
        f"{counted(queries, 'queries')}; {end}"
    )


def _told(depth: int, encoding: str | None) -> str:
    """So many steps, for people."""
    if encoding is not None:
        return f"{counted(depth, 'steps')} of the {encoding} encoding"
    return f"{counted(depth, 'passes')} through loop heads"


def _passes(unrolling: Unrolling, encoding: str | None) -> int:
    """How often what was unrolled passes loop heads, at most: a step may pass those that the encoding has not kept."""
    if encoding is None:
        return unrolling.depth
    return unrolling.depth * (1 + len(loop_heads(unrolling.program.procedure) - unrolling.cut_points))


Choices = Mapping[tuple[int, Input | None], int]
"""Values of inputs, by the edges that ask for them."""


class Run:
    """The search with one bound on recursion. It can be interrupted by a deadline and continued with another."""

    def __init__(
        self,
        prepared: PreparedProgram,
        options: BmcOptions,
        observer: Observer,
        counters: dict[str, int],
        bound: int,
        cut_points: frozenset[int] | None = None,
    ) -> None:
        """`cut_points`: of the prepared program, instead of its loop heads."""
        self.prepared, self.original = prepared, prepared.program
        self.options = options
        self.deadline = Deadline()
        self.observer = observer
        self.counters = counters
        self.bound = bound
        flat = prepared.flat(recursion_bound=bound, max_edges=options.max_edges, sliced=options.slicing)
        self.symbolic = flat.symbolic(null_ends=options.null_ends)
        if cut_points is None and options.encoding is not None:
            from drystone.cpa.encodings import kept_locations

            cut_points = kept_locations(self.symbolic.program, options.encoding).locations
        self.unrolling = Unrolling(self.symbolic, cut_points)
        self.solver: Solver = make_solver(options.solver, options.seed)
        self.checked_depth = 0  # no execution of so many steps reaches an error
        self.unknown: str = ""  # an unknown location that is, or may be, reachable
        self.met: Met | None = None  # this one
        self.deeper = False
        self.unconfirmed: str = ""
        self.unconfirmed_error: Mark | None = None  # this one
        self._has_errors = any(mark.kind is MarkKind.ERROR or mark.is_bound for mark in self.symbolic.procedure.marks.values())
        self._errors_open: list[tuple[int, Guard]] = []
        self._unknowns_open: list[tuple[int, Guard, str]] = []
        self._next_query = 1

    def search(self, deadline: Deadline, depth: int | None = None) -> Outcome:
        """Until there is a verdict, the deadline has passed, or no error within `depth` steps was shown."""
        self.deadline = deadline
        outcome = self._search(depth)
        if outcome.unconfirmed and not self.options.null_ends and not self.prepared.is_without_memory:
            outcome = self.search_exactly(deadline)
        return outcome

    def search_exactly(self, deadline: Deadline) -> Outcome:
        """For a counterexample that is none of the program: what was sliced away, or a null pointer, may stand in its way."""
        exact = msgspec.structs.replace(self.options, slicing=False, null_ends=True)
        return Run(self.prepared, exact, self.observer, self.counters, self.bound).search(deadline)

    def follow(self, path: list[int], deadline: Deadline, choices: Sequence[Choices] = ()) -> Outcome:
        """Looks for an error at the end of this way through cut points, and only there; `choices`: inputs of each step, the first
        of which is that from the entry."""
        self.deadline = deadline
        for number, cut in enumerate(path):
            self.unrolling.advance()
            state = self.unrolling.states.get(cut)
            if state is None:
                return Outcome(Verdict.UNKNOWN, "the path to the error that was found does not exist")
            self.unrolling.states = {cut: state}
            if choices:
                chosen = self._choose(choices[number])
                values = [(name, chosen(value)) for name, value in state.environment.items()]
                known = Environment(state.environment.sorts, values)
                self.unrolling.states[cut] = State(Guard(None, chosen(state.guard.term)), known)
        errors: list[tuple[int, Guard]] = []
        for step in self.unrolling.advance():
            errors += step.errors
            self._unknowns(step.refused)
        if choices:
            self._choose(choices[-1])
        found = self._errors(errors)
        if found is not None:
            return found
        reason = self.unknown or "no execution takes the path to the error that was found"
        return Outcome(Verdict.UNKNOWN, reason, obstacle=Obstacle(self.met))

    def _choose(self, choices: Choices) -> Substitution:
        """Fixes inputs of the latest step, or of the start."""
        stamps = ("start", self.unrolling.steps[-1][1].stamp)
        values: dict[Term, Term] = {}
        for symbol, request in self.symbolic.requests.items():
            value = choices.get((request.edge, request.input)) if request.stamp in stamps else None
            if value is not None:
                values[symbol] = terms.constant(symbol.sort, value)
                self.solver.add(terms.equal(symbol, values[symbol]))
        return Substitution(values)

    def _search(self, limit: int | None) -> Outcome:
        while True:
            if self._is_due(limit):  # also one that an earlier search had no time for
                found = self._errors(self._errors_open)
                if found is not None:
                    return found
                self._unknowns(self._unknowns_open)
                self._errors_open, self._unknowns_open = [], []
                self.checked_depth = self.unrolling.depth
                self._next_query = self.checked_depth + max(1, self.checked_depth // 8)
                self._prune()
            if self._is_confirmed and not self._has_errors:
                return Outcome(Verdict.UNKNOWN, self.unknown, obstacle=self._obstacle(is_final=True))
            if not self.unrolling.states:
                break
            if limit is not None and self.checked_depth >= limit:
                reason = self.unknown or f"no error within {_told(self.checked_depth, self.options.encoding)}"
                return Outcome(Verdict.UNKNOWN, reason, deeper=self.deeper, obstacle=self._obstacle())
            if self.deadline.expired():
                return self._stopped("out of time")
            if self.unrolling.depth >= self.options.max_steps:
                return self._stopped(f"limited to {_told(self.options.max_steps, self.options.encoding)}")
            self._observe("unrolling")
            for step in self.unrolling.advance():
                self._errors_open += step.errors
                self._unknowns_open += [(location, guard, "") for location, guard in step.unknowns]
                self._unknowns_open += step.refused
            self.counters["unrollings"] += 1
        if self.unconfirmed:
            return Outcome(Verdict.UNKNOWN, self.unconfirmed, unconfirmed=True, obstacle=self._obstacle())
        if self.unknown:  # and all executions have ended
            is_final = self._is_confirmed and not self.deeper
            return Outcome(Verdict.UNKNOWN, self.unknown, deeper=self.deeper, obstacle=self._obstacle(is_final))
        if self.options.null_ends:
            return Outcome(Verdict.UNKNOWN, "only executions that dereference a null pointer first could reach the error")
        certificate = BoundedCertificate(_passes(self.unrolling, self.options.encoding), self.bound, self.options.solver)
        reason = f"all executions end within {_told(self.unrolling.depth, self.options.encoding)}"
        return Outcome(Verdict.TRUE, reason, certificate=certificate)

    def _is_due(self, limit: int | None) -> bool:
        """Is it time to ask about the errors that were met since the last query?"""
        depth = self.unrolling.depth
        if depth == self.checked_depth:
            return False
        certain = any(guard.term is TRUE for _, guard in self._errors_open)
        return depth >= self._next_query or not self.unrolling.states or certain or depth == limit

    def _stopped(self, why: str) -> Outcome:
        reason = f"no error within {_told(self.checked_depth, self.options.encoding)}; {why}"
        return Outcome(Verdict.UNKNOWN, reason, deeper=False, obstacle=self._obstacle())

    @property
    def _is_confirmed(self) -> bool:
        return self.met is not None and self.met.is_confirmed

    def _obstacle(self, is_final: bool = False) -> Obstacle:
        return Obstacle(self.met, is_final, self.checked_depth, unconfirmed=self.unconfirmed_error)

    def _observe(self, activity: str) -> None:
        counters = {"bound": self.unrolling.depth, "queries": self.counters["queries"]}
        self.observer(Progress(activity, counters, checked=self.checked_depth))

    def _query(self, formula: Term) -> Answer:
        if formula is FALSE:
            return Answer.UNSAT
        self.counters["queries"] += 1
        limit = min(self.options.query_seconds, self.deadline.remaining())
        if limit <= 0:
            return Answer.UNKNOWN
        self._observe("query")
        return self.solver.check([formula], limit_seconds=limit)

    def _errors(self, errors: list[tuple[int, Guard]]) -> Outcome | None:
        """A confirmed error among these, if there is one."""
        open_ = [(location, guard) for location, guard in errors if guard.term is not FALSE]
        while open_:
            answer = self._query(terms.disjunction([guard.term for _, guard in open_]))
            if answer is Answer.UNSAT:
                return None
            if answer is Answer.UNKNOWN:
                reason = f"a query of {self.options.solver} at bound {self.unrolling.depth} was not answered"
                obstacle = msgspec.structs.replace(self._obstacle(), is_unanswered=True)
                return Outcome(Verdict.UNKNOWN, reason, obstacle=obstacle)
            taken = next(((location, guard) for location, guard in open_ if self.solver.value(guard.term)), open_[0])
            confirmed = self._replay()
            if confirmed is not None:
                return confirmed
            mark = self.symbolic.procedure.marks[taken[0]]
            self.unconfirmed = (
                f"a path to {mark.what} at {self.original.where(mark.origin)} was found, but its replay does not reach it"
            )
            self.unconfirmed_error = mark
            if not self.options.null_ends:
                return Outcome(Verdict.UNKNOWN, self.unconfirmed, unconfirmed=True, obstacle=self._obstacle())
            open_.remove(taken)
        return None

    def _unknowns(self, unknowns: Iterable[tuple[int, Guard, str]]) -> None:
        """Notes an unknown location that can be reached: it forbids TRUE."""
        for location, guard, refused in unknowns:
            mark = self.symbolic.procedure.marks.get(location)
            what, deeper = (mark.what, mark.is_bound) if mark is not None else (refused, False)
            if (self.unknown and not deeper) or (deeper and self.deeper):
                continue
            answer = self._query(guard.term)
            if answer is not Answer.UNSAT:
                edges = self.symbolic.outgoing[location]
                origin = mark.origin if mark is not None else self.symbolic.procedure.edges[edges[0]].origin
                self.unknown = f"{what} at {self.original.where(origin)} may be reached"
                self.deeper = self.deeper or deeper
                place = mark or Mark(MarkKind.UNKNOWN, what, origin)
                is_confirmed = answer is Answer.SAT and not deeper and self._is_met(place)
                self.met = Met(place, self.symbolic.procedure.open_calls(location), is_confirmed)

    def _prune(self) -> None:
        """Drops states that no execution reaches."""
        for location, state in list(self.unrolling.states.items()):
            if state.guard.term is not TRUE and self._query(state.guard.term) is Answer.UNSAT:
                del self.unrolling.states[location]

    # counterexamples

    def _replay(self) -> Outcome | None:
        """Runs the original program on the inputs of the solver's model."""
        for filler in _FILLERS:
            self.counters["replays"] += 1
            outcome = self._run_original(filler)
            if outcome.kind == "error":
                break
        else:
            return None
        mark = next(
            (mark for mark in error_marks(self.original) if mark.origin == outcome.origin and mark.what == outcome.what), None
        )
        return Outcome(Verdict.FALSE, "", mark, outcome.inputs)

    def _run_original(self, filler: int) -> Ran:
        return run_original(
            self.prepared,
            lambda: self._model_inputs(filler),
            recursion_bound=self.bound,
            max_edges=self.options.max_edges,
            max_steps=self._most_steps(),
        )

    def _is_met(self, place: Mark) -> bool:
        """Does the original program get to this unknown location on the inputs of the solver's model?"""
        if self.prepared.is_without_memory:
            return False
        self.counters["replays"] += 1
        outcome = self._run_original(_FILLERS[0])
        return outcome.kind == "unknown" and (outcome.what, outcome.origin) == (place.what, place.origin)

    def _most_steps(self) -> int:
        """A run is not interrupted, and an input that was sliced away may keep it in a loop: as long as there is time for it."""
        if self.prepared.is_without_memory:
            return _FEW_STEPS
        return min(_MOST_STEPS, _FEW_STEPS + int(_STEPS_PER_SECOND * min(self.deadline.remaining(), 3600) / 8))

    def _model_inputs(self, filler: int) -> OriginInputs:
        """The model's inputs in the order of execution, by the place in the source that asks for them."""
        by_step: dict[str, list[tuple[Term, Request]]] = {}
        for term, request in self.symbolic.requests.items():
            by_step.setdefault(request.stamp, []).append((term, request))
        source = OriginInputs(self._initial_memory(), filler)
        for term, request in by_step.get("start", ()):
            if request.input is not None:
                source.add(_START, request.input, self._number(term))
        for name, object_ in self.original.objects.items():
            if object_.kind is ObjectKind.EXTERNAL:
                source.add_block(_START, self.symbolic.memory.addresses[name], object_.size)
        edges = self.symbolic.procedure.edges
        for start, step in self.unrolling.steps:
            if not self._executed(step, start):
                continue
            order = self.unrolling.order(start)
            asked: dict[int, list[tuple[Term, Request]]] = {}
            for term, request in by_step.get(step.stamp, ()):
                asked.setdefault(edges[request.edge].source, []).append((term, request))
            for location in order:
                if not self._executed(step, location):
                    continue
                for term, request in asked.get(location, ()):
                    if request.input is not None:
                        source.add(edges[request.edge].origin, request.input, self._number(term))
                for index in self.symbolic.outgoing[location]:
                    self._add_contents(source, edges[index], f"{step.stamp}:{index}")
        return source

    def _add_contents(self, source: OriginInputs, edge: Edge, place: str) -> None:
        """What an object contains when its lifetime starts."""
        memory = self.symbolic.memory
        if isinstance(edge.operation, Declare):
            object_ = self.symbolic.procedure.objects[edge.operation.target]
            source.add_block(edge.origin, memory.addresses[object_.name], object_.size)
        elif isinstance(edge.operation, (Allocate, Reallocate)):
            base = memory.base_of(place)
            if base is not None:
                source.add_block(edge.origin, base, 1 << 30)

    def _initial_memory(self) -> InitialMemory:
        """The contents of memory that the model chose, as far as it says something about them."""
        memory = InitialMemory({}, [])
        for region in self.symbolic.regions:
            array = self.solver.value(terms.state(array_name(region), self.symbolic.sorts[array_name(region)]))
            if isinstance(array, ArrayValue):
                width = (element_width(region) + 7) // 8
                for address, value in array.entries.items():
                    for offset, byte in enumerate(value.to_bytes(width, "little")):
                        memory.known[address + offset] = byte
        memory.addresses.extend(sorted(memory.known))
        return memory

    def _executed(self, step: Step, location: int) -> bool:
        guard = step.reached.get(location)
        return guard is not None and (guard.term is TRUE or bool(self.solver.value(guard.term)))

    def _number(self, term: Term) -> int:
        value = self.solver.value(term)
        return int(value) if isinstance(value, (int, bool)) else 0


_FILLERS = (0, 0x21)
_FEW_STEPS, _MOST_STEPS, _STEPS_PER_SECOND = 300_000, 20_000_000, 500_000
_START = Origin(-1, 0, 0, 0, 0)
