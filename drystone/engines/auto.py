"""Which engines look at a program, in which order, and for how long.

`auto` runs a sequential portfolio: a few executions find shallow bugs at once; then bounded model checking, candidate
invariants and k-induction share what is left of the time.
"""

from __future__ import annotations

import dataclasses

import msgspec

from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation
from drystone.program.automaton import Program
from drystone.solvers.deadline import Deadline

ENGINES = ("auto", "execute", "bmc", "k-induction")

_EXECUTE_SHARE, _EXECUTE_SECONDS, _EXECUTE_RUNS = 0.1, 6.0, 2_000  # of the time there is, for `auto`


class Settings(msgspec.Struct, frozen=True):
    """What a user can set, for all engines."""

    seed: int = 0
    candidates: tuple[str, ...] | None = None  # sources of candidate invariants; None: all


def check(engine: str, program: Program, settings: Settings, deadline: Deadline, observer: Observer) -> EngineResult:
    """The result of one of `ENGINES`; it says which engine found it."""
    if engine != "auto":
        return _one(engine, program, settings, deadline, observer)
    brief = deadline.within(min(_EXECUTE_SECONDS, _EXECUTE_SHARE * deadline.remaining()))
    first = _execute(program, settings, brief, observer, _EXECUTE_RUNS)
    if first.verdict is not Verdict.UNKNOWN:
        return first
    second = _one("k-induction", program, settings, deadline, observer)
    return dataclasses.replace(second, counters={**first.counters, **second.counters})


def _one(engine: str, program: Program, settings: Settings, deadline: Deadline, observer: Observer) -> EngineResult:
    match engine:
        case "execute":
            return _execute(program, settings, deadline, observer)
        case "bmc":
            from drystone.engines import bmc

            result = bmc.check(program, bmc.BmcOptions(seed=settings.seed), deadline, _named(engine, observer))
        case "k-induction":
            from drystone.engines import induction

            options = induction.InductionOptions(seed=settings.seed, candidates=settings.candidates)
            result = induction.check(program, options, deadline, _named(engine, observer))
        case _:
            raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    return dataclasses.replace(result, engine=engine)


def _execute(
    program: Program, settings: Settings, deadline: Deadline, observer: Observer, runs: int | None = None
) -> EngineResult:
    from drystone.engines import execute

    options = execute.Options(seed=settings.seed)
    if runs is not None:
        options = dataclasses.replace(options, runs=runs)
    return dataclasses.replace(execute.check(program, options, deadline, _named("execute", observer)), engine="execute")


def _named(engine: str, observer: Observer) -> Observer:
    """Tells the observer which engine makes progress."""

    def observe(event: Progress | Violation) -> None:
        observer(Progress(f"{engine}: {event.phase}", event.counters) if isinstance(event, Progress) else event)

    return observe
