"""One analysis of `dcpa`: a domain on blocks of one decomposition, with one bound on recursion.

The paper's proof is that all error conditions are refuted, by counting. Here that is a claim, and the verdict is TRUE if there is
a certificate for it: all executions end (`bounded`), the postconditions are invariants (`inductive`), or so many blocks as were
analysed one after the other exclude an error from any state (`k-inductive`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import BoundedCertificate, InductiveCertificate, KInductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines.dcpa.coordinator import DcpaCoordinator, has_loops
from drystone.engines.dcpa.options import BACKWARD, FORWARD, DcpaOptions
from drystone.engines.dcpa.registry import distributed_domain
from drystone.engines.deepening import Outcome
from drystone.engines.dss.coordinator import Ended, Means
from drystone.engines.dss.messages import Kind
from drystone.engines.dss.postconditions.options import BOTTOM, TOP
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.ways import Ways
from drystone.engines.inductive import Inductive, Invariants, worded
from drystone.logic.terms import TRUE, Term
from drystone.pipeline import PreparedProgram

_FROM_ANY_STATE = 0.2  # of the time, where there are loops: an error condition may go backwards for ever
_CALLS_FROM_ANY_STATE = 100  # where time must not decide
_FOR_INVARIANTS = 0.2
_MOST_TRACES = 10  # that are followed in vain

Going = Generator[None, None, Outcome]
"""A run that is left whenever others may go on, and in the end has an outcome."""


class Search:
    def __init__(
        self,
        prepared: PreparedProgram,
        options: DcpaOptions,
        bound: int,
        deadline: Deadline,
        means: Means,
        counters: dict[str, int],
        is_due: Callable[[], bool] = lambda: False,
    ) -> None:
        """`options`: with one domain, and one decomposition. `is_due`: should others go on for a while?"""
        self.program, self.options, self.bound = prepared.program, options, bound
        self.deadline, self.means, self.counters, self.is_due = deadline, means, counters, is_due
        self.domain = distributed_domain(options.domain)
        self.known: dict[int, list[Term]] = {}  # invariants that others have found
        self.blocks = prepare_blocks(
            prepared,
            recursion_bound=bound,
            max_edges=options.max_edges,
            sliced=options.slicing,
            kind=options.decomposition,
        )
        self.ways = Ways(prepared, options, self.blocks, bound, means.observer, counters)
        self.has_loops = has_loops(self.blocks)
        self.coordinator: DcpaCoordinator
        self.has_balanced = False
        self.outcome: Outcome | None = None  # when it has come to its end

    def run(self, is_for_others: bool) -> Going:
        """From any state, as the paper has it; where there are loops that this does not get to the end of, then from no state but
        the initial one: so all that is said is reached, and where executions end, so does this.

        `is_for_others`: only what helps them, which is forwards from the initial state, or a proof.
        """
        options, starts = self.options, [self.options.start]
        if self.has_loops and options.start == TOP:
            starts = [TOP, BOTTOM]
        if options.direction == BACKWARD:  # from the error, that is
            starts = [TOP]
        elif is_for_others and not self.domain.is_exact:  # else nobody understands what it says
            options, starts = msgspec.structs.replace(options, direction=FORWARD), [BOTTOM]
        for start in starts:
            outcome = yield from self._run_from(start, options, is_last=start is starts[-1] and not is_for_others)
            if outcome.verdict is not Verdict.UNKNOWN or self.deadline.expired():
                break
        return outcome

    def learned(self) -> dict[int, list[Term]]:
        """What a domain says when it is quiet are invariants."""
        if not self.coordinator.is_quiet:
            return {}
        said = self.coordinator.postconditions()
        return {at: [each for each in formulas if each is not TRUE] for at, formulas in said.items()}

    def hear(self, invariants: Invariants) -> bool:
        """Is there something new for these blocks? The next run will assume it."""
        is_new = False
        for location in self.blocks.locations:
            known = self.known.setdefault(location, [])
            new = [each for each in invariants.get(location, ()) if each not in known]
            known += new
            is_new |= bool(new)
            self.counters["invariants"] = self.counters.get("invariants", 0) + len(new)
        return is_new

    @property
    def has_decided(self) -> bool:
        return self.outcome is not None and self.outcome.verdict is not Verdict.UNKNOWN

    def said(self) -> str:
        """For people."""
        about = f"{self.options.domain} on {counted(len(self.blocks.blocks), 'blocks')} ({self.options.decomposition})"
        known = sum(map(len, self.known.values()))
        ended = (
            "has not come to its end"
            if self.outcome is None
            else ", ".join(filter(None, (self.outcome.verdict, self.outcome.reason)))
        )
        return f"{about}: {ended}" + (f"; was told {counted(known, 'invariants')}" if known else "")

    def _run_from(self, start: str, options: DcpaOptions, is_last: bool) -> Going:
        blocks = self.blocks.blocks
        self.means.journal.begin(self.options, self.bound)
        self.means.tracer.begun([(each.id, each.line, each.edges) for each in blocks.values()], self.means.hosts.count)
        self.coordinator = DcpaCoordinator(self.blocks, self.domain, options, start, self.means)
        self.coordinator.is_due = self.is_due
        self.coordinator.know({at: formulas for at, formulas in self.known.items() if formulas})
        deadline = self.deadline
        if not is_last and self.options.predictable:
            self.coordinator.most_calls = _CALLS_FROM_ANY_STATE
        elif not is_last:
            deadline = deadline.within(deadline.remaining() * _FROM_ANY_STATE)
        try:
            return (yield from self._until_confirmed(deadline, start))
        finally:
            self.has_balanced |= self.coordinator.result.has_balanced
            for name, count in self.coordinator.counters().items():
                self.counters[name] = self.counters.get(name, 0) + count

    def _until_confirmed(self, deadline: Deadline, start: str) -> Going:
        """A trace that no execution takes as it is does not mean that no other one does: the root has not refuted it, so that the
        run can end in a counterexample, but not in a proof."""
        unconfirmed: Outcome | None = None
        for _ in range(_MOST_TRACES):
            while (ended := self.coordinator.run(deadline)).is_paused:
                yield
            if ended.invariants is not None:
                return self._claimed(ended, start)
            if ended.trace is None:
                return unconfirmed or Outcome(Verdict.UNKNOWN, ended.reason)
            found = self.ways.violated(ended.trace, self.deadline)
            if found.verdict is not Verdict.UNKNOWN or self.coordinator.unmodelled is not None or deadline.expired():
                return found
            unconfirmed = unconfirmed or found
        assert unconfirmed is not None
        return unconfirmed

    # proofs

    def _claimed(self, ended: Ended, start: str) -> Outcome:
        """All error conditions are refuted: what is a certificate for that?"""
        assert ended.invariants is not None
        blocks = counted(len(self.blocks.blocks), "blocks")
        given = dict(self.known)
        for location, formulas in ended.invariants.items():
            given[location] = [*given.get(location, ()), *formulas]
        needed = self._inductive(given)
        if needed is not None:
            shown = worded(self.program, self.blocks.system, needed)
            reason = f"by postconditions of {blocks}"
            return Outcome(Verdict.TRUE, reason, certificate=InductiveCertificate(shown, self.bound, self.options.solver))
        levels = self.coordinator.levels
        if not self.has_loops or (start == BOTTOM and self.domain.is_exact):
            steps = (len(self.blocks.blocks) if not self.has_loops else levels[Kind.BLOCKPOSTCONDITION]) + 1
            certificate = BoundedCertificate(steps, self.bound, self.options.solver)
            return Outcome(Verdict.TRUE, f"all error conditions are refuted by {blocks}", certificate=certificate)
        if start == TOP:
            k = levels[Kind.BLOCKPOSTCONDITION] + levels[Kind.ERRORCONDITION] + 1
            shown = worded(self.program, self.blocks.system, self.known)
            reason = f"all error conditions are refuted by {blocks}, from any state {counted(k, 'blocks')} before"
            return Outcome(Verdict.TRUE, reason, certificate=KInductiveCertificate(k, shown, self.bound, self.options.solver))
        self.counters["uncertified"] = 1
        return Outcome(Verdict.UNKNOWN, "all error conditions are refuted, but what was said is no certificate")

    def _inductive(self, given: Invariants) -> Invariants | None:
        deadline = self.deadline
        if not self.options.predictable:
            deadline = deadline.within(deadline.remaining() * _FOR_INVARIANTS)
        return Inductive(self.blocks.system, self.options.solver, self.options.seed, self.counters).needed(given, deadline)
