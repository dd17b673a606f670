"""From a trace of blocks to inputs that lead to the error this way: no violation is one before it was executed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.deepening import Outcome
from drystone.engines.dss.messages import Step
from drystone.engines.dss.preparation import Blocks
from drystone.engines.obstacles import Met, Obstacle
from drystone.engines.outcome import Observer
from drystone.ir.automaton import MarkKind
from drystone.pipeline import PreparedProgram
from drystone.symbolic.transformers import ENTRY

if TYPE_CHECKING:
    from drystone.engines.bmc import Choices

_ON_THE_PROGRAM = (0.4, 20.0)  # of the time, and seconds at most: the program as it is, before all of it is searched


class Options(Protocol):
    """What a search that has blocks is asked for, as far as it matters here."""

    @property
    def solver(self) -> str: ...

    @property
    def seed(self) -> int: ...

    @property
    def max_edges(self) -> int: ...

    @property
    def slicing(self) -> bool: ...

    @property
    def predictable(self) -> bool: ...


class Ways:
    """Through the blocks of one program."""

    def __init__(
        self,
        prepared: PreparedProgram,
        options: Options,
        blocks: Blocks,
        bound: int,
        observer: Observer,
        counters: dict[str, int],
    ) -> None:
        self.prepared, self.options, self.blocks, self.bound = prepared, options, blocks, bound
        self.observer, self.counters = observer, counters

    def violated(self, trace: Sequence[Step], deadline: Deadline) -> Outcome:
        """Executes along the trace; an unknown location at its end is no violation."""
        blocks = self.blocks.blocks
        last = blocks[trace[-1].block].transformer
        outcome = self.follow([blocks[step.block].start for step in trace], deadline)
        unknown = [each for each in last.bad if each.mark.kind is MarkKind.UNKNOWN]
        if outcome.verdict is Verdict.UNKNOWN and unknown:
            first = unknown[0].mark
            reason = f"{first.what} at {self.prepared.program.where(first.origin)} may be reached"
            met = outcome.obstacle.met or Met(first, self.blocks.system.symbolic.procedure.open_calls(unknown[0].location))
            deeper = any(each.mark.is_bound for each in unknown)
            return Outcome(Verdict.UNKNOWN, reason, deeper=deeper, obstacle=Obstacle(met))
        return outcome

    def follow(self, path: Sequence[int], deadline: Deadline, choices: Sequence[Choices] = ()) -> Outcome:
        """Looks for inputs that lead to an error this way."""
        from drystone.engines.bmc import BmcOptions, Run  # for proofs, this is not needed

        heads, prepared, given = self.blocks.system.heads, self.prepared, self.options
        options = BmcOptions(given.solver, given.seed, max_edges=given.max_edges, slicing=given.slicing)
        run = Run(prepared, options, self.observer, self.counters, self.bound, heads)
        way = [location for location in path if location != ENTRY]
        outcome = run.follow(way, deadline, choices)
        if not outcome.unconfirmed:
            return outcome
        before = self.blocks.system.original
        # in a predictable run, time can only end everything
        share = deadline if given.predictable or prepared.is_without_memory else deadline.within(_share(deadline))
        landmarks = frozenset(before[head] for head in heads if head in before)
        original = [before[at] for at in way]
        from drystone.engines.guided import GuidedRun

        guided = GuidedRun(prepared, options, self.observer, self.counters, self.bound, landmarks, original)
        found = guided.run(share)
        if found.verdict is Verdict.FALSE:
            return found
        return outcome if prepared.is_without_memory else run.search_exactly(deadline)


def _share(deadline: Deadline) -> float:
    part, most = _ON_THE_PROGRAM
    return min(deadline.remaining() * part, most)
