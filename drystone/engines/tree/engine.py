"""The engine `tree`: predictable distribution of predicate abstraction (Lopes, Rybalchenko 2011), from a program to a verdict.

When no counterexample is left, what the tree has at loop heads is the certificate. A counterexample that predicates do not
exclude is looked for in the program itself, by bounded model checking along it.
"""

from __future__ import annotations

import time

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.cpa.domains.predicates.refinement import NotTold, Possible
from drystone.cpa.encodings import kept_locations
from drystone.engines.abstract_searches import followed, symbolic, unknown
from drystone.engines.bmc import BmcOptions
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.inductive import worded
from drystone.engines.outcome import EngineResult, Observer, Progress
from drystone.engines.question import Question
from drystone.engines.tree.distribution import Distribution, WorkerHosts
from drystone.engines.tree.hosted import Inline, Spec
from drystone.engines.tree.log import Log, Search
from drystone.engines.tree.master import PREDICTABLE, Master, Precision
from drystone.engines.tree.options import Options
from drystone.engines.tree.post import ROOT, PostOptions, Transitions
from drystone.engines.tree.precisions import NOTHING, Told, meaning, order_of, pack_told
from drystone.engines.tree.reach import Way
from drystone.engines.tree.refinement import Refinement
from drystone.engines.tree.setting import Setting
from drystone.engines.tree.states import State
from drystone.ir.automaton import Mark, MarkKind
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.passes.inline import MAX_EDGES
from drystone.pipeline import PreparedProgram
from drystone.solvers.queries import GaveUp
from drystone.symbolic.transformers import TransitionSystem


def answer(question: Question) -> EngineResult:
    chosen = question.settings
    options = Options(chosen.selection, chosen.encoding, chosen.abstraction or "boolean", seed=chosen.seed)
    setting = question.setting(question.settings.workers) if question.setting is not None else Setting()
    assert isinstance(setting, Setting)
    return check(question.prepared, options, question.deadline, question.observer, setting)


def check(
    prepared: PreparedProgram, options: Options, deadline: Deadline, observer: Observer, setting: Setting | None = None
) -> EngineResult:
    setting = setting or Setting()
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}
    hosts = setting.make_hosts(setting.workers)

    def search(bound: int) -> Outcome:
        return _Run(prepared, options, bound, deadline, observer, counters, hosts, setting.log).outcome()

    try:
        outcome = deepen(search, deadline, observer)
        return engine_result(prepared.program, outcome, counters)
    finally:
        hosts.close()


