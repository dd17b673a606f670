"""The engine `dcpa`: distributed configurable program analysis (Kettl 2022), from a program to a verdict.

Several analyses may run side by side: each a domain on blocks of its own decomposition.
"""

from __future__ import annotations

import msgspec

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.dcpa.options import DcpaOptions, analyses
from drystone.engines.dcpa.search import Search
from drystone.engines.dcpa.side_by_side import Turns, side_by_side
from drystone.engines.deepening import Outcome, deepen, engine_result
from drystone.engines.dss.coordinator import Means
from drystone.engines.dss.explanation import details, explained
from drystone.engines.dss.hosts import Inline
from drystone.engines.dss.records.journal import Journal
from drystone.engines.dss.records.tracing import Tracer
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, Observer
from drystone.engines.question import Question
from drystone.logic import terms
from drystone.pipeline import PreparedProgram


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
    hosts = setting.make_hosts(setting.workers)
    given = options.predictable, options.broadcast, options.precedence
    means = Means(hosts, observer, setting.journal(), setting.tracer, *given)
    searches: list[Search] = []
    counters: dict[str, int] = {"queries": 0, "unrollings": 0, "replays": 0}
    pairs, turns = analyses(options.domain, options.decomposition), Turns(options.predictable)
    own = [msgspec.structs.replace(options, domain=domain, decomposition=kind) for domain, kind in pairs]
    is_due = turns.is_over if len(own) > 1 else lambda: False

    def searched(bound: int) -> Outcome:
        """The last analysis is where the user says; the others are in this process, which waits for hosts anyway."""
        others = [Means(Inline(), observer, Journal(), Tracer(), *given) for _ in own[:-1]]
        places = zip(own, [*others, means], strict=True)
        searches[:] = [Search(prepared, each, bound, deadline, place, counters, is_due) for each, place in places]
        counters["blocks"] = sum(len(search.blocks.blocks) for search in searches)
        return side_by_side(searches, turns, deadline)

    try:
        outcome = deepen(searched, deadline, observer)
    finally:
        hosts.close()
    if not options.predictable:  # which terms are in this process depends on the hosts
        counters["terms"] = terms.table_size()
    result = engine_result(prepared.program, outcome, counters)
    setting.tracer.ended(outcome.verdict.value, outcome.reason)
    return _told(result, searches, setting) if searches else result


def _told(result: EngineResult, searches: list[Search], setting: Setting) -> EngineResult:
    """With what the blocks of the last run did, and what counting alone would have said."""
    by_counting = any(each.has_balanced for each in searches) and result.verdict is not Verdict.TRUE
    decided = next((each for each in searches if each.has_decided), searches[-1])
    about = decided.program, decided.blocks, decided.coordinator, decided.domain
    lines = explained(*about)
    if by_counting:
        lines = ("all error conditions were refuted at some time: by counting (Kettl 2022), that is a proof", *lines)
    if len(searches) > 1:
        lines = (*(search.said() for search in searches), *lines)
    counters = {**result.counters, "true_by_counting": int(by_counting)}
    last = searches[-1]
    story = setting.kept.story("dcpa", last.program, last.blocks, last.domain) if setting.kept is not None else None
    return msgspec.structs.replace(result, explanation=lines, details=details(*about), counters=counters, story=story)
