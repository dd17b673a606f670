"""The engine `dss`: from a program to a verdict by summaries of its blocks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.forks import Fork, Say
from drystone.base.plurals import counted
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.dss.coordinator import Coordinator, Ended, Means
from drystone.engines.dss.explanation import details, explained
from drystone.engines.dss.hosts import Hosts, Inline, Spec
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import Blocks, prepare_blocks
from drystone.engines.dss.registry import domain_of
from drystone.engines.dss.setting import Setting
from drystone.engines.dss.ways import Ways
from drystone.engines.inductive import Inductive, Invariants, worded
from drystone.engines.outcome import EngineResult, Observer, unobserved
from drystone.engines.question import Question
from drystone.logic import terms
from drystone.logic.packing import pack, unpack
from drystone.logic.terms import Term
from drystone.passes.one_element import is_index
from drystone.pipeline import PreparedProgram

if TYPE_CHECKING:
    from drystone.engines.bmc import Choices
    from drystone.invariants.exploration import Move

_SECONDS_BEFORE_CANDIDATES = 0.7  # many programs need no candidate invariants, but those of small systems are found soon
_CALLS_BEFORE_CANDIDATES = 2_000  # where time must not decide
_FOR_CANDIDATES_AT_FIRST = (0.07, 2.0)  # of the time, and seconds at most
_FOR_CANDIDATES_OF_ELEMENTS = (0.25, 8.0)  # at first: a search rarely finds what they say (invariants/sources/elements.py)
_FOR_CANDIDATES = (0.25, 10.0)
_FOR_FEW_STATES = (0.3, 10.0)
_FOR_THE_PROOF = (0.125, 5.0)  # by candidate invariants alone
_BEFORE_INVARIANTS = (0.4, 10.0)  # that do not prove the program
_MANY = 100  # invariants
_LARGE = 2_000  # terms of a system: a single query may take long
_SMALL, _LEAST = 100, 0.3  # terms of one for which less time is enough, and how much of it
_MODEST = 5  # how nice a process is that must not keep the hosts from their work


def answer(question: Question) -> EngineResult:
    settings = question.settings
    options = DssOptions(
        seed=settings.seed,
        candidates=settings.candidates,
        decomposition=settings.decomposition,
        summaries=settings.summaries,
        predictable=settings.predictable,
        broadcast=settings.broadcast,
        start=settings.start,
        max_cubes=settings.max_cubes,
        instantiation=settings.instantiation,
        precedence=settings.precedence,
    )
    setting = question.setting(settings.workers) if question.setting is not None else Setting()
    assert isinstance(setting, Setting)
    setting = setting.told() if settings.is_told else setting
    return check(question.prepared, options, question.deadline, question.observer, setting)


def check(
    prepared: PreparedProgram, options: DssOptions, deadline: Deadline, observer: Observer, setting: Setting | None = None
) -> EngineResult:
    program = prepared.program
    setting = setting or Setting()
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}
    given = options.predictable, options.broadcast, options.precedence
    means = Means(Inline(), observer, setting.journal(), setting.tracer, *given)
    hosts: Hosts | None = None
    search: _Search | None = None

    def searched(bound: int) -> Outcome:
        nonlocal search, hosts
        search = _Search(prepared, options, bound, deadline, means, counters, setting.may_fork)
        if setting.brief and setting.workers > 1 and not options.predictable:
            search.begin(means)
            ended = search.coordinator.run(deadline.within(setting.brief))
            if not ended.is_open:
                return search.conclude(ended)
        hosts = hosts or setting.make_hosts(setting.workers)
        search.begin(msgspec.structs.replace(means, hosts=hosts))
        return search.run()

    try:
        outcome = deepen(searched, deadline, observer)
    finally:
        if hosts is not None:
            hosts.close()
    if not options.predictable:  # which terms are in this process depends on the hosts
        counters["terms"] = terms.table_size()
    result = engine_result(program, outcome, counters)
    setting.tracer.ended(outcome.verdict.value, outcome.reason)
    if search is None:
        return result
    blocks, coordinator, domain = search.blocks, search.coordinator, domain_of(options.summaries)
    name = "dss without memory" if prepared.is_without_memory else "dss"
    return msgspec.structs.replace(
        result,
        explanation=explained(program, blocks, coordinator, domain),
        details=details(program, blocks, coordinator, domain),
        story=setting.kept.story(name, program, blocks, domain) if setting.kept is not None else None,
    )


def specs_of(blocks: Blocks, options: DssOptions) -> dict[str, Spec]:
    """What the blocks are made of."""
    return domain_of(options.summaries).specs(blocks, options)


def make_coordinator(blocks: Blocks, options: DssOptions, means: Means) -> Coordinator:
    return domain_of(options.summaries).coordinator(blocks, options, means)


class _Candidates(msgspec.Struct, frozen=True):
    """What the search for candidate invariants says when it is done."""

    invariants: dict[int, bytes]
    is_safe: bool  # they prove the program
    counters: dict[str, int]


class _Search:
    def __init__(
        self,
        prepared: PreparedProgram,
        options: DssOptions,
        bound: int,
        deadline: Deadline,
        means: Means,
        counters: dict[str, int],
        may_fork: bool,
    ) -> None:
        self.prepared, self.program = prepared, prepared.program
        self.options, self.bound, self.may_fork = options, bound, may_fork
        self.deadline, self.observer, self.counters = deadline, means.observer, counters
        self.blocks: Blocks = prepare_blocks(
            prepared, recursion_bound=bound, max_edges=options.max_edges, sliced=options.slicing, kind=options.decomposition
        )
        self.ways = Ways(prepared, options, self.blocks, bound, means.observer, counters)
        self.coordinator: Coordinator
        size = len(self.blocks.system.all_terms())
        self._is_large = size > _LARGE
        self._before_candidates = _SECONDS_BEFORE_CANDIDATES * min(1.0, max(_LEAST, size / _SMALL))
        self._began = deadline.remaining()

    def begin(self, means: Means) -> None:
        has_room = means.hosts.count > 1 and not means.rounds
        options = msgspec.structs.replace(self.options, is_eager=self.options.is_eager or has_room)
        means.journal.begin(options, self.bound)
        means.tracer.begun([(each.id, each.line, each.edges) for each in self.blocks.blocks.values()], means.hosts.count)
        self.coordinator = make_coordinator(self.blocks, options, means)

    def run(self) -> Outcome:
        coordinator, predictable = self.coordinator, self.options.predictable
        if self.options.candidates == ():
            return self.conclude(coordinator.run(self.deadline))
        decided = self._by_few_states() if self._is_large else None
        if decided is not None:
            return decided
        at_a_loss = self._share(_BEFORE_INVARIANTS)
        coordinator.most_calls = _CALLS_BEFORE_CANDIDATES if predictable else None
        ended = coordinator.run(self.deadline if predictable else self.deadline.within(self._before_candidates))
        coordinator.most_calls = None
        if ended.is_open and not self.deadline.expired():
            decided = None if self._is_large else self._by_few_states()
            if decided is not None:
                return decided
            aside = coordinator.hosts.count > 1 and self.may_fork and not predictable
            ended = self._with_candidates_aside(at_a_loss) if aside else self._with_candidates(at_a_loss)
        return self.conclude(ended)

    def _by_few_states(self) -> Outcome | None:
        """Where the program has few states, these tell; None if they do not."""
        from drystone.engines.few_states import look_for_few_states  # most programs are decided before

        options, deadline = self.options, self._share(_FOR_FEW_STATES)
        found = look_for_few_states(self.blocks.system, options.solver, options.seed, deadline, self.counters)
        if found.way and not self.prepared.is_without_memory:
            choices = [self._choices(move) for move in found.way]
            outcome = self.ways.follow([move.cut for move in found.way], deadline, choices)
            return outcome if outcome.verdict is Verdict.FALSE else None
        if found.invariants and self._inductive().is_safe(found.invariants, deadline):
            self._count()
            return self._proved(found.invariants, f"by all {counted(found.count, 'states')} at loop heads")
        return None

    def _choices(self, move: Move) -> Choices:
        requests = self.blocks.system.symbolic.requests
        asked = {symbol: requests[symbol] for symbol in move.inputs if symbol in requests}
        return {(request.edge, request.input): move.inputs[symbol] for symbol, request in asked.items()}

    def conclude(self, ended: Ended) -> Outcome:
        self._count()
        return self._outcome(ended)

    def _count(self) -> None:
        for name, count in self.coordinator.counters().items():
            self.counters[name] = self.counters.get(name, 0) + count if name in ("queries", "messages") else count
        self.counters["blocks"] = len(self.blocks.blocks)

    def _with(self, found: _Candidates, at_a_loss: Deadline) -> Ended:
        """If they prove the program, it is done; else they help only where the blocks are at a loss: a search has to carry
        them."""
        known = {location: unpack(data) for location, data in found.invariants.items()}
        if found.is_safe:
            return Ended(invariants=known)
        if not self.options.predictable:
            ended = self.coordinator.run(at_a_loss)
            if not ended.is_open:
                return ended
        self.coordinator.know(known)
        return self.coordinator.run(self.deadline)

    def _with_candidates(self, at_a_loss: Deadline) -> Ended:
        """A short look for candidate invariants, and a longer one later: it observes the program longer, and has more of them."""
        found = self._candidates(self._at_first())
        if not found.is_safe and not self.options.predictable:
            ended = self.coordinator.run(at_a_loss)
            if not ended.is_open or self.deadline.expired():
                return ended
            found = self._candidates(self._share(_FOR_CANDIDATES))
        return self._with(found, at_a_loss)

    def _with_candidates_aside(self, at_a_loss: Deadline) -> Ended:
        """Candidate invariants are looked for in a process of their own, while the blocks go on."""
        aside, coordinator = Fork(self._look_for_candidates), self.coordinator
        coordinator.is_wanted = aside.has_news
        try:
            ended = coordinator.run(self.deadline)
            if not ended.is_open or self.deadline.expired():
                return ended
            found: list[bytes] = []
            while not found and not aside.has_ended:
                found = aside.read()
        finally:
            coordinator.is_wanted = lambda: False
            aside.stop()
        if not found:  # it died
            return coordinator.run(self.deadline)
        answer = msgspec.msgpack.decode(found[0], type=_Candidates)
        self.counters.update(answer.counters)
        return self._with(answer, at_a_loss)

    def _look_for_candidates(self, say: Say) -> None:
        """In the other process, which takes what the hosts leave if it needs long."""
        self.observer = unobserved
        found = self._candidates(self._at_first())
        if not found.is_safe:
            os.nice(_MODEST)
            found = self._candidates(self._share(_FOR_CANDIDATES))
        say(msgspec.msgpack.encode(found))

    def _candidates(self, deadline: Deadline) -> _Candidates:
        """Candidate invariants that hold, for all blocks to rely on."""
        options, system = self.options, self.blocks.system
        from drystone.engines.found_invariants import find_invariants  # much, which most programs do not need

        found = find_invariants(system, options.candidates, options.solver, options.seed, deadline, self.observer, self.counters)
        known = found.formulas()
        is_safe = self._inductive().is_safe(known, self._share(_FOR_THE_PROOF))
        return _Candidates({location: pack(formulas) for location, formulas in known.items()}, is_safe, self.counters)

    def _at_first(self) -> Deadline:
        has_elements = any(map(is_index, self.blocks.system.symbolic.sorts))
        return self._share(_FOR_CANDIDATES_OF_ELEMENTS if has_elements else _FOR_CANDIDATES_AT_FIRST)

    def _share(self, share: tuple[float, float]) -> Deadline:
        """Of the time that is left, and seconds at most; in a predictable run time can only end everything."""
        part, most = share
        return self.deadline if self.options.predictable else self.deadline.within(min(self.deadline.remaining() * part, most))

    def _inductive(self) -> Inductive:
        return Inductive(self.blocks.system, self.options.solver, self.options.seed, self.counters)

    def _outcome(self, ended: Ended) -> Outcome:
        if ended.trace is not None:
            return self.ways.violated(ended.trace, self.deadline)
        if ended.invariants is None:
            return Outcome(Verdict.UNKNOWN, ended.reason)
        needed = self._inductive().needed(ended.invariants, self._for_fewer(ended.invariants))
        return self._proved(needed if needed is not None else ended.invariants)

    def _proved(self, invariants: Invariants, reason: str = "") -> Outcome:
        shown = worded(self.program, self.blocks.system, invariants)
        certificate = InductiveCertificate(shown, self.bound, self.options.solver)
        count = sum(len(each.text) for each in shown)
        reason = reason or f"by summaries of {counted(len(self.blocks.blocks), 'blocks')}, {counted(count, 'lemmas')}"
        return Outcome(Verdict.TRUE, reason, certificate=certificate)

    def _for_fewer(self, invariants: Mapping[int, Sequence[Term]]) -> Deadline:
        """How long invariants may be looked for that are not needed: where there are many, a certificate needs it."""
        if self.options.predictable or sum(map(len, invariants.values())) > _MANY:
            return self.deadline
        return self.deadline.within(max(1.0, 0.1 * (self._began - self.deadline.remaining())))