class _Run:
    """With one bound on recursion."""

    def __init__(
        self,
        prepared: PreparedProgram,
        options: Options,
        bound: int,
        deadline: Deadline,
        observer: Observer,
        counters: dict[str, int],
        hosts: WorkerHosts,
        log: Log,
    ) -> None:
        self.hosts, self.log = hosts, log
        self.prepared, self.options, self.bound = prepared, options, bound
        self.deadline, self.observer, self.counters = deadline, observer, counters
        self.flat = prepared.flat(recursion_bound=bound, max_edges=MAX_EDGES, sliced=True)
        self.symbolic = symbolic(self.flat)
        self.kept = kept_locations(self.symbolic.program, options.encoding)
        self.system = TransitionSystem(self.symbolic, self.flat.original, self.kept.locations)
        self.transformers = tuple(self.system.all_blocks())
        self.transitions = Transitions(self.transformers, self.symbolic.memory.constraints)
        self.chosen = PostOptions(options.abstraction == "cartesian", solver=options.solver, seed=options.seed)
        self.told = Told({})
        self.refinement = Refinement(self.transitions, self.chosen, deadline)
        self.met: Mark | None = None
        self.unconfirmed: Mark | None = None
        self.found: Outcome | None = None
        self.master: Master | None = None

    def outcome(self) -> Outcome:
        before = dict(self.counters)
        workers = Distribution(self.hosts, self._spec, self.deadline, self.observer, self.log)
        first, options = self._precision(), self.options
        self.log.begun(self._search(first))
        self.master = master = Master(ROOT, first, self._refine, workers.send, options.selection, options.at_once)
        try:
            if not workers.run(master):
                return self._unknown(f"out of time after {counted(len(master.tree.nodes), 'abstract states')}")
        except (GaveUp, NotTold) as problem:
            return self._unknown(str(problem))
        finally:
            self._count(before, workers)
        if self.found is not None:
            return self.found
        self.log.concluded(master.concluded[-1])
        if self.met is not None:
            return self._unknown(f"{self.met.what} at {self.prepared.program.where(self.met.origin)} may be reached")
        if self.unconfirmed is not None:
            return self._unknown("predicates do not exclude a way to an error that was not found in the program")
        return self._proof(master)

    def _search(self, first: Precision) -> Search:
        ends = tuple((each.source, each.target) for each in self.transitions.all)
        where, origin = self.prepared.program.where, self.system.origin
        places = tuple((place, where(origin(place))) for place in sorted({each for pair in ends for each in pair}) if place >= 0)
        is_here = isinstance(self.hosts, Inline)
        return Search(self.bound, self.options, self.hosts.count, is_here, first, ends, places)

    def _spec(self, worker: int) -> Spec:
        return Spec(worker, self.transformers, tuple(self.transitions.known), self.chosen)

    def _precision(self) -> Precision:
        return Precision(pack_told(self.told), order_of(self.told.precision))

    # refinement

    def _refine(self, way: Way) -> Precision | None:
        master = self.master
        assert master is not None
        figures = {"predicates": self._size(), "states": master.counted.expanded, "iterations": master.iteration}
        self.observer(Progress("refining", figures))
        self.log.concluded(master.concluded[-1])
        began = time.process_time()
        result = self.refinement.refine(way, self.told.precision)
        if not isinstance(result, Possible):
            self.told = Told(result, self.told.ignored)
        elif (found := self._possible(way, result)) is not None:
            self.found = found
            return None
        precision = self._precision()
        self.log.refined(precision, time.process_time() - began)
        return precision

    def _possible(self, way: Way, result: Possible) -> Outcome | None:
        """No predicates exclude it: it is an error of the program, or nothing can be proved; then there may be one elsewhere."""
        mark = result.bad[0].mark
        if mark.kind is MarkKind.ERROR:
            found = self._followed(way)
            if found is not None:
                return found
            self.unconfirmed = mark
        elif self.met is None or self.met.is_bound:
            self.met = mark
        self.told = Told(self.told.precision, self.told.ignored | {each.mark for each in result.bad})
        return None

    def _followed(self, way: Way) -> Outcome | None:
        passed = [state.location for state in way.states[1:-1]]
        options = BmcOptions(solver=self.options.solver, seed=self.options.seed, max_edges=MAX_EDGES)
        given = self.prepared, self.flat, self.kept.heads, passed, options
        share = 1.0 if self.options.selection == PREDICTABLE else None  # else time would say which counterexample is next
        return followed(*given, self.observer, self.counters, self.bound, self.deadline, share)

    # results

    def _count(self, before: dict[str, int], workers: Distribution) -> None:
        master = self.master
        assert master is not None
        done = master.counted
        self.counters |= {"iterations": master.iteration, "refinements": len(master.concluded) - (not master.targets)}
        self.counters |= {"abstract_states": done.added, "expanded": done.expanded, "covered": done.covered}
        self.counters |= {"workers": workers.workers, "lost_hosts": workers.counted.lost, "predicates": self._size()}
        self.counters |= {"messages": workers.counted.messages, "bytes": self.hosts.bytes}
        if done.expanded:
            per_state = {"bytes_per_state": self.hosts.bytes, "messages_per_1000_states": 1000 * workers.counted.messages}
            self.counters |= {name: count // done.expanded for name, count in per_state.items()}
        for found in workers.counters.values():
            for name, count in found.items():
                self.counters[name] = self.counters.get(name, 0) + count
        self.counters["interpolations"] = self.refinement.counted.interpolations
        self.counters["queries"] += self.refinement.counted.queries

    def _size(self) -> int:
        return sum(len(local.predicates) for local in self.told.precision.values())

    def _proof(self, master: Master) -> Outcome:
        system = TransitionSystem(self.symbolic, self.flat.original, self.kept.heads)
        at: dict[int, list[State]] = {}
        for state in master.tree.nodes:
            at.setdefault(state.location, []).append(state)
        formulas = {cut: self._invariant(cut, at.get(cut, [])) for cut in system.cut_points if cut in self.kept.heads}
        shown = worded(self.prepared.program, system, formulas)
        many, predicates = counted(len(master.tree.nodes), "abstract states"), counted(self._size(), "predicates")
        certificate = InductiveCertificate(shown, self.bound, self.options.solver)
        return Outcome(Verdict.TRUE, f"by {many} over {predicates}", certificate=certificate)

    def _invariant(self, cut: int, states: list[State]) -> list[Term]:
        """What the states at a loop head say together."""
        local = self.told.precision.get(cut, NOTHING)
        formulas = {meaning(state, local) for state in states}
        if not formulas:
            return [FALSE]
        return [] if TRUE in formulas else [terms.disjunction(formulas)]

    def _unknown(self, reason: str) -> Outcome:
        return unknown(reason, self.met, self.unconfirmed)
