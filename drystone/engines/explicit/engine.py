"""The engine `explicit`: goes through all states of a program with threads, one by one.

FALSE: the way to an error gives inputs and a schedule, which the interpreter repeats in the program itself. TRUE: there are no
more states, and none is an error or an unknown location; how many there are is the certificate, and its check finds them again
by other means (`certificates.exploration`). Where values cannot be told apart by trying them all, it gives up and says why.
"""

from __future__ import annotations

from drystone.base.plurals import counted
from drystone.claims.certificates import ExploredCertificate
from drystone.claims.property import error_marks
from drystone.claims.verdicts import Verdict
from drystone.cpa.domains.values.any_value import NotRepresented
from drystone.cpa.domains.values.code import Steps
from drystone.cpa.domains.values.states import State
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.explicit.search import Search, inputs_to
from drystone.engines.model_inputs import InitialMemory, OriginInputs, run_original
from drystone.engines.obstacles import Met, Obstacle
from drystone.engines.outcome import EngineResult
from drystone.engines.question import Question
from drystone.ir.automaton import Mark, MarkKind
from drystone.passes.inline import MAX_EDGES
from drystone.pipeline import PreparedProgram
from drystone.symbolic.cells import cells_of

_MOST_STEPS = 300_000  # of a replay
_MOST_REPLAYS = 20  # of ways that are found, of one bound on threads
_FILLERS = (0, 0x21)  # bytes of what may be anything


def answer(question: Question) -> EngineResult:
    if not question.program.has_threads:
        return EngineResult(Verdict.UNKNOWN, "states are searched one by one only in programs with threads")
    counters: dict[str, int] = {"states": 0, "replays": 0}

    def search(bound: int) -> Outcome:
        run = _Run(question.prepared, bound, counters)
        return run.outcome(question)

    return engine_result(question.program, deepen(search, question.deadline, question.observer), counters)


class _Run:
    """With one bound on threads that are created in one place."""

    def __init__(self, prepared: PreparedProgram, bound: int, counters: dict[str, int]) -> None:
        self.prepared, self.bound, self.counters = prepared, bound, counters
        self.met: Mark | None = None
        self.deeper = False
        self.unconfirmed: Mark | None = None

    def outcome(self, question: Question) -> Outcome:
        """The slice lacks loops that never end, and a way may need a wake-up without a signal: if the program does not go where
        the search has found an error, it is searched again without these."""
        for is_sliced, is_woken in ((True, True), (False, True), (False, False)):
            flat = self.prepared.flat(recursion_bound=self.bound, max_edges=MAX_EDGES, sliced=is_sliced)
            if flat.regions.pointers.shown:
                return self._unknown("the program computes with addresses")
            symbolic = flat.symbolic(inductive=True)
            steps, settings = Steps(symbolic, cells_of(symbolic), is_woken=is_woken), question.settings
            search = Search(steps, question.deadline, question.observer, settings.memory, settings.workers)
            self.unconfirmed, self.met, replays = None, None, self.counters["replays"] + _MOST_REPLAYS
            try:
                found = self._confirmed(search, replays)
            except NotRepresented as problem:
                return self._unknown(f"{problem} after {counted(search.states, 'states')}")
            finally:
                self.counters["states"] = search.states
            if found is not None:
                return found
            if self.unconfirmed is None and is_woken:
                return self._exhausted(search.states)
        return self._unknown("a way to an error was found, but the program does not take it")

    def _confirmed(self, search: Search, replays: int) -> Outcome | None:
        """An error that the program reaches; None when there are no more states, or after so many replays in all. What forbids a
        proof is noted."""
        for state, mark in search.marked():
            if mark.kind is MarkKind.ERROR:
                found = self._replayed(search, state)
                if found is not None:
                    return found
                self.unconfirmed = mark
                if self.counters["replays"] >= replays:
                    return None
            elif mark.kind is MarkKind.UNKNOWN:
                self.deeper |= mark.is_bound
                self.met = mark if self.met is None or self.met.is_bound else self.met
        return None

    def _exhausted(self, states: int) -> Outcome:
        if self.met is not None:
            return self._unknown(f"{self._place(self.met)} may be reached")
        return Outcome(
            Verdict.TRUE,
            f"none of {counted(states, 'states')} is an error",
            certificate=ExploredCertificate(states, self.bound),
        )

    def _unknown(self, reason: str) -> Outcome:
        met = Met(self.met) if self.met is not None else None
        return Outcome(Verdict.UNKNOWN, reason, deeper=self.deeper, obstacle=Obstacle(met=met, unconfirmed=self.unconfirmed))

    def _place(self, mark: Mark) -> str:
        return f"{mark.what} at {self.prepared.program.where(mark.origin)}"

    # counterexamples

    def _replayed(self, search: Search, state: State) -> Outcome | None:
        """Runs the program itself on the inputs and the schedule of the way to this state."""
        taken = list(inputs_to(search, state))
        program = self.prepared.program
        for filler in _FILLERS:
            self.counters["replays"] += 1

            def inputs(filler: int = filler) -> OriginInputs:
                source = OriginInputs(InitialMemory({}, []), filler)
                for each in taken:
                    source.add(each.edge.origin, each.input, each.value)
                return source

            ran = run_original(self.prepared, inputs, recursion_bound=self.bound, max_edges=MAX_EDGES, max_steps=_MOST_STEPS)
            if ran.kind == "error":
                mark = next(each for each in error_marks(program) if each.origin == ran.origin and each.what == ran.what)
                return Outcome(Verdict.FALSE, "", mark, ran.inputs)
        return None
