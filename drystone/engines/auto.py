"""Which engines look at a program, in which order, and for how long.

`auto` runs a sequential portfolio: a few executions find shallow bugs at once, bounded model checking the deeper ones and
programs whose executions are short; then summaries of blocks, and last k-induction, which is bounded model checking again.
"""

from __future__ import annotations

import dataclasses

import msgspec

from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation
from drystone.program.automaton import Program
from drystone.solvers.deadline import Deadline

ENGINES = ("auto", "execute", "bmc", "k-induction", "dss")

_EXECUTE_SHARE, _EXECUTE_SECONDS, _EXECUTE_RUNS = 0.1, 6.0, 2_000  # of the time there is, for `auto`


class Settings(msgspec.Struct, frozen=True):
    """What a user can set, for all engines."""

    seed: int = 0
    candidates: tuple[str, ...] | None = None  # sources of candidate invariants; None: all
    decomposition: str = "loops"  # into blocks, for `dss`
    summaries: str = "lemmas"  # of blocks, for `dss`


def check(engine: str, program: Program, settings: Settings, deadline: Deadline, observer: Observer) -> EngineResult:
    """The result of one of `ENGINES`; it says which engine found it."""
    if engine != "auto":
        return _one(engine, program, settings, deadline, observer)
    total = deadline.remaining()
    plan = (("execute", min(_EXECUTE_SECONDS, _EXECUTE_SHARE * total)), ("bmc", 0.1 * total), ("dss", 0.5 * total))
    counters: dict[str, int] = {}
    for name, seconds in plan:
        result = _one(name, program, settings, deadline.within(seconds), observer, _EXECUTE_RUNS)
        counters.update(result.counters)
        if result.verdict is not Verdict.UNKNOWN:
            return dataclasses.replace(result, counters=counters)
    result = _one("k-induction", program, settings, deadline, observer)
    return dataclasses.replace(result, counters={**counters, **result.counters})


def _one(
    engine: str, program: Program, settings: Settings, deadline: Deadline, observer: Observer, runs: int | None = None
) -> EngineResult:
    named = _named(engine, observer)
    match engine:
        case "execute":
            from drystone.engines import execute

            run_options = execute.Options(seed=settings.seed)
            if runs is not None:
                run_options = dataclasses.replace(run_options, runs=runs)
            result = execute.check(program, run_options, deadline, named)
        case "bmc":
            from drystone.engines import bmc

            result = bmc.check(program, bmc.BmcOptions(seed=settings.seed), deadline, named)
        case "k-induction":
            from drystone.engines import induction

            options = induction.InductionOptions(seed=settings.seed, candidates=settings.candidates)
            result = induction.check(program, options, deadline, named)
        case "dss":
            from drystone.engines.dss import engine as dss

            dss_options = dss.DssOptions(
                seed=settings.seed,
                candidates=settings.candidates,
                decomposition=settings.decomposition,
                summaries=settings.summaries,
            )
            result = dss.check(program, dss_options, deadline, named)
        case _:
            raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    return dataclasses.replace(result, engine=engine)


def _named(engine: str, observer: Observer) -> Observer:
    """Tells the observer which engine makes progress."""

    def observe(event: Progress | Violation) -> None:
        observer(Progress(f"{engine}: {event.phase}", event.counters) if isinstance(event, Progress) else event)

    return observe
