"""The engine `predicate`: predicate abstraction with adjustable blocks and refinement (Beyer, Kettl, Lemberger 2024, section 2).

The analysis begins without predicates. A way to an error is followed back from abstraction to abstraction; where it contradicts
what is known, literals of a core become predicates (`cpa.domains.predicates.refinement`). A way that is not refuted is looked for
in the program itself by bounded model checking along it. When no way is left, the abstractions at loop heads are the certificate.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.cpa.algorithm import OutOfTime
from drystone.cpa.cegar import Cegar, Refined
from drystone.cpa.domains.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.cpa.domains.predicates.blocks import LOOPS, adjusted_blocks
from drystone.cpa.domains.predicates.blocks import is_blk as is_blk  # for who reads options
from drystone.cpa.domains.predicates.refinement import (
    NotTold,
    Possible,
    Refutation,
    blocks_of,
    interpolated,
    with_atoms,
    with_cubes,
)
from drystone.cpa.domains.predicates.states import Precision, State
from drystone.cpa.waitlists import Breadth, ReversePostorder, Waitlist
from drystone.engines.abstract_searches import followed, symbolic, unknown
from drystone.engines.bmc import BmcOptions
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.inductive import worded
from drystone.engines.outcome import EngineResult, Observer, Progress
from drystone.engines.question import Question
from drystone.ir.automaton import Mark, MarkKind
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.passes.inline import MAX_EDGES
from drystone.pipeline import PreparedProgram
from drystone.solvers.queries import GaveUp
from drystone.symbolic.transformers import ENTRY, TransitionSystem

_PATIENCE = 8  # refinements before interpolants are asked for; twice as many before the next time


class Options(msgspec.Struct, frozen=True):
    blk: str = LOOPS
    encoding: str | None = None
    abstraction: str = "boolean"
    solver: str = "bitwuzla"
    seed: int = 0


def answer(question: Question) -> EngineResult:
    chosen = question.settings
    options = Options(chosen.blk, chosen.encoding, chosen.abstraction or "boolean", seed=chosen.seed)
    return check(question.prepared, options, question.deadline, question.observer)


def check(prepared: PreparedProgram, options: Options, deadline: Deadline, observer: Observer) -> EngineResult:
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}

    def search(bound: int) -> Outcome:
        return _Run(prepared, options, bound, deadline, observer, counters).outcome()

    return engine_result(prepared.program, deepen(search, deadline, observer), counters)


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
    ) -> None:
        self.prepared, self.options, self.bound = prepared, options, bound
        self.deadline, self.observer, self.counters = deadline, observer, counters
        self.flat = prepared.flat(recursion_bound=bound, max_edges=MAX_EDGES, sliced=True)
        self.symbolic = symbolic(self.flat)
        self.blocks = adjusted_blocks(self.symbolic.program, options.blk, options.encoding)
        chosen = PredicateOptions(options.abstraction == "cartesian", solver=options.solver, seed=options.seed)
        self.analysis = PredicateAnalysis(self.symbolic, self.blocks, chosen, deadline)
        self.met: Mark | None = None
        self.unconfirmed: Mark | None = None
        self._patience, self._asked = _PATIENCE, 0
        self.interpolations = 0
        nothing: Precision = {}
        self.cegar: Cegar[State, Precision, Outcome] = Cegar(self.analysis, self._refine, self._waitlist(), nothing, is_lazy=True)

    def _waitlist(self) -> type[Breadth[State]] | _InOrder:
        if self.blocks.always:
            return Breadth
        order = self.symbolic.order(self.symbolic.procedure.entry, frozenset())
        return _InOrder({ENTRY: -1, **{location: number for number, location in enumerate(order)}})

    def outcome(self) -> Outcome:
        before = dict(self.counters)
        try:
            found = self.cegar.run(self.deadline)
        except OutOfTime:
            return self._unknown(f"out of time after {counted(self.cegar.counted.states, 'abstract states')}")
        except (GaveUp, NotTold) as problem:
            return self._unknown(str(problem))
        finally:
            self._count(before)
        if found is not None:
            return found
        if self.met is not None:
            return self._unknown(f"{self.met.what} at {self.prepared.program.where(self.met.origin)} may be reached")
        if self.unconfirmed is not None:
            return self._unknown("predicates do not exclude a way to an error that was not found in the program")
        return self._proof()

    def _count(self, before: dict[str, int]) -> None:
        done, made = self.cegar.counted, self.analysis.counted
        self.counters |= {"abstract_states": done.states, "transfers": done.transfers, "refinements": done.refinements}
        self.counters |= {"abstractions": made.abstractions, "cartesian": made.cartesian}
        self.counters["predicates"] = _size(self.cegar.precision)
        self.counters["interpolations"] = self.interpolations
        self.counters["queries"] += self.analysis.query_count

    # refinement

    def _refine(self, way: Sequence[State], precision: Precision) -> Refined[Precision] | Outcome:
        figures = {"predicates": _size(precision), "states": self.cegar.counted.states, "queries": self.analysis.query_count}
        self.observer(Progress("refining", figures))
        blocks = blocks_of(self.analysis, way)
        result = Refutation(self.analysis, blocks, way[-1].bad).run()
        if isinstance(result, Possible):
            return self._possible(way, result, precision)
        finer = with_cubes(precision, result.cubes)
        self._asked += 1
        since = result.since
        if self._asked >= self._patience:
            self._patience *= 2
            atoms = interpolated(blocks)
            more = with_atoms(finer, atoms)
            if more is not finer:
                self.interpolations += 1
                finer = more
                since = next(block.position for block in blocks[1:] if block.start in atoms)
                since = min(since, result.since)
        if not result.cubes and finer is precision:
            raise GaveUp("the abstraction cannot be refined to exclude a way that is impossible")
        return Refined(finer, since)

    def _possible(self, way: Sequence[State], result: Possible, precision: Precision) -> Refined[Precision] | Outcome:
        """No predicates exclude it."""
        mark = result.bad[0].mark
        if mark.kind is MarkKind.ERROR:
            found = self._followed(way)
            if found is not None:
                return found
            self.unconfirmed = mark
        elif self.met is None or self.met.is_bound:
            self.met = mark
        self.analysis.ignored.update(each.mark for each in result.bad)  # a proof is lost, but there may be errors elsewhere
        return Refined(precision, len(way) - 1)

    def _followed(self, way: Sequence[State]) -> Outcome | None:
        passed = [state.location for state in way[1:] if not state.bad]
        options = BmcOptions(solver=self.options.solver, seed=self.options.seed, max_edges=MAX_EDGES)
        given = self.prepared, self.flat, self.blocks.heads, passed, options
        return followed(*given, self.observer, self.counters, self.bound, self.deadline)

    # results

    def _proof(self) -> Outcome:
        system = TransitionSystem(self.symbolic, self.flat.original, self.blocks.heads)
        formulas = {cut: self._invariant(cut) for cut in system.cut_points if cut in self.blocks.heads}
        shown = worded(self.prepared.program, system, formulas)
        many = counted(len(self.cegar.reached), "abstract states")
        certificate = InductiveCertificate(shown, self.bound, self.options.solver)
        return Outcome(
            Verdict.TRUE, f"by {many} over {counted(_size(self.cegar.precision), 'predicates')}", certificate=certificate
        )

    def _invariant(self, cut: int) -> list[Term]:
        """What the abstractions at a loop head say together."""
        states = [each.abstraction for each in self.cegar.reached.at(cut) if each.is_abstraction]
        if not states:
            return [FALSE]
        return [] if TRUE in states else [terms.disjunction(dict.fromkeys(states))]

    def _unknown(self, reason: str) -> Outcome:
        return unknown(reason, self.met, self.unconfirmed)


class _InOrder:
    """Makes waitlists that go by the order of locations."""

    def __init__(self, order: dict[int, int]) -> None:
        self.order = order

    def __call__(self) -> Waitlist[State]:
        return ReversePostorder(_place, self.order)


def _place(state: State) -> int:
    return state.location


def _size(precision: Precision) -> int:
    return sum(len(local.predicates) for local in precision.values())
