"""The engine `dcpa`: distributed configurable program analysis (Kettl 2022), from a program to a verdict.

The paper's proof is that all error conditions are refuted, by counting. Here that is a claim, and the verdict is TRUE if there is
a certificate for it: all executions end (`bounded`), the postconditions are invariants (`inductive`), or so many blocks as were
analysed one after the other exclude an error from any state (`k-inductive`).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import BoundedCertificate, InductiveCertificate, KInductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines.bmc import BmcOptions
from drystone.engines.dcpa.coordinator import DcpaCoordinator, has_loops
from drystone.engines.dcpa.options import BACKWARD, FORWARD, DcpaOptions
from drystone.engines.dcpa.registry import distributed_domain
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.dss.coordinator import Ended, Means
from drystone.engines.dss.explanation import details, explained
from drystone.engines.dss.messages import Kind
from drystone.engines.dss.postconditions.options import BOTTOM, TOP
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.setting import Setting
from drystone.engines.dss.ways import Ways
from drystone.engines.inductive import Inductive, Invariants, worded
from drystone.engines.outcome import EngineResult, Observer
from drystone.engines.question import Question
from drystone.logic import terms
from drystone.logic.terms import TRUE, Term
from drystone.pipeline import PreparedProgram

if TYPE_CHECKING:
    from drystone.engines.dss.story import Kept

_FROM_ANY_STATE = 0.2  # of the time, where there are loops: an error condition may go backwards for ever
_CALLS_FROM_ANY_STATE = 100  # where time must not decide
_FOR_INVARIANTS = 0.2
_MOST_TRACES = 10  # that are followed in vain


def answer(question: Question) -> EngineResult:
    settings = question.settings
    options = DcpaOptions(
        seed=settings.seed,
        decomposition=settings.decomposition,
        predictable=settings.predictable,
        broadcast=settings.broadcast,
        start=settings.start,
        domain=settings.domain,
        direction=settings.direction,
        switches=settings.switches,
        max_states=settings.max_states,
        precedence=settings.precedence,
    )
    setting = question.setting(settings.workers) if question.setting is not None else Setting()
    assert isinstance(setting, Setting)
    setting = setting.told() if settings.is_told else setting
    return check(question.prepared, options, question.deadline, question.observer, setting)


def check(
    prepared: PreparedProgram, options: DcpaOptions, deadline: Deadline, observer: Observer, setting: Setting | None = None
) -> EngineResult:
    setting = setting or Setting()
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}
    hosts = setting.make_hosts(setting.workers)
    means = Means(hosts, observer, setting.journal(), setting.tracer, options.predictable, options.broadcast, options.precedence)
    search: _Search | None = None

    def searched(bound: int) -> Outcome:
        nonlocal search
        search = _Search(prepared, options, bound, deadline, means, counters)
        return search.run()

    try:
        outcome = deepen(searched, deadline, observer)
    finally:
        hosts.close()
    if not options.predictable:  # which terms are in this process depends on the hosts
        counters["terms"] = terms.table_size()
    result = engine_result(prepared.program, outcome, counters)
    setting.tracer.ended(outcome.verdict.value, outcome.reason)
    return search.told(result, setting.kept) if search is not None else result


class _Search:
    """With one bound on recursion."""

    def __init__(
        self,
        prepared: PreparedProgram,
        options: DcpaOptions,
        bound: int,
        deadline: Deadline,
        means: Means,
        counters: dict[str, int],
    ) -> None:
        self.program, self.options, self.bound = prepared.program, options, bound
        self.deadline, self.means, self.counters = deadline, means, counters
        self.domains = [distributed_domain(name) for name in options.domain.split(",")]
        self.domain = self.domains[-1]
        self.known: dict[int, list[Term]] = {}  # invariants that the domains before have found
        self.blocks = prepare_blocks(
            prepared,
            recursion_bound=bound,
            max_edges=options.max_edges,
            sliced=options.slicing,
            kind=options.decomposition,
        )
        search = BmcOptions(options.solver, options.seed, max_edges=options.max_edges, slicing=options.slicing)
        self.ways = Ways(prepared, search, self.blocks, bound, options.predictable, means.observer, counters)
        self.has_loops = has_loops(self.blocks)
        self.coordinator: DcpaCoordinator
        self.has_balanced = False

    def run(self) -> Outcome:
        """From any state, as the paper has it; where there are loops that this does not get to the end of, then from no state but
        the initial one: so all that is said is reached, and where executions end, so does this."""
        starts = [TOP, BOTTOM] if self.has_loops and self.options.start == TOP else [self.options.start]
        if self.options.direction == BACKWARD:  # from the error, that is
            starts = [TOP]
        outcome = self._helped() if self.has_loops else None
        if outcome is not None:
            return outcome
        for start in starts:
            outcome = self._run_from(start, self.options, is_last=start is starts[-1])
            if outcome.verdict is not Verdict.UNKNOWN or self.deadline.expired():
                break
        assert outcome is not None
        return outcome

    def _helped(self) -> Outcome | None:
        """What other domains find out first, only forwards: a proof, or invariants that the last domain may rely on."""
        options = msgspec.structs.replace(self.options, direction=FORWARD)
        for domain in self.domains[:-1]:
            self.domain = domain
            outcome = self._run_from(BOTTOM, options, is_last=False)
            if outcome.verdict is not Verdict.UNKNOWN or self.deadline.expired():
                return outcome
            self._learn()
        self.domain = self.domains[-1]
        return None

    def _learn(self) -> None:
        """What a domain says when it is quiet, from the initial state on, are invariants."""
        if self.coordinator.is_quiet:
            for location, formulas in self.coordinator.postconditions().items():
                self.known.setdefault(location, []).extend(each for each in formulas if each is not TRUE)
            self.counters["invariants"] = sum(map(len, self.known.values()))

    def _run_from(self, start: str, options: DcpaOptions, is_last: bool) -> Outcome:
        blocks = self.blocks.blocks
        self.means.journal.begin(self.options, self.bound)
        self.means.tracer.begun([(each.id, each.line, each.edges) for each in blocks.values()], self.means.hosts.count)
        self.coordinator = DcpaCoordinator(self.blocks, self.domain, options, start, self.means)
        self.coordinator.know(self.known)
        deadline = self.deadline
        if not is_last and self.options.predictable:
            self.coordinator.most_calls = _CALLS_FROM_ANY_STATE
        elif not is_last:
            deadline = deadline.within(deadline.remaining() * _FROM_ANY_STATE)
        outcome = self._until_confirmed(deadline, start)
        self.has_balanced |= self.coordinator.result.has_balanced
        for name, count in self.coordinator.counters().items():
            self.counters[name] = self.counters.get(name, 0) + count
        self.counters["blocks"] = len(blocks)
        return outcome

    def _until_confirmed(self, deadline: Deadline, start: str) -> Outcome:
        """A trace that no execution takes as it is does not mean that no other one does: the root has not refuted it, so that the
        run can end in a counterexample, but not in a proof."""
        unconfirmed: Outcome | None = None
        for _ in range(_MOST_TRACES):
            ended = self.coordinator.run(deadline)
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

    # for people

    def told(self, result: EngineResult, kept: Kept | None) -> EngineResult:
        """With what the blocks of the last run did, and what counting alone would have said."""
        by_counting = self.has_balanced and result.verdict is not Verdict.TRUE
        lines = explained(self.program, self.blocks, self.coordinator, self.domain)
        if by_counting:
            lines = ("all error conditions were refuted at some time: by counting (Kettl 2022), that is a proof", *lines)
        counters = {**result.counters, "true_by_counting": int(by_counting)}
        found = details(self.program, self.blocks, self.coordinator, self.domain)
        story = kept.story("dcpa", self.program, self.blocks, self.domain) if kept is not None else None
        return dataclasses.replace(result, explanation=lines, details=found, counters=counters, story=story)
